// SPDX-License-Identifier: Apache-2.0
// Constraints of a free prompt: a part of a text and nothing else, or one of given answers.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "constrain/span_index.h"
#include "constrain/vocabulary.h"
#include "engine/constraint.h"
#include "tokenizer/tokenizer.h"

namespace seqgpt {

/// The whole answer is one value of the index, then `end_id`. Tokens lie within the value: a token
/// that holds its end and more is not allowed.
class CopyConstraint final : public Constraint {
 public:
  CopyConstraint(std::shared_ptr<const SpanIndex> index,
                 std::shared_ptr<const VocabularyTrie> vocabulary, int32_t end_id)
      : index_(std::move(index)), vocabulary_(std::move(vocabulary)), end_id_(end_id) {}

  State start() const override { return {}; }
  bool finished(const State& state) const override;
  void forced(const State& state, std::vector<int32_t>& ids) const override;
  void allowed(const State& state, std::vector<int32_t>& ids) const override;
  State advance(const State& state, int32_t id) const override;

  /// The bytes copied so far, and where the value stands.
  std::string_view bytes(const State& state) const;
  ByteSpan source(const State& state) const;

 private:
  void candidates(const State& state, size_t most, std::vector<int32_t>& ids) const;
  void visit(uint32_t node, SpanIndex::State span, size_t most, std::vector<int32_t>& ids) const;

  std::shared_ptr<const SpanIndex> index_;
  std::shared_ptr<const VocabularyTrie> vocabulary_;
  int32_t end_id_;
};

}  // namespace seqgpt
