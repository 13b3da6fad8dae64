// SPDX-License-Identifier: Apache-2.0
// Folding: one spelling of a text for the grammars (width, script, dashes, spaces, labels before
// it).
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "normalize/cursor.h"

namespace seqgpt {

/// Texts longer than this have no canonical value: no value of any kind is so long.
inline constexpr size_t kMaxValueBytes = 1024;

/// Full-width forms as ASCII, every kind of white space as ' ', line breaks, invisible and control
/// characters gone. `text` is valid UTF-8.
std::u32string fold_width(std::string_view text);

/// fold_width, then: traditional characters of the grammars' words as simplified ones, dashes as
/// '-', waves as '~', 〇 as 零; white space only where it stands between two digits (OCR's spaces
/// between single digits go too); a label before the value (邮编：) and punctuation around it gone.
std::u32string fold_chinese(std::string_view text);

/// A copy without bracketed remarks that hold no digit or numeral, such as （大写） or （含税）.
std::u32string without_remarks(Folded text);

std::string to_utf8(Folded text);

/// ASCII lower to upper case.
char32_t upper(char32_t c);

}  // namespace seqgpt
