// SPDX-License-Identifier: Apache-2.0
// Writing canonical values.
#include "api/normalized_json.h"

#include <charconv>

namespace seqgpt {
namespace {

using Json = nlohmann::ordered_json;

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

Json number_json(const std::optional<std::string>& digits, bool fraction) {
  if (!digits) return nullptr;
  const char* const end = digits->data() + digits->size();
  int64_t whole = 0;
  const auto read = std::from_chars(digits->data(), end, whole);
  if (!fraction && read.ec == std::errc() && read.ptr == end) return whole;
  double value = 0;
  std::from_chars(digits->data(), end, value);
  return value;
}

Json text_json(const std::optional<std::string>& text) {
  return text ? Json(*text) : Json(nullptr);
}

}  // namespace

Json normalized_json(const Normalized& value) {
  if (!value.has_value()) return nullptr;
  Json out{{"kind", std::string(value.kind)}};
  for (const NormalizedPart& field : value.fields) out[std::string(field.name)] = field_json(field);
  return out;
}

Json flat_json(const Normalized& value) {
  const Flat& flat = value.flat;
  const bool fraction = value.kind == "amount";
  switch (flat.shape) {
    case Flat::Shape::kText:
      return text_json(flat.first);
    case Flat::Shape::kNumber:
      return number_json(flat.first, fraction);
    case Flat::Shape::kStartEnd:
      return Json{{"start", text_json(flat.first)}, {"end", text_json(flat.second)}};
    case Flat::Shape::kLowHigh:
      return Json{{"low", number_json(flat.first, fraction)},
                  {"high", number_json(flat.second, fraction)}};
    case Flat::Shape::kLowHighText:
      return Json{{"low", text_json(flat.first)}, {"high", text_json(flat.second)}};
    case Flat::Shape::kNone:
      break;
  }
  return nullptr;
}

}  // namespace seqgpt
