// SPDX-License-Identifier: Apache-2.0
// Every value that a label may have in a text.
#pragma once

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "constrain/narrowing.h"
#include "harness.h"

namespace seqgpt::harness {

inline Label of_type(const std::string& type, const std::string& kind = "") {
  Label label{"字段", "字段", type};
  label.kind = kind;
  return label;
}

inline std::shared_ptr<const SpanIndex> narrowed(const std::string& text, const Label& label) {
  auto indices = narrow_to_labels(index_of(text), std::span(&label, 1));
  EXPECT_TRUE(indices.ok()) << indices.error().message;
  return indices->front();
}

inline void walk(const SpanIndex& index, SpanIndex::State state, std::set<std::string>& values) {
  if (index.may_stop(state)) values.emplace(index.bytes(state));
  for (const uint8_t byte : index.following(state)) walk(index, index.next(state, byte), values);
}

inline std::set<std::string> offered(const std::string& text, const Label& label) {
  std::set<std::string> values;
  walk(*narrowed(text, label), SpanIndex::kRoot, values);
  return values;
}

}  // namespace seqgpt::harness
