// SPDX-License-Identifier: Apache-2.0
// Composed numerals: digits and units (一千零二十万三), the machine behind take_numeral.
#pragma once

#include "normalize/numerals.h"

namespace seqgpt {

/// Two digits that name neighbours, as 三四十 and 三五百 do.
bool neighbours(char32_t first, char32_t second);

/// Arabic digits with or without well placed separators (of threes, or of fours as 万 counts);
/// returns how many digits were written without separators, 0 when there were separators.
int take_arabic_digits(Cursor& cursor, Decimal& value);

/// A numeral of digits and units up to its decimal point.
bool take_composed(Cursor& cursor, Numeral& out);

/// 十二, 二十, 廿三, 一百零二, 两千零五: below ten thousand, exact.
bool take_small_composed(Cursor& cursor, Count& out);

}  // namespace seqgpt
