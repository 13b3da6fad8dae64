// SPDX-License-Identifier: Apache-2.0
// Choosing the integers and the scale of a scale group (docs/quantisation.md).
#pragma once

#include <cstdint>

#include "backend/cpu/kernels.h"

namespace seqgpt::cpu {

/// Fills integers[0 .. count - 1], -128..127 or -8..7, and gives the bf16 scale: of several scales
/// the one with the least squared error of integer x scale. `values` must be finite;
/// count <= scale_group(type). Groups smaller than 2^-100 throughout become zeros.
uint16_t quantise(const float* values, int count, DType type, int8_t* integers);

}  // namespace seqgpt::cpu
