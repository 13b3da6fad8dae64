// SPDX-License-Identifier: Apache-2.0
// A hub's list of a model's files, checked before anything is fetched: Hugging Face's and
// ModelScope's shape.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace seqgpt {

enum class HubLayout { kHuggingFace, kModelScope };

struct HubFile {
  std::string path;    // relative, checked: no "..", no absolute path, no control characters
  uint64_t size = 0;   // bytes
  std::string sha256;  // 64 hex digits; empty: not told
  std::string git_id;  // 40 hex digits of git_blob_id; empty: not told
};

inline constexpr size_t kMaxListBytes = size_t{4} << 20;
inline constexpr uint64_t kMaxModelBytes = uint64_t{64} << 30;  // of all files together

/// "owner/name", letters, digits, . _ -: nothing else goes into a URL.
Status check_repository(std::string_view repository);
Status check_revision(std::string_view revision);

std::string list_url(HubLayout layout, const std::string& base, const std::string& repository,
                     const std::string& revision);
std::string file_url(HubLayout layout, const std::string& base, const std::string& repository,
                     const std::string& revision, const std::string& path);

/// Every file of the list. Errors: kBadFile when it is no list; kUnsupported naming a path that
/// escapes or a size that is absurd.
Result<std::vector<HubFile>> parse_hub_list(HubLayout layout, std::string_view json);

/// Those that a model is made of: configuration, tokenizer and weights (safetensors before torch's
/// .bin). Errors: kUnsupported when config.json, tokenizer.json or weights are missing: no model.
Result<std::vector<HubFile>> model_files(const std::vector<HubFile>& all);

}  // namespace seqgpt
