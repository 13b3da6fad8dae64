// SPDX-License-Identifier: Apache-2.0
// The tokenizer put together: tables from a file, the walk from text to ids and back.
#include "tokenizer/tokenizer.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <utility>

#include "base/mapped_file.h"
#include "base/utf8.h"
#include "tokenizer/added_tokens.h"
#include "tokenizer/bpe.h"
#include "tokenizer/build.h"
#include "tokenizer/byte_alphabet.h"
#include "tokenizer/split.h"
#include "tokenizer/token_table.h"
#include "tokenizer/tokenizer_file.h"

namespace seqgpt {

struct Tokenizer::Impl {
  TokenizerParts parts;

  std::vector<Symbol> symbols(std::string_view text, AddedTokens added) const;
  size_t plain_symbols(std::string_view text, size_t begin, size_t end, size_t enough,
                       BpeScratch& scratch, std::vector<Symbol>& out) const;
  std::optional<int32_t> whole_piece(std::string_view piece) const;
  void trim(std::vector<Token>& tokens) const;
};

Tokenizer::Tokenizer(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Tokenizer::Tokenizer(Tokenizer&&) noexcept = default;
Tokenizer& Tokenizer::operator=(Tokenizer&&) noexcept = default;
Tokenizer::~Tokenizer() = default;

Result<Tokenizer> Tokenizer::load(const std::filesystem::path& tokenizer_json) {
  SEQGPT_ASSIGN(const MappedFile file, MappedFile::open(tokenizer_json));
  const auto bytes = file.bytes();
  return parse({reinterpret_cast<const char*>(bytes.data()), bytes.size()},
               tokenizer_json.string());
}

Result<Tokenizer> Tokenizer::parse(std::string_view json, std::string_view name) {
  SEQGPT_ASSIGN(TokenizerFile file, read_tokenizer_file(json, name));
  SEQGPT_ASSIGN(TokenizerParts parts, build_tokenizer(std::move(file), name));
  return Tokenizer(std::make_unique<Impl>(Impl{std::move(parts)}));
}

/// With ignore_merges: the token that is the piece. An added token is not: text never becomes one.
std::optional<int32_t> Tokenizer::Impl::whole_piece(std::string_view piece) const {
  if (!parts.ignore_merges || piece.size() > parts.longest_token) return std::nullopt;
  const std::optional<int32_t> id = parts.table.find(token_content(piece));
  return id && !parts.table.is_added(*id) ? id : std::nullopt;
}

/// Whole pieces from `begin` on, until `enough` is reached; gives where it stands.
size_t Tokenizer::Impl::plain_symbols(std::string_view text, size_t begin, size_t end,
                                      size_t enough, BpeScratch& scratch,
                                      std::vector<Symbol>& out) const {
  const std::string_view part = text.substr(0, end);
  size_t at = begin;
  while (at < std::min(end, enough)) {
    const size_t next = piece_end(part, at);
    if (const auto id = whole_piece(part.substr(at, next - at))) {
      out.push_back({*id, static_cast<uint32_t>(at)});
    } else {
      parts.bpe.encode(part, static_cast<uint32_t>(at), static_cast<uint32_t>(next), scratch, out);
    }
    at = next;
  }
  return at;
}

/// As HF does it: the added tokens that a normaliser does not touch first, the others in what is
/// left.
std::vector<Symbol> Tokenizer::Impl::symbols(std::string_view text, AddedTokens added) const {
  assert(text.size() < UINT32_MAX);
  std::vector<Symbol> out;
  out.reserve(text.size() / 3);
  BpeScratch scratch;
  const auto plain = [&](size_t begin, size_t end) {
    plain_symbols(text, begin, end, end, scratch, out);
  };
  if (added == AddedTokens::kAsText) {
    plain(0, text.size());
    return out;
  }
  const auto token = [&](int32_t id, size_t begin) {
    out.push_back({id, static_cast<uint32_t>(begin)});
  };
  const auto rest = [&](size_t begin, size_t end) {
    parts.normalized.split(text, begin, end, token, plain);
  };
  parts.unnormalized.split(text, 0, text.size(), token, rest);
  return out;
}

std::vector<int32_t> Tokenizer::encode(std::string_view text, AddedTokens added) const {
  const std::vector<Symbol> symbols = impl_->symbols(text, added);
  std::vector<int32_t> ids(symbols.size());
  std::transform(symbols.begin(), symbols.end(), ids.begin(),
                 [](const Symbol& symbol) { return symbol.id; });
  return ids;
}

int32_t Tokenizer::token_at(std::string_view text, size_t at) const {
  static_assert(kShortBytes <= Bpe::kShort);
  assert(text.size() <= kShortBytes && at < text.size());
  size_t begin = 0;
  size_t end = piece_end(text, begin);
  while (end <= at) {
    begin = end;
    end = piece_end(text, begin);
  }
  if (const auto id = impl_->whole_piece(text.substr(begin, end - begin))) {
    return begin == at ? *id : -1;
  }
  std::array<Symbol, Bpe::kShort> symbols;
  const uint32_t count = impl_->parts.bpe.encode_short(text, static_cast<uint32_t>(begin),
                                                       static_cast<uint32_t>(end), symbols);
  for (uint32_t i = 0; i < count; ++i) {
    if (symbols[i].begin == at) return symbols[i].id;
  }
  return -1;
}

size_t Tokenizer::encode_part(std::string_view text, size_t at, size_t bytes,
                              std::vector<int32_t>& ids) const {
  std::vector<Symbol> symbols;
  BpeScratch scratch;
  const size_t next = impl_->plain_symbols(text, at, text.size(), at + bytes, scratch, symbols);
  for (const Symbol& symbol : symbols) ids.push_back(symbol.id);
  return next;
}

/// Symbols tile the text: each ends where the next begins (a byte without a token counts to the one
/// before).
std::vector<Token> Tokenizer::encode_with_offsets(std::string_view text, AddedTokens added) const {
  const std::vector<Symbol> symbols = impl_->symbols(text, added);
  std::vector<Token> tokens;
  tokens.reserve(symbols.size());
  size_t at = 0;
  uint32_t characters = 0;  // begun in text[0, at)
  const auto advance = [&](size_t to) {
    for (; at < to; ++at) characters += utf8_boundary(text, at) ? 1 : 0;
  };
  for (size_t i = 0; i < symbols.size(); ++i) {
    advance(symbols[i].begin);
    // Inside a character the token spans it from its start.
    const uint32_t start = characters - (utf8_boundary(text, at) || characters == 0 ? 0 : 1);
    advance(i + 1 < symbols.size() ? symbols[i + 1].begin : text.size());
    tokens.push_back({symbols[i].id, start, characters});
  }
  if (impl_->parts.trim_offsets) impl_->trim(tokens);
  return tokens;
}

/// Takes the white space at a token's ends out of its offsets, step for step as HF's ByteLevel
/// does.
void Tokenizer::Impl::trim(std::vector<Token>& tokens) const {
  bool first = true;
  for (Token& token : tokens) {
    auto [leading, trailing] = parts.white_space_around(token.id);
    // One space there is the one that add_prefix_space would have added; of more, none is.
    if (leading == 1 && parts.keeps_first_space && (first || token.start == 0)) leading = 0;
    token.start = std::min(token.start + leading, token.end);
    if (token.end >= trailing) token.end = std::max(token.end - trailing, token.start);
    first = false;
  }
}

std::string Tokenizer::decode(std::span<const int32_t> ids, bool skip_special) const {
  std::string bytes;
  for (const int32_t id : ids) {
    if (!skip_special || !is_special(id)) bytes += this->bytes(id);
  }
  return utf8_lossy(bytes);
}

int32_t Tokenizer::size() const {
  return impl_->parts.table.size();
}
std::string_view Tokenizer::bytes(int32_t id) const {
  return impl_->parts.table.bytes(id);
}
bool Tokenizer::is_added(int32_t id) const {
  return impl_->parts.table.is_added(id);
}
bool Tokenizer::is_special(int32_t id) const {
  return impl_->parts.table.is_special(id);
}
std::optional<int32_t> Tokenizer::find(std::string_view content) const {
  return impl_->parts.table.find(content);
}

bool Tokenizer::covers_all_bytes() const {
  return std::ranges::count(impl_->parts.bpe.byte_ids, Bpe::kNoToken) == 0;
}

}  // namespace seqgpt
