// SPDX-License-Identifier: Apache-2.0
// Types to kinds, and the characters that each kind is made of.
#include "pipeline/canonical.h"

#include <optional>
#include <vector>

#include "base/utf8.h"
#include "pipeline/boundary.h"

namespace seqgpt {
namespace {

constexpr int kReach = 12;  // characters that a value may grow by at either end

/// Characters that may go on a value of a kind, before it and after it.
struct Neighbours {
  std::u32string_view before;
  std::u32string_view after;
};

#define SEQGPT_DIGITS U"0123456789０１２３４５６７８９"
#define SEQGPT_NUMERALS U"零〇一二三四五六七八九十百千两壹贰叁肆伍陆柒捌玖拾佰仟"

std::optional<Neighbours> neighbours(ValueKind kind) {
  switch (kind) {
    case ValueKind::kDate:
      return Neighbours{SEQGPT_DIGITS SEQGPT_NUMERALS U"年月-/.",
                        SEQGPT_DIGITS SEQGPT_NUMERALS U"年月日号时点分秒-/.:："};
    case ValueKind::kAmount:
      return Neighbours{SEQGPT_DIGITS SEQGPT_NUMERALS U"万亿.,¥￥$＄",
                        SEQGPT_DIGITS SEQGPT_NUMERALS U"万亿萬億.,元圆圓角分整正美欧港日英镑币"};
    case ValueKind::kNumber:
      return Neighbours{SEQGPT_DIGITS SEQGPT_NUMERALS U"万亿.,",
                        SEQGPT_DIGITS SEQGPT_NUMERALS U"万亿.,"};
    case ValueKind::kPercent:
      return Neighbours{SEQGPT_DIGITS U".-", SEQGPT_DIGITS U".%％‰"};
    case ValueKind::kDuration:
      return Neighbours{SEQGPT_DIGITS SEQGPT_NUMERALS U".",
                        SEQGPT_DIGITS U".个半年月日历曆天周小时分钟秒"};
    case ValueKind::kPhone:
      return Neighbours{SEQGPT_DIGITS U"+-*", SEQGPT_DIGITS U"-*"};
    default:
      return std::nullopt;
  }
}

#undef SEQGPT_DIGITS
#undef SEQGPT_NUMERALS

size_t previous(std::string_view text, size_t at) {
  do --at;
  while (!utf8_boundary(text, at));
  return at;
}

/// `at` and the places before it that are reached over characters of `set`, nearest first.
std::vector<size_t> places_before(std::string_view text, size_t at, std::u32string_view set) {
  std::vector<size_t> places{at};
  while (at > 0 && places.size() <= kReach) {
    at = previous(text, at);
    if (set.find(utf8_decode(text, at).code_point) == std::u32string_view::npos) break;
    places.push_back(at);
  }
  return places;
}

std::vector<size_t> places_after(std::string_view text, size_t at, std::u32string_view set) {
  std::vector<size_t> places{at};
  while (at < text.size() && places.size() <= kReach) {
    const Decoded c = utf8_decode(text, at);
    if (set.find(c.code_point) == std::u32string_view::npos) break;
    at += c.bytes;
    places.push_back(at);
  }
  return places;
}

}  // namespace

ValueKind kind_of(const Label& label) {
  const auto finer = value_kind(label.kind);
  return finer ? *finer : value_kind(label.type).value_or(ValueKind::kText);
}

std::vector<bool> labels_of_one_thing(const Task& task) {
  std::vector<bool> one(task.labels.size());
  for (size_t i = 0; i < one.size() && task.options.verify; ++i) {
    const Label& label = task.labels[i];
    const bool free = label.type == "org" || label.type == "place" || label.type == "text";
    one[i] = !free && label.pattern.empty() && label.one_of.empty();
  }
  return one;
}

Result<ReferenceTime> reference_of(const Task& task) {
  const std::string& written = task.options.reference_time;
  if (written.empty()) return ReferenceTime{};
  return ReferenceTime::parse(written);
}

void add_canonical(Answer& answer, const Task& task, const ReferenceTime& reference) {
  const std::string_view text = task.text;
  for (Entity& entity : answer.entities) {
    const Label& label = answer.labels[entity.label];
    const std::string_view words =
        text.substr(entity.span.begin, entity.span.end - entity.span.begin);
    entity.normalized = normalize(kind_of(label), words, reference);
    if (entity.normalized.reason.empty()) continue;
    answer.warnings.push_back({"not_normalized",
                               "\"" + std::string(words) + "\" has no canonical value of type " +
                                   label.type + " (" + std::string(entity.normalized.reason) +
                                   "); its words stand in entities",
                               label.name});
  }
}

ByteSpan whole_value(std::string_view text, ByteSpan span, ValueKind kind,
                     const ReferenceTime& reference) {
  const std::optional<Neighbours> around = neighbours(kind);
  if (!around) return span;
  const std::vector<size_t> begins = places_before(text, span.begin, around->before);
  const std::vector<size_t> ends = places_after(text, span.end, around->after);
  // normalize() is lenient about what stands around a value; an end of a span is not.
  const auto parses = [&](ByteSpan candidate) {
    if (tidy_boundary(text, candidate) != candidate) return false;
    return normalize(kind, text.substr(candidate.begin, candidate.end - candidate.begin), reference)
        .has_value();
  };
  for (size_t grown = begins.size() + ends.size() - 2; grown > 0; --grown) {
    for (size_t left = 0; left < begins.size() && left <= grown; ++left) {
      if (grown - left >= ends.size()) continue;
      const ByteSpan candidate{begins[left], ends[grown - left]};
      if (parses(candidate)) return candidate;
    }
  }
  return span;
}

}  // namespace seqgpt
