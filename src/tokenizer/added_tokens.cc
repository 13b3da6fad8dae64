// SPDX-License-Identifier: Apache-2.0
// The search: a range of the sorted contents, narrowed byte by byte.
#include "tokenizer/added_tokens.h"

#include <algorithm>
#include <utility>

namespace seqgpt {

void AddedTokenFinder::add(std::string content, int32_t id) {
  entries_.push_back({std::move(content), id});
}

void AddedTokenFinder::finish() {
  std::sort(entries_.begin(), entries_.end(),
            [](const Entry& a, const Entry& b) { return a.content < b.content; });
  for (const Entry& entry : entries_) first_.set(static_cast<uint8_t>(entry.content[0]));
}

const AddedTokenFinder::Entry* AddedTokenFinder::search(std::string_view text) const {
  const Entry* best = nullptr;
  auto low = entries_.begin();
  auto high = entries_.end();
  for (size_t depth = 0; depth < text.size() && low != high; ++depth) {
    const auto wanted = static_cast<uint8_t>(text[depth]);
    const auto byte = [depth](const Entry& entry) {
      return depth < entry.content.size() ? static_cast<uint8_t>(entry.content[depth]) : -1;
    };
    low = std::partition_point(low, high, [&](const Entry& entry) { return byte(entry) < wanted; });
    high =
        std::partition_point(low, high, [&](const Entry& entry) { return byte(entry) <= wanted; });
    if (low != high && low->content.size() == depth + 1)
      best = &*low;  // the shortest of the range sorts first
  }
  return best;
}

}  // namespace seqgpt
