// SPDX-License-Identifier: Apache-2.0
// Task: what a caller wants of one text: kind of work, labels, and how labels enter a prompt.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "task/fields.h"
#include "task/options.h"

namespace seqgpt {

enum class TaskKind { kExtract, kClassify };

/// A field or a class as the caller named it. What is empty before check_labels is taken from the
/// field table there.
struct Label {
  std::string name;                      // trimmed; the caller's spelling, used in answers
  std::string key;                       // alias, or the name: the key in `result`
  std::string type;                      // one of kFieldTypes
  std::string kind = {};                 // as Field::kind
  std::string description = {};          // stands in the prompt, in brackets after the name
  std::string pattern = {};              // a value must match it as a whole (RE2, bounded)
  std::vector<std::string> one_of = {};  // a value must be one of these; empty: no such list
  std::optional<Mentions> mentions = {};
  bool type_inferred = false;  // the type comes from the field table, not from the caller
};

struct Task {
  TaskKind kind = TaskKind::kExtract;
  std::string text;
  std::vector<Label> labels;
  TaskOptions options = {};
  // Who asks. Tasks of one owner profit from what was read for each other; no answer depends on it.
  std::string owner = {};
};

inline constexpr size_t kMaxLabelsInPrompt =
    6;  // more lower the recall (the official script's rule)
inline constexpr size_t kMaxLabels = 1000;
inline constexpr size_t kMaxLabelCharacters = 100;
inline constexpr size_t kMaxDescriptionCharacters = 200;
inline constexpr size_t kMaxOneOf = 200;
inline constexpr size_t kMaxOneOfCharacters = 256;  // a value has no more (kMaxValueCharacters)

/// What labels are read against, beside themselves.
struct LabelRules {
  std::shared_ptr<const FieldTable> fields = FieldTable::standard();
  bool standard_only = false;        // labels_policy standard: unknown names are refused
  std::optional<Mentions> mentions;  // of labels that do not say
};

/// One element of the command line's grammar `name[:type][=alias]`, each part trimmed; the last `=`
/// begins the alias, `:type` counts only when known, the key is the name when there is no alias.
Label parse_label(std::string_view written);

/// Splits `-l` on `,` `，` `、` and parses each part; a blank list has no labels, an empty part is
/// kept (check_labels names it).
std::vector<Label> parse_label_list(std::string_view list);

/// Checks and completes labels: trims names, fills empty keys, takes from the field table what a
/// label does not say, and gives the type text to names that are not known. Refuses none, too many,
/// and what each part's limit says, unknown types, control, format and bidirectional characters,
/// the prompt's own words (输入: 抽取: 分类: 输出: [GEN], however spaced, wide or interspersed with
/// invisible characters), equal names or keys (letters compare without case, names as they stand in
/// the prompt), a pattern or list that cannot be built (kUnbuildable) and, by
/// `rules.standard_only`, names that no field has. Errors name the parameter, e.g. "labels[2]" or
/// "labels[2].pattern". Checked labels pass unchanged.
Result<std::vector<Label>> check_labels(std::vector<Label> labels, const LabelRules& rules = {});

/// Refuses invalid UTF-8 (naming the byte), NUL bytes, an empty or blank text, and more than
/// `max_characters` code points (kTooLarge).
Status check_text(std::string_view text, size_t max_characters);

/// The label as it stands inside a prompt and at the head of its answer: the name and, in brackets,
/// its description. Every comma of any width becomes 、 and inner white space a single space.
std::string prompt_name(const Label& label);

/// Splits n labels into ceil(n / most) near-equal groups, the larger first, as numpy.array_split
/// does: returns the size of each group.
std::vector<size_t> group_sizes(size_t count, size_t most = kMaxLabelsInPrompt);

/// The template with a task word of the caller's own: "输入: {text}\n{word}: {a，b}\n输出: ".
std::string render_prompt(std::string_view task_word, std::string_view text,
                          const std::vector<std::string>& prompt_names);

/// SeqGPT's template around a text (white space at its ends and carriage returns cut off), without
/// [GEN], which is a token and not text: "输入: {text}\n抽取: {a，b}\n输出: " (分类 for
/// classification).
std::string render_prompt(TaskKind kind, std::string_view text,
                          const std::vector<std::string>& prompt_names);

}  // namespace seqgpt
