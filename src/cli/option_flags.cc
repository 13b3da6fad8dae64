// SPDX-License-Identifier: Apache-2.0
// How each kind of option becomes a flag.
#include "cli/option_flags.h"

#include <algorithm>
#include <ctime>

#include "normalize/reference_time.h"

namespace seqgpt::cli {
namespace {

/// reference_time is --reference-time here.
std::string dashed(std::string_view name) {
  std::string flag(name);
  std::ranges::replace(flag, '_', '-');
  return flag;
}

CLI::Option* add(CLI::App& command, const RequestOption& option, OptionSlot<bool> slot,
                 RequestOptions& options) {
  const std::string name = dashed(option.name);
  const std::string meaning(option.meaning);
  if (!slot(options)) return command.add_flag("--" + name, slot(options), meaning);
  return command.add_flag("--" + name + ",!--no-" + name, slot(options),
                          meaning + " (on unless --no-" + name + ")");
}

CLI::Option* add(CLI::App& command, const RequestOption& option, OptionSlot<int> slot,
                 RequestOptions& options) {
  return command.add_option("--" + dashed(option.name), slot(options), std::string(option.meaning))
      ->check(CLI::Range(static_cast<int>(option.least), static_cast<int>(option.most)))
      ->capture_default_str();
}

CLI::Option* add(CLI::App& command, const RequestOption& option, OptionSlot<double> slot,
                 RequestOptions& options) {
  return command.add_option("--" + dashed(option.name), slot(options), std::string(option.meaning))
      ->check(CLI::Range(option.least, option.most))
      ->capture_default_str();
}

CLI::Option* add(CLI::App& command, const RequestOption& option, OptionSlot<std::string> slot,
                 RequestOptions& options) {
  return command.add_option("--" + dashed(option.name), slot(options), std::string(option.meaning));
}

CLI::Option* add(CLI::App& command, const RequestOption& option,
                 OptionSlot<std::vector<std::string>> slot, RequestOptions& options) {
  return command
      .add_option("--" + dashed(option.name), slot(options),
                  std::string(option.meaning) + " (repeatable)")
      ->take_all()
      ->allow_extra_args(false);
}

CLI::Option* add(CLI::App& command, const RequestOption& option, const ChoiceSlot& choice,
                 RequestOptions& options) {
  const std::string flag = "--" + dashed(option.name);
  const auto set = [&choice, &options, flag](const std::string& name) {
    const Status status = set_choice(choice, name, flag, options);
    if (!status.ok()) throw CLI::ValidationError(status.error().message);
  };
  return command.add_option_function<std::string>(flag, set, std::string(option.meaning))
      ->default_str(option_text(option, options));
}

void add_row(CLI::App& command, const RequestOption& option, RequestOptions& options) {
  std::visit([&](const auto& slot) { add(command, option, slot, options); }, option.slot);
}

}  // namespace

void OptionFlags::add_to(CLI::App& command, unsigned tasks) {
  for (const RequestOption& option : request_options()) {
    if ((option.tasks & tasks) != 0 && !option.served_only) add_row(command, option, options);
  }
}

void OptionFlags::add_reference(CLI::App& command) {
  for (const char* name : {"reference_time", "timezone"})
    add_row(command, *find_request_option(name), options);
}

Result<RequestOptions> OptionFlags::read() const {
  RequestOptions read = options;
  read.task.reference_time = ReferenceTime::at(std::time(nullptr)).text();
  SEQGPT_TRY(resolve_reference_time(read));
  SEQGPT_TRY(check_options(read.task));
  return read;
}

}  // namespace seqgpt::cli
