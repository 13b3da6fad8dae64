// SPDX-License-Identifier: Apache-2.0
// Two answers compared to the bit.
#pragma once

#include <gtest/gtest.h>

#include "pipeline/answer.h"

namespace seqgpt {

inline void expect_same_answer(const Answer& got, const Answer& expected) {
  ASSERT_EQ(got.entities.size(), expected.entities.size());
  for (size_t i = 0; i < got.entities.size(); ++i) {
    const Entity& a = got.entities[i];
    const Entity& b = expected.entities[i];
    EXPECT_EQ(a.label, b.label);
    EXPECT_EQ(a.span, b.span);
    EXPECT_EQ(a.confidence, b.confidence);  // the very bits
    EXPECT_EQ(a.evidence.first, b.evidence.first);
    EXPECT_EQ(a.evidence.inner, b.evidence.inner);
    EXPECT_EQ(a.evidence.stop, b.evidence.stop);
  }
  ASSERT_EQ(got.classes.size(), expected.classes.size());
  for (size_t i = 0; i < got.classes.size(); ++i) {
    EXPECT_EQ(got.classes[i].label, expected.classes[i].label);
    EXPECT_EQ(got.classes[i].probability, expected.classes[i].probability);
  }
  EXPECT_EQ(got.warnings.size(), expected.warnings.size());
}

}  // namespace seqgpt
