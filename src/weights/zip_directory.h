// SPDX-License-Identifier: Apache-2.0
// parse_zip_directory: the entries of a zip file whose data is stored, as views into it.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace seqgpt {

struct ZipEntry {
  std::string_view name;
  std::span<const std::byte> data;
  uint32_t crc = 0;     // as the directory states it, not yet checked
  uint64_t header = 0;  // offset of the local header
};

/// Entries sorted by name. Reads zip64 as well. Refused: what lies outside the file, overlaps, two
/// equal names, encryption, compression, several disks. Views point into `file`; `name` is for
/// messages. Format: PKWARE APPNOTE 6.3.x, sections 4.3.7, 4.3.12, 4.3.14 to 4.3.16 and 4.5.3.
Result<std::vector<ZipEntry>> parse_zip_directory(std::span<const std::byte> file,
                                                  std::string_view name);

}  // namespace seqgpt
