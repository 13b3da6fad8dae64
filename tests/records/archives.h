// SPDX-License-Identifier: Apache-2.0
// Archives made in memory, and a source that gives its bytes in small pieces.
#pragma once

#include <lzma.h>
#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <string>

#include "records/byte_source.h"

namespace seqgpt {

inline std::string gzip(const std::string& text) {
  z_stream stream{};
  deflateInit2(&stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
  std::string out(deflateBound(&stream, text.size()) + 64, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

inline std::string zstd(const std::string& text) {
  std::string out(ZSTD_compressBound(text.size()), '\0');
  out.resize(ZSTD_compress(out.data(), out.size(), text.data(), text.size(), 3));
  return out;
}

inline std::string xz(const std::string& text) {
  std::string out(lzma_stream_buffer_bound(text.size()), '\0');
  size_t size = 0;
  lzma_easy_buffer_encode(6, LZMA_CHECK_CRC64, nullptr,
                          reinterpret_cast<const uint8_t*>(text.data()), text.size(),
                          reinterpret_cast<uint8_t*>(out.data()), &size, out.size());
  out.resize(size);
  return out;
}

/// Gives `piece` bytes at a time: every place of a text becomes an edge.
class PiecewiseSource final : public ByteSource {
 public:
  PiecewiseSource(std::string text, size_t piece) : inner_(std::move(text)), piece_(piece) {}
  Result<size_t> read(std::span<char> buffer) override {
    return inner_.read(buffer.first(std::min(piece_, buffer.size())));
  }

 private:
  TextSource inner_;
  size_t piece_;
};

}  // namespace seqgpt
