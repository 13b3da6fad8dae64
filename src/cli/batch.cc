// SPDX-License-Identifier: Apache-2.0
// seqgpt batch: a file of texts in, one answer a line out, in order; a killed run goes on where it
// was.
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <memory>

#include "api/batch_line.h"
#include "batch/items.h"
#include "batch/resume.h"
#include "batch/run.h"
#include "batch/writer.h"
#include "cli/commands.h"
#include "cli/common.h"
#include "cli/option_flags.h"
#include "cli/progress.h"
#include "pipeline/answerer.h"
#include "records/input_file.h"

namespace seqgpt::cli {
namespace {

struct BatchFlags {
  ModelFlags model;
  OptionFlags options;
  LabelFlags labels;
  std::string input;
  std::string output;
  std::string task = "extract";
  std::string input_format;  // empty: by extension
  std::string format;        // of the output; empty: by extension
  std::string encoding = "auto";
  std::string shard = "1/1";
  std::string text_field = "text";
  std::string id_field = "id";
  bool restart = false;
};

Result<BatchDefaults> read_defaults(const BatchFlags& flags) {
  BatchDefaults defaults;
  if (flags.task != "extract" && flags.task != "classify") {
    return Error{ErrorCode::kInvalidArgument,
                 "--task must be extract or classify, not \"" + flags.task + "\"", "task"};
  }
  defaults.kind = flags.task == "extract" ? TaskKind::kExtract : TaskKind::kClassify;
  defaults.labels = flags.labels.labels();
  SEQGPT_ASSIGN(defaults.options, flags.options.read());
  SEQGPT_TRY(flags.labels.read_fields(defaults.options.rules));
  if (!defaults.labels.empty()) {
    // A mistake is told before the first line; each line is checked again with its own options.
    const auto checked = check_labels(defaults.labels, defaults.options.rules);
    if (!checked.ok()) return checked.error();
  }
  defaults.text_field = flags.text_field;
  defaults.id_field = flags.id_field;
  return defaults;
}

Result<RecordFormat> input_format(const BatchFlags& flags) {
  if (!flags.input_format.empty()) return parse_record_format(flags.input_format, "--input-format");
  if (flags.input == "-") return RecordFormat::kJsonl;
  const std::string extension = record_extension(flags.input);
  if (extension == ".jsonl" || extension == ".ndjson" || extension == ".json")
    return RecordFormat::kJsonl;
  if (extension == ".csv") return RecordFormat::kCsv;
  if (extension == ".txt") return RecordFormat::kText;
  return Error{ErrorCode::kInvalidArgument,
               flags.input +
                   " does not end in .jsonl, .csv or .txt (with .gz, .zst or .xz); say "
                   "what it is with --input-format",
               "input"};
}

Result<RecordFormat> output_format(const BatchFlags& flags) {
  if (!flags.format.empty()) {
    SEQGPT_ASSIGN(const RecordFormat format, parse_record_format(flags.format, "--format"));
    if (format != RecordFormat::kText) return format;
    return Error{ErrorCode::kInvalidArgument, "--format must be jsonl or csv", "format"};
  }
  for (const char* ending : {".gz", ".zst", ".xz"}) {
    if (flags.output.ends_with(ending))
      return Error{ErrorCode::kInvalidArgument,
                   "the output is not compressed; name it without " + std::string(ending) +
                       " (or give --output - and pipe it on)",
                   "output"};
  }
  return record_extension(flags.output) == ".csv" ? RecordFormat::kCsv : RecordFormat::kJsonl;
}

std::string labels_text(const Result<std::vector<Label>>& labels) {
  std::string text;
  if (!labels.ok()) return text;  // there are none, each line brings its own
  for (const Label& label : *labels) {
    text += (text.empty() ? "" : ",") + label.name;
    if (!label.type.empty()) text += ":" + label.type;
    if (label.key != label.name) text += "=" + label.key;
    if (!label.description.empty()) text += " description " + label.description;
    if (!label.pattern.empty()) text += " pattern " + label.pattern;
    for (const std::string& value : label.one_of) text += " one_of " + value;
    if (label.mentions == Mentions::kAll) text += " mentions all";
  }
  return text;
}

/// Empty without a file; one that cannot be read was refused before.
std::string file_digest(const std::string& path) {
  if (path.empty()) return {};
  std::ifstream in(path, std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  return content_hash(bytes);
}

/// Every option that an output byte may depend on.
BatchSettings settings_of(const BatchFlags& flags, const BatchDefaults& defaults,
                          const InputFile& input, RecordFormat in, RecordFormat out) {
  return {{"model", defaults.context.model},
          {"fingerprint", defaults.context.fingerprint},
          {"task", flags.task},
          {"labels", labels_text(check_labels(defaults.labels, defaults.options.rules))},
          {"fields", file_digest(flags.labels.fields)},
          {"shard", flags.shard},
          {"input", input.identity()},
          {"input_format", std::to_string(static_cast<int>(in))},
          {"encoding", input.encoding()},
          {"format", out == RecordFormat::kCsv ? "csv" : "jsonl"},
          {"text_field", flags.text_field},
          {"id_field", flags.id_field},
          {"options", options_text(defaults.options, kForText)},
          {"reference_time", defaults.options.task.reference_time}};
}

Status check_files(const BatchFlags& flags) {
  std::error_code ignored;
  for (const std::string& written : {flags.output, state_path(flags.output)}) {
    if (std::filesystem::equivalent(flags.input, written, ignored))
      return Error{ErrorCode::kInvalidArgument, "--output would overwrite --input", "output"};
  }
  return {};
}

bool is_stdout(const std::string& output) {
  return output == "-" || output == "/dev/stdout";
}

/// Pipes and devices cannot be cut, so there is nothing to go on from.
bool resumable(const std::string& output) {
  std::error_code none;
  return !is_stdout(output) &&
         (!std::filesystem::exists(output, none) || std::filesystem::is_regular_file(output, none));
}

/// What one run holds; made in the order of its members.
class BatchRun {
 public:
  explicit BatchRun(const BatchFlags& flags) : flags_(flags) {}

  Result<int> run() {
    SEQGPT_TRY(open_input());
    SEQGPT_ASSIGN(open_, open_pipeline(flags_.model));
    defaults_.context.model = open_.pipeline->model_name();
    defaults_.context.fingerprint = open_.pipeline->fingerprint();
    SEQGPT_TRY(open_output());
    const std::unique_ptr<Answerer> answerer = make_answerer(*open_.pipeline);
    const Status ended = run_batch(*items_, *answerer, *writer_);
    SEQGPT_TRY(writer_->checkpoint());
    tell_end();
    if (!ended.ok()) return ended.error();
    return writer_->progress().failed == 0 ? kOk : kSomeFailed;
  }

 private:
  Status open_input() {
    SEQGPT_ASSIGN(defaults_, read_defaults(flags_));
    SEQGPT_ASSIGN(in_format_, input_format(flags_));
    SEQGPT_ASSIGN(output_.format, output_format(flags_));
    SEQGPT_ASSIGN(const Shard shard, parse_shard(flags_.shard));
    SEQGPT_TRY(check_files(flags_));
    SEQGPT_ASSIGN(input_, InputFile::open(flags_.input, flags_.encoding, STDIN_FILENO));
    if (input_.encoding() != "utf-8") std::cerr << "seqgpt: read as " << input_.encoding() << "\n";
    SEQGPT_ASSIGN(items_, ItemReader::open(input_, in_format_, defaults_, shard));
    if (output_.format != RecordFormat::kCsv) return {};
    SEQGPT_ASSIGN(output_.columns, items_->columns());
    return {};
  }

  Status open_output() {
    BatchProgress begun;
    std::unique_ptr<OutputFile> file = OutputFile::borrow(STDOUT_FILENO);
    const bool keep_state = resumable(flags_.output);
    if (!is_stdout(flags_.output)) {
      SEQGPT_ASSIGN(file, OutputFile::open(flags_.output));
    }
    if (keep_state) {
      SEQGPT_ASSIGN(begun, resumed());
      output_.state_path = state_path(flags_.output);
    }
    resumed_ = begun.items;
    const auto observer = [this](const BatchProgress& progress) {
      progress_.show(progress.items, share(progress.items));
    };
    SEQGPT_ASSIGN(writer_,
                  BatchWriter::begin(std::move(file), output_, defaults_, begun, observer));
    SEQGPT_ASSIGN(const bool enough, items_->skip(begun.items));
    progress_.begin(begun.items, share(begun.items));
    if (enough) return {};
    return Error{ErrorCode::kBadFile, flags_.output + " holds more answers than " + flags_.input +
                                          " has texts; --restart starts anew"};
  }

  /// Reads the state; a batch that goes on keeps the reference time with which it began.
  Result<BatchProgress> resumed() {
    std::optional<BatchState> state;
    if (!flags_.restart) {
      SEQGPT_ASSIGN(state, read_state(state_path(flags_.output)));
    }
    if (state && flags_.options.options.reference_time.empty())
      defaults_.options.task.reference_time = setting(state->settings, "reference_time");
    output_.settings = settings_of(flags_, defaults_, input_, in_format_, output_.format);
    if (flags_.restart) return BatchProgress{};
    return resume_point(flags_.output, output_.format, state, output_.settings);
  }

  /// The part of the file that is answered: what is read, less the window's part of it.
  std::optional<double> share(uint64_t answered) const {
    const std::optional<double> read = items_->share();
    if (!read) return read;
    const uint64_t given = std::max<uint64_t>(items_->given(), 1);
    return *read * static_cast<double>(answered) / static_cast<double>(given);
  }

  void tell_end() {
    progress_.finish();
    const BatchProgress& progress = writer_->progress();
    std::fprintf(stderr, "seqgpt: %llu texts, %llu failed, %.1f s",
                 static_cast<unsigned long long>(progress.items),
                 static_cast<unsigned long long>(progress.failed), progress_.seconds());
    if (resumed_ > 0)
      std::fprintf(stderr, " (%llu answered by an earlier run)",
                   static_cast<unsigned long long>(resumed_));
    std::fprintf(stderr, "\n");
    if (writer_->dropped().empty()) return;
    std::cerr << "seqgpt: fields that the first text does not have got no column:";
    for (const std::string& name : writer_->dropped()) std::cerr << " " << name;
    std::cerr << "; --format jsonl keeps them\n";
  }

  const BatchFlags& flags_;
  BatchDefaults defaults_;
  RecordFormat in_format_ = RecordFormat::kJsonl;
  BatchOutput output_;
  InputFile input_;
  std::unique_ptr<ItemReader> items_;
  OpenPipeline open_;
  std::unique_ptr<BatchWriter> writer_;
  uint64_t resumed_ = 0;
  Progress progress_;
};

void add_options(CLI::App& command, BatchFlags& flags) {
  command
      .add_option("--input", flags.input,
                  ".jsonl with a \"text\" a line, .csv with a header, or .txt with one text a "
                  "line; .gz, .zst and .xz of these; - for standard input")
      ->required();
  command
      .add_option("--output", flags.output,
                  "where the answers go: .jsonl or .csv; - for standard output (no resuming)")
      ->required();
  command.add_option("--task", flags.task, "extract or classify")->capture_default_str();
  flags.labels.add_to(command);
  flags.labels.add_fields_to(command);
  command.add_option("--input-format", flags.input_format,
                     "jsonl, csv or txt (default: by the name)");
  command.add_option("--format", flags.format, "jsonl or csv (default: by the output's name)");
  command
      .add_option("--encoding", flags.encoding,
                  "auto, utf-8, utf-16, utf-16le, utf-16be or gb18030")
      ->capture_default_str();
  command.add_option("--shard", flags.shard, "3/8: the texts whose number modulo 8 is 2")
      ->capture_default_str();
  command.add_flag("--restart", flags.restart, "throw away what an earlier run has answered");
  command.add_option("--text-field", flags.text_field, "field or column that holds the text")
      ->capture_default_str();
  command.add_option("--id-field", flags.id_field, "field or column that holds the id")
      ->capture_default_str();
  flags.options.add_to(command, kForText);
  flags.model.add_to(command);
}

}  // namespace

void add_batch(CLI::App& app, Chosen& chosen) {
  CLI::App* command =
      app.add_subcommand("batch", "answer a file of texts, one line each, in order; resumable");
  auto flags = std::make_shared<BatchFlags>();
  add_options(*command, *flags);
  command->footer(
      "Killed at any moment and started again with the same options, it goes on where it was.\n"
      "Examples:\n"
      "  seqgpt batch --input in.jsonl.gz --output out.jsonl -l 姓名,公司,职位\n"
      "  seqgpt batch --input 简历.csv --text-field 正文 --output 结果.csv -l 姓名,公司\n"
      "  seqgpt batch --input tickets.txt --output out.jsonl --task classify -l 投诉,咨询,报修\n"
      "  seqgpt batch --input in.jsonl --output out.3.jsonl --shard 3/8 -l 姓名");
  command->callback([flags, &chosen] {
    chosen = [flags] {
      const Result<int> code = BatchRun(*flags).run();
      return code.ok() ? *code : fail(code.error());
    };
  });
}

}  // namespace seqgpt::cli
