// SPDX-License-Identifier: Apache-2.0
// Classes of characters that labels, texts and values are trimmed and checked by.
#pragma once

#include <string_view>

namespace seqgpt {

/// Unicode White_Space: the ASCII ones, U+0085, U+00A0, U+3000 and their kin.
bool is_white_space(char32_t c);

/// White space, controls and characters that show nothing on their own (U+200B, U+FEFF ...).
bool is_blank(char32_t c);

/// Letters of any script, CJK characters included.
bool is_letter(char32_t c);

/// Control characters, line and paragraph separators.
bool is_control(char32_t c);

/// Format characters that show nothing and change how others read: zero-width space, bidirectional
/// controls, tags, soft hyphens. The zero-width joiner and non-joiner, which emoji and Indic
/// scripts are written with, are not.
bool is_format(char32_t c);

/// True for what belongs to the character before it: combining marks, variation selectors, the
/// zero-width joiner, skin tones, tags.
bool is_mark(char32_t c);

/// The same with leading and trailing white space cut off.
std::string_view trim_white_space(std::string_view text);

}  // namespace seqgpt
