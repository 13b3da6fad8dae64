// SPDX-License-Identifier: Apache-2.0
// seqgpt prompt: the user's own instruction, answered freely.
#include <chrono>
#include <iostream>
#include <memory>

#include "api/body.h"
#include "cli/commands.h"
#include "cli/common.h"

namespace seqgpt::cli {
namespace {

struct PromptFlags {
  ModelFlags model;
  TextFlags text;
  LabelFlags labels;
  FreePrompt prompt;
};

Status answer_prompt(PromptFlags& flags) {
  SEQGPT_ASSIGN(flags.prompt.text, flags.text.read());
  flags.prompt.labels = flags.labels.labels();
  SEQGPT_TRY(check_text(flags.prompt.text, kMaxTextCharacters));
  SEQGPT_ASSIGN(const OpenPipeline open, open_pipeline(flags.model));
  const auto start = std::chrono::steady_clock::now();
  SEQGPT_ASSIGN(const FreeAnswer answer, open.pipeline->prompt(flags.prompt));
  const std::chrono::duration<double, std::milli> elapsed =
      std::chrono::steady_clock::now() - start;
  const BodyContext context{open.pipeline->model_name(), open.pipeline->fingerprint(),
                            make_trace_id(), elapsed.count()};
  std::cout << free_body(answer, flags.prompt.text, context, 2) << "\n";
  return {};
}

}  // namespace

void add_prompt(CLI::App& app, Chosen& chosen) {
  CLI::App* command = app.add_subcommand(
      "prompt", "run a prompt of your own; [GEN] is appended where the model has it");
  auto flags = std::make_shared<PromptFlags>();
  flags->text.add_to(*command);
  command->add_option("--max-new-tokens", flags->prompt.max_new_tokens, "most tokens to write")
      ->check(CLI::Range(1, 1 << 20))
      ->capture_default_str();
  command->add_option("--beams", flags->prompt.beams, "beams of the search; 1 is greedy")
      ->check(CLI::Range(1, 64))
      ->capture_default_str();
  command
      ->add_option("--repetition-penalty", flags->prompt.repetition_penalty,
                   "above 1 makes repeating dearer, as in HF")
      ->capture_default_str();
  command
      ->add_option("--stop", flags->prompt.stop, "end the answer before this string (repeatable)")
      ->take_all()
      ->allow_extra_args(false);
  command->add_option("--task-word", flags->prompt.task_word,
                      "put SeqGPT's template around the text, with this word and the labels");
  flags->labels.add_to(*command);
  command->add_flag("--copy-only", flags->prompt.copy_only, "the answer is a part of the text");
  command
      ->add_option("--one-of", flags->prompt.one_of,
                   "the answer is the most probable of these (repeatable)")
      ->take_all()
      ->allow_extra_args(false);
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
