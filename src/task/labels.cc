// SPDX-License-Identifier: Apache-2.0
// Labels: the command line's grammar, and the checks every label passes before it enters a prompt.
#include <utf8proc.h>

#include <algorithm>
#include <map>

#include "base/utf8.h"
#include "task/characters.h"
#include "task/task.h"

namespace seqgpt {
namespace {

// What the template itself is made of; a label that holds one would read as a part of the prompt.
constexpr std::string_view kPromptWords[] = {
    "输入:", "输入：", "抽取:", "抽取：", "分类:", "分类：", "输出:", "输出：", "[GEN]"};

bool known_type(std::string_view type) {
  return std::ranges::count(kFieldTypes, type) > 0;
}

std::string trimmed(std::string_view text) {
  return std::string(trim_white_space(text));
}

std::string lower(std::string_view text) {
  std::string out;
  for (size_t at = 0; at < text.size();) {
    const Decoded c = utf8_decode(text, at);
    utf8_append(
        out, static_cast<char32_t>(utf8proc_tolower(static_cast<utf8proc_int32_t>(c.code_point))));
    at += c.bytes;
  }
  return out;
}

std::string parameter(size_t index) {
  return "labels[" + std::to_string(index) + "]";
}

Error refuse(size_t index, std::string_view what) {
  const std::string where = parameter(index);
  return {ErrorCode::kInvalidArgument, where + " " + std::string(what), where};
}

Status check_characters(std::string_view text, size_t index, std::string_view what) {
  if (const auto bad = utf8_first_invalid(text)) {
    return refuse(index, std::string(what) + " is not valid UTF-8 at byte " + std::to_string(*bad) +
                             "; send UTF-8");
  }
  for (size_t at = 0; at < text.size();) {
    const Decoded c = utf8_decode(text, at);
    if (is_control(c.code_point)) {
      return refuse(index, std::string(what) +
                               " holds a control character (line break, TAB ...) at byte " +
                               std::to_string(at) + "; remove it");
    }
    at += c.bytes;
  }
  return {};
}

Status check_name(const Label& label, size_t index) {
  if (label.name.empty()) {
    return refuse(index, "is empty; give each label a name, or remove a stray comma");
  }
  SEQGPT_TRY(check_characters(label.name, index, "name"));
  const size_t length = utf8_count(label.name);
  if (length > kMaxLabelCharacters) {
    return refuse(index, "has " + std::to_string(length) + " characters, the limit is " +
                             std::to_string(kMaxLabelCharacters) + "; shorten it");
  }
  for (const std::string_view word : kPromptWords) {
    if (label.name.find(word) != std::string::npos) {
      return refuse(index, "holds \"" + std::string(word) +
                               "\", a word of the prompt itself; name the field without it");
    }
  }
  return {};
}

Status check_type(const Label& label, size_t index) {
  if (label.type.empty() || known_type(label.type)) return {};
  std::string known;
  for (const std::string_view type : kFieldTypes)
    known.append(known.empty() ? "" : ", ").append(type);
  Error error =
      refuse(index, "has the unknown type \"" + label.type + "\"; known types are " + known);
  error.param += ".type";
  return error;
}

// Names are compared as they stand in a prompt: what reads the same there cannot be told apart.
Status check_distinct(const std::vector<Label>& labels) {
  std::map<std::string, size_t> names;
  std::map<std::string, size_t> keys;
  for (size_t i = 0; i < labels.size(); ++i) {
    const auto [name, new_name] = names.emplace(lower(prompt_name(labels[i])), i);
    if (!new_name) {
      return refuse(i, "\"" + labels[i].name + "\" is the same label as " +
                           parameter(name->second) +
                           " (case and kinds of comma do not count); remove or rename one");
    }
    const auto [key, new_key] = keys.emplace(lower(labels[i].key), i);
    if (!new_key) {
      return refuse(i, "has the key \"" + labels[i].key + "\" in the answer, as " +
                           parameter(key->second) + " has; give one of them another alias");
    }
  }
  return {};
}

}  // namespace

Label parse_label(std::string_view written) {
  Label label;
  if (const size_t equals = written.rfind('='); equals != std::string_view::npos) {
    label.key = trimmed(written.substr(equals + 1));
    written = written.substr(0, equals);
  }
  if (const size_t colon = written.rfind(':'); colon != std::string_view::npos) {
    const std::string_view type = trim_white_space(written.substr(colon + 1));
    if (known_type(type)) {
      label.type = std::string(type);
      written = written.substr(0, colon);
    }
  }
  label.name = trimmed(written);
  if (label.key.empty()) label.key = label.name;
  return label;
}

std::vector<Label> parse_label_list(std::string_view list) {
  constexpr std::string_view kSeparators[] = {",", "，", "、"};
  std::vector<Label> labels;
  if (trim_white_space(list).empty()) return labels;
  size_t begin = 0;
  for (size_t at = 0; at < list.size();) {
    size_t length = 0;
    for (const std::string_view separator : kSeparators) {
      if (list.substr(at).starts_with(separator)) length = separator.size();
    }
    if (length > 0) {
      labels.push_back(parse_label(list.substr(begin, at - begin)));
      begin = at + length;
    }
    at += std::max<size_t>(length, 1);
  }
  labels.push_back(parse_label(list.substr(begin)));
  return labels;
}

Result<std::vector<Label>> check_labels(std::vector<Label> labels) {
  if (labels.empty()) {
    return Error{ErrorCode::kInvalidArgument, "there are no labels; name at least one", "labels"};
  }
  if (labels.size() > kMaxLabels) {
    return Error{ErrorCode::kTooLarge,
                 "there are " + std::to_string(labels.size()) + " labels, the limit is " +
                     std::to_string(kMaxLabels) + "; ask for them in several requests",
                 "labels"};
  }
  for (size_t i = 0; i < labels.size(); ++i) {
    Label& label = labels[i];
    label.name = trimmed(label.name);
    label.key = trimmed(label.key);
    SEQGPT_TRY(check_name(label, i));
    SEQGPT_TRY(check_type(label, i));
    if (label.key.empty()) label.key = label.name;
    SEQGPT_TRY(check_characters(label.key, i, "alias"));
  }
  SEQGPT_TRY(check_distinct(labels));
  return labels;
}

}  // namespace seqgpt
