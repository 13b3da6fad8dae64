// SPDX-License-Identifier: Apache-2.0
// Strict reading of JSON objects.
#include "api/json_fields.h"

#include <algorithm>

namespace seqgpt {
namespace {

std::string joined(const std::string& path, const std::string& name) {
  return path.empty() ? name : path + "." + name;
}

}  // namespace

Error wrong_field(const std::string& path, const std::string& message) {
  return Error{ErrorCode::kInvalidArgument, path + " " + message, path};
}

Status only_fields(const Json& object, const std::string& path,
                   std::initializer_list<std::string_view> known) {
  for (const auto& [key, value] : object.items()) {
    if (std::ranges::find(known, key) != known.end()) continue;
    std::string names;
    for (const std::string_view name : known) names.append(names.empty() ? "" : ", ").append(name);
    return wrong_field(joined(path, key), "is not a field here (" + names + ")");
  }
  return {};
}

Result<std::string> string_field(const Json& object, const char* name, const std::string& path) {
  const auto found = object.find(name);
  if (found == object.end() || found->is_null()) return std::string();
  if (!found->is_string()) return wrong_field(joined(path, name), "must be a string");
  return found->get<std::string>();
}

Result<std::vector<std::string>> strings_field(const Json& object, const char* name,
                                               const std::string& path) {
  std::vector<std::string> strings;
  const auto found = object.find(name);
  if (found == object.end() || found->is_null()) return strings;
  if (!found->is_array()) return wrong_field(joined(path, name), "must be a list of strings");
  for (const Json& item : *found) {
    if (!item.is_string()) return wrong_field(joined(path, name), "must be a list of strings");
    strings.push_back(item.get<std::string>());
  }
  return strings;
}

}  // namespace seqgpt
