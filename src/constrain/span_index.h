// SPDX-License-Identifier: Apache-2.0
// SpanIndex: every part of a text that may be a value, as a tree over its bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "constrain/span_text.h"

namespace seqgpt {

/// A part of the source text, in bytes; end exclusive.
struct ByteSpan {
  size_t begin = 0;
  size_t end = 0;
  bool operator==(const ByteSpan&) const = default;
};

inline constexpr int kMaxValueCharacters = 256;

/// A stretch of SpanText::bytes that a value may be taken from; end exclusive.
struct Candidate {
  uint32_t begin = 0;
  uint32_t end = 0;
  auto operator<=>(const Candidate&) const = default;
};

/// Built over the text with line breaks, TABs and NULs removed (between two Latin letters or digits
/// a line break or TAB becomes one space) and, as a second string, with single spaces between CJK
/// characters (OCR) removed too; a byte map leads back. Immutable after build; memory is linear in
/// the text.
///
/// It is a sparse suffix tree. A suffix begins where a value may begin (a character as a reader
/// sees it: no lone mark, no white space) and is cut after the last place within
/// kMaxValueCharacters where a value may end; so every walk from the root is the beginning of a
/// value, and can be brought to its end.
class SpanIndex {
 public:
  /// `text` is valid UTF-8 of at most 4 million bytes; it is not kept.
  static Result<SpanIndex> build(std::string_view text);

  /// An index of the same text whose values are only those of `candidates` that begin and end where
  /// a value may. They are sorted and distinct; each lies within one string of the text and has at
  /// most kMaxValueCharacters characters.
  SpanIndex narrowed(std::span<const Candidate> candidates) const;

  const SpanText& text() const { return *text_; }
  /// True when the index holds no value at all.
  bool empty() const { return suffixes_.empty(); }

  /// The bytes read so far: the first `depth` bytes of the suffixes under `node`.
  struct State {
    uint32_t node = 0;
    uint32_t depth = 0;
    bool operator==(const State&) const = default;
  };
  static constexpr State kRoot{0, 0};
  static constexpr State kNone{UINT32_MAX, 0};  // what no part of the text begins with

  /// The bytes that may come next, ascending.
  std::span<const uint8_t> following(State state) const;
  /// The state after `byte`, or kNone when no substring goes on so.
  State next(State state, uint8_t byte) const;
  /// The state after all `bytes`, or kNone.
  State find(std::string_view bytes) const;
  /// True when the bytes read so far are a whole value: somewhere in the text they begin and end
  /// with characters as a reader sees them, without white space at either end.
  bool may_stop(State state) const;
  /// How many different whole values begin with the bytes read so far (themselves included),
  /// counted up to `up_to`.
  uint32_t completions(State state, uint32_t up_to = 1000) const;
  /// Whether the bytes of `state` begin with those of `prefix`.
  bool begins_with(State state, State prefix) const;
  /// Whether the value goes on in the text and kMaxValueCharacters alone ends it here.
  bool cut(State state) const;
  /// The bytes read so far.
  std::string_view bytes(State state) const;
  /// What follows them at the leftmost place they stand at, up to where a value may well end: the
  /// next punctuation or line break that may end one, else the longest that the index holds.
  std::string_view ahead(State state) const;

  /// The place in the source that a value (where may_stop holds) stands for, by the rule in
  /// docs/constraint.md: the leftmost occurrence whose neighbours do not go on a run of digits or
  /// Latin letters that the value begins or ends with; else the leftmost.
  ByteSpan locate(State state) const;
  /// The same for a value's bytes as emitted.
  ByteSpan locate(std::string_view value) const { return locate(find(value)); }
  /// Every place a value stands at, from left to right, none overlapping the one before: those
  /// whose neighbours do not go on a run; all, when there are none such.
  std::vector<ByteSpan> locate_all(State state) const;

 private:
  struct Suffix {
    uint32_t begin;
    uint16_t length;  // to the last place where a value may end
    bool cut;         // a value could go on beyond, but for its greatest length
  };
  struct Node {
    uint32_t first_suffix;  // the suffixes under this node: [first_suffix, end_suffix)
    uint32_t end_suffix;
    uint32_t first_child;  // children lie together, ascending by byte
    uint16_t children;
    uint16_t depth;  // bytes from the root to the end of the edge that leads here
  };

  struct Place {
    ByteSpan span;
    bool alone;  // no neighbour goes on a run of digits or letters
  };

  void collect_suffixes(size_t begin, size_t end);
  void collect_ends(std::span<const Candidate> candidates);
  void sort_suffixes();
  void build_tree();
  void add_children(uint32_t node);
  void add_node(uint32_t first_suffix, uint32_t end_suffix, size_t from);
  size_t common_prefix(const Suffix& a, const Suffix& b, size_t from) const;
  uint8_t byte_at(const Suffix& suffix, size_t depth) const;
  std::span<const Suffix> suffixes(State state) const;
  bool may_end(const Suffix& suffix, size_t length) const;
  bool stands_alone(const Suffix& suffix, size_t length) const;
  size_t likely_end(const Suffix& suffix, size_t from) const;
  std::vector<Place> places(State state) const;

  std::shared_ptr<const SpanText> text_;
  std::vector<Suffix> suffixes_;  // sorted
  // Of a narrowed index: the lengths of the values that begin suffix i, ascending, are
  // ends_[first_end_[i]] up to ends_[first_end_[i + 1]]. Empty when the text's flags alone say
  // where a value may end.
  std::vector<uint16_t> ends_;
  std::vector<uint32_t> first_end_;
  std::vector<Node> nodes_;          // breadth first
  std::vector<uint8_t> first_byte_;  // for each node, of the edge that leads to it
};

}  // namespace seqgpt
