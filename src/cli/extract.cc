// SPDX-License-Identifier: Apache-2.0
// seqgpt extract: fields of one text as JSON, a table or CSV.
#include <unistd.h>

#include <chrono>
#include <iostream>
#include <memory>

#include "api/body.h"
#include "cli/commands.h"
#include "cli/common.h"
#include "cli/option_flags.h"
#include "cli/table.h"

namespace seqgpt::cli {
namespace {

struct ExtractFlags {
  ModelFlags model;
  TextFlags text;
  LabelFlags labels;
  std::string format;
  OptionFlags options;
};

Result<std::string> chosen_format(const std::string& format) {
  if (format.empty()) return std::string(isatty(STDOUT_FILENO) ? "table" : "json");
  if (format == "json" || format == "table" || format == "csv") return format;
  return Error{ErrorCode::kInvalidArgument,
               "--format must be json, table or csv, not \"" + format + "\"", "format"};
}

Status extract(const ExtractFlags& flags) {
  SEQGPT_ASSIGN(const std::string format, chosen_format(flags.format));
  SEQGPT_ASSIGN(RequestOptions options, flags.options.read());
  SEQGPT_TRY(flags.labels.read_fields(options.rules));
  Task task{TaskKind::kExtract, {}, flags.labels.labels(), options.task};
  SEQGPT_ASSIGN(task.text, flags.text.read());
  SEQGPT_TRY(check_text(
      task.text, kMaxTextCharacters));  // before the model is loaded: a mistake costs nothing
  if (!task.labels.empty()) {
    SEQGPT_ASSIGN(task.labels, check_labels(std::move(task.labels), options.rules));
  }
  SEQGPT_ASSIGN(const OpenPipeline open, open_pipeline(flags.model));
  const auto start = std::chrono::steady_clock::now();
  SEQGPT_ASSIGN(const Answer answer, open.pipeline->run(task));
  const std::chrono::duration<double, std::milli> elapsed =
      std::chrono::steady_clock::now() - start;
  const BodyContext context{open.pipeline->model_name(), open.pipeline->fingerprint(),
                            make_trace_id(), elapsed.count()};
  if (format == "json") {
    std::cout << answer_body(answer, task.text, options.answer, context, 2) << "\n";
  } else if (format == "csv") {
    std::cout << extraction_csv(answer, task.text, options.answer);
  } else {
    std::cout << extraction_table(answer, task.text);
  }
  for (const Warning& warning : answer.warnings)
    std::cerr << "seqgpt: " << warning.param << ": " << warning.message << "\n";
  return {};
}

}  // namespace

void add_extract(CLI::App& app, Chosen& chosen) {
  CLI::App* command = app.add_subcommand("extract", "extract fields from one text");
  auto flags = std::make_shared<ExtractFlags>();
  flags->text.add_to(*command);
  flags->labels.add_to(*command);
  flags->labels.add_fields_to(*command);
  command->add_option("--format", flags->format,
                      "json, table or csv (default: table on a terminal, else json)");
  flags->options.add_to(*command, kForExtract);
  flags->model.add_to(*command);
  command->footer(
      "Examples:\n"
      "  seqgpt extract -l 姓名,公司,薪资 '王伟，现任上海云图数据科技有限公司CTO，年薪120万元。'\n"
      "  seqgpt extract -l 甲方,乙方,合同金额 --file contract.txt --format csv\n"
      "  cat notice.txt | seqgpt extract -l 招标人 --label '项目名称（全称）' -");
  command->callback([flags, &chosen] {
    chosen = [flags] {
      const Status status = extract(*flags);
      return status.ok() ? kOk : fail(status.error());
    };
  });
}

}  // namespace seqgpt::cli
