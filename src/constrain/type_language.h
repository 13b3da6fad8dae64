// SPDX-License-Identifier: Apache-2.0
// TypeLanguage: what values of a field type look like, as conditions on characters.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "constrain/value_characters.h"

namespace seqgpt {

/// Evidence is what makes a stretch a value of the type: a number, a word for a time, ...
struct TypeLanguage {
  std::string_view name;
  /// Whether character `at` may be part of a value.
  bool (*inside)(const Characters& all, size_t at);
  /// Whether a value may begin with it; may end with it.
  bool (*begins)(const Characters& all, size_t at);
  bool (*ends)(const Characters& all, size_t at);
  /// The end of the shortest evidence that begins at `at`, or 0.
  size_t (*evidence)(const Characters& all, size_t at);
  uint8_t uncut;  // joints at which no value begins or ends
  size_t most;    // characters
  size_t lead;    // characters before the first evidence,
  size_t tail;    // and after the last, at most
  /// What a value must fulfil as a whole beside that, [begin, end); null: nothing.
  bool (*whole)(const Characters& all, size_t begin, size_t end) = nullptr;
  /// Nothing else is a value, also where the text has nothing of the language.
  bool strict = false;
};

inline constexpr size_t kNoLimit = SIZE_MAX;  // of lead and tail

bool opens_bracket(char32_t c);
bool closes_bracket(char32_t c);

/// The language of a field type, or of a finer `kind` of it (Label::kind), or null where the type
/// narrows nothing: org, place, text. docs/constraint.md describes each.
const TypeLanguage* type_language(std::string_view type, std::string_view kind);

/// The languages of quantities (date, amount, number ...) and of names (phone, id, person ...).
std::span<const TypeLanguage> quantity_languages();
std::span<const TypeLanguage> name_languages();

}  // namespace seqgpt
