// SPDX-License-Identifier: Apache-2.0
// How many columns of a terminal a text takes, and padding to them.
#pragma once

#include <string>
#include <string_view>

namespace seqgpt {

/// Wide for CJK and full-width forms; none for what does not advance is not attempted.
size_t display_width(std::string_view text);

/// One line, whatever the value holds: line breaks and other controls show as spaces.
std::string printable(std::string_view text);

/// The text with spaces behind it up to the width.
std::string padded(const std::string& text, size_t width);

}  // namespace seqgpt
