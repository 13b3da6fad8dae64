// SPDX-License-Identifier: Apache-2.0
// The checks a text passes and the prompt it is put into.
#include <cassert>
#include <cstdio>

#include "base/utf8.h"
#include "task/characters.h"
#include "task/task.h"

namespace seqgpt {
namespace {

Error text_error(ErrorCode code, std::string message) {
  return {code, std::move(message), "text"};
}

bool is_comma(char32_t c) {
  return c == U',' || c == 0xFF0C || c == 0xFE10 || c == 0xFE50 ||  // full-width, vertical, small
         c == 0x3001 || c == 0xFE11 || c == 0xFE51 || c == 0xFF64;  // ideographic and its forms
}

Error invalid_byte(std::string_view text, size_t at) {
  char hex[8];
  std::snprintf(hex, sizeof hex, "0x%02X", static_cast<unsigned>(static_cast<uint8_t>(text[at])));
  return text_error(ErrorCode::kInvalidArgument, "text is not valid UTF-8: byte " +
                                                     std::to_string(at) + " (counted from 0) is " +
                                                     hex + "; convert the text to UTF-8");
}

bool has_visible_character(std::string_view text) {
  for (size_t at = 0; at < text.size();) {
    const Decoded c = utf8_decode(text, at);
    if (!is_blank(c.code_point)) return true;
    at += c.bytes;
  }
  return false;
}

std::string in_prompt(std::string_view words) {
  std::string out;
  bool space = false;
  words = trim_white_space(words);
  for (size_t at = 0; at < words.size();) {
    const Decoded c = utf8_decode(words, at);
    const bool white = is_white_space(c.code_point);
    if (white && !space) out.push_back(' ');
    if (!white) utf8_append(out, is_comma(c.code_point) ? U'、' : c.code_point);
    space = white;
    at += c.bytes;
  }
  return out;
}

}  // namespace

Status check_text(std::string_view text, size_t max_characters) {
  if (const auto bad = utf8_first_invalid(text)) return invalid_byte(text, *bad);
  if (const size_t nul = text.find('\0'); nul != std::string_view::npos) {
    return text_error(
        ErrorCode::kInvalidArgument,
        "text holds a NUL byte at byte " + std::to_string(nul) + " (counted from 0); remove it");
  }
  if (!has_visible_character(text)) {
    return text_error(ErrorCode::kInvalidArgument,
                      "text is empty or only white space; send the text to be read");
  }
  if (const size_t count = utf8_count(text); count > max_characters) {
    return text_error(ErrorCode::kTooLarge,
                      "text has " + std::to_string(count) + " characters, the limit is " +
                          std::to_string(max_characters) + "; split it into parts");
  }
  return {};
}

std::string prompt_name(const Label& label) {
  std::string name = in_prompt(label.name);
  if (!label.description.empty()) name += "（" + in_prompt(label.description) + "）";
  return name;
}

std::vector<size_t> group_sizes(size_t count, size_t most) {
  assert(most > 0);
  const size_t groups = (count + most - 1) / most;
  std::vector<size_t> sizes(groups);
  for (size_t i = 0; i < groups; ++i) sizes[i] = count / groups + (i < count % groups ? 1 : 0);
  return sizes;
}

std::string render_prompt(TaskKind kind, std::string_view text,
                          const std::vector<std::string>& prompt_names) {
  return render_prompt(kind == TaskKind::kExtract ? "抽取" : "分类", text, prompt_names);
}

std::string render_prompt(std::string_view task_word, std::string_view text,
                          const std::vector<std::string>& prompt_names) {
  std::string prompt = "输入: ";
  for (const char c : trim_white_space(text)) {
    if (c != '\r')
      prompt.push_back(c);  // lines end with \n alone in all that a model was trained on
  }
  prompt.append("\n").append(task_word).append(": ");
  for (size_t i = 0; i < prompt_names.size(); ++i) {
    if (i > 0) prompt.append("，");
    prompt.append(prompt_names[i]);
  }
  return prompt.append("\n输出: ");
}

}  // namespace seqgpt
