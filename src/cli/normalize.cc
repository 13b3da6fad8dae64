// SPDX-License-Identifier: Apache-2.0
// seqgpt normalize: a string to the value a database takes, or the reason why there is none.
#include <chrono>
#include <iostream>
#include <memory>

#include "cli/commands.h"
#include "cli/common.h"
#include "tools/normalize_tool.h"

namespace seqgpt::cli {
namespace {

struct NormalizeFlags {
  TextFlags text;
  NormalizeOptions options;
  bool jsonl = false;
};

Result<int> normalize_command(const NormalizeFlags& flags) {
  NormalizeOptions options = flags.options;
  options.now = std::chrono::duration_cast<std::chrono::seconds>(
                    std::chrono::system_clock::now().time_since_epoch())
                    .count();
  if (flags.jsonl) {
    run_json_lines(std::cin, std::cout, [&options](const JsonRequest& request) {
      return normalize_answer(options, request);
    });
    return kOk;
  }
  SEQGPT_ASSIGN(const std::string text, flags.text.read());
  SEQGPT_ASSIGN(const std::string line, normalize_text(options, text));
  std::cout << line << "\n";
  return kOk;
}

}  // namespace

void add_normalize(CLI::App& app, Chosen& chosen) {
  CLI::App* command = app.add_subcommand(
      "normalize", "the canonical value of a date, amount, number, phone, identifier, …");
  auto flags = std::make_shared<NormalizeFlags>();
  flags->text.add_to(*command);
  command
      ->add_option("--kind", flags->options.kind,
                   "date, duration, amount, number, percent, phone, email, id, id_card, uscc, "
                   "bank_card, plate, postal; auto finds out")
      ->capture_default_str();
  command->add_option("--reference-time", flags->options.reference_time,
                      "what 去年 and 下周三 are read against: ISO 8601 or none (default: now)");
  command->add_option("--timezone", flags->options.timezone,
                      "Asia/Shanghai, UTC or an offset such as +08:00 (default: Asia/Shanghai)");
  command->add_flag("--jsonl", flags->jsonl,
                    "read {\"id\", \"kind\", \"input\", \"reference_time\"} a line from standard "
                    "input");
  command->footer(
      "Examples:\n  seqgpt normalize --kind date --reference-time 2024-05-08T10:00:00 下周三\n  "
      "seqgpt normalize --kind amount 人民币叁仟贰佰壹拾伍元陆角");
  command->callback([flags, &chosen] {
    chosen = [flags] {
      const Result<int> code = normalize_command(*flags);
      return code.ok() ? *code : fail(code.error());
    };
  });
}

}  // namespace seqgpt::cli
