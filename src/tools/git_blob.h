// SPDX-License-Identifier: Apache-2.0
// The name that git (and so Hugging Face) gives a small file: SHA-1 over "blob SIZE\0" and content.
#pragma once

#include <string>
#include <string_view>

namespace seqgpt {

/// 40 hex digits. A checksum against accidents; nothing here trusts SHA-1 with more.
std::string git_blob_id(std::string_view content);

}  // namespace seqgpt
