// SPDX-License-Identifier: Apache-2.0
// LogitsWork: raw outputs after asked positions of one prompt.
#pragma once

#include <utility>
#include <vector>

#include "engine/work.h"

namespace seqgpt {

class LogitsWork final : public Work {
 public:
  LogitsWork(LogitsQuery query, const WorkSetting& setting)
      : Work(setting), query_(std::move(query)) {}

  WorkNeeds needs() const override {
    return {.blocks = kv_blocks_for(prompt_size()), .sequences = 1};
  }
  /// Nothing after the last asked position is computed.
  int prompt_size() const override { return query_.positions.back() + 1; }
  Status begin() override {
    sequences_.resize(1);
    sequences_[0].tokens.assign(query_.prompt.begin(), query_.prompt.begin() + prompt_size());
    for (const int position : query_.positions)
      sequences_[0].wanted.push_back({position, {}, query_.hidden});
    return {};
  }
  Status take_row(size_t, int, std::vector<float>& values) override {
    answer_.values.push_back(std::move(values));
    return {};
  }
  Status proceed() override {
    finish();
    return {};
  }
  Answer answer() override { return std::move(answer_); }

 private:
  LogitsQuery query_;
  LogitsAnswer answer_;
};

}  // namespace seqgpt
