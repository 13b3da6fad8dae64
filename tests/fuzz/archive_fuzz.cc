// SPDX-License-Identifier: Apache-2.0
// Fuzz target: any bytes as an archive in any encoding, cut into lines.
#include <cstddef>
#include <cstdint>
#include <string>

#include "records/decompress.h"
#include "records/lines.h"
#include "records/utf8_source.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  std::unique_ptr<seqgpt::ByteSource> content = std::make_unique<seqgpt::TextSource>(bytes);
  const seqgpt::Compression compression = seqgpt::compression_of(bytes);
  if (compression != seqgpt::Compression::kNone)
    content = seqgpt::decompress(std::move(content), compression, "fuzz");
  auto text = seqgpt::open_utf8(std::move(content), "auto");
  if (!text.ok()) return 0;
  seqgpt::LineReader reader(*text->bytes, 1000);
  for (int lines = 0; lines < 100000; ++lines) {
    const auto line = reader.next();
    if (!line.ok() || !line->has_value()) return 0;
  }
  return 0;
}
