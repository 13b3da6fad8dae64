// SPDX-License-Identifier: Apache-2.0
// The normalize command's answers.
#include "tools/normalize_tool.h"

#include <optional>

#include "api/normalized_json.h"
#include "base/utf8.h"
#include "normalize/normalize.h"

namespace seqgpt {
namespace {

using Json = nlohmann::ordered_json;

Result<ValueKind> kind_of(const std::string& name) {
  if (const auto kind = value_kind(name)) return *kind;
  return Error{ErrorCode::kInvalidArgument,
               "kind \"" + utf8_lossy(name.substr(0, 40)) + "\" is not known; the kinds are " +
                   std::string(value_kind_names()),
               "kind"};
}

Result<ReferenceTime> reference_of(const NormalizeOptions& options) {
  std::optional<TimeZone> zone;
  if (!options.timezone.empty()) {
    SEQGPT_ASSIGN(zone, TimeZone::parse(options.timezone));
  }
  if (options.reference_time.empty())
    return ReferenceTime::at(options.now, zone.value_or(TimeZone()));
  return ReferenceTime::parse(options.reference_time, zone);
}

/// A field that is absent, null or a string.
Status read_text(const JsonRequest& request, const char* name, const std::string& when_null,
                 std::string& out) {
  const auto found = request.find(name);
  if (found == request.end()) return {};
  if (!found->is_null() && !found->is_string())
    return Error{ErrorCode::kInvalidArgument, std::string(name) + " must be a string", name};
  out = found->is_null() ? when_null : found->get<std::string>();
  return {};
}

void put_value(Json& out, const Normalized& value) {
  out["normalized"] = normalized_json(value);
  if (!value.has_value() && !value.reason.empty()) out["reason"] = std::string(value.reason);
}

}  // namespace

Result<std::string> normalize_text(const NormalizeOptions& options, std::string_view text) {
  SEQGPT_ASSIGN(const ValueKind kind, kind_of(options.kind));
  SEQGPT_ASSIGN(const ReferenceTime reference, reference_of(options));
  const Normalized value = normalize(kind, text, reference);
  Json out = Json::object();
  put_value(out, value);
  out["result"] = flat_json(value);
  out["reference_time"] = reference.text();
  return out.dump();
}

Result<std::string> normalize_answer(const NormalizeOptions& options, const JsonRequest& request) {
  NormalizeOptions own = options;
  SEQGPT_TRY(read_text(request, "kind", "auto", own.kind));
  SEQGPT_TRY(read_text(request, "reference_time", "none", own.reference_time));
  SEQGPT_TRY(read_text(request, "timezone", "", own.timezone));
  const auto input = request.find("input");
  if (input == request.end() || !input->is_string())
    return Error{ErrorCode::kInvalidArgument, "\"input\" must be a string", "input"};
  SEQGPT_ASSIGN(const ValueKind kind, kind_of(own.kind));
  SEQGPT_ASSIGN(const ReferenceTime reference, reference_of(own));
  Json out = Json::object();
  if (const auto id = request.find("id"); id != request.end()) out["id"] = *id;
  put_value(out, normalize(kind, input->get<std::string>(), reference));
  return out.dump();
}

}  // namespace seqgpt
