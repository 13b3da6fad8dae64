// SPDX-License-Identifier: Apache-2.0
// Charts as inline SVG, coloured by the page's style: bars, a reliability diagram, a heat map.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "eval/scores.h"

namespace seqgpt {

/// Text made safe for HTML content and attributes; bytes that are no UTF-8 become U+FFFD, control
/// characters spaces.
std::string escaped(std::string_view text);

struct Bar {
  std::string name;
  double value;  // 0..1
  std::string note;
};
std::string bar_chart(const std::vector<Bar>& bars, const std::string& title);

/// Share right against confidence, one bar a bin, over the diagonal.
std::string reliability_diagram(const Reliability& calibration, const std::string& title);

/// Rows gold, columns predicted; the classes with the most texts when there are too many.
std::string confusion_map(const ClassificationScores& scores, const std::string& title);

}  // namespace seqgpt
