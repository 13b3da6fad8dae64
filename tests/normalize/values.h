// SPDX-License-Identifier: Apache-2.0
// Short forms for tests: read a text as a kind against one Monday morning.
#pragma once

#include <string>

#include "normalize/grading.h"
#include "normalize/normalize.h"

namespace seqgpt::testing_support {

/// Monday, 2026-11-30 09:00 in Shanghai.
inline ReferenceTime monday() {
  return *ReferenceTime::parse("2026-11-30T09:00:00+08:00");
}

inline Normalized read(const char* kind, const std::string& text,
                       const ReferenceTime& reference = monday()) {
  return normalize(*value_kind(kind), text, reference);
}

inline std::string text_of(const nlohmann::json& value) {
  return value.is_string() ? value.get<std::string>() : value.dump();
}

/// "value", "low..high" or "start..end" (null for an open end), or "!reason".
inline std::string brief(const Normalized& value) {
  if (!value.has_value()) return "!" + std::string(value.reason);
  const nlohmann::json json = as_json(value);
  if (json.contains("value")) return text_of(json["value"]);
  const bool range = json.contains("start");
  return text_of(json[range ? "start" : "low"]) + ".." + text_of(json[range ? "end" : "high"]);
}

inline std::string brief(const char* kind, const std::string& text) {
  return brief(read(kind, text));
}

/// A field of the value as text, "-" when it has none.
inline std::string field(const Normalized& value, const char* name) {
  const nlohmann::json json = as_json(value);
  return json.is_object() && json.contains(name) ? text_of(json[name]) : "-";
}

}  // namespace seqgpt::testing_support
