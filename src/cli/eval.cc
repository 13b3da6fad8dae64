// SPDX-License-Identifier: Apache-2.0
// seqgpt eval: scores of a model, or of a file of predictions, against gold.
#include <filesystem>
#include <iostream>
#include <memory>

#include "cli/commands.h"
#include "cli/common.h"
#include "cli/option_flags.h"
#include "cli/progress.h"
#include "eval/evaluation.h"
#include "pipeline/answerer.h"
#include "records/output_file.h"

namespace seqgpt::cli {
namespace {

constexpr size_t kMaxLabelSetBytes = size_t{16} << 20;

struct EvalFlags {
  ModelFlags model;
  OptionFlags options;
  std::vector<std::string> gold;
  std::vector<std::string> predictions;
  std::string errors;
  std::string report;
  std::string label_set;
  bool ignore_space = false;
  bool json = false;
  bool by_file = false;
  std::optional<uint64_t> limit;
  std::optional<uint64_t> sample;
};

Result<std::unique_ptr<OutputFile>> open_anew(const std::string& path) {
  SEQGPT_ASSIGN(std::unique_ptr<OutputFile> file, OutputFile::open(path));
  SEQGPT_TRY(file->cut(0));
  return file;
}

Status check_flags(const EvalFlags& flags) {
  if (!flags.predictions.empty() && flags.predictions.size() != flags.gold.size())
    return Error{ErrorCode::kInvalidArgument,
                 "give one --predictions for each gold file, in their order", "predictions"};
  std::vector<std::string> read = flags.gold;
  read.insert(read.end(), flags.predictions.begin(), flags.predictions.end());
  std::error_code ignored;
  for (const std::string& written : {flags.errors, flags.report}) {
    for (const std::string& input : read) {
      if (!written.empty() && std::filesystem::equivalent(input, written, ignored))
        return Error{ErrorCode::kInvalidArgument, written + " would overwrite an input", "errors"};
    }
  }
  return {};
}

Result<std::string> read_label_set(const std::string& path) {
  if (path.empty()) return std::string();
  SEQGPT_ASSIGN(const std::unique_ptr<FileSource> file, FileSource::open(path));
  std::string text(kMaxLabelSetBytes, '\0');
  size_t size = 0;
  for (size_t count = 1; count > 0 && size < text.size(); size += count) {
    SEQGPT_ASSIGN(count, file->read(std::span(text).subspan(size)));
  }
  text.resize(size);
  return text;
}

class EvalRun {
 public:
  explicit EvalRun(const EvalFlags& flags)
      : flags_(flags), evaluation_(flags.ignore_space, [this](const std::string& line) {
          return errors_ ? errors_->write(line + "\n") : Status();
        }) {}

  Result<int> run() {
    SEQGPT_TRY(check_flags(flags_));
    SEQGPT_ASSIGN(label_set_, read_label_set(flags_.label_set));
    if (!flags_.errors.empty()) {
      SEQGPT_ASSIGN(errors_, open_anew(flags_.errors));
    }
    SEQGPT_TRY(open_predictor());
    for (size_t i = 0; i < flags_.gold.size(); ++i) {
      SEQGPT_TRY(score_file(i));
    }
    progress_.finish();
    SEQGPT_TRY(write_reports());
    const FileReport total = evaluation_.report().total();
    return total.bad_lines + total.failed + total.without == 0 ? kOk : kSomeFailed;
  }

 private:
  Status open_predictor() {
    EvalReport& report = evaluation_.report();
    for (const std::string& path : flags_.predictions)
      report.predictor += (report.predictor.empty() ? "" : ", ") + path;
    if (!flags_.predictions.empty()) return {};
    SEQGPT_ASSIGN(defaults_.options, flags_.options.read());
    SEQGPT_ASSIGN(open_, open_pipeline(flags_.model));
    defaults_.context.model = open_.pipeline->model_name();
    defaults_.context.fingerprint = open_.pipeline->fingerprint();
    report.predictor = defaults_.context.model + " " + defaults_.context.fingerprint;
    answerer_ = make_answerer(*open_.pipeline);
    return {};
  }

  Status score_file(size_t index) {
    const std::string& path = flags_.gold[index];
    std::vector<std::string> labels;
    if (!label_set_.empty()) {
      SEQGPT_ASSIGN(labels, labels_for(label_set_, path));
    }
    SEQGPT_ASSIGN(const auto gold, GoldReader::open(path, labels, {flags_.limit, flags_.sample}));
    evaluation_.begin_file(path);
    if (answerer_) {
      const uint64_t before = done_;
      return evaluate_answers(*gold, *answerer_, defaults_, evaluation_,
                              [&, before](uint64_t texts) {
                                done_ = before + texts;
                                progress_.show(done_, std::nullopt);
                              });
    }
    SEQGPT_ASSIGN(const auto predictions, PredictionFile::open(flags_.predictions[index]));
    const bool part = flags_.limit.has_value();
    return evaluate_predictions(*gold, *predictions, evaluation_, !part);
  }

  Status write_reports() {
    const EvalReport& report = evaluation_.report();
    for (const std::string& line : evaluation_.bad_lines()) std::cerr << "seqgpt: " << line << "\n";
    if (errors_) {
      SEQGPT_TRY(errors_->flush());
    }
    if (!flags_.report.empty()) {
      SEQGPT_TRY(replace_file(flags_.report, html_report(report)));
    }
    std::cout << (flags_.json ? json_report(report) + "\n" : text_report(report));
    return {};
  }

  const EvalFlags& flags_;
  std::string label_set_;
  std::unique_ptr<OutputFile> errors_;
  BatchDefaults defaults_;
  OpenPipeline open_;
  std::unique_ptr<Answerer> answerer_;
  Evaluation evaluation_;
  uint64_t done_ = 0;
  Progress progress_;
};

void add_options(CLI::App& command, EvalFlags& flags) {
  command.add_option("gold", flags.gold, "gold JSONL, plain or .gz, .zst, .xz; one or more files")
      ->required();
  command.add_option("--predictions", flags.predictions,
                     "output of seqgpt batch, matched by id (default: ask the model)");
  command.add_option("--errors", flags.errors, "write every miss here, one JSON object a line");
  command.add_option("--report", flags.report, "write a page with charts here (HTML)");
  command.add_option("--label-set", flags.label_set,
                     "JSON with the labels of files whose lines name none");
  command.add_flag("--ignore-space", flags.ignore_space,
                   "labels and misses ignoring white space (totals show both)");
  command.add_flag("--json", flags.json, "print JSON");
  command.add_flag("--by-file", flags.by_file,
                   "a line for each file (always, when there are several)");
  command.add_option("--limit", flags.limit, "score this many lines of each file");
  command.add_option("--sample", flags.sample,
                     "with --limit: choose the lines evenly, by this seed");
  flags.options.add_reference(command);
  flags.model.add_to(command);
}

}  // namespace

void add_eval(CLI::App& app, Chosen& chosen) {
  CLI::App* command = app.add_subcommand("eval", "score a model, or predictions, against gold");
  auto flags = std::make_shared<EvalFlags>();
  add_options(*command, *flags);
  command->footer(
      "Examples:\n"
      "  seqgpt eval gold.jsonl --report page.html --errors misses.jsonl\n"
      "  seqgpt eval gold.jsonl --predictions out.jsonl --json\n"
      "  seqgpt eval contracts.jsonl resumes.jsonl --limit 200 --sample 1");
  command->callback([flags, &chosen] {
    chosen = [flags] {
      const Result<int> code = EvalRun(*flags).run();
      return code.ok() ? *code : fail(code.error());
    };
  });
}

}  // namespace seqgpt::cli
