// SPDX-License-Identifier: Apache-2.0
// Choosing the integers and the scale of a scale group (docs/quantisation.md).
#pragma once

#include <cstdint>

#include "backend/cpu/kernels.h"

namespace seqgpt::cpu {

/// Weight i is integers[i] x scale, in int4 integers[i] x multipliers[i / kSubgroup] x scale.
struct QuantisedGroup {
  uint16_t scale = 0;                   // bf16
  int8_t multipliers[kSubgroups] = {};  // -127..127; of int4 alone
  int8_t integers[kScaleGroup] = {};    // -128..127 or -8..7
};

/// values[0 .. kScaleGroup - 1], which must be finite: of several scales the one with the least
/// squared error, in int4 rounded to a multiplier. Groups (in int4 subgroups) smaller than 2^-100
/// throughout become zeros.
QuantisedGroup quantise(const float* values, DType type);

}  // namespace seqgpt::cpu
