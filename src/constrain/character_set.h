// SPDX-License-Identifier: Apache-2.0
// How the data of type_words.h is looked up: sets of characters and lists of words.
#pragma once

#include <algorithm>
#include <bitset>
#include <string_view>
#include <vector>

namespace seqgpt {

/// A set of characters of the basic plane.
class CharacterSet {
 public:
  explicit CharacterSet(std::u32string_view characters) {
    for (const char32_t c : characters) bits_.set(c);
  }
  bool holds(char32_t c) const { return c < bits_.size() && bits_[c]; }

 private:
  std::bitset<0x10000> bits_;
};

/// Words of a text that is separated by spaces.
template <typename View>
std::vector<View> words_of(View text) {
  std::vector<View> words;
  while (!text.empty()) {
    const size_t end = std::min(text.find(' '), text.size());
    words.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return words;
}
using Words = std::vector<std::u32string_view>;
using LatinWords = std::vector<std::string_view>;

}  // namespace seqgpt
