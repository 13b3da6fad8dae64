# SPDX-License-Identifier: Apache-2.0
# cmake -DOUT=page_data.cc -DROOT=web "-DFILES=a;b" -P EmbedPage.cmake: writes one .cc with the bytes of the page's files,
# plain and gzipped, and their ETags (docs/page.md).
set(type_html "text/html; charset=utf-8")
set(type_css "text/css; charset=utf-8")
set(type_js "text/javascript; charset=utf-8")
set(type_svg "image/svg+xml")
set(type_json "application/json")

# A file's bytes as a C++ array. Split into lines: compilers dislike lines of a megabyte.
function(array_of file name out)
  file(READ ${file} hex HEX)
  string(REGEX REPLACE "(................................)" "\\1\n" hex "${hex}")
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," hex "${hex}")
  set(${out} "constexpr unsigned char ${name}[] = {\n${hex}};\n" PARENT_SCOPE)
endfunction()

set(arrays "")
set(rows "")
set(index 0)
list(SORT FILES)
foreach(file IN LISTS FILES)
  get_filename_component(extension ${file} LAST_EXT)
  string(SUBSTRING ${extension} 1 -1 extension)
  if(NOT DEFINED type_${extension})
    message(FATAL_ERROR "EmbedPage: no content type for ${file}")
  endif()
  set(packed ${OUT}.gz)
  execute_process(COMMAND gzip -9 -n -c ${ROOT}/${file} OUTPUT_FILE ${packed} COMMAND_ERROR_IS_FATAL ANY)
  array_of(${ROOT}/${file} kPlain${index} plain)
  array_of(${packed} kPacked${index} gzipped)
  file(SHA256 ${ROOT}/${file} hash)
  string(SUBSTRING ${hash} 0 16 hash)
  string(APPEND arrays "${plain}${gzipped}")
  set(rest "\"${type_${extension}}\", view(kPlain${index}), view(kPacked${index}), \"\\\"${hash}\\\"\"},\n")
  if(file STREQUAL "index.html")
    set(first "    {\"/\", ${rest}")
  elseif(file MATCHES "^(.+)/index.html$")  # docs/index.html is also /docs
    string(APPEND rows "    {\"/${CMAKE_MATCH_1}\", ${rest}")
  endif()
  string(APPEND rows "    {\"/${file}\", ${rest}")
  math(EXPR index "${index} + 1")
endforeach()
file(REMOVE ${OUT}.gz)

file(WRITE ${OUT} "// Made by cmake/EmbedPage.cmake from web/; not to be edited.
#include \"server/page_files.h\"

namespace seqgpt {
namespace {

${arrays}
template <size_t kSize>
std::string_view view(const unsigned char (&bytes)[kSize]) {
  return {reinterpret_cast<const char*>(bytes), kSize};
}

const PageFile kFiles[] = {
${first}${rows}};

}  // namespace

std::span<const PageFile> page_files() {
  return kFiles;
}

const PageFile* find_page_file(std::string_view path) {
  for (const PageFile& file : kFiles)
    if (file.path == path) return &file;
  return nullptr;
}

}  // namespace seqgpt
")
