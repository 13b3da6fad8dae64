// SPDX-License-Identifier: Apache-2.0
// The files of web/ as the build embeds them in the program: found by path, served as they are.
#pragma once

#include <span>
#include <string_view>

namespace seqgpt {

struct PageFile {
  std::string_view path;          // "/style.css"; the page itself is "/" and "/index.html"
  std::string_view content_type;  // with charset where it is text
  std::string_view bytes;
  std::string_view gzip_bytes;  // the same for `Content-Encoding: gzip`; empty: send `bytes`
  std::string_view etag;        // quoted, from a hash of the content; changes when the file does
};

/// All files in order of path.
std::span<const PageFile> page_files();

/// The file at a path below the root path (no query, not decoded), or null.
const PageFile* find_page_file(std::string_view path);

/// Content-Security-Policy of the page and of /docs: nothing inline, nothing from elsewhere.
inline constexpr std::string_view kPageSecurityPolicy =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; "
    "connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// Cache-Control of page files: kept, but asked for again each time; the answer is then a 304.
inline constexpr std::string_view kPageCacheControl = "no-cache";

}  // namespace seqgpt
