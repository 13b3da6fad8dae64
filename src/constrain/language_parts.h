// SPDX-License-Identifier: Apache-2.0
// What the languages of several types look at: kinds of characters, words at a place.
#pragma once

#include <cstddef>

#include "constrain/character_set.h"
#include "constrain/value_characters.h"

namespace seqgpt {

bool is_minus(char32_t c);
/// Not a sign that stands between values, nor (at the beginning) a bracket that closes.
bool solid_begin(char32_t c);
bool solid_end(char32_t c);

/// Whether the word in Latin letters around `at` is one of `words`.
bool known_word(const Characters& all, size_t at, const LatinWords& words);
/// A point or comma that is written inside a number, or a space that is not between two digits.
bool fits_number(const Characters& all, size_t at);

/// The end of the shortest of `words` that begins at `at`, or 0.
size_t word_at(const Characters& all, size_t at, const Words& words);
/// Whether one of `words` ends with character `last`.
bool word_ends(const Characters& all, size_t last, const Words& words);

/// The end of the run of figures at `at`; `at` where there is none.
size_t figures_end(const Characters& all, size_t at);
/// Whether [begin, end) is a calendar date and no more: 8月21日, 2024年5月, 2024-05-01.
bool lone_date(const Characters& all, size_t begin, size_t end);
/// The end of the figures and signs from `at` on that a date may be made of.
size_t date_signs_end(const Characters& all, size_t at);

/// A condition on the character alone.
template <bool (*kTest)(char32_t)>
bool alone(const Characters& all, size_t at) {
  return kTest(all[at].code);
}

}  // namespace seqgpt
