// SPDX-License-Identifier: Apache-2.0
// Stacking file, archive and encoding.
#include "records/input_file.h"

#include <algorithm>

#include "records/utf8_source.h"

namespace seqgpt {
namespace {

constexpr size_t kHeadBytes = size_t{64} << 10;

std::string extension_of(std::string_view name) {
  const size_t dot = name.rfind('.');
  const size_t slash = name.rfind('/');
  if (dot == std::string_view::npos || (slash != std::string_view::npos && dot < slash)) return {};
  std::string extension(name.substr(dot));
  std::ranges::transform(extension, extension.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? char(c - 'A' + 'a') : c; });
  return extension;
}

}  // namespace

std::string content_hash(std::string_view bytes) {
  uint64_t hash = 0xCBF29CE484222325ULL;
  for (const char byte : bytes) hash = (hash ^ static_cast<uint8_t>(byte)) * 0x100000001B3ULL;
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  for (int shift = 60; shift >= 0; shift -= 4) text += kDigits[(hash >> shift) & 15];
  return text;
}

std::string record_extension(const std::string& path) {
  std::string extension = extension_of(path);
  if (extension != ".gz" && extension != ".zst" && extension != ".xz") return extension;
  return extension_of(std::string_view(path).substr(0, path.size() - extension.size()));
}

Result<InputFile> InputFile::open(const std::string& path, const std::string& encoding,
                                  int standard_input) {
  std::unique_ptr<FileSource> file;
  if (path == "-") {
    file = FileSource::borrow(standard_input, "standard input");
  } else {
    SEQGPT_ASSIGN(file, FileSource::open(path));
  }
  InputFile input;
  input.file_ = file.get();
  auto peeked = std::make_unique<PeekedSource>(std::move(file));
  SEQGPT_ASSIGN(const std::string_view head, peeked->peek(kHeadBytes));
  input.identity_ = content_hash(head);
  if (input.size()) input.identity_ += "-" + std::to_string(*input.size());
  const Compression compression = compression_of(head);
  std::unique_ptr<ByteSource> content = std::move(peeked);
  if (compression != Compression::kNone) {
    auto archive = decompress(std::move(content), compression, input.file_->name());
    input.archive_ = archive.get();
    content = std::move(archive);
  }
  SEQGPT_ASSIGN(Utf8Stream stream, open_utf8(std::move(content), encoding));
  input.text_ = std::move(stream.bytes);
  input.encoding_ = std::move(stream.encoding);
  return input;
}

}  // namespace seqgpt
