// SPDX-License-Identifier: Apache-2.0
// seqgpt classify: the class of one text, with a probability for every label.
#include <chrono>
#include <iostream>
#include <memory>

#include "api/body.h"
#include "cli/commands.h"
#include "cli/common.h"
#include "cli/option_flags.h"

namespace seqgpt::cli {
namespace {

struct ClassifyFlags {
  ModelFlags model;
  TextFlags text;
  LabelFlags labels;
  OptionFlags options;
};

Status classify(const ClassifyFlags& flags) {
  SEQGPT_ASSIGN(const RequestOptions options, flags.options.read());
  Task task{TaskKind::kClassify, {}, flags.labels.labels(), options.task};
  SEQGPT_ASSIGN(task.text, flags.text.read());
  SEQGPT_TRY(check_text(task.text, kMaxTextCharacters));
  if (!task.labels.empty()) {
    SEQGPT_ASSIGN(task.labels, check_labels(std::move(task.labels)));
  }
  SEQGPT_ASSIGN(const OpenPipeline open, open_pipeline(flags.model));
  const auto start = std::chrono::steady_clock::now();
  SEQGPT_ASSIGN(const Answer answer, open.pipeline->run(task));
  const std::chrono::duration<double, std::milli> elapsed =
      std::chrono::steady_clock::now() - start;
  const BodyContext context{open.pipeline->model_name(), open.pipeline->fingerprint(),
                            make_trace_id(), elapsed.count()};
  std::cout << answer_body(answer, task.text, AnswerOptions{}, context, 2) << "\n";
  return {};
}

}  // namespace

void add_classify(CLI::App& app, Chosen& chosen) {
  CLI::App* command = app.add_subcommand("classify", "sort one text into labels given here");
  auto flags = std::make_shared<ClassifyFlags>();
  flags->text.add_to(*command);
  flags->labels.add_to(*command);
  flags->options.add_to(*command, kForClassify);
  flags->model.add_to(*command);
  command->footer(
      "Examples:\n"
      "  seqgpt classify -l 财经,科技,体育 '央行宣布下调存款准备金率0.5个百分点'\n"
      "  seqgpt classify --label '投诉' --label '咨询' --file ticket.txt");
  command->callback([flags, &chosen] {
    chosen = [flags] {
      const Status status = classify(*flags);
      return status.ok() ? kOk : fail(status.error());
    };
  });
}

}  // namespace seqgpt::cli
