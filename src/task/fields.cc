// SPDX-License-Identifier: Apache-2.0
// Looking fields up by their words, and finding the nearest.
#include "task/fields.h"

#include <algorithm>

#include "base/utf8.h"
#include "task/fold.h"
#include "task/standard_fields.h"

namespace seqgpt {
namespace {

std::vector<std::string> split(std::string_view words) {
  std::vector<std::string> parts;
  while (!words.empty()) {
    const size_t end = std::min(words.find('|'), words.size());
    parts.emplace_back(words.substr(0, end));
    words.remove_prefix(std::min(end + 1, words.size()));
  }
  return parts;
}

std::u32string code_points(std::string_view text) {
  std::u32string out;
  for (size_t at = 0; at < text.size();) {
    const Decoded c = utf8_decode(text, at);
    out.push_back(c.code_point);
    at += c.bytes;
  }
  return out;
}

// Twice the longest common subsequence over both lengths: 1 for equal words, 0 for nothing shared.
double likeness(const std::u32string& a, const std::u32string& b) {
  std::vector<size_t> row(b.size() + 1, 0);
  for (const char32_t c : a) {
    size_t diagonal = 0;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t above = row[j];
      row[j] = c == b[j - 1] ? diagonal + 1 : std::max(above, row[j - 1]);
      diagonal = above;
    }
  }
  return 2.0 * static_cast<double>(row.back()) / static_cast<double>(a.size() + b.size());
}

}  // namespace

bool is_field_type(std::string_view type) {
  return std::ranges::find(kFieldTypes, type) != std::end(kFieldTypes);
}

const std::shared_ptr<const FieldTable>& FieldTable::standard() {
  static const std::shared_ptr<const FieldTable> table = [] {
    auto made = std::make_shared<FieldTable>();
    for (const StandardFieldRow& row : standard_field_rows()) {
      (void)made->add({std::string(row.name), std::string(row.type), std::string(row.kind),
                       split(row.synonyms)});  // a test holds that no two rows share a word
    }
    made->own_ = made->fields_.size();
    return made;
  }();
  return table;
}

Status FieldTable::add(Field field) {
  std::vector<std::string> words = field.synonyms;
  words.push_back(field.name);
  for (const std::string& word : words) {
    const auto found = by_word_.find(fold_name(word));
    if (found == by_word_.end() || found->second < own_) continue;
    return Error{ErrorCode::kInvalidArgument,
                 "\"" + word + "\" names \"" + fields_[found->second].name + "\" already"};
  }
  for (const std::string& word : words) by_word_[fold_name(word)] = fields_.size();
  fields_.push_back(std::move(field));
  return {};
}

const Field* FieldTable::find(std::string_view name) const {
  const auto found = by_word_.find(fold_name(name));
  return found == by_word_.end() ? nullptr : &fields_[found->second];
}

const Field* FieldTable::nearest(std::string_view name) const {
  const std::u32string wanted = code_points(fold_name(name));
  double best = 0;
  size_t found = fields_.size();
  for (const auto& [word, field] : by_word_) {
    const double like = likeness(wanted, code_points(word));
    if (like > best || (like == best && best > 0 && field < found)) {
      best = like;
      found = field;
    }
  }
  return found < fields_.size() ? &fields_[found] : nullptr;
}

}  // namespace seqgpt
