// SPDX-License-Identifier: Apache-2.0
// PartWindows: the windows of some parts of a text, for readings of records.
#pragma once

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "pipeline/windows.h"
#include "task/options.h"

namespace seqgpt {

/// Hands out parts of the text one after another; those longer than a window in windows.
class PartWindows {
 public:
  PartWindows(const Tokenizer& tokenizer, std::string_view text, const TaskOptions& options,
              std::vector<ByteSpan> parts)
      : tokenizer_(&tokenizer),
        text_(text),
        window_tokens_(options.window_tokens),
        overlap_(options.window_voting),
        parts_(std::move(parts)) {}

  std::optional<ByteSpan> operator()() {
    if (part_ == parts_.size()) return std::nullopt;
    const ByteSpan part = parts_[part_];
    const std::string_view head = text_.substr(0, part.end);
    const ByteSpan window =
        window_from(*tokenizer_, head, std::max(begin_, part.begin), window_tokens_);
    if (const auto next = next_begin(head, window, overlap_)) {
      begin_ = *next;
    } else {
      ++part_;
    }
    return window;
  }

 private:
  const Tokenizer* tokenizer_;
  std::string_view text_;
  int window_tokens_;
  bool overlap_;
  std::vector<ByteSpan> parts_;
  size_t part_ = 0;
  size_t begin_ = 0;
};

}  // namespace seqgpt
