// SPDX-License-Identifier: Apache-2.0
// FieldTable: the fields that are known by name: the standard ones, and a firm's own.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace seqgpt {

/// Whether a value is given where the model meant it, or wherever it stands.
enum class Mentions { kOne, kAll };

inline constexpr std::string_view kFieldTypes[] = {"person", "org",    "place",   "date",
                                                   "amount", "number", "percent", "duration",
                                                   "phone",  "email",  "id",      "text"};
inline constexpr std::string_view kIdKinds[] = {"id_card", "uscc", "bank_card", "plate", "postal"};

/// True for one of kFieldTypes.
bool is_field_type(std::string_view type);

/// What is known of a field before anybody asks for it. A label takes from it what it does not say
/// itself.
struct Field {
  std::string name;
  std::string type;
  // What sort of the type it is: one of kIdKinds; the standard fields know more (mobile, count,
  // bank, school, gender), which narrow their values and are written like any of their type. Or
  // empty.
  std::string kind = {};
  std::vector<std::string> synonyms = {};
  std::string description = {};
  std::string pattern = {};
  std::vector<std::string> one_of = {};
  std::optional<Mentions> mentions = {};
};

/// Names and synonyms are compared by fold_name. Pointers to fields stay valid.
class FieldTable {
 public:
  /// The 87 standard fields and common other words for them.
  static const std::shared_ptr<const FieldTable>& standard();

  /// Adds a firm's own field, which takes the place of standard ones it shares words with. Error:
  /// kInvalidArgument when two own fields share a word.
  Status add(Field field);

  const Field* find(std::string_view name) const;
  /// The field with the name or synonym most like `name` (by common subsequence), or null when none
  /// shares a character.
  const Field* nearest(std::string_view name) const;
  const std::deque<Field>& fields() const { return fields_; }

 private:
  std::deque<Field> fields_;
  std::map<std::string, size_t> by_word_;  // folded names and synonyms
  size_t own_ = 0;                         // fields from here on are a firm's own
};

}  // namespace seqgpt
