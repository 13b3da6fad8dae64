// SPDX-License-Identifier: Apache-2.0
// Drawing the bar.
#include "cli/progress.h"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace seqgpt::cli {
namespace {

constexpr int kBarWidth = 24;
constexpr std::chrono::milliseconds kDrawEvery{100};

}  // namespace

std::string progress_line(std::optional<double> share, uint64_t texts, double per_second,
                          std::optional<double> seconds_left) {
  std::string line;
  char part[64];
  if (share) {
    const int full = static_cast<int>(std::clamp(*share, 0.0, 1.0) * kBarWidth);
    line = "[" + std::string(static_cast<size_t>(full), '#') +
           std::string(static_cast<size_t>(kBarWidth - full), '.') + "]";
    std::snprintf(part, sizeof part, " %3.0f %%  ", 100 * std::clamp(*share, 0.0, 1.0));
    line += part;
  }
  std::snprintf(part, sizeof part, "%llu texts, %.1f a second",
                static_cast<unsigned long long>(texts), per_second);
  line += part;
  if (!seconds_left) return line;
  const auto left = static_cast<long long>(std::ceil(std::clamp(*seconds_left, 0.0, 3.6e6)));
  std::snprintf(part, sizeof part, ", %lld:%02lld:%02lld left", left / 3600, left / 60 % 60,
                left % 60);
  return line + part;
}

Progress::Progress() : terminal_(isatty(STDERR_FILENO) != 0) {}

double Progress::seconds() const {
  return std::chrono::duration<double>(Clock::now() - start_).count() + 1e-9;
}

void Progress::begin(uint64_t texts, std::optional<double> share) {
  first_texts_ = texts;
  first_share_ = share;
  start_ = Clock::now();
}

void Progress::show(uint64_t texts, std::optional<double> share) {
  if (!terminal_ || Clock::now() - last_ < kDrawEvery) return;
  last_ = Clock::now();
  drawn_ = true;
  std::optional<double> left;
  if (share && *share > first_share_.value_or(0))
    left = seconds() * (1 - *share) / (*share - first_share_.value_or(0));
  const std::string line =
      progress_line(share, texts, static_cast<double>(texts - first_texts_) / seconds(), left);
  std::fprintf(stderr, "\r%s\x1B[K", line.c_str());
}

void Progress::finish() {
  if (drawn_) std::fprintf(stderr, "\n");
  drawn_ = false;
}

}  // namespace seqgpt::cli
