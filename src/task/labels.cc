// SPDX-License-Identifier: Apache-2.0
// The checks every label passes before it enters a prompt, and what it takes from the field table.
#include <algorithm>
#include <map>

#include "base/utf8.h"
#include "task/characters.h"
#include "task/fold.h"
#include "task/pattern.h"
#include "task/task.h"

namespace seqgpt {
namespace {

// What the template itself is made of, folded; a label that holds one would read as a part of the
// prompt.
constexpr std::string_view kPromptWords[] = {"输入:", "抽取:", "分类:", "输出:", "[gen]"};

// What a colon looks like but does not fold to.
constexpr char32_t kColons[] = {U'：', U'︰', U'∶', U'ː', U'˸', U'։', U'׃', U'꞉', U'፡', U'܃'};

std::string parameter(size_t index, std::string_view field = "") {
  const std::string label = "labels[" + std::to_string(index) + "]";
  return field.empty() ? label : label + "." + std::string(field);
}

Error refuse(const std::string& where, std::string_view what,
             ErrorCode code = ErrorCode::kInvalidArgument) {
  return {code, where + " " + std::string(what), where};
}

Status check_characters(std::string_view text, const std::string& where) {
  if (const auto bad = utf8_first_invalid(text)) {
    return refuse(where, "is not valid UTF-8 at byte " + std::to_string(*bad) + "; send UTF-8");
  }
  for (size_t at = 0; at < text.size();) {
    const Decoded c = utf8_decode(text, at);
    const bool control = is_control(c.code_point);
    if (control || is_format(c.code_point)) {
      return refuse(where, std::string(control ? "holds a control character (line break, TAB ...)"
                                               : "holds an invisible format character (zero-width, "
                                                 "bidirectional ...)") +
                               " at byte " + std::to_string(at) + "; remove it");
    }
    at += c.bytes;
  }
  return {};
}

Status check_length(std::string_view text, size_t most, const std::string& where) {
  const size_t length = utf8_count(text);
  if (length <= most) return {};
  return refuse(where, "has " + std::to_string(length) + " characters, the limit is " +
                           std::to_string(most) + "; shorten it");
}

std::string with_plain_colons(std::string_view text) {
  std::string out;
  for (size_t at = 0; at < text.size();) {
    const Decoded c = utf8_decode(text, at);
    const bool colon = std::ranges::find(kColons, c.code_point) != std::end(kColons);
    utf8_append(out, colon ? U':' : c.code_point);
    at += c.bytes;
  }
  return out;
}

// Words are looked for as a reader, and a model, may take them: without width, case, spaces and
// invisible characters.
Status check_prompt_words(std::string_view text, const std::string& where) {
  const std::string folded = fold_name(with_plain_colons(text));
  for (const std::string_view word : kPromptWords) {
    if (folded.find(word) == std::string::npos) continue;
    return refuse(where, "holds \"" + std::string(word) +
                             "\", a word of the prompt itself; name the field without it");
  }
  return {};
}

Status check_words(std::string_view text, size_t most, const std::string& where) {
  SEQGPT_TRY(check_characters(text, where));
  SEQGPT_TRY(check_length(text, most, where));
  return check_prompt_words(text, where);
}

bool shows_something(std::string_view words) {
  const std::string text = fold_case(words);
  for (size_t at = 0; at < text.size();) {
    const Decoded c = utf8_decode(text, at);
    if (!is_blank(c.code_point) && !is_mark(c.code_point)) return true;
    at += c.bytes;
  }
  return false;
}

Status check_name(const Label& label, size_t index) {
  const std::string where = parameter(index);
  SEQGPT_TRY(check_characters(label.name, where));
  if (!shows_something(label.name)) {
    return refuse(where, "is empty; give each label a name, or remove a stray comma");
  }
  return check_words(label.name, kMaxLabelCharacters, where);
}

Status check_type(const Label& label, size_t index) {
  if (label.type.empty() || is_field_type(label.type)) return {};
  std::string known;
  for (const std::string_view type : kFieldTypes)
    known.append(known.empty() ? "" : ", ").append(type);
  return refuse(parameter(index, "type"),
                "\"" + label.type + "\" is no type; known types are " + known);
}

Status check_one_of(Label& label, size_t index) {
  const std::string list = parameter(index, "one_of");
  if (label.one_of.size() > kMaxOneOf) {
    return refuse(list, "has " + std::to_string(label.one_of.size()) + " entries, the limit is " +
                            std::to_string(kMaxOneOf) + "; use a pattern, or no list");
  }
  for (size_t i = 0; i < label.one_of.size(); ++i) {
    std::string& entry = label.one_of[i];
    const std::string where = list + "[" + std::to_string(i) + "]";
    entry = trim_white_space(entry);
    SEQGPT_TRY(check_words(entry, kMaxOneOfCharacters, where));
    if (!shows_something(entry)) return refuse(where, "is empty; remove it");
    const auto same = std::ranges::find(label.one_of, entry);
    if (same == label.one_of.begin() + static_cast<std::ptrdiff_t>(i)) continue;
    return refuse(where, "\"" + entry + "\" stands in the list twice; remove one");
  }
  return {};
}

Status check_pattern(const Label& label, size_t index) {
  if (label.pattern.empty()) return {};
  const auto pattern = Pattern::compile(label.pattern, parameter(index, "pattern"));
  if (!pattern.ok()) return pattern.error();
  return {};
}

// A label's own words come first; the table's are only for what it does not say.
void complete(Label& label, const LabelRules& rules, const Field* field) {
  if (field != nullptr) {
    const bool type_agrees = label.type.empty() || label.type == field->type;
    if (label.kind.empty() && type_agrees) label.kind = field->kind;
    if (label.description.empty()) label.description = field->description;
    if (label.pattern.empty() && label.one_of.empty()) {
      label.pattern = field->pattern;
      label.one_of = field->one_of;
    }
    if (!label.mentions) label.mentions = field->mentions;
  }
  if (label.type.empty()) {
    label.type = field != nullptr ? field->type : "text";
    label.type_inferred = true;
  }
  if (!label.mentions) label.mentions = rules.mentions;
}

Status check_known(const Label& label, size_t index, const FieldTable& fields) {
  std::string advice = "see the standard fields in the documentation";
  if (const Field* near = fields.nearest(label.name)) {
    advice = "the nearest is \"" + near->name + "\"";
  }
  return refuse(parameter(index), "\"" + label.name + "\" is no standard field; " + advice +
                                      " (labels_policy open takes any name)");
}

Status check_label(Label& label, size_t index, const LabelRules& rules) {
  label.name = trim_white_space(label.name);
  label.key = trim_white_space(label.key);
  label.description = trim_white_space(label.description);
  SEQGPT_TRY(check_name(label, index));
  SEQGPT_TRY(check_type(label, index));
  const Field* field = rules.fields->find(label.name);
  if (rules.standard_only && field == nullptr) return check_known(label, index, *rules.fields);
  complete(label, rules, field);
  if (label.key.empty()) label.key = label.name;
  SEQGPT_TRY(check_characters(label.key, parameter(index)));
  SEQGPT_TRY(check_length(label.key, kMaxLabelCharacters, parameter(index, "alias")));
  SEQGPT_TRY(
      check_words(label.description, kMaxDescriptionCharacters, parameter(index, "description")));
  SEQGPT_TRY(check_one_of(label, index));
  return check_pattern(label, index);
}

// Names are compared as they stand in a prompt, descriptions apart: what reads the same there
// cannot be told apart.
Status check_distinct(const std::vector<Label>& labels) {
  std::map<std::string, size_t> names;
  std::map<std::string, size_t> keys;
  for (size_t i = 0; i < labels.size(); ++i) {
    const std::string plain = prompt_name({labels[i].name, {}, {}});
    const auto [name, new_name] = names.emplace(fold_case(plain), i);
    if (!new_name) {
      return refuse(parameter(i),
                    "\"" + labels[i].name + "\" is the same label as " + parameter(name->second) +
                        " (case and kinds of comma do not count); remove or rename one");
    }
    const auto [key, new_key] = keys.emplace(fold_case(labels[i].key), i);
    if (!new_key) {
      return refuse(parameter(i), "has the key \"" + labels[i].key + "\" in the answer, as " +
                                      parameter(key->second) +
                                      " has; give one of them another alias");
    }
  }
  return {};
}

}  // namespace

Result<std::vector<Label>> check_labels(std::vector<Label> labels, const LabelRules& rules) {
  if (labels.empty()) {
    return Error{ErrorCode::kInvalidArgument, "there are no labels; name at least one", "labels"};
  }
  if (labels.size() > kMaxLabels) {
    return Error{ErrorCode::kTooLarge,
                 "there are " + std::to_string(labels.size()) + " labels, the limit is " +
                     std::to_string(kMaxLabels) + "; ask for them in several requests",
                 "labels"};
  }
  for (size_t i = 0; i < labels.size(); ++i) SEQGPT_TRY(check_label(labels[i], i, rules));
  SEQGPT_TRY(check_distinct(labels));
  return labels;
}

}  // namespace seqgpt
