// SPDX-License-Identifier: Apache-2.0
// Archives as streams: gzip, zstd and xz, known by their first bytes.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "records/byte_source.h"

namespace seqgpt {

enum class Compression { kNone, kGzip, kZstd, kXz };

/// By the magic of RFC 1952, RFC 8878 and the .xz format.
Compression compression_of(std::string_view head);

/// The content of an archive.
class Archive : public ByteSource {
 public:
  /// Bytes of the archive whose content has been given, or nearly so.
  virtual uint64_t consumed() const = 0;
};

/// Opens an archive of a kind other than kNone, in memory that does not grow with it (zstd windows
/// up to 128 MiB, xz dictionaries up to 256 MiB are taken). Concatenated members are one content.
/// What comes before damage is given first, then kBadFile. `name` is for messages.
std::unique_ptr<Archive> decompress(std::unique_ptr<ByteSource> archive, Compression compression,
                                    const std::string& name);

}  // namespace seqgpt
