// SPDX-License-Identifier: Apache-2.0
// One loop around three codecs: feed it, take what it made, tell the end from a cut.
#include "records/decompress.h"

#include <lzma.h>
#include <zlib.h>
#include <zstd.h>

#include <optional>

namespace seqgpt {
namespace {

constexpr size_t kInputBytes = size_t{64} << 10;
constexpr uint64_t kXzMemory = uint64_t{256} << 20;

/// A codec of one format: takes from the front of `in`, makes at the front of `out`, shortening
/// both.
class Codec {
 public:
  virtual ~Codec() = default;
  /// False for damage. `last`: nothing follows `in`.
  virtual bool decode(std::span<char>& in, std::span<char>& out, bool last) = 0;
  /// The data may end here.
  virtual bool whole() const = 0;
};

uint8_t* bytes_of(std::span<char> part) {
  return reinterpret_cast<uint8_t*>(part.data());
}

class GzipCodec final : public Codec {
 public:
  GzipCodec() { good_ = inflateInit2(&stream_, 15 + 16) == Z_OK; }  // + 16: gzip framing only
  GzipCodec(const GzipCodec&) = delete;
  GzipCodec& operator=(const GzipCodec&) = delete;
  ~GzipCodec() override { inflateEnd(&stream_); }

  bool decode(std::span<char>& in, std::span<char>& out, bool) override {
    if (whole_ && !in.empty()) {  // a further member
      good_ = good_ && inflateReset(&stream_) == Z_OK;
      whole_ = false;
    }
    stream_.next_in = bytes_of(in);
    stream_.avail_in = static_cast<uInt>(in.size());
    stream_.next_out = bytes_of(out);
    stream_.avail_out = static_cast<uInt>(out.size());
    const int code = inflate(&stream_, Z_NO_FLUSH);
    in = in.last(stream_.avail_in);
    out = out.last(stream_.avail_out);
    whole_ = whole_ || code == Z_STREAM_END;
    return good_ && (code == Z_OK || code == Z_STREAM_END || code == Z_BUF_ERROR);
  }
  bool whole() const override { return whole_; }

 private:
  z_stream stream_{};
  bool good_ = false;
  bool whole_ = false;
};

class ZstdCodec final : public Codec {
 public:
  ZstdCodec() : stream_(ZSTD_createDStream()) {}
  ZstdCodec(const ZstdCodec&) = delete;
  ZstdCodec& operator=(const ZstdCodec&) = delete;
  ~ZstdCodec() override { ZSTD_freeDStream(stream_); }

  bool decode(std::span<char>& in, std::span<char>& out, bool) override {
    if (in.empty() && whole_) return true;
    ZSTD_inBuffer input{in.data(), in.size(), 0};
    ZSTD_outBuffer output{out.data(), out.size(), 0};
    const size_t left = ZSTD_decompressStream(stream_, &output, &input);
    in = in.subspan(input.pos);
    out = out.subspan(output.pos);
    whole_ = left == 0;
    return ZSTD_isError(left) == 0;
  }
  bool whole() const override { return whole_; }

 private:
  ZSTD_DStream* stream_;
  bool whole_ = false;
};

class XzCodec final : public Codec {
 public:
  XzCodec() { good_ = lzma_stream_decoder(&stream_, kXzMemory, LZMA_CONCATENATED) == LZMA_OK; }
  XzCodec(const XzCodec&) = delete;
  XzCodec& operator=(const XzCodec&) = delete;
  ~XzCodec() override { lzma_end(&stream_); }

  bool decode(std::span<char>& in, std::span<char>& out, bool last) override {
    if (whole_) return in.empty();
    stream_.next_in = bytes_of(in);
    stream_.avail_in = in.size();
    stream_.next_out = bytes_of(out);
    stream_.avail_out = out.size();
    const lzma_ret code = lzma_code(&stream_, last ? LZMA_FINISH : LZMA_RUN);
    in = in.last(stream_.avail_in);
    out = out.last(stream_.avail_out);
    whole_ = code == LZMA_STREAM_END;
    return good_ && (code == LZMA_OK || code == LZMA_STREAM_END || code == LZMA_BUF_ERROR);
  }
  bool whole() const override { return whole_; }

 private:
  lzma_stream stream_ = LZMA_STREAM_INIT;
  bool good_ = false;
  bool whole_ = false;
};

class Decompressor final : public Archive {
 public:
  Decompressor(std::unique_ptr<ByteSource> archive, std::unique_ptr<Codec> codec, std::string name)
      : archive_(std::move(archive)), codec_(std::move(codec)), name_(std::move(name)) {}

  Result<size_t> read(std::span<char> buffer) override {
    for (;;) {
      if (failed_) return *failed_;
      if (in_.empty() && !ended_) {
        SEQGPT_TRY(refill());
      }
      const size_t offered = in_.size();
      std::span<char> room = buffer;
      const bool good = codec_->decode(in_, room, ended_);
      if (!good) failed_ = damaged("is damaged");
      const size_t made = buffer.size() - room.size();
      if (made > 0) return made;
      if (!good) continue;
      if (!in_.empty() && in_.size() == offered) failed_ = damaged("is damaged");
      if (!in_.empty() || !ended_) continue;
      if (codec_->whole()) return size_t{0};
      failed_ = damaged("is cut short");
    }
  }

  uint64_t consumed() const override { return read_ - in_.size(); }

 private:
  Status refill() {
    SEQGPT_ASSIGN(const size_t count, archive_->read(buffer_));
    in_ = std::span(buffer_).first(count);
    read_ += count;
    ended_ = count == 0;
    return {};
  }
  Error damaged(const std::string& how) const {
    return {ErrorCode::kBadFile,
            "the archive " + name_ + " " + how + " at about byte " + std::to_string(consumed())};
  }

  std::unique_ptr<ByteSource> archive_;
  std::unique_ptr<Codec> codec_;
  std::string name_;
  std::string buffer_ = std::string(kInputBytes, '\0');
  std::span<char> in_;
  uint64_t read_ = 0;
  bool ended_ = false;
  std::optional<Error> failed_;
};

std::unique_ptr<Codec> make_codec(Compression compression) {
  if (compression == Compression::kGzip) return std::make_unique<GzipCodec>();
  if (compression == Compression::kZstd) return std::make_unique<ZstdCodec>();
  return std::make_unique<XzCodec>();
}

}  // namespace

Compression compression_of(std::string_view head) {
  if (head.starts_with("\x1F\x8B")) return Compression::kGzip;
  if (head.starts_with("\x28\xB5\x2F\xFD")) return Compression::kZstd;
  if (head.starts_with(std::string_view("\xFD"
                                        "7zXZ\0",
                                        6)))
    return Compression::kXz;
  return Compression::kNone;
}

std::unique_ptr<Archive> decompress(std::unique_ptr<ByteSource> archive, Compression compression,
                                    const std::string& name) {
  return std::make_unique<Decompressor>(std::move(archive), make_codec(compression), name);
}

}  // namespace seqgpt
