# SPDX-License-Identifier: Apache-2.0
# How a folder of ours becomes a library or a test: warnings, sanitizers, ccache and the glob rule, stated once.
find_program(CCACHE ccache)
if(CCACHE)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CCACHE})
  set(CMAKE_C_COMPILER_LAUNCHER ${CCACHE})
endif()

set(SEQGPT_SANITIZE "" CACHE STRING "Value of -fsanitize=, empty for none")

add_library(seqgpt_flags INTERFACE)
target_include_directories(seqgpt_flags INTERFACE ${CMAKE_SOURCE_DIR}/src)
# -ffp-contract=off: a multiply and an add stay two roundings unless a kernel asks for fma itself (promise 2).
target_compile_options(seqgpt_flags INTERFACE -Wall -Wextra -Werror -ffp-contract=off)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # g++ 12 sees overlaps in std::string + const char* that are not there (GCC bug 105651, mended in 13).
  target_compile_options(seqgpt_flags INTERFACE -Wno-restrict)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  # clang takes std::stable_sort of libstdc++ 12 for a use of the deprecated std::get_temporary_buffer.
  target_compile_options(seqgpt_flags INTERFACE -Wno-deprecated-declarations)
endif()
if(SEQGPT_SANITIZE)
  target_compile_options(seqgpt_flags INTERFACE -fsanitize=${SEQGPT_SANITIZE} -fno-sanitize-recover=all
                                                -fno-omit-frame-pointer)
  target_link_options(seqgpt_flags INTERFACE -fsanitize=${SEQGPT_SANITIZE})
endif()

# Joined, a folder's sources compile several times faster, and every change compiles them all: for builds made once, as in CI.
# Names in anonymous namespaces then meet: two files must not define one twice, or say with seqgpt_apart() that they stay apart.
option(SEQGPT_JOIN "Compile several sources of a folder as one" OFF)
set(CMAKE_UNITY_BUILD ${SEQGPT_JOIN})
set(CMAKE_UNITY_BUILD_BATCH_SIZE 6)
function(seqgpt_apart)
  set_source_files_properties(${ARGN} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
endfunction()

# seqgpt_library(NAME DEPS...): every .cc directly in the current folder, linked to the libraries it may see.
function(seqgpt_library name)
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cc)
  if(NOT sources)
    file(WRITE ${CMAKE_CURRENT_BINARY_DIR}/empty.cc "")
    set(sources ${CMAKE_CURRENT_BINARY_DIR}/empty.cc)
  endif()
  add_library(seqgpt_${name} STATIC ${sources})
  target_link_libraries(seqgpt_${name} PUBLIC seqgpt_flags ${ARGN})
endfunction()

# seqgpt_test(FOLDER DEPS...): tests/FOLDER/*_test.cc as one GoogleTest program, each TEST a ctest case.
function(seqgpt_test folder)
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${folder}/*.cc)
  if(NOT sources)
    return()
  endif()
  add_executable(${folder}_test ${sources})
  target_include_directories(${folder}_test PRIVATE ${CMAKE_SOURCE_DIR}/tests)
  target_compile_definitions(${folder}_test PRIVATE
    SEQGPT_GOLDEN_DIR="${CMAKE_SOURCE_DIR}/tests/golden" SEQGPT_SOURCE_DIR="${CMAKE_SOURCE_DIR}")
  target_link_libraries(${folder}_test PRIVATE seqgpt_flags ${ARGN} GTest::gtest GTest::gtest_main)
  gtest_discover_tests(${folder}_test DISCOVERY_MODE PRE_TEST PROPERTIES TIMEOUT 600)
endfunction()
