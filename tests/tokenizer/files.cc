// SPDX-License-Identifier: Apache-2.0
// Small tokenizer.json texts for tests.
#include "tokenizer/files.h"

#include "tokenizer/byte_alphabet.h"

namespace seqgpt {

nlohmann::json empty_tokenizer() {
  return nlohmann::json::parse(R"({
    "version": "1.0", "truncation": null, "padding": null, "added_tokens": [], "normalizer": null,
    "pre_tokenizer": {"type": "Sequence", "pretokenizers": [
      {"type": "Split", "pattern": {"Regex": " ?[^(\\s|[.,!?…。，、।۔،])]+"}, "behavior": "Isolated", "invert": false},
      {"type": "ByteLevel", "add_prefix_space": false, "trim_offsets": true, "use_regex": false}]},
    "post_processor": {"type": "ByteLevel", "add_prefix_space": true, "trim_offsets": false, "use_regex": false},
    "decoder": {"type": "ByteLevel", "add_prefix_space": true, "trim_offsets": true, "use_regex": false},
    "model": {"type": "BPE", "dropout": null, "unk_token": null, "continuing_subword_prefix": null,
              "end_of_word_suffix": null, "fuse_unk": false, "vocab": {}, "merges": []}})");
}

nlohmann::json byte_tokenizer(const std::vector<std::string>& merges) {
  nlohmann::json file = empty_tokenizer();
  nlohmann::json& vocabulary = file["model"]["vocab"];
  for (int byte = 0; byte < 256; ++byte) {
    vocabulary[token_content(std::string(1, static_cast<char>(byte)))] = byte;
  }
  for (const std::string& merge : merges) {
    file["model"]["merges"].push_back(merge);
    std::string made = merge;
    made.erase(made.find(' '), 1);
    if (!vocabulary.contains(made)) vocabulary[made] = vocabulary.size();
  }
  return file;
}

}  // namespace seqgpt
