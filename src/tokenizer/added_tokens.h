// SPDX-License-Identifier: Apache-2.0
// Finding added tokens such as [GEN] in a text: the leftmost, and of those the longest.
#pragma once

#include <bitset>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace seqgpt {

/// Built once, then read by any number of threads.
class AddedTokenFinder {
 public:
  void add(std::string content, int32_t id);
  /// To be called once after the last add().
  void finish();

  /// Calls on_token(id, begin) for each match in text[begin, end) and on_text(begin, end) for the
  /// parts between.
  template <typename OnToken, typename OnText>
  void split(std::string_view text, size_t begin, size_t end, const OnToken& on_token,
             const OnText& on_text) const {
    size_t plain = begin;
    for (size_t at = begin; at < end;) {
      const Entry* match = longest_at(text.substr(0, end), at);
      if (match == nullptr) {
        ++at;
        continue;
      }
      if (plain < at) on_text(plain, at);
      on_token(match->id, at);
      plain = at += match->content.size();
    }
    if (plain < end) on_text(plain, end);
  }

 private:
  struct Entry {
    std::string content;
    int32_t id;
  };

  const Entry* longest_at(std::string_view text, size_t at) const {
    return first_.test(static_cast<uint8_t>(text[at])) ? search(text.substr(at)) : nullptr;
  }
  const Entry* search(std::string_view text) const;

  std::vector<Entry> entries_;  // by content
  std::bitset<256> first_;      // bytes that an entry begins with
};

}  // namespace seqgpt
