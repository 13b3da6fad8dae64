// SPDX-License-Identifier: Apache-2.0
// Normalized: a canonical value as ordered named fields, its flat form, or the reason for none.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace seqgpt {

/// One named part of a canonical value; `members` makes it an object (then `value` is unused).
struct NormalizedPart {
  std::string_view name;  // static text
  std::variant<std::nullptr_t, bool, std::string> value = nullptr;
  std::vector<NormalizedPart> members = {};
};

/// What the flat `result` shows of a value.
struct Flat {
  enum class Shape {
    kNone,         // null
    kText,         // first
    kNumber,       // first, a decimal number in digits
    kStartEnd,     // {"start","end"}: texts, null where the end is open
    kLowHigh,      // {"low","high"}: decimal numbers in digits, null where the end is open
    kLowHighText,  // the same with texts
  };
  Shape shape = Shape::kNone;
  std::optional<std::string> first;
  std::optional<std::string> second;
};

/// A canonical value, or (has_value() false) why there is none.
struct Normalized {
  std::string_view kind;  // date, datetime, time, range, duration, amount, number, ordinal, …
  std::vector<NormalizedPart>
      fields;  // value, start, end, low, high, currency, … in the order to show
  Flat flat;
  std::string_view reason;  // snake_case word such as no_such_day; empty when there is a value
                            // and when the type has no canonical values (person, text)

  bool has_value() const { return !fields.empty(); }

  void add(std::string_view name, std::string text) {
    fields.push_back({name, std::move(text), {}});
  }
  void add(std::string_view name, std::string_view text) { add(name, std::string(text)); }
  void add(std::string_view name, const char* text) { add(name, std::string(text)); }
  void add(std::string_view name, bool value) { fields.push_back({name, value, {}}); }
  void add(std::string_view name, std::nullptr_t) { fields.push_back({name, nullptr, {}}); }
  void add(std::string_view name, const std::optional<std::string>& text) {
    if (text) {
      add(name, *text);
    } else {
      add(name, nullptr);
    }
  }
};

inline Normalized no_value(std::string_view reason) {
  return {.kind = {}, .fields = {}, .flat = {}, .reason = reason};
}

}  // namespace seqgpt
