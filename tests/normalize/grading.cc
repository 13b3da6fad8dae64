// SPDX-License-Identifier: Apache-2.0
// Comparing canonical values by their meaning.
#include "normalize/grading.h"

#include <cmath>
#include <cstdlib>
#include <optional>
#include <utility>

#include "normalize/civil.h"

namespace seqgpt::testing_support {
namespace {

using Json = nlohmann::json;
using Extent = std::pair<int64_t, int64_t>;  // first and last second

int number_at(const std::string& text, size_t at, size_t count) {
  return std::atoi(text.substr(at, count).c_str());
}

int64_t clock_of(const std::string& text) {
  int64_t seconds = number_at(text, 0, 2) * 3600 + number_at(text, 3, 2) * 60;
  if (text.size() > 5) seconds += number_at(text, 6, 2);
  return seconds;
}

/// YYYY, YYYY-MM, YYYY-MM-DD, YYYY-Www, with THH:MM[:SS], or HH:MM[:SS] (on 1970-01-01).
Extent extent_of(const std::string& text) {
  if (text.size() > 2 && text[2] == ':') {
    const int64_t at = clock_of(text);
    return {at, at + (text.size() > 5 ? 0 : 59)};
  }
  const int year = number_at(text, 0, 4);
  if (text.size() == 4) return {days_of(year, 1, 1) * 86400, days_of(year + 1, 1, 1) * 86400 - 1};
  if (text[5] == 'W') {
    const int64_t monday = monday_of({year, number_at(text, 6, 2)});
    return {monday * 86400, (monday + 7) * 86400 - 1};
  }
  const int month = number_at(text, 5, 2);
  if (text.size() == 7) {
    const int64_t first = days_of(year, month, 1);
    return {first * 86400, (first + days_in_month(year, month)) * 86400 - 1};
  }
  const int64_t day = days_of(year, month, number_at(text, 8, 2)) * 86400;
  if (text.size() == 10) return {day, day + 86399};
  const std::string clock = text.substr(11);
  const int64_t at = day + clock_of(clock);
  return {at, at + (clock.size() > 5 ? 0 : 59)};
}

/// The ends of a value or range; an open end is absent.
std::optional<std::pair<std::optional<int64_t>, std::optional<int64_t>>> ends_of(
    const Json& value) {
  const auto text = [](const Json& json) { return json.get<std::string>(); };
  if (value.contains("value") && value["value"].is_string()) {
    const Extent extent = extent_of(text(value["value"]));
    return std::make_pair(std::optional(extent.first), std::optional(extent.second));
  }
  if (!value.contains("start") || !value.contains("end")) return std::nullopt;
  std::optional<int64_t> first;
  std::optional<int64_t> last;
  if (value["start"].is_string()) first = extent_of(text(value["start"])).first;
  if (value["end"].is_string()) last = extent_of(text(value["end"])).second;
  return std::make_pair(first, last);
}

bool same_time(const Json& got, const Json& expected) {
  if (ends_of(got) && ends_of(got) == ends_of(expected)) return true;
  if (!expected.contains("anchored")) return false;
  Json anchored = expected["anchored"];
  if (anchored.is_string()) anchored = Json{{"value", anchored}};
  return ends_of(got) == ends_of(anchored);
}

struct Length {
  double months = 0;
  double days = 0;
  double seconds = 0;
};

Length length_of(const std::string& iso) {
  Length out;
  bool time = false;
  const char* at = iso.c_str() + 1;
  while (*at != '\0') {
    if (*at == 'T') {
      time = true;
      ++at;
      continue;
    }
    char* end = nullptr;
    const double count = std::strtod(at, &end);
    if (*end == 'Y') out.months += 12 * count;
    if (*end == 'M' && !time) out.months += count;
    if (*end == 'W') out.days += 7 * count;
    if (*end == 'D') out.days += count;
    if (*end == 'H') out.seconds += 3600 * count;
    if (*end == 'M' && time) out.seconds += 60 * count;
    if (*end == 'S') out.seconds += count;
    at = end + 1;
  }
  return out;
}

bool same_length(const Json& got, const Json& expected) {
  if (got.is_null() || expected.is_null()) return got == expected;
  const Length a = length_of(got.get<std::string>());
  const Length b = length_of(expected.get<std::string>());
  return std::abs(a.months - b.months) + std::abs(a.days - b.days) +
             std::abs(a.seconds - b.seconds) <
         1e-6;
}

std::string plain(std::string digits) {
  if (digits.find('.') == std::string::npos) return digits;
  while (digits.back() == '0') digits.pop_back();
  if (digits.back() == '.') digits.pop_back();
  return digits == "-0" ? "0" : digits;
}

bool same_number(const Json& got, const Json& expected) {
  if (!got.is_string() || !expected.is_string()) return got == expected;
  return plain(got.get<std::string>()) == plain(expected.get<std::string>());
}

bool near_number(const Json& got, const Json& expected) {
  if (same_number(got, expected)) return true;
  if (!got.is_string() || !expected.is_string()) return false;
  return std::abs(std::strtod(got.get<std::string>().c_str(), nullptr) -
                  std::strtod(expected.get<std::string>().c_str(), nullptr)) < 1e-8;
}

/// value, or low and high, compared by `same`.
template <typename Same>
bool same_values(const Json& got, const Json& expected, const Same& same) {
  for (const char* key : {"value", "low", "high"}) {
    if (got.contains(key) != expected.contains(key)) return false;
    if (got.contains(key) && !same(got[key], expected[key])) return false;
  }
  return true;
}

bool same_keys(const Json& got, const Json& expected, std::initializer_list<const char*> keys) {
  for (const char* key : keys) {
    if (expected.contains(key) && (!got.contains(key) || got[key] != expected[key])) return false;
  }
  return true;
}

std::string without_spaces(const Json& text) {
  std::string out = text.get<std::string>();
  std::erase(out, ' ');
  return out;
}

bool same_phone(const Json& got, const Json& expected) {
  if (got.value("ext", "") != expected.value("ext", "")) return false;
  if (expected["e164"].is_string()) return got["e164"] == expected["e164"];
  return got["e164"].is_null() && without_spaces(got["value"]) == without_spaces(expected["value"]);
}

Json field_json(const NormalizedPart& field) {
  if (!field.members.empty()) {
    Json object = Json::object();
    for (const NormalizedPart& member : field.members)
      object[std::string(member.name)] = field_json(member);
    return object;
  }
  if (const auto* text = std::get_if<std::string>(&field.value)) return *text;
  if (const auto* flag = std::get_if<bool>(&field.value)) return *flag;
  return nullptr;
}

}  // namespace

Json as_json(const Normalized& value) {
  if (!value.has_value()) return nullptr;
  Json out{{"kind", std::string(value.kind)}};
  for (const NormalizedPart& field : value.fields) out[std::string(field.name)] = field_json(field);
  return out;
}

bool graded_right(const std::string& kind, const Json& got, const Json& expected) {
  if (expected.contains("valid") && expected["valid"] == false) return got.is_null();
  if (got.is_null()) return false;
  if (kind == "date" || kind == "datetime" || kind == "time" || kind == "range")
    return same_time(got, expected);
  if (kind == "duration")
    return same_values(got, expected, same_length) && same_keys(got, expected, {"business_days"});
  if (kind == "amount")
    return same_values(got, expected, same_number) &&
           same_keys(got, expected, {"currency", "period"});
  if (kind == "number" || kind == "ordinal" || kind == "percent") {
    return same_values(got, expected, expected.contains("fraction") ? near_number : same_number) &&
           same_keys(got, expected, {"fraction", "low_inclusive", "high_inclusive"});
  }
  if (kind == "phone") return same_phone(got, expected);
  return same_keys(got, expected, {"value", "valid", "birth", "gender", "masked"});
}

}  // namespace seqgpt::testing_support
