// SPDX-License-Identifier: Apache-2.0
// Two-digit years.
#pragma once

namespace seqgpt {

/// 00..49 are 2000..2049, 50..99 are 1950..1999.
int full_year(int two_digits);

}  // namespace seqgpt
