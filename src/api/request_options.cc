// SPDX-License-Identifier: Apache-2.0
// The table of options, and what is common to all ways of setting them.
#include "api/request_options.h"

#include <sstream>
#include <type_traits>
#include <utility>

#include "normalize/reference_time.h"
#include "pipeline/pipeline.h"

namespace seqgpt {
namespace {

constexpr std::string_view kLongTexts[] = {"window", "truncate", "reject"};
constexpr std::string_view kOffsetUnits[] = {"codepoint", "utf16", "bytes"};
constexpr std::string_view kValueShapes[] = {"auto", "list"};
constexpr std::string_view kPolicies[] = {"open", "standard"};
constexpr std::string_view kMentionNames[] = {"one", "all"};
constexpr std::string_view kDegrade[] = {"allow", "never"};

/// A choice over an enum (or bool) whose values stand in the order of `names`.
template <auto kSlot>
constexpr ChoiceSlot choice(std::span<const std::string_view> names) {
  using Value = std::remove_reference_t<decltype(kSlot(std::declval<RequestOptions&>()))>;
  return {
      names,
      [](RequestOptions& options) { return std::optional(static_cast<size_t>(kSlot(options))); },
      [](RequestOptions& options, size_t i) { kSlot(options) = static_cast<Value>(i); }};
}

std::optional<size_t> get_mentions(RequestOptions& options) {
  if (!options.rules.mentions) return std::nullopt;
  return static_cast<size_t>(*options.rules.mentions);
}

void set_mentions(RequestOptions& options, size_t i) {
  options.rules.mentions = static_cast<Mentions>(i);
}

// A slot is a function, so that one table reaches into all of RequestOptions' parts.
// NOLINTNEXTLINE(bugprone-macro-parentheses): the name of a member cannot stand in brackets.
#define SEQGPT_SLOT(member) [](RequestOptions& options) -> auto& { return options.member; }

constexpr RequestOption kOptions[] = {
    {"reference_time", kForText, OptionSlot<std::string>(SEQGPT_SLOT(reference_time)),
     "what 去年 or 下周三 are read against: ISO 8601, or none (default: now)"},
    {"timezone", kForText, OptionSlot<std::string>(SEQGPT_SLOT(timezone)),
     "zone of times that name none: a name or +08:00 (default: Asia/Shanghai)"},
    {"normalize", kForExtract, OptionSlot<bool>(SEQGPT_SLOT(task.normalize)),
     "canonical values beside the verbatim ones"},
    {"verify", kForExtract, OptionSlot<bool>(SEQGPT_SLOT(task.verify)),
     "set the ends of values right by rule, leave out what the model itself takes for a guess"},
    {"values", kForExtract, choice<SEQGPT_SLOT(answer.values)>(kValueShapes),
     "result holds a scalar for one value (auto), or always a list (list)"},
    {"offsets", kForExtract, choice<SEQGPT_SLOT(answer.offsets)>(kOffsetUnits),
     "unit of start and end: codepoint, utf16 or bytes"},
    {"mentions", kForExtract, ChoiceSlot{kMentionNames, get_mentions, set_mentions},
     "one: a value where the model meant it (default); all: wherever it stands"},
    {"min_confidence", kForExtract, OptionSlot<double>(SEQGPT_SLOT(task.min_confidence)),
     "leave out values below it", 0, 1},
    {"labels_policy", kForExtract, choice<SEQGPT_SLOT(rules.standard_only)>(kPolicies),
     "open takes any name, standard only known fields (and the firm's own)"},
    {"record", kForExtract, OptionSlot<std::string>(SEQGPT_SLOT(task.record)),
     "a label: one record for each of its values, with the fields that belong to it"},
    {"long_text", kForText, choice<SEQGPT_SLOT(task.long_text)>(kLongTexts),
     "a text longer than a window: window (read it all), truncate or reject"},
    {"window_tokens", kForText, OptionSlot<int>(SEQGPT_SLOT(task.window_tokens)),
     "tokens of text in one prompt", kMinWindowTokens, kMaxWindowTokens},
    {"max_chars", kForText, OptionSlot<int>(SEQGPT_SLOT(task.max_chars)),
     "characters that truncate keeps at most", 1, kMaxTextCharacters},
    {"multi", kForClassify, OptionSlot<bool>(SEQGPT_SLOT(task.multi)),
     "any number of labels, each with its own probability"},
    {"threshold", kForClassify, OptionSlot<double>(SEQGPT_SLOT(task.threshold)),
     "with multi: probability from which a label is an answer", 0, 1},
    {"max_new_tokens", kForGenerate, OptionSlot<int>(SEQGPT_SLOT(prompt.max_new_tokens)),
     "most tokens to write", 1, kMaxNewTokens},
    {"beams", kForExtract | kForGenerate, OptionSlot<int>(SEQGPT_SLOT(task.beams)),
     "beams of the search; 1 is greedy", 1, kMaxBeams},
    {"repetition_penalty", kForGenerate, OptionSlot<double>(SEQGPT_SLOT(prompt.repetition_penalty)),
     "above 1 makes repeating dearer, as in HF", 0.01, 100},
    {"stop", kForGenerate, OptionSlot<std::vector<std::string>>(SEQGPT_SLOT(prompt.stop)),
     "end the answer before this string", 0, 64},
    {"task_word", kForGenerate, OptionSlot<std::string>(SEQGPT_SLOT(prompt.task_word)),
     "put SeqGPT's template around the text, with this word and the labels"},
    {"copy_only", kForGenerate, OptionSlot<bool>(SEQGPT_SLOT(prompt.copy_only)),
     "the answer is a part of the text"},
    {"one_of", kForGenerate, OptionSlot<std::vector<std::string>>(SEQGPT_SLOT(prompt.one_of)),
     "the answer is the most probable of these", 0, 1000},
    {"degrade", kForText | kForGenerate, choice<SEQGPT_SLOT(never_degrade)>(kDegrade),
     "whether load may take optional work away (batches and jobs: never)", 0, 0, true},
    {"timeout_ms", kForText | kForGenerate, OptionSlot<int>(SEQGPT_SLOT(timeout_ms)),
     "milliseconds after which the request is given up (504)", 1, kMaxTimeoutMs, true},
};

#undef SEQGPT_SLOT

std::string joined(std::span<const std::string_view> names) {
  std::string text;
  for (size_t i = 0; i < names.size(); ++i) {
    if (i > 0) text += i + 1 == names.size() ? " or " : ", ";
    text += names[i];
  }
  return text;
}

template <typename T>
std::string words_of(const T& value) {
  std::ostringstream text;
  text.precision(17);
  text << std::boolalpha << value;
  return text.str();
}

std::string words_of(const std::vector<std::string>& values) {
  std::string text;
  for (const std::string& value : values) text.append(text.empty() ? "" : ",").append(value);
  return text;
}

template <typename T>
std::string words_in(OptionSlot<T> slot, RequestOptions& options) {
  return words_of(slot(options));
}

std::string words_in(const ChoiceSlot& choice, RequestOptions& options) {
  const std::optional<size_t> chosen = choice.get(options);
  return chosen ? std::string(choice.names[*chosen]) : std::string();
}

/// Whether a time says its own offset: Z, or a sign behind the T.
bool names_zone(std::string_view moment) {
  const size_t time = moment.find('T');
  return moment.ends_with('Z') || (time != std::string_view::npos &&
                                   moment.find_first_of("+-", time) != std::string_view::npos);
}

}  // namespace

std::span<const RequestOption> request_options() {
  return kOptions;
}

const RequestOption* find_request_option(std::string_view name) {
  for (const RequestOption& option : kOptions)
    if (option.name == name) return &option;
  return nullptr;
}

Status set_choice(const ChoiceSlot& choice, std::string_view name, const std::string& path,
                  RequestOptions& options) {
  for (size_t i = 0; i < choice.names.size(); ++i) {
    if (choice.names[i] != name) continue;
    choice.set(options, i);
    return {};
  }
  return Error{ErrorCode::kInvalidArgument,
               path + " must be " + joined(choice.names) + ", not \"" + std::string(name) + "\"",
               path};
}

std::string option_text(const RequestOption& option, RequestOptions options) {
  return std::visit([&](const auto& slot) { return words_in(slot, options); }, option.slot);
}

std::string options_text(const RequestOptions& options, unsigned tasks) {
  std::string text;
  for (const RequestOption& option : kOptions) {
    if ((option.tasks & tasks) == 0) continue;
    text.append(text.empty() ? "" : " ").append(option.name).append("=");
    text += option_text(option, options);
  }
  return text;
}

Status resolve_reference_time(RequestOptions& options) {
  std::string& time = options.task.reference_time;
  const std::string moment = std::exchange(options.reference_time, {});
  const std::string said_zone = std::exchange(options.timezone, {});
  std::optional<TimeZone> zone;
  if (!said_zone.empty()) {
    SEQGPT_ASSIGN(zone, TimeZone::parse(said_zone));
  }
  if (moment.empty() && (!zone || time.empty())) return {};
  if (!zone && !names_zone(moment) && !time.empty()) {  // the zone of the default
    SEQGPT_ASSIGN(const ReferenceTime before, ReferenceTime::parse(time));
    if (before.given()) zone = before.zone();
  }
  SEQGPT_ASSIGN(const ReferenceTime parsed,
                ReferenceTime::parse(moment.empty() ? time : moment, zone));
  time = parsed.text();
  return {};
}

FreePrompt prompt_of(const RequestOptions& options) {
  FreePrompt prompt = options.prompt;
  prompt.beams = options.task.beams;  // one option of two tasks
  return prompt;
}

}  // namespace seqgpt
