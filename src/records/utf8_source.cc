// SPDX-License-Identifier: Apache-2.0
// Encoding by the head of a file, and iconv as a stream.
#include "records/utf8_source.h"

#include <iconv.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/encoding.h"

namespace seqgpt {
namespace {

constexpr size_t kHeadBytes = size_t{64} << 10;
constexpr std::string_view kUtf8Mark = "\xEF\xBB\xBF";

/// The head up to its last line feed: where it is cut there, no character is.
std::string_view whole_lines(std::string_view head) {
  if (head.size() < kHeadBytes) return head;
  const size_t end = head.find_last_of("\n\r ,");
  return end == std::string_view::npos ? head.substr(0, 0) : head.substr(0, end + 1);
}

std::string encoding_of(std::string_view head) {
  if (head.starts_with("\xFF\xFE")) return "utf-16le";
  if (head.starts_with("\xFE\xFF")) return "utf-16be";
  const Result<DecodedText> decoded = decode_text(whole_lines(head), "auto");
  return decoded.ok() ? decoded->encoding : "utf-8";
}

/// The checked name, or what the mark or the head says.
Result<std::string> chosen_encoding(std::string_view head, std::string_view encoding) {
  if (encoding == "auto") return encoding_of(head);
  if (encoding == "utf-16") {
    SEQGPT_ASSIGN(const DecodedText mark, decode_text(head.substr(0, 2), encoding));
    return mark.encoding;
  }
  SEQGPT_ASSIGN(const DecodedText known, decode_text("", encoding));  // refuses unknown names
  return known.encoding;
}

class IconvSource final : public ByteSource {
 public:
  IconvSource(std::unique_ptr<ByteSource> source, iconv_t handle, size_t unit)
      : source_(std::move(source)), handle_(handle), unit_(unit) {}
  IconvSource(const IconvSource&) = delete;
  IconvSource& operator=(const IconvSource&) = delete;
  ~IconvSource() override { iconv_close(handle_); }

  Result<size_t> read(std::span<char> buffer) override {
    while (given_ == made_.size()) {
      made_.clear();
      given_ = 0;
      SEQGPT_ASSIGN(const bool more, refill());
      convert(!more);
      if (made_.empty() && !more) return size_t{0};
    }
    const size_t count = std::min(buffer.size(), made_.size() - given_);
    std::memcpy(buffer.data(), made_.data() + given_, count);
    given_ += count;
    return count;
  }

 private:
  /// Appends a piece of the source to what is left of the one before.
  Result<bool> refill() {
    const size_t left = pending_.size();
    pending_.resize(left + kHeadBytes);
    const Result<size_t> count = source_->read(std::span(pending_).subspan(left));
    pending_.resize(left + (count.ok() ? *count : 0));
    if (!count.ok()) return count.error();
    return *count > 0;
  }

  void convert(bool last) {
    char* in = pending_.data();
    size_t left = pending_.size();
    while (left > 0) {
      char piece[4096];
      char* out = piece;
      size_t room = sizeof piece;
      const bool done = iconv(handle_, &in, &left, &out, &room) != static_cast<size_t>(-1);
      made_.append(piece, sizeof piece - room);
      if (done || errno == E2BIG) continue;
      if (errno == EINVAL && !last) break;  // a character goes on in the next piece
      const size_t skipped = std::min(unit_, left);
      in += skipped;
      left -= skipped;
      made_ += kUnreadableByte;
    }
    pending_.erase(0, pending_.size() - left);
    if (!begun_ && !made_.empty()) {
      begun_ = true;
      if (made_.starts_with(kUtf8Mark)) made_.erase(0, kUtf8Mark.size());
    }
  }

  std::unique_ptr<ByteSource> source_;
  iconv_t handle_;
  size_t unit_;  // bytes skipped at an unreadable place
  std::string pending_;
  std::string made_;
  size_t given_ = 0;  // of made_
  bool begun_ = false;
};

}  // namespace

Result<Utf8Stream> open_utf8(std::unique_ptr<ByteSource> source, std::string_view encoding) {
  auto peeked = std::make_unique<PeekedSource>(std::move(source));
  SEQGPT_ASSIGN(const std::string_view head, peeked->peek(kHeadBytes));
  SEQGPT_ASSIGN(const std::string name, chosen_encoding(head, encoding));
  if (name == "utf-8") {
    if (head.starts_with(kUtf8Mark)) {
      char mark[3];
      SEQGPT_ASSIGN(const size_t dropped, peeked->read(mark));
      (void)dropped;
    }
    return Utf8Stream{std::move(peeked), name};
  }
  std::string upper = name;
  std::ranges::transform(upper, upper.begin(),
                         [](char c) { return c >= 'a' && c <= 'z' ? char(c - 'a' + 'A') : c; });
  iconv_t handle = iconv_open("UTF-8", upper.c_str());
  if (reinterpret_cast<intptr_t>(handle) == -1)
    return Error{ErrorCode::kUnsupported,
                 "the C library of this system cannot read " + name + "; convert to UTF-8",
                 "encoding"};
  const size_t unit = name == "gb18030" ? 1 : 2;
  return Utf8Stream{std::make_unique<IconvSource>(std::move(peeked), handle, unit), name};
}

}  // namespace seqgpt
