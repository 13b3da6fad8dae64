// SPDX-License-Identifier: Apache-2.0
// weight_map, checked entry by entry.
#include "weights/shard_index.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "weights/json_checked.h"
#include "weights/printable.h"
#include "weights/tensor_table.h"

namespace seqgpt {
namespace {

constexpr size_t kMaxFileName = 255;

bool plain_file_name(std::string_view file) {
  return !file.empty() && file.size() <= kMaxFileName && file != "." && file != ".." &&
         std::ranges::none_of(file, [](char c) { return c == '/' || c == '\\' || c == '\0'; });
}

}  // namespace

Result<ShardIndex> parse_shard_index(std::string_view text, std::string_view name) {
  const auto bad = [&](const std::string& why) {
    return Error{ErrorCode::kBadFile, std::string(name) + ": " + why};
  };
  SEQGPT_ASSIGN(const nlohmann::json document, parse_json_checked(text, name));
  const auto weight_map = document.find("weight_map");
  if (weight_map == document.end() || !weight_map->is_object() || weight_map->empty()) {
    return bad("the index has no weight_map object, or an empty one");
  }
  ShardIndex index;
  for (const auto& [tensor, file] : weight_map->items()) {
    if (!file.is_string()) return bad("weight_map gives no file name for " + printable(tensor));
    const auto& file_name = file.get_ref<const std::string&>();
    if (!plain_file_name(file_name)) {
      return bad("the index names an invalid path for " + printable(tensor) + ": " +
                 printable(file_name) + "; a shard is a plain file name beside the index");
    }
    if (!index.emplace(canonical_name(tensor), file_name).second) {
      return bad("weight_map names " + printable(tensor) +
                 " twice, with and without 'transformer.'");
    }
  }
  return index;
}

}  // namespace seqgpt
