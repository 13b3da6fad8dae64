// SPDX-License-Identifier: Apache-2.0
// Telling kinds of mistakes apart.
#include "eval/misses.h"

#include <algorithm>

#include "api/body_json.h"
#include "base/utf8.h"
#include "eval/scores.h"

namespace seqgpt {
namespace {

constexpr size_t kContextCharacters = 20;

size_t byte_of(std::string_view text, size_t character) {
  size_t at = 0;
  for (; at < text.size() && character > 0; --character) at += utf8_decode(text, at).bytes;
  return at;
}

std::string last_characters(std::string_view text) {
  size_t at = text.size();
  for (size_t n = 0; at > 0 && n < kContextCharacters; ++n) {
    do {
      --at;
    } while (at > 0 && !utf8_boundary(text, at));
  }
  return (at > 0 ? "…" : "") + std::string(text.substr(at));
}

std::string first_characters(std::string_view text) {
  const size_t end = byte_of(text, kContextCharacters);
  return std::string(text.substr(0, end)) + (end < text.size() ? "…" : "");
}

/// Fills in before, place and after; the place is the span, or where the value first stands.
void locate(Miss& miss, const std::string& text, const std::string& value,
            const std::optional<CharacterSpan>& span) {
  size_t begin = span ? byte_of(text, span->first) : text.find(value);
  if (begin == std::string::npos) begin = text.size();
  const size_t end =
      span ? byte_of(text, span->second) : std::min(text.size(), begin + value.size());
  miss.before = last_characters(std::string_view(text).substr(0, begin));
  miss.place = text.substr(begin, end - begin);
  miss.after = first_characters(std::string_view(text).substr(end));
}

bool overlap(const GoldValue& gold, const PredictedValue& predicted) {
  if (gold.span && predicted.span)
    return gold.span->first < predicted.span->second && predicted.span->first < gold.span->second;
  return gold.text.find(predicted.text) != std::string::npos ||
         predicted.text.find(gold.text) != std::string::npos;
}

void add_label_misses(std::vector<Miss>& misses, const LabelMatch& match, const std::string& text) {
  std::vector<PredictedValue> spurious = match.spurious;
  for (const GoldValue& gold : match.missing) {
    const auto near = std::ranges::find_if(
        spurious, [&](const PredictedValue& one) { return overlap(gold, one); });
    Miss miss{"missing", match.label, gold.text, {}, {}, {}, {}, {}};
    if (near != spurious.end()) {
      miss.kind = "boundary";
      miss.predicted = near->text;
      miss.confidence = near->confidence;
      spurious.erase(near);
    }
    locate(miss, text, gold.text, gold.span);
    misses.push_back(std::move(miss));
  }
  for (const PredictedValue& value : spurious) {
    Miss miss{"spurious", match.label, {}, value.text, value.confidence, {}, {}, {}};
    locate(miss, text, value.text, value.span);
    misses.push_back(std::move(miss));
  }
}

std::string joined(std::vector<std::string> classes) {
  std::ranges::sort(classes);
  std::string text;
  for (const std::string& one : classes) text += (text.empty() ? "" : "，") + one;
  return text;
}

}  // namespace

std::vector<Miss> misses_of(const GoldItem& gold, const Prediction& prediction, bool ignore_space) {
  std::vector<Miss> misses;
  if (prediction.error) {
    misses.push_back(
        {"failed", {}, {}, *prediction.error, {}, {}, {}, first_characters(gold.text)});
  }
  if (!gold.classification) {
    for (const LabelMatch& match : match_values(gold, prediction, ignore_space))
      add_label_misses(misses, match, gold.text);
    return misses;
  }
  Miss miss{"class", {}, joined(gold.classes),       joined(prediction.classes), {},
            {},      {}, first_characters(gold.text)};
  if (!prediction.probabilities.empty()) miss.confidence = prediction.probabilities[0].second;
  if (miss.gold != miss.predicted && !prediction.error) misses.push_back(std::move(miss));
  return misses;
}

std::string miss_line(const Miss& miss, const std::string& file, const GoldItem& gold) {
  Json line = {{"file", file}, {"line", gold.line + 1}, {"id", gold.id}, {"kind", miss.kind}};
  if (!miss.label.empty()) line["label"] = miss.label;
  line["gold"] = miss.gold.empty() ? Json() : Json(miss.gold);
  line["predicted"] = miss.predicted.empty() ? Json() : Json(miss.predicted);
  if (miss.confidence) line["confidence"] = *miss.confidence;
  const bool marked = !miss.place.empty();
  line["context"] = miss.before + (marked ? "【" + miss.place + "】" : "") + miss.after;
  return dump_json(line, -1);
}

}  // namespace seqgpt
