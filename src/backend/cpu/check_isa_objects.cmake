# SPDX-License-Identifier: Apache-2.0
# Fails the build when an isa_*.cc object holds a symbol that the linker might pick for the whole program.
#
# Such a symbol (weak: an inline function or a template from a shared header) would be code of a wide
# instruction set, run by processors that do not have it. Arguments: NM, ARCHIVE.
execute_process(COMMAND ${NM} -C ${ARCHIVE} OUTPUT_VARIABLE symbols RESULT_VARIABLE failed ERROR_QUIET)
if(failed)
  return()  # no nm for this archive: the check is a guard, not a requirement
endif()
string(REGEX REPLACE "[;\\[\\]]" "_" symbols "${symbols}")
string(REPLACE "\n" ";" lines "${symbols}")
set(object "")
foreach(line IN LISTS lines)
  if(line MATCHES "^(.*\\.o):$")
    set(object "${CMAKE_MATCH_1}")
  elseif(object MATCHES "^isa_" AND line MATCHES " [WVu] " AND NOT line MATCHES "DW\\.ref")
    message(FATAL_ERROR "${object} would export a shared symbol: ${line}")
  endif()
endforeach()
