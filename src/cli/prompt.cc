// SPDX-License-Identifier: Apache-2.0
// seqgpt prompt: the user's own instruction, answered freely.
#include <chrono>
#include <iostream>
#include <memory>

#include "api/body.h"
#include "cli/commands.h"
#include "cli/common.h"
#include "cli/option_flags.h"

namespace seqgpt::cli {
namespace {

struct PromptFlags {
  ModelFlags model;
  TextFlags text;
  LabelFlags labels;
  OptionFlags options;
};

Status answer_prompt(const PromptFlags& flags) {
  FreePrompt prompt = prompt_of(flags.options.options);
  SEQGPT_ASSIGN(prompt.text, flags.text.read());
  prompt.labels = flags.labels.labels();
  SEQGPT_TRY(check_text(prompt.text, kMaxTextCharacters));
  SEQGPT_ASSIGN(const OpenPipeline open, open_pipeline(flags.model));
  const auto start = std::chrono::steady_clock::now();
  SEQGPT_ASSIGN(const FreeAnswer answer, open.pipeline->prompt(prompt));
  const std::chrono::duration<double, std::milli> elapsed =
      std::chrono::steady_clock::now() - start;
  const BodyContext context{open.pipeline->model_name(), open.pipeline->fingerprint(),
                            make_trace_id(), elapsed.count()};
  std::cout << free_body(answer, prompt.text, context, 2) << "\n";
  return {};
}

}  // namespace

void add_prompt(CLI::App& app, Chosen& chosen) {
  CLI::App* command = app.add_subcommand(
      "prompt", "run a prompt of your own; [GEN] is appended where the model has it");
  auto flags = std::make_shared<PromptFlags>();
  flags->text.add_to(*command);
  flags->options.add_to(*command, kForGenerate);
  flags->labels.add_to(*command);
  flags->model.add_to(*command);
  command->footer(
      "Examples:\n"
      "  seqgpt prompt --max-new-tokens 64 '输入: 王伟任CTO\n抽取: 姓名\n输出: '\n"
      "  seqgpt prompt --task-word 抽取 -l 姓名 --copy-only '王伟任CTO'\n"
      "  seqgpt prompt --one-of 同意 --one-of 不同意 '输入: 可以，就这么办\n分类: "
      "同意，不同意\n输出: '");
  command->callback([flags, &chosen] {
    chosen = [flags] {
      const Status status = answer_prompt(*flags);
      return status.ok() ? kOk : fail(status.error());
    };
  });
}

}  // namespace seqgpt::cli
