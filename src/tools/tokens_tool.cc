// SPDX-License-Identifier: Apache-2.0
// The tokens command's answers.
#include "tools/tokens_tool.h"

#include "base/utf8.h"

namespace seqgpt {

Result<std::string> tokens_of_text(const Tokenizer& tokenizer, std::string_view text) {
  if (const auto at = utf8_first_invalid(text)) {
    return Error{ErrorCode::kInvalidArgument,
                 "the text is not valid UTF-8 at byte " + std::to_string(*at), "text"};
  }
  std::vector<int32_t> ids;
  std::string offsets;
  for (const Token& token : tokenizer.encode_with_offsets(text, AddedTokens::kRecognise)) {
    ids.push_back(token.id);
    offsets += (offsets.empty() ? "[" : ",[") + std::to_string(token.start) + "," +
               std::to_string(token.end) + "]";
  }
  std::string out = "{\"ids\":";
  append_ids(out, ids);
  return out + ",\"offsets\":[" + offsets + "]}";
}

std::string text_of_tokens(const Tokenizer& tokenizer, std::span<const int32_t> ids,
                           bool skip_special) {
  return JsonRequest{{"text", tokenizer.decode(ids, skip_special)}}.dump();
}

Result<std::string> tokens_answer(const Tokenizer& tokenizer, const JsonRequest& request) {
  if (const auto text = request.find("text"); text != request.end()) {
    if (!text->is_string())
      return Error{ErrorCode::kInvalidArgument, "\"text\" must be a string", "text"};
    return tokens_of_text(tokenizer, text->get<std::string>());
  }
  SEQGPT_ASSIGN(const std::vector<int32_t> ids, ids_field(request, "ids"));
  const auto skip = request.find("skip_special");
  if (skip != request.end() && !skip->is_boolean()) {
    return Error{ErrorCode::kInvalidArgument, "\"skip_special\" must be true or false",
                 "skip_special"};
  }
  return text_of_tokens(tokenizer, ids, skip != request.end() && skip->get<bool>());
}

}  // namespace seqgpt
