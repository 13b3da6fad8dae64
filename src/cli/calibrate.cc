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

Status calibrate(const CalibrateFlags& flags) {
  SEQGPT_ASSIGN(const OpenPipeline open, open_pipeline(flags.model));
  SEQGPT_ASSIGN(const std::string directory, model_directory(flags.model));
  CalibrationData data;
  for (const std::string& path : flags.gold) {
    SEQGPT_ASSIGN(const auto gold, GoldReader::open(path, {}, {flags.limit, std::nullopt}));
    SEQGPT_TRY(data.read(*gold, *open.pipeline));
  }
  if (data.values() + data.classes() == 0)
    return Error{ErrorCode::kInvalidArgument, "the gold gave no value and no class to judge",
                 "gold"};
  std::cout << std::fixed << std::setprecision(4);
  print_errors("values", data.values(), data.value_errors());
  print_errors("classes", data.classes(), data.class_errors());
  const std::string output = flags.output.empty()
                                 ? (std::filesystem::path(directory) / kCalibrationFile).string()
                                 : flags.output;
  SEQGPT_TRY(replace_file(output, calibration_json(data.fit())));
  std::cout << "wrote " << output << "\n";
  return {};
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
      const Status status = calibrate(*flags);
      return status.ok() ? kOk : fail(status.error());
    };
  });
}

}  // namespace seqgpt::cli
