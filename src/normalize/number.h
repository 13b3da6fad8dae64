// SPDX-License-Identifier: Apache-2.0
// Numbers, ordinals and percentages.
#pragma once

#include "normalize/cursor.h"
#include "normalize/normalized.h"

namespace seqgpt {

/// 21, 三万五, 1/3, 十五六, 大于10小于20, 第三; a counter behind it (300人) becomes `unit`.
Normalized normalize_number(Folded text);

/// 6.3%, 百分之三十到四十一, 三成半, 八五折, 六个百分点, 千分之一, 25个基点; in percent.
Normalized normalize_percent(Folded text);

}  // namespace seqgpt
