// SPDX-License-Identifier: Apache-2.0
// The sparse suffix tree: suffixes are sorted, then split byte by byte; and the walk over it.
#include "constrain/span_index.h"

#include <algorithm>
#include <cassert>
#include <string>

#include "base/utf8.h"
#include "constrain/prefix_key.h"

namespace seqgpt {
namespace {

constexpr size_t kMaxTextBytes = 4'000'000;

Status check(std::string_view text) {
  if (text.size() > kMaxTextBytes) {
    return Error{ErrorCode::kTooLarge,
                 "text has " + std::to_string(text.size()) +
                     " bytes, the limit of one extraction is " + std::to_string(kMaxTextBytes) +
                     "; split it into parts",
                 "text"};
  }
  if (const auto bad = utf8_first_invalid(text)) {
    return Error{ErrorCode::kInvalidArgument,
                 "text is not valid UTF-8 at byte " + std::to_string(*bad) + "; convert it",
                 "text"};
  }
  return {};
}

char32_t character_before(std::string_view text, size_t at) {
  do {
    --at;
  } while (!utf8_boundary(text, at));
  return utf8_decode(text, at).code_point;
}

bool same_run(char32_t a, char32_t b) {
  return (is_digit(a) && is_digit(b)) || (is_latin(a) && is_latin(b));
}

}  // namespace

Result<SpanIndex> SpanIndex::build(std::string_view text) {
  SEQGPT_TRY(check(text));
  SpanIndex index;
  index.text_ = std::make_shared<const SpanText>(make_span_text(text));
  const std::string& bytes = index.text_->bytes;
  for (size_t begin = 1; begin < bytes.size();) {
    const size_t end = bytes.find('\n', begin);
    index.collect_suffixes(begin, end);
    begin = end + 1;
  }
  index.sort_suffixes();
  index.build_tree();
  return index;
}

SpanIndex SpanIndex::narrowed(std::span<const Candidate> candidates) const {
  SpanIndex index;
  index.text_ = text_;
  std::vector<Candidate> proper;
  for (const Candidate& c : candidates) {
    const bool begins = (text_->flags[c.begin] & SpanText::kMayBegin) != 0;
    const bool ends = (text_->flags[c.end - 1] & SpanText::kMayEnd) != 0;
    if (begins && ends) proper.push_back(c);
  }
  for (size_t i = 0; i < proper.size(); ++i) {
    const bool longest = i + 1 == proper.size() || proper[i + 1].begin != proper[i].begin;
    if (!longest) continue;
    const auto length = static_cast<uint16_t>(proper[i].end - proper[i].begin);
    index.suffixes_.push_back({proper[i].begin, length, false});
  }
  index.sort_suffixes();
  index.collect_ends(proper);
  index.build_tree();
  return index;
}

void SpanIndex::collect_ends(std::span<const Candidate> candidates) {
  ends_.reserve(candidates.size());
  first_end_.reserve(suffixes_.size() + 1);
  for (const Suffix& suffix : suffixes_) {
    first_end_.push_back(static_cast<uint32_t>(ends_.size()));
    const auto of_suffix =
        std::ranges::equal_range(candidates, suffix.begin, {}, &Candidate::begin);
    for (const Candidate& c : of_suffix) ends_.push_back(static_cast<uint16_t>(c.end - c.begin));
  }
  first_end_.push_back(static_cast<uint32_t>(ends_.size()));
}

// [at, limit) is a window of at most kMaxValueCharacters characters that slides over the string.
void SpanIndex::collect_suffixes(size_t begin, size_t end) {
  static_assert(kMaxValueCharacters * 4 <= UINT16_MAX, "Suffix::length holds a value's bytes");
  size_t final_end = end;
  while (final_end > begin && (text_->flags[final_end - 1] & SpanText::kMayEnd) == 0) --final_end;
  size_t limit = begin;
  size_t last_end = begin;
  int characters = 0;
  for (size_t at = begin; at < end; ++at) {
    if (!utf8_boundary(text_->bytes, at)) continue;
    for (; limit < end && characters < kMaxValueCharacters; ++characters) {
      do {
        ++limit;
      } while (!utf8_boundary(text_->bytes, limit));
      if ((text_->flags[limit - 1] & SpanText::kMayEnd) != 0) last_end = limit;
    }
    --characters;
    if ((text_->flags[at] & SpanText::kMayBegin) == 0 || last_end <= at) continue;
    suffixes_.push_back(
        {static_cast<uint32_t>(at), static_cast<uint16_t>(last_end - at), last_end < final_end});
  }
}

void SpanIndex::sort_suffixes() {
  struct Keyed {
    uint64_t key;
    Suffix suffix;
  };
  const std::string_view all = text_->bytes;
  const auto bytes = [all](const Suffix& s) { return all.substr(s.begin, s.length); };
  std::vector<Keyed> keyed;
  keyed.reserve(suffixes_.size());
  for (const Suffix& suffix : suffixes_) keyed.push_back({prefix_key(bytes(suffix)), suffix});
  std::ranges::sort(keyed, [&bytes](const Keyed& a, const Keyed& b) {
    if (a.key != b.key) return a.key < b.key;
    const int order = bytes(a.suffix).compare(bytes(b.suffix));
    return order != 0 ? order < 0 : a.suffix.begin < b.suffix.begin;
  });
  std::ranges::transform(keyed, suffixes_.begin(), &Keyed::suffix);
}

void SpanIndex::build_tree() {
  nodes_.push_back({0, static_cast<uint32_t>(suffixes_.size()), 0, 0, 0});
  first_byte_.push_back(0);
  for (uint32_t node = 0; node < nodes_.size(); ++node) add_children(node);
}

void SpanIndex::add_children(uint32_t node) {
  const Node parent = nodes_[node];
  const size_t depth = parent.depth;
  const auto end = suffixes_.begin() + parent.end_suffix;
  auto at = std::partition_point(suffixes_.begin() + parent.first_suffix, end,
                                 [depth](const Suffix& s) { return s.length == depth; });
  const auto first_child = static_cast<uint32_t>(nodes_.size());
  while (at != end) {
    const uint8_t byte = byte_at(*at, depth);
    const auto group_end =
        std::partition_point(at, end, [&](const Suffix& s) { return byte_at(s, depth) == byte; });
    add_node(static_cast<uint32_t>(at - suffixes_.begin()),
             static_cast<uint32_t>(group_end - suffixes_.begin()), depth + 1);
    first_byte_.push_back(byte);
    at = group_end;
  }
  nodes_[node].first_child = first_child;
  nodes_[node].children = static_cast<uint16_t>(nodes_.size() - first_child);
}

// The suffixes are sorted: what the first and the last share, all share.
void SpanIndex::add_node(uint32_t first_suffix, uint32_t end_suffix, size_t from) {
  const size_t depth = common_prefix(suffixes_[first_suffix], suffixes_[end_suffix - 1], from);
  nodes_.push_back({first_suffix, end_suffix, 0, 0, static_cast<uint16_t>(depth)});
}

size_t SpanIndex::common_prefix(const Suffix& a, const Suffix& b, size_t from) const {
  const size_t most = std::min(a.length, b.length);
  if (a.begin == b.begin) return most;
  while (from < most && byte_at(a, from) == byte_at(b, from)) ++from;
  return from;
}

uint8_t SpanIndex::byte_at(const Suffix& suffix, size_t depth) const {
  return static_cast<uint8_t>(text_->bytes[suffix.begin + depth]);
}

std::span<const uint8_t> SpanIndex::following(State state) const {
  const Node& node = nodes_[state.node];
  if (state.depth == node.depth) return {first_byte_.data() + node.first_child, node.children};
  const char* byte = text_->bytes.data() + suffixes_[node.first_suffix].begin + state.depth;
  return {reinterpret_cast<const uint8_t*>(byte), 1};
}

SpanIndex::State SpanIndex::next(State state, uint8_t byte) const {
  const Node& node = nodes_[state.node];
  const auto bytes = following(state);
  const auto found = std::ranges::lower_bound(bytes, byte);
  if (found == bytes.end() || *found != byte) return kNone;
  if (state.depth < node.depth) return {state.node, state.depth + 1};
  return {node.first_child + static_cast<uint32_t>(found - bytes.begin()), state.depth + 1};
}

SpanIndex::State SpanIndex::find(std::string_view bytes) const {
  State state = kRoot;
  for (size_t i = 0; i < bytes.size() && state != kNone; ++i) {
    state = next(state, static_cast<uint8_t>(bytes[i]));
  }
  return state;
}

std::span<const SpanIndex::Suffix> SpanIndex::suffixes(State state) const {
  const Node& node = nodes_[state.node];
  return std::span(suffixes_).subspan(node.first_suffix, node.end_suffix - node.first_suffix);
}

bool SpanIndex::may_stop(State state) const {
  if (state.depth == 0) return false;
  const auto all = suffixes(state);
  const size_t last = state.depth - 1;
  // Whether the last character is whole and not blank is the same wherever these bytes stand.
  if ((text_->flags[all.front().begin + last] & SpanText::kSolidEnd) == 0) return false;
  return std::ranges::any_of(all, [&](const Suffix& s) { return may_end(s, state.depth); });
}

bool SpanIndex::may_end(const Suffix& suffix, size_t length) const {
  if (first_end_.empty()) return (text_->flags[suffix.begin + length - 1] & SpanText::kMayEnd) != 0;
  const auto i = static_cast<size_t>(&suffix - suffixes_.data());
  const auto ends = std::span(ends_).subspan(first_end_[i], first_end_[i + 1] - first_end_[i]);
  return std::ranges::binary_search(ends, length);
}

// Recursion is as deep as the tree: a value's bytes at most.
uint32_t SpanIndex::completions(State state, uint32_t up_to) const {
  const Node& node = nodes_[state.node];
  uint32_t count = 0;
  for (; state.depth <= node.depth && count < up_to; ++state.depth) count += may_stop(state);
  for (uint32_t i = 0; i < node.children && count < up_to; ++i) {
    count += completions({node.first_child + i, node.depth + 1U}, up_to - count);
  }
  return count;
}

bool SpanIndex::begins_with(State state, State prefix) const {
  const Node& outer = nodes_[prefix.node];
  const Node& inner = nodes_[state.node];
  return prefix.depth <= state.depth && outer.first_suffix <= inner.first_suffix &&
         inner.end_suffix <= outer.end_suffix;
}

bool SpanIndex::cut(State state) const {
  const auto all = suffixes(state);
  // Those that end here sort first.
  for (size_t i = 0; i < all.size() && all[i].length == state.depth; ++i) {
    if (all[i].cut) return true;
  }
  return false;
}

std::string_view SpanIndex::bytes(State state) const {
  if (state.depth == 0) return {};
  return std::string_view(text_->bytes).substr(suffixes(state).front().begin, state.depth);
}

std::string_view SpanIndex::ahead(State state) const {
  const auto leftmost = std::ranges::min_element(suffixes(state), {}, &Suffix::begin);
  const size_t end = likely_end(*leftmost, state.depth);
  return std::string_view(text_->bytes).substr(leftmost->begin + state.depth, end - state.depth);
}

size_t SpanIndex::likely_end(const Suffix& suffix, size_t from) const {
  for (size_t length = std::max<size_t>(from, 1); length < suffix.length; ++length) {
    const size_t at = suffix.begin + length;
    if (!utf8_boundary(text_->bytes, at) || !may_end(suffix, length)) continue;
    const bool line_ends = text_->source[at] > text_->source[at - 1] + 1;
    if (line_ends || parts_phrases(utf8_decode(text_->bytes, at).code_point)) return length;
  }
  return suffix.length;
}

bool SpanIndex::stands_alone(const Suffix& suffix, size_t length) const {
  const std::string_view text = text_->bytes;
  const size_t end = suffix.begin + length;
  return !same_run(character_before(text, suffix.begin),
                   utf8_decode(text, suffix.begin).code_point) &&
         !same_run(character_before(text, end), utf8_decode(text, end).code_point);
}

std::vector<SpanIndex::Place> SpanIndex::places(State state) const {
  assert(may_stop(state));
  std::vector<Place> places;
  for (const Suffix& suffix : suffixes(state)) {
    if (!may_end(suffix, state.depth)) continue;
    const ByteSpan span{text_->source[suffix.begin],
                        text_->source[suffix.begin + state.depth - 1] + 1};
    places.push_back({span, stands_alone(suffix, state.depth)});
  }
  return places;
}

ByteSpan SpanIndex::locate(State state) const {
  const std::vector<Place> all = places(state);
  const auto best = std::ranges::min_element(
      all, {}, [](const Place& place) { return std::pair(!place.alone, place.span.begin); });
  return best == all.end() ? ByteSpan{} : best->span;
}

std::vector<ByteSpan> SpanIndex::locate_all(State state) const {
  std::vector<Place> all = places(state);
  if (std::ranges::any_of(all, &Place::alone)) {
    std::erase_if(all, [](const Place& place) { return !place.alone; });
  }
  std::ranges::sort(all, {}, [](const Place& place) { return place.span.begin; });
  std::vector<ByteSpan> spans;
  for (const Place& place : all) {
    if (spans.empty() || place.span.begin >= spans.back().end) spans.push_back(place.span);
  }
  return spans;
}

}  // namespace seqgpt
