// SPDX-License-Identifier: Apache-2.0
// Reading label_map.json.
#include "pipeline/label_map.h"

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "base/json_depth.h"

namespace seqgpt {
namespace {

constexpr size_t kMaxBytes = 1 << 20;

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + ('a' - 'A'));
  }
  return out;
}

Error bad_file(const std::string& what) {
  return {ErrorCode::kBadFile, std::string(kLabelMapFile) + " " + what};
}

}  // namespace

Result<LabelMap> LabelMap::load(const std::filesystem::path& directory) {
  LabelMap map;
  const std::filesystem::path path = directory / kLabelMapFile;
  std::error_code missing;
  const auto size = std::filesystem::file_size(path, missing);
  if (missing) return map;
  if (size > kMaxBytes) return bad_file("is larger than 1 MiB");
  std::ifstream in(path, std::ios::binary);
  std::stringstream bytes;
  bytes << in.rdbuf();
  if (json_deeper_than(bytes.view(), 2)) return bad_file("must be one flat JSON object");
  const auto json = nlohmann::json::parse(bytes.view(), nullptr, false);
  if (!json.is_object()) return bad_file("must be one flat JSON object of label to type");
  for (const auto& [label, type] : json.items()) {
    if (!type.is_string()) return bad_file("gives \"" + label + "\" no type; it must be a string");
    map.own_.emplace(lower(label), type.get<std::string>());
  }
  return map;
}

std::string_view LabelMap::own_name(std::string_view label) const {
  const auto found = own_.find(lower(label));
  return found == own_.end() ? label : std::string_view(found->second);
}

bool same_name(std::string_view a, std::string_view b) {
  return lower(a) == lower(b);
}

}  // namespace seqgpt
