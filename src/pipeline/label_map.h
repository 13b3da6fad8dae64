// SPDX-License-Identifier: Apache-2.0
// LabelMap: what callers call the types that a token-classification checkpoint tags (姓名 is its
// PER).
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>

#include "base/result.h"

namespace seqgpt {

/// The file beside such a checkpoint: {"姓名": "PER", "公司": "ORG", …}.
inline constexpr const char* kLabelMapFile = "label_map.json";

class LabelMap {
 public:
  /// Empty when the directory has no such file. Errors: kBadFile, naming the entry.
  static Result<LabelMap> load(const std::filesystem::path& directory);
  /// The checkpoint's own name for a label; the label itself where the map has none. Latin letters
  /// compare without case.
  std::string_view own_name(std::string_view label) const;

 private:
  std::map<std::string, std::string, std::less<>> own_;  // by lower-case label
};

/// Equal, Latin letters without case.
bool same_name(std::string_view a, std::string_view b);

}  // namespace seqgpt
