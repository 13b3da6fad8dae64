// SPDX-License-Identifier: Apache-2.0
// Records: which value of a document belongs to which key (the phone to its person), by where they
// stand.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "pipeline/finding.h"

namespace seqgpt {

/// The lines of a text, and the sentences of each, without gap.
std::vector<ByteSpan> text_units(std::string_view text);

/// Where another key of `unit` may come behind the key that ends at `from`: after a comma, since
/// what follows directly (任经理 in 王伟任经理) speaks of this one. `from` itself at the unit's
/// begin.
size_t after_separator(std::string_view text, size_t from, ByteSpan unit);
/// Whether a letter stands in the part.
bool has_words(std::string_view text, ByteSpan part);

/// A part of the text that speaks of one key alone.
struct KeyRun {
  ByteSpan span;
  size_t key = 0;  // index into the keys
};

/// The keys of a document, each with all its mentions, and the parts of the text that belong to
/// them. A unit is a line, a sentence of a line, or a clause where that tells keys apart. A unit
/// that mentions one key belongs to it, and so do the units after it up to the next that mentions a
/// key; a unit that mentions several is shared.
class KeyLayout {
 public:
  /// `keys` are the spans of the key label's values, ascending; equal words count as one key; one
  /// that stands only inside longer ones (王伟 in 王伟民) is none.
  KeyLayout(std::string_view text, const std::vector<ByteSpan>& keys);

  size_t keys() const { return words_.size(); }
  /// Where the key stands first.
  ByteSpan first_mention(size_t key) const;
  /// Adjacent units of one key, joined. Asked on their own they cannot mix up two records.
  const std::vector<KeyRun>& runs() const { return runs_; }

  /// For each of `values` (spans of one label, ascending) its key, or kNoKey:
  /// - in a run: the run's key;
  /// - as many values as keys in a shared unit, all values on one side of all keys: by their order
  ///   (王伟、李娜分别任经理、主管);
  /// - in a unit without a key after one of several keys: the same, or none;
  /// - else the nearest key of its unit, where every separator in between costs more than any
  ///   distance, and of equals the one before the value;
  /// - before the first key of the document: none.
  std::vector<size_t> owners(const std::vector<ByteSpan>& values) const;
  static constexpr size_t kNoKey = static_cast<size_t>(-1);

  struct Listed {
    ByteSpan span;
    size_t from = 0;  // index into the values: the one whose evidence it takes
  };
  /// `values` as owners() wants them, but where keys stand in a list and the values do not pair up
  /// (经理、主管 as one value, or the first alone) the list that begins with the first value is
  /// taken apart at its separators, if that gives as many values as keys.
  std::vector<Listed> listed(const std::vector<ByteSpan>& values) const;

 private:
  static constexpr size_t kNoList = static_cast<size_t>(-1);

  struct Mention {
    ByteSpan span;
    size_t key = 0;
  };
  struct Unit {
    ByteSpan span;
    std::vector<Mention> mentions;  // ascending
    size_t owner = kNoKey;          // of a unit that is not shared
    size_t list = kNoList;  // the unit of several keys that this one, which has none, follows
  };

  void add_key(ByteSpan key);
  void find_mentions();
  void drop_unmentioned();
  void add_units();
  static bool is_shared(const Unit& unit) {
    return unit.mentions.size() > 1 && unit.owner == kNoKey;
  }
  void add_unit(Unit unit);
  std::vector<Unit> clauses_of(const Unit& unit) const;
  bool lists_keys(const Unit& unit) const;
  size_t list_before(const Unit& unit) const;
  size_t owner_of(const Unit& unit) const;
  bool inside_mention(size_t at) const;
  void join_runs();
  const Unit& unit_of(ByteSpan value) const;
  void assign(const Unit& unit, const std::vector<ByteSpan>& values, size_t first, size_t end,
              std::vector<size_t>& owners) const;
  /// The mentions that the values of a unit pair up with; none when they do not come as a list.
  std::span<const Mention> paired_with(const Unit& unit) const;
  std::vector<Listed> taken_apart(ByteSpan list, const std::vector<ByteSpan>& values, size_t first,
                                  size_t end) const;
  size_t nearest(const Unit& unit, ByteSpan value) const;
  double separation(ByteSpan a, ByteSpan b) const;

  std::string_view text_;
  std::vector<std::string_view> words_;  // of each key
  std::vector<Mention> mentions_;        // ascending
  std::vector<Unit> units_;              // cover the text
  std::vector<KeyRun> runs_;
};

}  // namespace seqgpt
