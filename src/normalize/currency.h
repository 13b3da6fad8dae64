// SPDX-License-Identifier: Apache-2.0
// Currencies: the ways a text names them, as ISO 4217 codes.
#pragma once

#include <string_view>

#include "normalize/cursor.h"

namespace seqgpt {

/// A currency's name, code or sign at the cursor: 人民币, 港元, USD, HK$, €. Empty when none stands
/// here. A bare 元, 块 or 圆 is no currency but a unit (take_main_unit).
std::string_view take_currency(Cursor& cursor);

/// 元, 圆, 块, 块钱: whole units of whatever currency is meant.
bool take_main_unit(Cursor& cursor);

}  // namespace seqgpt
