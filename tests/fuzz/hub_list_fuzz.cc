// SPDX-License-Identifier: Apache-2.0
// Fuzz target: any bytes as a hub's list of files, in both layouts.
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "tools/hub.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  for (const auto layout : {seqgpt::HubLayout::kHuggingFace, seqgpt::HubLayout::kModelScope}) {
    const auto all = seqgpt::parse_hub_list(layout, text);
    if (!all.ok()) continue;
    for (const seqgpt::HubFile& file : *all) {
      if (file.path.empty() || file.path[0] == '/' || file.path == ".." ||
          file.path.starts_with("../") || file.path.find("/../") != std::string::npos)
        std::abort();
    }
    const auto files = seqgpt::model_files(*all);
    if (!files.ok()) continue;
    uint64_t bytes = 0;
    for (const seqgpt::HubFile& file : *files) bytes += file.size;
    if (bytes > seqgpt::kMaxModelBytes) std::abort();
  }
  return 0;
}
