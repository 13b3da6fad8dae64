// SPDX-License-Identifier: Apache-2.0
// Amounts of money.
#pragma once

#include "normalize/cursor.h"
#include "normalize/normalized.h"

namespace seqgpt {

/// 120万元, 人民币叁仟贰佰壹拾伍元陆角, $1.5万, 1万-5万元, 200-300元/天, 不低于5000万元: exact, in
/// whole currency units with at least two decimals. Where no currency is named it is null; 元, 块
/// and 圆 alone are CNY.
Normalized normalize_amount(Folded text);

}  // namespace seqgpt
