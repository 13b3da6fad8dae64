// SPDX-License-Identifier: Apache-2.0
// The two halves of reading a tokenizer.json: the big tables as a stream, the few settings as a
// tree.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "base/result.h"
#include "tokenizer/tokenizer_file.h"

namespace seqgpt {

struct RawTokenizer {
  TokenizerFile file;       // vocabulary and merges are filled in
  nlohmann::json settings;  // everything else; model.vocab and model.merges are empty containers
};

/// A text from the file for a message: at most 80 bytes of it.
std::string shown(std::string_view text);

/// Parses without recursion and with bounds on depth and count; no exception leaves it.
Result<RawTokenizer> parse_tokenizer_json(std::string_view json, std::string_view name);

/// Fills in the settings, or refuses by name what the tokenizer does not reproduce.
Status apply_settings(const nlohmann::json& settings, std::string_view name, TokenizerFile& file);

}  // namespace seqgpt
