// SPDX-License-Identifier: Apache-2.0
// The readers behind decode_text: UTF-8 and UTF-16 by hand, GB18030 by iconv.
#include "base/encoding.h"

#include <iconv.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <utility>

#include "base/utf8.h"

namespace seqgpt {
namespace {

constexpr std::string_view kKnown = "auto, utf-8, utf-16, utf-16le, utf-16be, gb18030";
constexpr std::string_view kUtf8Mark = "\xEF\xBB\xBF";
constexpr std::string_view kLittleMark = "\xFF\xFE";
constexpr std::string_view kBigMark = "\xFE\xFF";

Error undecodable(std::string_view bytes, size_t at, std::string_view encoding) {
  std::array<char, 8> hex{};
  std::snprintf(hex.data(), hex.size(), "0x%02X", static_cast<uint8_t>(bytes[at]));
  return {ErrorCode::kInvalidArgument,
          "the text is not valid " + std::string(encoding) + ": byte " + hex.data() +
              " at offset " + std::to_string(at) + " cannot be decoded",
          "encoding"};
}

Result<DecodedText> from_utf8(std::string_view bytes) {
  const size_t mark = bytes.starts_with(kUtf8Mark) ? kUtf8Mark.size() : 0;
  if (const auto invalid = utf8_first_invalid(bytes)) return undecodable(bytes, *invalid, "utf-8");
  return DecodedText{std::string(bytes.substr(mark)), "utf-8"};
}

/// The 16-bit unit at byte `at` (at + 1 < bytes.size()).
char32_t unit_at(std::string_view bytes, size_t at, bool little) {
  const auto first = static_cast<uint8_t>(bytes[at]);
  const auto second = static_cast<uint8_t>(bytes[at + 1]);
  return static_cast<char32_t>(little ? second << 8 | first : first << 8 | second);
}

Result<DecodedText> from_utf16(std::string_view bytes, bool little) {
  const std::string_view name = little ? "utf-16le" : "utf-16be";
  DecodedText out{{}, std::string(name)};
  size_t at = bytes.starts_with(little ? kLittleMark : kBigMark) ? kLittleMark.size() : 0;
  while (at < bytes.size()) {
    if (at + 1 == bytes.size()) return undecodable(bytes, at, name);
    char32_t point = unit_at(bytes, at, little);
    size_t length = 2;
    if (point >= 0xD800 &&
        point < 0xE000) {  // a surrogate: only a high one before a low one will do
      const char32_t low = at + 3 < bytes.size() ? unit_at(bytes, at + 2, little) : 0;
      if (point >= 0xDC00 || low < 0xDC00 || low >= 0xE000) return undecodable(bytes, at, name);
      point = 0x10000 + ((point - 0xD800) << 10) + (low - 0xDC00);
      length = 4;
    }
    utf8_append(out.text, point);
    at += length;
  }
  return out;
}

/// One conversion by the C library; closes itself.
class Iconv {
 public:
  Iconv(const char* to, const char* from) : handle_(iconv_open(to, from)) {}
  Iconv(const Iconv&) = delete;
  Iconv& operator=(const Iconv&) = delete;
  ~Iconv() {
    if (good()) iconv_close(handle_);
  }

  // iconv_open reports failure as (iconv_t)-1.
  bool good() const { return reinterpret_cast<intptr_t>(handle_) != -1; }

  /// Appends what `bytes` stand for to `out`; the number of bytes read, all of them on success.
  size_t convert(std::string_view bytes, std::string& out) {
    std::array<char, 16384> buffer;
    char* in = const_cast<char*>(bytes.data());  // iconv does not write there
    size_t left = bytes.size();
    while (left > 0) {
      char* to = buffer.data();
      size_t room = buffer.size();
      const size_t result = iconv(handle_, &in, &left, &to, &room);
      out.append(buffer.data(), buffer.size() - room);
      if (result == static_cast<size_t>(-1) && errno != E2BIG) break;
    }
    return bytes.size() - left;
  }

 private:
  iconv_t handle_;
};

Result<DecodedText> from_gb18030(std::string_view bytes) {
  Iconv converter("UTF-8", "GB18030");
  if (!converter.good()) {
    return Error{ErrorCode::kUnsupported,
                 "the C library of this system cannot read gb18030; convert the text to UTF-8",
                 "encoding"};
  }
  DecodedText out{{}, "gb18030"};
  const size_t read = converter.convert(bytes, out.text);
  if (read < bytes.size()) return undecodable(bytes, read, "gb18030");
  if (out.text.starts_with(kUtf8Mark)) out.text.erase(0, kUtf8Mark.size());
  return out;
}

/// True when at least nine of ten bytes beyond ASCII are part of valid UTF-8: GB18030 hardly ever
/// looks like that.
bool mostly_utf8(std::string_view bytes) {
  size_t valid = 0;
  size_t invalid = 0;
  for (size_t at = 0; at < bytes.size();) {
    const Decoded decoded = utf8_decode(bytes, at);
    if (!decoded.valid) invalid += decoded.bytes;
    if (decoded.valid && decoded.bytes > 1) valid += decoded.bytes;
    at += decoded.bytes;
  }
  return valid >= 9 * invalid;
}

Result<DecodedText> from_unknown(std::string_view bytes) {
  if (bytes.starts_with(kLittleMark)) return from_utf16(bytes, true);
  if (bytes.starts_with(kBigMark)) return from_utf16(bytes, false);
  Result<DecodedText> utf8 = from_utf8(bytes);
  if (utf8.ok() || bytes.starts_with(kUtf8Mark) || mostly_utf8(bytes)) return utf8;
  Result<DecodedText> gb18030 = from_gb18030(bytes);
  if (gb18030.ok()) return gb18030;
  return Error{ErrorCode::kInvalidArgument, utf8.error().message + "; " + gb18030.error().message,
               "encoding"};
}

Result<DecodedText> from_marked_utf16(std::string_view bytes) {
  if (bytes.starts_with(kLittleMark)) return from_utf16(bytes, true);
  if (bytes.starts_with(kBigMark)) return from_utf16(bytes, false);
  return Error{
      ErrorCode::kInvalidArgument,
      "the text has no byte order mark at offset 0: say utf-16le or utf-16be instead of utf-16",
      "encoding"};
}

}  // namespace

Result<DecodedText> decode_text(std::string_view bytes, std::string_view encoding) {
  std::string name(encoding);
  std::ranges::transform(name, name.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? char(c + 'a' - 'A') : c; });
  if (name == "auto") return from_unknown(bytes);
  if (name == "utf-8") return from_utf8(bytes);
  if (name == "utf-16") return from_marked_utf16(bytes);
  if (name == "utf-16le" || name == "utf-16be") return from_utf16(bytes, name == "utf-16le");
  if (name == "gb18030") return from_gb18030(bytes);
  return Error{ErrorCode::kInvalidArgument,
               "unknown encoding \"" + name + "\"; known are " + std::string(kKnown), "encoding"};
}

}  // namespace seqgpt
