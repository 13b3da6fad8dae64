// SPDX-License-Identifier: Apache-2.0
// The options of a request, stated once: the command line, JSON and openapi.json are made from this
// table.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "api/options.h"
#include "base/result.h"
#include "pipeline/answer.h"
#include "task/task.h"

namespace seqgpt {

inline constexpr int kDefaultTimeoutMs = 30'000;
inline constexpr int kMaxTimeoutMs = 3'600'000;
inline constexpr int kMaxNewTokens = 4096;

/// Every option at its default; a caller's own are written over it.
struct RequestOptions {
  TaskOptions task;
  AnswerOptions answer;
  LabelRules rules;
  FreePrompt prompt;
  std::string reference_time;  // as said; resolve_reference_time() makes a whole time of it
  std::string timezone;
  // Of a server alone:
  bool never_degrade = false;
  int timeout_ms = kDefaultTimeoutMs;
};

// The tasks that an option belongs to, as bits.
inline constexpr unsigned kForExtract = 1;
inline constexpr unsigned kForClassify = 2;
inline constexpr unsigned kForGenerate = 4;
inline constexpr unsigned kForText = kForExtract | kForClassify;

/// Where an option is kept; the type of its value follows from it.
template <typename T>
using OptionSlot = T& (*)(RequestOptions&);

/// One of some names, kept as the name's position.
struct ChoiceSlot {
  std::span<const std::string_view> names;
  std::optional<size_t> (*get)(RequestOptions&);  // nothing: not said, and there is no default
  void (*set)(RequestOptions&, size_t);
};

struct RequestOption {
  std::string_view name;  // in JSON; the command line writes - for _
  unsigned tasks;
  std::variant<OptionSlot<bool>, OptionSlot<int>, OptionSlot<double>, OptionSlot<std::string>,
               OptionSlot<std::vector<std::string>>, ChoiceSlot>
      slot;
  std::string_view meaning;  // one line: the help of the command line, the description in openapi
  double least = 0;          // of numbers
  double most = 0;           // of numbers; of lists: how many entries
  bool served_only = false;  // not on the command line
};

/// All of them, in the order in which help lists them.
std::span<const RequestOption> request_options();
/// Null when there is none of this name.
const RequestOption* find_request_option(std::string_view name);

/// Sets a choice by its name. Errors: kInvalidArgument naming `path` and the choices.
Status set_choice(const ChoiceSlot& choice, std::string_view name, const std::string& path,
                  RequestOptions& options);
/// The value as words, empty when there is none: "window", "0.5", "true".
std::string option_text(const RequestOption& option, RequestOptions options);
/// All options of `tasks` as words, "long_text=window window_tokens=512 …": equal text, equal
/// options.
std::string options_text(const RequestOptions& options, unsigned tasks);

/// Makes task.reference_time a whole time from what was said, which is then empty:
/// task.reference_time as it stands is the default, and gives the zone of a time that names none.
/// Errors: kInvalidArgument.
Status resolve_reference_time(RequestOptions& options);

/// The free prompt that they ask for, its text and labels left out.
FreePrompt prompt_of(const RequestOptions& options);

}  // namespace seqgpt
