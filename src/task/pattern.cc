// SPDX-License-Identifier: Apache-2.0
// The only file that knows RE2.
#include "task/pattern.h"

#include <re2/re2.h>

#include "task/pattern_bound.h"

namespace seqgpt {
namespace {

// A program of a few thousand instructions: far beyond any pattern for a field.
constexpr int64_t kMaxProgramBytes = int64_t{1} << 20;

re2::RE2::Options options() {
  re2::RE2::Options made;
  made.set_log_errors(false);
  made.set_longest_match(true);
  made.set_never_capture(true);
  made.set_max_mem(kMaxProgramBytes);
  return made;
}

re2::StringPiece piece(std::string_view text) {
  return {text.data(), text.size()};
}

}  // namespace

Result<Pattern> Pattern::compile(std::string_view written, const std::string& param) {
  const auto refuse = [&](const std::string& why) {
    return Error{ErrorCode::kUnbuildable, param + " " + why, param};
  };
  if (written.empty()) return refuse("is empty; leave it out, or say what a value must match");
  if (written.size() > kMaxPatternBytes) {
    return refuse("has " + std::to_string(written.size()) + " bytes, the limit is " +
                  std::to_string(kMaxPatternBytes) + "; shorten it");
  }
  Pattern made;
  made.program_ = std::make_shared<const re2::RE2>(piece(written), options());
  if (!made.program_->ok()) {
    return refuse("is no pattern that RE2 takes: " + made.program_->error());
  }
  const PatternBound bound = pattern_bound(written);
  if (!bound.problem.empty()) return refuse(bound.problem);
  if (bound.characters > kMaxPatternCharacters) {
    return refuse("can match " + std::to_string(bound.characters) + " characters, the limit is " +
                  std::to_string(kMaxPatternCharacters) + "; write a smaller {n,m}");
  }
  made.max_characters_ = bound.characters;
  made.program_size_ = static_cast<size_t>(made.program_->ProgramSize());
  return made;
}

bool Pattern::matches(std::string_view value) const {
  return re2::RE2::FullMatch(piece(value), *program_);
}

size_t Pattern::longest(std::string_view text) const {
  re2::StringPiece match;
  const bool found =
      program_->Match(piece(text), 0, text.size(), re2::RE2::ANCHOR_START, &match, 1);
  return found ? match.size() : 0;
}

}  // namespace seqgpt
