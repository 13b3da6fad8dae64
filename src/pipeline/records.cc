// SPDX-License-Identifier: Apache-2.0
// Units, runs and owners.
#include "pipeline/records.h"

#include <algorithm>

#include "base/utf8.h"
#include "pipeline/occurrence.h"
#include "task/characters.h"

namespace seqgpt {
namespace {

constexpr double kClauseCost = 60;

/// What a character between a key and a value adds to their separation, in characters.
double cost_of(char32_t c) {
  switch (c) {
    case U'\n':
    case U'。':
    case U'！':
    case U'？':
      return 400;
    case U'；':
    case U';':
      return 200;
    case U'，':
    case U',':
    case U'、':
    case U'|':
    case U'\t':
      return kClauseCost;
    default:
      return 1;
  }
}

bool ends_unit(char32_t c) {
  return c == U'\n' || c == U'。' || c == U'！' || c == U'？' || c == U'；' || c == U';';
}

/// Words that pair a list of keys with a list of values.
bool pairs_lists(std::string_view words) {
  return words.find("分别") != std::string_view::npos ||
         words.find("依次") != std::string_view::npos;
}

/// Separators of a list within a sentence; the length in bytes of the one at `at`, or 0.
size_t list_separator(std::string_view text, size_t at) {
  static constexpr std::string_view kSeparators[] = {"、", "以及", "和", "与", "及"};
  for (const std::string_view separator : kSeparators) {
    if (text.substr(at).starts_with(separator)) return separator.size();
  }
  return 0;
}

/// From `begin` to the first mark that ends a list.
ByteSpan list_at(std::string_view text, size_t begin, size_t limit) {
  for (size_t at = begin; at < limit;) {
    const Decoded c = utf8_decode(text, at);
    if (c.code_point != U'、' && cost_of(c.code_point) > 1) return {begin, at};
    at += c.bytes;
  }
  return {begin, limit};
}

std::vector<ByteSpan> split_list(std::string_view text, ByteSpan list) {
  std::vector<ByteSpan> parts;
  size_t begin = list.begin;
  for (size_t at = begin; at < list.end;) {
    const size_t separator = list_separator(text, at);
    if (separator > 0) {
      parts.push_back({begin, at});
      begin = at + separator;
    }
    at += separator > 0 ? separator : utf8_decode(text, at).bytes;
  }
  parts.push_back({begin, list.end});
  return parts;
}

bool overlap(ByteSpan a, ByteSpan b) {
  return a.begin < b.end && b.begin < a.end;
}

}  // namespace

size_t after_separator(std::string_view text, size_t from, ByteSpan unit) {
  if (from == unit.begin) return from;
  static constexpr std::u32string_view kKeySeparators = U"，、,|\t；;和与及（(）) ";
  for (size_t at = from; at < unit.end;) {
    const Decoded c = utf8_decode(text, at);
    at += c.bytes;
    if (kKeySeparators.find(c.code_point) != std::u32string_view::npos) return at;
  }
  return unit.end;
}

bool has_words(std::string_view text, ByteSpan part) {
  for (size_t at = part.begin; at < part.end;) {
    const Decoded c = utf8_decode(text, at);
    if (is_letter(c.code_point)) return true;
    at += c.bytes;
  }
  return false;
}

std::vector<ByteSpan> text_units(std::string_view text) {
  std::vector<ByteSpan> units;
  size_t begin = 0;
  for (size_t at = 0; at < text.size();) {
    const Decoded c = utf8_decode(text, at);
    at += c.bytes;
    if (!ends_unit(c.code_point) && at < text.size()) continue;
    units.push_back({begin, at});
    begin = at;
  }
  return units;
}

KeyLayout::KeyLayout(std::string_view text, const std::vector<ByteSpan>& keys) : text_(text) {
  for (const ByteSpan& key : keys) add_key(key);
  find_mentions();
  drop_unmentioned();
  add_units();
  join_runs();
}

void KeyLayout::add_key(ByteSpan key) {
  const std::string_view words = text_.substr(key.begin, key.end - key.begin);
  if (std::ranges::find(words_, words) != words_.end()) return;
  words_.push_back(words);
  for (const ByteSpan& span : occurrences(text_, key))
    mentions_.push_back({span, words_.size() - 1});
}

/// A mention inside a longer one (王伟 in 王伟民) is none.
void KeyLayout::find_mentions() {
  std::ranges::stable_sort(mentions_, {}, [](const Mention& m) {
    return std::pair(m.span.begin, ~m.span.end);  // the longer first
  });
  std::vector<Mention> apart;
  for (const Mention& mention : mentions_) {
    if (apart.empty() || !overlap(apart.back().span, mention.span)) apart.push_back(mention);
  }
  mentions_ = std::move(apart);
}

void KeyLayout::add_units() {
  size_t begin = 0;
  auto mention = mentions_.begin();
  for (const ByteSpan& part : text_units(text_)) {
    if (inside_mention(part.end)) continue;  // joined with the next
    Unit unit{{begin, part.end}, {}, kNoKey};
    for (; mention != mentions_.end() && mention->span.begin < part.end; ++mention)
      unit.mentions.push_back(*mention);
    add_unit(std::move(unit));
    begin = part.end;
  }
}

/// A unit of several keys is taken apart at its commas where that leaves one key to a clause; a
/// list of bare keys (王伟、李娜分别任…) stays whole.
void KeyLayout::add_unit(Unit unit) {
  unit.owner = owner_of(unit);
  unit.list = list_before(unit);
  const std::vector<Unit> clauses =
      !unit.mentions.empty() && unit.owner == kNoKey ? clauses_of(unit) : std::vector<Unit>{};
  if (clauses.empty()) return units_.push_back(std::move(unit));
  for (Unit clause : clauses) {
    clause.owner = owner_of(clause);
    units_.push_back(std::move(clause));
  }
}

/// None where keys stand in a list, or two in a clause.
std::vector<KeyLayout::Unit> KeyLayout::clauses_of(const Unit& unit) const {
  if (lists_keys(unit)) return {};
  std::vector<Unit> clauses;
  auto mention = unit.mentions.begin();
  size_t begin = unit.span.begin;
  for (size_t at = begin; at < unit.span.end;) {
    const Decoded c = utf8_decode(text_, at);
    at += c.bytes;
    const bool seam = cost_of(c.code_point) == kClauseCost && !inside_mention(at);
    if (!seam && at < unit.span.end) continue;
    Unit clause{{begin, at}, {}, kNoKey};
    for (; mention != unit.mentions.end() && mention->span.begin < at; ++mention)
      clause.mentions.push_back(*mention);
    if (!clause.mentions.empty() && owner_of(clause) == kNoKey) return {};
    clauses.push_back(std::move(clause));
    begin = at;
  }
  return clauses;
}

/// Keys one after the other (王伟、李娜), or words that pair lists: their values come as a list
/// too.
bool KeyLayout::lists_keys(const Unit& unit) const {
  if (pairs_lists(text_.substr(unit.span.begin, unit.span.end - unit.span.begin))) return true;
  for (size_t i = 1; i < unit.mentions.size(); ++i) {
    const size_t from = unit.mentions[i - 1].span.end;
    const std::string_view between = text_.substr(from, unit.mentions[i].span.begin - from);
    if (utf8_count(between) == 1 && cost_of(utf8_decode(between, 0).code_point) == kClauseCost)
      return true;
  }
  return false;
}

/// The unit of several keys that `unit`, which has none, follows.
size_t KeyLayout::list_before(const Unit& unit) const {
  if (!unit.mentions.empty() || units_.empty()) return kNoList;
  return is_shared(units_.back()) ? units_.size() - 1 : units_.back().list;
}

size_t KeyLayout::owner_of(const Unit& unit) const {
  if (unit.mentions.empty()) {
    if (units_.empty()) return kNoKey;
    const Unit& before = units_.back();
    if (is_shared(before)) return kNoKey;
    return before.mentions.empty() ? before.owner : before.mentions.back().key;
  }
  const size_t first = unit.mentions.front().key;
  const auto same = [&](const Mention& mention) { return mention.key == first; };
  return std::ranges::all_of(unit.mentions, same) ? first : kNoKey;
}

bool KeyLayout::inside_mention(size_t at) const {
  const auto after =
      std::ranges::upper_bound(mentions_, at, {}, [](const Mention& m) { return m.span.begin; });
  return after != mentions_.begin() && at < (after - 1)->span.end && (after - 1)->span.begin < at;
}

void KeyLayout::join_runs() {
  for (const Unit& unit : units_) {
    if (unit.owner == kNoKey) continue;
    if (!runs_.empty() && runs_.back().key == unit.owner &&
        runs_.back().span.end == unit.span.begin) {
      runs_.back().span.end = unit.span.end;
    } else {
      runs_.push_back({unit.span, unit.owner});
    }
  }
}

ByteSpan KeyLayout::first_mention(size_t key) const {
  return std::ranges::find(mentions_, key, &Mention::key)->span;
}

const KeyLayout::Unit& KeyLayout::unit_of(ByteSpan value) const {
  const auto after = std::ranges::upper_bound(units_, value.begin, {},
                                              [](const Unit& unit) { return unit.span.begin; });
  return *(after - 1);
}

void KeyLayout::drop_unmentioned() {
  std::vector<std::string_view> kept;
  for (size_t key = 0; key < words_.size(); ++key) {
    if (std::ranges::find(mentions_, key, &Mention::key) == mentions_.end()) continue;
    for (Mention& mention : mentions_) {
      if (mention.key == key) mention.key = kept.size();  // never larger than key
    }
    kept.push_back(words_[key]);
  }
  words_ = std::move(kept);
}

std::vector<size_t> KeyLayout::owners(const std::vector<ByteSpan>& values) const {
  std::vector<size_t> owners(values.size(), kNoKey);
  for (size_t first = 0; first < values.size();) {
    const Unit& unit = unit_of(values[first]);
    size_t end = first + 1;
    while (end < values.size() && values[end].begin < unit.span.end) ++end;
    assign(unit, values, first, end, owners);
    first = end;
  }
  return owners;
}

void KeyLayout::assign(const Unit& unit, const std::vector<ByteSpan>& values, size_t first,
                       size_t end, std::vector<size_t>& owners) const {
  if (unit.list != kNoList) {
    const auto listed = paired_with(unit);
    if (listed.size() != end - first) return;
    for (size_t i = first; i < end; ++i) owners[i] = listed[i - first].key;
    return;
  }
  const auto& mentions = unit.mentions;
  const bool shared = mentions.size() > 1 && unit.owner == kNoKey;
  if (shared && mentions.size() == end - first) {
    const bool after = mentions.back().span.end <= values[first].begin;
    const bool before = values[end - 1].end <= mentions.front().span.begin;
    if (after || before) {
      for (size_t i = first; i < end; ++i) owners[i] = mentions[i - first].key;
      return;
    }
  }
  if (shared && lists_keys(unit)) return;
  for (size_t i = first; i < end; ++i) owners[i] = shared ? nearest(unit, values[i]) : unit.owner;
}

std::span<const KeyLayout::Mention> KeyLayout::paired_with(const Unit& unit) const {
  if (unit.list != kNoList) return units_[unit.list].mentions;
  if (is_shared(unit) && lists_keys(unit)) return unit.mentions;
  return {};
}

std::vector<KeyLayout::Listed> KeyLayout::listed(const std::vector<ByteSpan>& values) const {
  std::vector<Listed> all;
  for (size_t first = 0; first < values.size();) {
    const Unit& unit = unit_of(values[first]);
    size_t end = first + 1;
    while (end < values.size() && values[end].begin < unit.span.end) ++end;
    const auto keys = paired_with(unit);
    std::vector<Listed> parts;
    if (!keys.empty() && keys.size() != end - first && keys.back().span.end <= values[first].begin)
      parts = taken_apart(list_at(text_, values[first].begin, unit.span.end), values, first, end);
    if (parts.empty() || parts.size() != keys.size()) {
      parts.clear();
      for (size_t i = first; i < end; ++i) parts.push_back({values[i], i});
    }
    all.insert(all.end(), parts.begin(), parts.end());
    first = end;
  }
  return all;
}

/// Of a part that holds a value the value stands; none at all when a part would be empty.
std::vector<KeyLayout::Listed> KeyLayout::taken_apart(ByteSpan list,
                                                      const std::vector<ByteSpan>& values,
                                                      size_t first, size_t end) const {
  std::vector<Listed> parts;
  for (const ByteSpan& part : split_list(text_, list)) {
    if (part.begin >= part.end) return {};
    Listed listed{part, first};
    for (size_t i = first; i < end; ++i) {
      if (!overlap(values[i], part)) continue;
      const bool within = part.begin <= values[i].begin && values[i].end <= part.end;
      listed = {within ? values[i] : part, i};
      break;
    }
    parts.push_back(listed);
  }
  return parts;
}

size_t KeyLayout::nearest(const Unit& unit, ByteSpan value) const {
  size_t best = kNoKey;
  double least = 0;
  for (const Mention& mention : unit.mentions) {
    const double distance = separation(mention.span, value);
    if (best != kNoKey && distance >= least) continue;
    best = mention.key;
    least = distance;
  }
  return best;
}

double KeyLayout::separation(ByteSpan a, ByteSpan b) const {
  const bool key_first = a.begin <= b.begin;
  const size_t from = key_first ? a.end : b.end;
  const size_t to = key_first ? b.begin : a.begin;
  double sum = key_first ? 0 : 0.5;  // of equals the key before the value
  for (size_t at = from; at < to;) {
    const Decoded c = utf8_decode(text_, at);
    sum += cost_of(c.code_point);
    at += c.bytes;
  }
  return sum;
}

}  // namespace seqgpt
