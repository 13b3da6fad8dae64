// SPDX-License-Identifier: Apache-2.0
// Cursor: a place in a folded text, moved by the words that are taken; grammars are written with
// it.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <string_view>

namespace seqgpt {

using Folded = std::u32string_view;

inline bool is_ascii_digit(char32_t c) {
  return c >= U'0' && c <= U'9';
}
inline bool is_ascii_letter(char32_t c) {
  return (c >= U'a' && c <= U'z') || (c >= U'A' && c <= U'Z');
}

class Cursor {
 public:
  explicit Cursor(Folded text) : text_(text) {}

  bool at_end() const { return at_ == text_.size(); }
  /// 0 beyond the end.
  char32_t peek(size_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : U'\0';
  }
  size_t at() const { return at_; }
  void go(size_t at) { at_ = at; }
  void skip(size_t count = 1) { at_ = at_ + count < text_.size() ? at_ + count : text_.size(); }
  Folded rest() const { return text_.substr(at_); }
  Folded since(size_t start) const { return text_.substr(start, at_ - start); }

  bool sees(Folded word) const { return rest().starts_with(word); }
  bool take(char32_t c) {
    if (at_end() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  bool take(Folded word) {
    if (!sees(word)) return false;
    at_ += word.size();
    return true;
  }
  /// Takes the first of `words` that stands here: list longer words before their beginnings.
  bool take_any(std::initializer_list<Folded> words) {
    for (const Folded word : words) {
      if (take(word)) return true;
    }
    return false;
  }

 private:
  Folded text_;
  size_t at_ = 0;
};

}  // namespace seqgpt
