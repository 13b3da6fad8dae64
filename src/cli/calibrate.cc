// SPDX-License-Identifier: Apache-2.0
// seqgpt calibrate: make confidence mean how often such values are right, by gold.
#include <filesystem>
#include <iomanip>
#include <iostream>
#include <memory>

#include "cli/commands.h"
#include "cli/common.h"
#include "eval/calibrate.h"
#include "records/output_file.h"

namespace seqgpt::cli {
namespace {

struct CalibrateFlags {
  ModelFlags model;
  std::vector<std::string> gold;
  std::string output;
  std::optional<uint64_t> limit;
};

void print_errors(const char* what, size_t count, const CalibrationData::Errors& errors) {
  if (count == 0) return;
  std::cout << what << ": " << count << ", expected calibration error " << errors.before << " → "
            << errors.after << " (each half under the fit to the other)\n";
}

Result<int> calibrate(const CalibrateFlags& flags) {
  SEQGPT_ASSIGN(const OpenPipeline open, open_pipeline(flags.model));
  SEQGPT_ASSIGN(const std::string directory, model_directory(flags.model));
  CalibrationData data;
  for (const std::string& path : flags.gold) {
    SEQGPT_ASSIGN(const auto gold, GoldReader::open(path, {}, {flags.limit, std::nullopt}));
    SEQGPT_TRY(data.read(*gold, *open.pipeline));
  }
  for (const std::string& line : data.bad_lines()) std::cerr << "seqgpt: " << line << "\n";
  if (data.values() < 50 && data.classes() < 50) {
    return Error{ErrorCode::kInvalidArgument,
                 "the gold gave " + std::to_string(data.values()) + " values and " +
                     std::to_string(data.classes()) +
                     " classes to judge; calibration needs at least 50 of either",
                 "gold"};
  }
  std::cout << std::fixed << std::setprecision(4);
  print_errors("values", data.values(), data.value_errors());
  print_errors("classes", data.classes(), data.class_errors());
  const Calibration fitted = data.fit();
  if (const CalibrationData::Gain gain = data.gain(); fitted.least > 0) {
    std::cout << "values below " << fitted.least << " are guesses: without them F1 " << gain.before
              << " → " << gain.after
              << " (mean over the files, each half under the fit to the other)\n";
  }
  const std::string output = flags.output.empty()
                                 ? (std::filesystem::path(directory) / kCalibrationFile).string()
                                 : flags.output;
  SEQGPT_TRY(replace_file(output, calibration_json(fitted)));
  std::cout << "wrote " << output << "\n";
  return data.bad_lines().empty() ? kOk : kSomeFailed;
}

}  // namespace

void add_calibrate(CLI::App& app, Chosen& chosen) {
  CLI::App* command = app.add_subcommand(
      "calibrate", "fit a model's confidence to gold; writes calibration.json beside it");
  auto flags = std::make_shared<CalibrateFlags>();
  command->add_option("gold", flags->gold, "gold JSONL, as for eval; not what it was trained on")
      ->required();
  command->add_option("--output", flags->output,
                      "write here (default: calibration.json in the model's directory)");
  command->add_option("--limit", flags->limit, "read this many lines of each file");
  flags->model.add_to(*command);
  command->footer("Example:\n  seqgpt calibrate --model DIR held-out.jsonl");
  command->callback([flags, &chosen] {
    chosen = [flags] {
      const Result<int> code = calibrate(*flags);
      return code.ok() ? *code : fail(code.error());
    };
  });
}

}  // namespace seqgpt::cli
