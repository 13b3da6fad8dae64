// SPDX-License-Identifier: Apache-2.0
// Log-softmax, argmax and the repetition penalty over rows of logits, with the same bits on every
// machine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace seqgpt {

/// log(sum(exp(values))): own exp and log, summed in one fixed order; the C library's differ by
/// machine. Values finite, at least one.
double log_sum_exp(std::span<const float> values);

/// Index of the largest value; the first of equals.
size_t argmax(std::span<const float> values);

/// HF's rule, once for each distinct one of `ids`: x < 0 becomes x * penalty, else x / penalty.
void penalise(std::span<float> values, std::vector<int32_t> ids, float penalty);

}  // namespace seqgpt
