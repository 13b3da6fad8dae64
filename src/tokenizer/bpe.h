// SPDX-License-Identifier: Apache-2.0
// Byte pair encoding of one piece of text: always the merge of lowest rank, the leftmost first.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "tokenizer/merge_table.h"

namespace seqgpt {

/// A token and the byte of the text at which it begins.
struct Symbol {
  int32_t id;
  uint32_t begin;
};

/// Memory for long pieces, kept from piece to piece by one encode call.
struct BpeScratch {
  std::vector<Symbol> symbols;
  std::vector<Merge> pairs;  // of a symbol and the next
  std::vector<uint32_t> previous;
  std::vector<uint32_t> next;
  std::vector<uint64_t> heap;
};

/// Built once, then read by any number of threads, each with its own scratch.
class Bpe {
 public:
  static constexpr int32_t kNoToken = -1;
  static constexpr uint32_t kShort = 96;  // bytes; up to here scanning beats the heap

  MergeTable merges;
  std::array<int32_t, 256> byte_ids{};  // the token of a byte, or kNoToken
  int32_t unknown = kNoToken;  // stands for bytes without a token; without it they are dropped
  bool fuse_unknown = false;   // a run of them gives one

  /// Appends the tokens of the non-empty piece text[begin, end).
  void encode(std::string_view text, uint32_t begin, uint32_t end, BpeScratch& scratch,
              std::vector<Symbol>& out) const;
  /// The same for a piece of at most kShort bytes, without an allocation; gives how many tokens.
  uint32_t encode_short(std::string_view text, uint32_t begin, uint32_t end,
                        std::array<Symbol, kShort>& symbols) const;

 private:
  uint32_t first_symbols(std::string_view text, uint32_t begin, uint32_t end,
                         Symbol* symbols) const;
  uint32_t merge_short(Symbol* symbols, uint32_t count) const;
  void merge_long(BpeScratch& scratch, uint32_t count, std::vector<Symbol>& out) const;
};

}  // namespace seqgpt
