// SPDX-License-Identifier: Apache-2.0
// Fuzz target: any bytes as a tokenizer.json; what loads must encode and decode without harm.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "tokenizer/tokenizer.h"

namespace {

/// With a token for every byte, plain text keeps all its bytes and gets no added token.
void check_plain(const seqgpt::Tokenizer& tokenizer, std::string_view text) {
  std::string bytes;
  for (const int32_t id : tokenizer.encode(text)) {
    if (tokenizer.is_added(id)) std::abort();
    bytes += tokenizer.bytes(id);
  }
  if (bytes != text) std::abort();
}

void check_text(const seqgpt::Tokenizer& tokenizer, std::string_view text) {
  for (const auto added : {seqgpt::AddedTokens::kAsText, seqgpt::AddedTokens::kRecognise}) {
    const std::vector<int32_t> ids = tokenizer.encode(text, added);
    if (tokenizer.encode_with_offsets(text, added).size() != ids.size()) std::abort();
    (void)tokenizer.decode(ids, true);
  }
  if (tokenizer.covers_all_bytes()) check_plain(tokenizer, text);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const auto tokenizer = seqgpt::Tokenizer::parse(input, "fuzz");
  if (!tokenizer.ok()) return 0;
  check_text(*tokenizer, "");
  check_text(*tokenizer,
             "今天下午三点，公司将在北京总部召开年度总结会议。 the [GEN] </s>\r\n\t 😀e\xCC\x81");
  check_text(*tokenizer, "\xFF\x80\xE4\xBD a\xC2");
  check_text(*tokenizer, input.substr(0, 4096));
  return 0;
}
