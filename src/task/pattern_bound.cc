// SPDX-License-Identifier: Apache-2.0
// A walk over RE2's syntax that counts characters: alternatives, sequences, atoms, repetitions.
#include "task/pattern_bound.h"

#include <algorithm>

#include "base/utf8.h"

namespace seqgpt {
namespace {

constexpr size_t kSaturated = 1'000'000;

class Walk {
 public:
  explicit Walk(std::string_view pattern) : pattern_(pattern) {}

  PatternBound run() {
    const size_t most = alternatives();
    return {most, problem_};
  }

 private:
  bool more() const { return problem_.empty() && at_ < pattern_.size(); }
  bool next_is(std::string_view text) const { return pattern_.substr(at_).starts_with(text); }
  bool take(std::string_view text) {
    if (!next_is(text)) return false;
    at_ += text.size();
    return true;
  }
  void skip_past(std::string_view text) {
    const size_t found = pattern_.find(text, at_);
    at_ = found == std::string_view::npos ? pattern_.size() : found + text.size();
  }
  void unbounded(std::string_view what) {
    problem_ = "matches without an upper bound (" + std::string(what) + " at byte " +
               std::to_string(at_) + "); write {n,m} with a greatest number";
  }

  // RE2 lets groups nest as deep as the pattern is long, which is kMaxPatternBytes at most.
  size_t alternatives() {  // NOLINT(misc-no-recursion)
    size_t most = sequence();
    while (more() && take("|")) most = std::max(most, sequence());
    return most;
  }

  size_t sequence() {  // NOLINT(misc-no-recursion)
    size_t length = 0;
    while (more() && !next_is("|") && !next_is(")")) {
      length = std::min(length + repeated(atom()), kSaturated);
    }
    return length;
  }

  size_t atom() {  // NOLINT(misc-no-recursion)
    if (take("(")) return group();
    if (take("[")) return character_class();
    if (take("\\")) return escape();
    if (take("^") || take("$")) return 0;
    at_ += utf8_decode(pattern_, at_).bytes;
    return 1;
  }

  size_t group() {  // NOLINT(misc-no-recursion)
    if (take("?P<") || take("?<")) {
      skip_past(">");
    } else if (take("?")) {  // flags: (?i) stands alone, (?i: opens a group
      at_ = std::min(pattern_.find_first_of(":)", at_), pattern_.size());
      if (!take(":")) {
        take(")");
        return 0;
      }
    }
    const size_t most = alternatives();
    take(")");
    return most;
  }

  size_t character_class() {
    take("^");
    for (bool first = true; at_ < pattern_.size(); first = false) {
      if (!first && take("]")) break;
      if (next_is("[:") && pattern_.find(":]", at_ + 2) != std::string_view::npos) {
        skip_past(":]");
      } else if (take("\\")) {
        escape();
      } else {
        at_ += utf8_decode(pattern_, at_).bytes;
      }
    }
    return 1;
  }

  // After the backslash.
  size_t escape() {
    if (take("Q")) return quoted();
    if (take("A") || take("z") || take("b") || take("B") || take("E")) return 0;
    if (take("C")) {
      problem_ = "holds \\C, which may cut a character; use .";
    } else if (next_is("p{") || next_is("P{") || next_is("x{")) {
      skip_past("}");
    } else if (take("x")) {
      at_ = std::min(at_ + 2, pattern_.size());
    } else {
      take("p") || take("P");  // the class's one letter follows
      if (at_ < pattern_.size()) at_ += utf8_decode(pattern_, at_).bytes;
    }
    return 1;
  }

  size_t quoted() {
    const size_t end = std::min(pattern_.find("\\E", at_), pattern_.size());
    const size_t length = utf8_count(pattern_.substr(at_, end - at_));
    at_ = std::min(end + 2, pattern_.size());
    return length;
  }

  size_t repeated(size_t length) {
    while (more()) {
      if (take("\\Q\\E")) continue;  // an empty quotation: what follows repeats what was before
      if (next_is("*") || next_is("+")) {
        unbounded(pattern_.substr(at_, 1));
      } else if (next_is("{")) {
        const size_t times = counted();
        if (times == kNotCounted) return length;
        length = std::min(length * times, kSaturated);
      } else if (!take("?")) {
        return length;
      }
    }
    return length;
  }

  // {n}, {n,} or {n,m}; anything else is literal text to RE2.
  size_t counted() {
    const size_t close = pattern_.find('}', at_);
    if (close == std::string_view::npos) return kNotCounted;
    const std::string_view inside = pattern_.substr(at_ + 1, close - at_ - 1);
    const size_t comma = std::min(inside.find(','), inside.size());
    size_t low = 0;
    if (!number(inside.substr(0, comma), low)) return kNotCounted;
    size_t high = low;
    if (comma + 1 == inside.size()) {
      unbounded(pattern_.substr(at_, close + 1 - at_));
      return kNotCounted;
    }
    if (comma < inside.size() && !number(inside.substr(comma + 1), high)) return kNotCounted;
    at_ = close + 1;
    return high;
  }

  static bool number(std::string_view digits, size_t& value) {
    const std::string_view known = digits.substr(0, 6);  // RE2 repeats at most 1000 times
    value = 0;
    for (const char c : known) {
      if (c < '0' || c > '9') return false;
      value = value * 10 + static_cast<size_t>(c - '0');
    }
    return !digits.empty() && known.size() == digits.size();
  }

  static constexpr size_t kNotCounted = SIZE_MAX;

  std::string_view pattern_;
  size_t at_ = 0;
  std::string problem_;
};

}  // namespace

PatternBound pattern_bound(std::string_view pattern) {
  return Walk(pattern).run();
}

}  // namespace seqgpt
