// SPDX-License-Identifier: Apache-2.0
// Drawing. Numbers only go into attributes; names only into escaped text.
#include "eval/charts.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include "base/utf8.h"
#include "records/display_width.h"

namespace seqgpt {
namespace {

constexpr size_t kMostClasses = 30;  // of the heat map: more cannot be read
constexpr size_t kMostNameCharacters = 14;

template <typename... Values>
std::string format(const char* pattern, Values... values) {
  std::array<char, 512> text{};
  std::snprintf(text.data(), text.size(), pattern, values...);
  return text.data();
}

std::string shortened(const std::string& name) {
  size_t at = 0;
  for (size_t n = 0; at < name.size() && n < kMostNameCharacters; ++n)
    at += utf8_decode(name, at).bytes;
  return name.substr(0, at) + (at < name.size() ? "…" : "");
}

std::string text_at(double x, double y, const char* anchor, const std::string& text) {
  return format("<text x=\"%.0f\" y=\"%.0f\" text-anchor=\"%s\">", x, y, anchor) + escaped(text) +
         "</text>";
}

std::string opened(double width, double height, const std::string& title) {
  return format("<svg viewBox=\"0 0 %.0f %.0f\" width=\"%.0f\" role=\"img\">", width, height,
                width) +
         "<title>" + escaped(title) + "</title>";
}

/// The classes of a confusion matrix, those with most texts first, then by name.
std::vector<std::string> main_classes(const ClassificationScores& scores) {
  std::vector<std::pair<uint64_t, std::string>> classes;
  classes.reserve(scores.labels.size());
  for (const auto& [label, counts] : scores.labels)
    classes.emplace_back(counts.gold + counts.predicted, label);
  std::ranges::stable_sort(classes, std::greater{}, [](const auto& one) { return one.first; });
  classes.resize(std::min(classes.size(), kMostClasses));
  std::vector<std::string> names;
  names.reserve(classes.size());
  for (auto& [texts, name] : classes) names.push_back(std::move(name));
  return names;
}

/// Room for the longest of the names, as shortened.
double names_width(const std::vector<std::string>& names) {
  size_t columns = 4;
  for (const std::string& name : names) columns = std::max(columns, display_width(shortened(name)));
  return 7.0 * static_cast<double>(columns) + 20;
}

std::string heat_cell(double x, double y, double side, uint64_t texts, double share) {
  std::string cell = format(
      "<rect class=\"heat\" x=\"%.0f\" y=\"%.0f\" width=\"%.0f\" height=\"%.0f\" "
      "fill-opacity=\"%.3f\"/>",
      x, y, side - 1, side - 1, share);
  cell += format("<text class=\"%s\" x=\"%.0f\" y=\"%.0f\" text-anchor=\"middle\">%llu</text>",
                 share > 0.5 ? "on" : "off", x + side / 2, y + side / 2 + 4,
                 static_cast<unsigned long long>(texts));
  return cell;
}

}  // namespace

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : utf8_lossy(text)) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      default:
        out += static_cast<unsigned char>(c) < 0x20 || c == 0x7F ? ' ' : c;
    }
  }
  return out;
}

std::string bar_chart(const std::vector<Bar>& bars, const std::string& title) {
  constexpr double kName = 190;
  constexpr double kBar = 360;
  constexpr double kRow = 24;
  std::string svg = opened(kName + kBar + 150, kRow * static_cast<double>(bars.size()) + 8, title);
  double y = 4;
  for (const Bar& bar : bars) {
    svg += text_at(kName - 8, y + 16, "end", shortened(bar.name));
    svg += format("<rect class=\"track\" x=\"%.0f\" y=\"%.0f\" width=\"%.0f\" height=\"16\"/>",
                  kName, y + 4, kBar);
    svg += format("<rect class=\"bar\" x=\"%.0f\" y=\"%.0f\" width=\"%.1f\" height=\"16\"/>", kName,
                  y + 4, kBar * std::clamp(bar.value, 0.0, 1.0));
    svg += text_at(kName + kBar + 8, y + 16, "start", bar.note);
    y += kRow;
  }
  return svg + "</svg>";
}

std::string reliability_diagram(const Reliability& calibration, const std::string& title) {
  constexpr double kSide = 280;
  constexpr double kLeft = 44;
  std::string svg = opened(kSide + kLeft + 20, kSide + 50, title);
  const double bottom = kSide + 8;
  for (size_t i = 0; i < kBins; ++i) {
    const Reliability::Bin& bin = calibration.bins()[i];
    const double width = kSide / kBins;
    const double height = kSide * Counts::ratio(bin.right, bin.count);
    svg += format("<rect class=\"bar\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\">",
                  kLeft + width * static_cast<double>(i) + 1, bottom - height, width - 2, height);
    svg += format("<title>%llu</title></rect>", static_cast<unsigned long long>(bin.count));
  }
  svg += format("<path class=\"line\" d=\"M%.0f %.0fL%.0f 8\"/>", kLeft, bottom, kLeft + kSide);
  svg += format("<path class=\"axis\" d=\"M%.0f 8V%.0fH%.0f\"/>", kLeft, bottom, kLeft + kSide);
  for (const double tick : {0.0, 0.5, 1.0}) {
    svg += text_at(kLeft + kSide * tick, bottom + 16, "middle", format("%.1f", tick));
    svg += text_at(kLeft - 6, bottom - kSide * tick + 4, "end", format("%.1f", tick));
  }
  return svg + text_at(kLeft + kSide / 2, bottom + 34, "middle", "置信度 confidence") + "</svg>";
}

std::string confusion_map(const ClassificationScores& scores, const std::string& title) {
  constexpr double kSide = 36;
  const std::vector<std::string> classes = main_classes(scores);
  const double names = names_width(classes);
  const double size = kSide * static_cast<double>(classes.size());
  std::string svg = opened(names + size + 10, names + size + 10, title);
  for (size_t column = 0; column < classes.size(); ++column) {
    const double x = names + kSide * static_cast<double>(column) + kSide / 2 + 4;
    svg += format("<g transform=\"translate(%.0f %.0f) rotate(-60)\">", x, names - 8) +
           text_at(0, 0, "start", shortened(classes[column])) + "</g>";
  }
  for (size_t row = 0; row < classes.size(); ++row) {
    const double y = names + kSide * static_cast<double>(row);
    svg += text_at(names - 8, y + kSide / 2 + 4, "end", shortened(classes[row]));
    const uint64_t gold = std::max<uint64_t>(1, scores.labels.at(classes[row]).gold);
    for (size_t column = 0; column < classes.size(); ++column) {
      const auto found = scores.confusion.find({classes[row], classes[column]});
      const uint64_t texts = found == scores.confusion.end() ? 0 : found->second;
      svg += heat_cell(names + kSide * static_cast<double>(column), y, kSide, texts,
                       Counts::ratio(texts, gold));
    }
  }
  return svg + "</svg>";
}

}  // namespace seqgpt
