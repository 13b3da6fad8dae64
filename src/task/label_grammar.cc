// SPDX-License-Identifier: Apache-2.0
// The command line's grammar of labels: name[:type][=alias], split on three kinds of comma.
#include <algorithm>

#include "task/characters.h"
#include "task/task.h"

namespace seqgpt {
namespace {

std::string trimmed(std::string_view text) {
  return std::string(trim_white_space(text));
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
    if (is_field_type(type)) {
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

}  // namespace seqgpt
