// SPDX-License-Identifier: Apache-2.0
// seqgpt doctor: is this machine fit to run a model as a service?
#include <sys/resource.h>
#include <sys/timex.h>

#include <ctime>
#include <iostream>
#include <memory>

#include "cli/commands.h"
#include "cli/common.h"
#include "cli/operator.h"
#include "tools/doctor.h"

namespace seqgpt::cli {
namespace {

struct DoctorFlags {
  ModelFlags model;
  std::string data = ".";
  std::string language = "auto";
  bool json = false;
};

/// As the locale says: LC_ALL before LC_MESSAGES before LANG.
Result<Language> language_of(const std::string& name) {
  if (name == "zh") return Language::kChinese;
  if (name == "en") return Language::kEnglish;
  if (name != "auto")
    return Error{ErrorCode::kInvalidArgument, "--language must be zh, en or auto", "language"};
  for (const char* variable : {"LC_ALL", "LC_MESSAGES", "LANG"}) {
    const std::string locale = environment(variable);
    if (!locale.empty()) return locale.starts_with("zh") ? Language::kChinese : Language::kEnglish;
  }
  return Language::kEnglish;
}

bool clock_synchronised() {
  timex state{};
  const int answer = adjtimex(&state);
  return answer >= 0 && answer != TIME_ERROR && (state.status & STA_UNSYNC) == 0;
}

Result<int> doctor(const DoctorFlags& flags) {
  SEQGPT_ASSIGN(const Language language, language_of(flags.language));
  DoctorOptions options;
  const Result<std::string> model = model_directory(flags.model);
  if (model.ok()) options.model = *model;
  options.data = flags.data;
  options.now = std::time(nullptr);
  options.clock_synchronised = clock_synchronised();
  rlimit files{};
  if (getrlimit(RLIMIT_NOFILE, &files) == 0) options.open_files = files.rlim_cur;
  const std::vector<Finding> findings = examine_machine(options);
  std::cout << (flags.json ? doctor_json(findings) + "\n" : doctor_text(findings, language));
  return healthy(findings) ? kOk : kFailed;
}

}  // namespace

void add_doctor(CLI::App& app, Chosen& chosen) {
  CLI::App* command = app.add_subcommand(
      "doctor", "check this machine (processor, memory, disk, kernel, clock, GPU) and the model");
  auto flags = std::make_shared<DoctorFlags>();
  command->add_option("--model", flags->model.model,
                      "directory of the model (default: the bundled one)");
  command
      ->add_option("--data-dir", flags->data,
                   "where the service keeps jobs, logs and the audit log")
      ->capture_default_str();
  command->add_option("--language", flags->language, "zh, en, or auto for the locale's")
      ->capture_default_str();
  command->add_flag("--json", flags->json, "print JSON, in both languages");
  command->footer("Exit code 1: a check failed. Warnings do not change it.");
  command->callback([flags, &chosen] {
    chosen = [flags] {
      const Result<int> code = doctor(*flags);
      return code.ok() ? *code : fail(code.error());
    };
  });
}

}  // namespace seqgpt::cli
