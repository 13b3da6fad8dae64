// SPDX-License-Identifier: Apache-2.0
// seqgpt batch: a file of texts in, one answer a line out, in order.
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <memory>

#include "api/batch_line.h"
#include "cli/commands.h"
#include "cli/common.h"

namespace seqgpt::cli {
namespace {

constexpr size_t kTogether = 32;  // texts that share the model's passes
constexpr size_t kMaxLineBytes = size_t{64} << 20;

struct BatchFlags {
  ModelFlags model;
  LabelFlags labels;
  std::string input;
  std::string output;
  std::string task = "extract";
  std::string text_field = "text";
  std::string id_field = "id";
  std::string offsets = "codepoint";
  std::string values = "auto";
};

/// Rate and count on standard error, when that is a terminal.
class Progress {
 public:
  void show(uint64_t done) {
    if (!isatty(STDERR_FILENO)) return;
    std::fprintf(stderr, "\r%llu texts, %.1f a second ", static_cast<unsigned long long>(done),
                 static_cast<double>(done) / seconds());
  }
  void finish(uint64_t done, uint64_t failed) {
    if (isatty(STDERR_FILENO)) std::fprintf(stderr, "\n");
    std::fprintf(stderr, "seqgpt: %llu texts, %llu failed, %.1f s\n",
                 static_cast<unsigned long long>(done), static_cast<unsigned long long>(failed),
                 seconds());
  }

 private:
  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count() + 1e-9;
  }
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

Result<BatchDefaults> read_defaults(const BatchFlags& flags) {
  BatchDefaults defaults;
  if (flags.task != "extract" && flags.task != "classify") {
    return Error{ErrorCode::kInvalidArgument,
                 "--task must be extract or classify, not \"" + flags.task + "\"", "task"};
  }
  defaults.kind = flags.task == "extract" ? TaskKind::kExtract : TaskKind::kClassify;
  defaults.labels = flags.labels.labels();
  SEQGPT_ASSIGN(defaults.rules, flags.labels.rules());
  if (!defaults.labels.empty()) {
    // A mistake is told before the first line; each line is checked again with its own options.
    const auto checked = check_labels(defaults.labels, defaults.rules);
    if (!checked.ok()) return checked.error();
  }
  defaults.text_field = flags.text_field;
  defaults.id_field = flags.id_field;
  SEQGPT_ASSIGN(defaults.answer.offsets, parse_offset_unit(flags.offsets));
  SEQGPT_ASSIGN(defaults.answer.values, parse_value_shape(flags.values));
  return defaults;
}

/// Runs the lines together and writes their answers in order; returns how many failed.
uint64_t answer_lines(const std::vector<BatchLine>& lines, Pipeline& pipeline,
                      const BatchDefaults& defaults, std::ostream& out) {
  std::vector<Task> tasks;
  for (const BatchLine& line : lines) {
    if (line.task().ok()) tasks.push_back(*line.task());
  }
  const std::vector<Result<Answer>> answers = pipeline.run_all(tasks);
  uint64_t failed = 0;
  size_t next = 0;
  for (const BatchLine& line : lines) {
    const Result<Answer> answer =
        line.task().ok() ? answers[next++] : Result<Answer>(line.task().error());
    failed += !answer.ok();
    out << line.output(answer, defaults) << '\n';
  }
  return failed;
}

Result<uint64_t> run_lines(std::istream& in, std::ostream& out, bool plain_text, Pipeline& pipeline,
                           const BatchDefaults& defaults) {
  Progress progress;
  std::vector<BatchLine> lines;
  uint64_t number = 0;
  uint64_t failed = 0;
  const auto flush = [&] {
    failed += answer_lines(lines, pipeline, defaults, out);
    lines.clear();
    out.flush();
    progress.show(number);
  };
  for (std::string line; std::getline(in, line); ++number) {
    if (line.size() > kMaxLineBytes)
      return Error{ErrorCode::kTooLarge,
                   "line " + std::to_string(number + 1) + " is larger than 64 MiB"};
    if (number == 0 && line.starts_with("\xEF\xBB\xBF")) line.erase(0, 3);
    if (line.ends_with('\r')) line.pop_back();
    lines.push_back(plain_text ? BatchLine::from_text(line, number, defaults)
                               : BatchLine::from_json(line, number, defaults));
    if (lines.size() == kTogether) flush();
  }
  flush();
  if (!out) return Error{ErrorCode::kIo, "cannot write the output: is the disk full?"};
  progress.finish(number, failed);
  return failed;
}

Result<int> batch(const BatchFlags& flags) {
  SEQGPT_ASSIGN(BatchDefaults defaults, read_defaults(flags));
  for (const char* ending : {".csv", ".gz", ".zst"}) {
    if (!flags.input.ends_with(ending)) continue;
    return Error{
        ErrorCode::kInvalidArgument,
        std::string(ending) + " input is not built yet in this version; give .jsonl or .txt",
        "input"};
  }
  std::error_code ignored;
  if (std::filesystem::equivalent(flags.input, flags.output, ignored)) {
    return Error{ErrorCode::kInvalidArgument, "--output would overwrite --input", "output"};
  }
  std::ifstream in(flags.input, std::ios::binary);
  if (!in || std::filesystem::is_directory(flags.input))
    return Error{ErrorCode::kNotFound, "cannot open " + flags.input, "input"};
  SEQGPT_ASSIGN(const OpenPipeline open, open_pipeline(flags.model));
  defaults.context = {open.pipeline->model_name(), open.pipeline->fingerprint(), std::nullopt,
                      std::nullopt};
  std::ofstream out(flags.output, std::ios::binary);
  if (!out) return Error{ErrorCode::kIo, "cannot write " + flags.output, "output"};
  SEQGPT_ASSIGN(const uint64_t failed,
                run_lines(in, out, flags.input.ends_with(".txt"), *open.pipeline, defaults));
  return failed == 0 ? kOk : kSomeFailed;
}

}  // namespace

void add_batch(CLI::App& app, Chosen& chosen) {
  CLI::App* command =
      app.add_subcommand("batch", "answer a file of texts, one line each, in order");
  auto flags = std::make_shared<BatchFlags>();
  command
      ->add_option("--input", flags->input,
                   ".jsonl with a \"text\" a line, or .txt with one text a line")
      ->required();
  command->add_option("--output", flags->output, "where the answers go, one JSON object a line")
      ->required();
  command->add_option("--task", flags->task, "extract or classify")->capture_default_str();
  flags->labels.add_to(*command);
  flags->labels.add_rules_to(*command);
  command->add_option("--text-field", flags->text_field, "field that holds the text")
      ->capture_default_str();
  command->add_option("--id-field", flags->id_field, "field that holds the id")
      ->capture_default_str();
  command
      ->add_option("--offsets", flags->offsets, "unit of start and end: codepoint, utf16 or bytes")
      ->capture_default_str();
  command->add_option("--values", flags->values, "auto or list")->capture_default_str();
  flags->model.add_to(*command);
  command->footer(
      "Examples:\n"
      "  seqgpt batch --input in.jsonl --output out.jsonl -l 姓名,公司,职位\n"
      "  seqgpt batch --input tickets.txt --output out.jsonl --task classify -l 投诉,咨询,报修");
  command->callback([flags, &chosen] {
    chosen = [flags] {
      const Result<int> code = batch(*flags);
      return code.ok() ? *code : fail(code.error());
    };
  });
}

}  // namespace seqgpt::cli
