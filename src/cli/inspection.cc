// SPDX-License-Identifier: Apache-2.0
// seqgpt tokens, logits, generate, inspect, quantize, bench: looking into a model.
#include <iostream>
#include <memory>

#include "cli/commands.h"
#include "cli/common.h"
#include "tools/bench_tool.h"
#include "tools/inspect_tool.h"
#include "tools/json_lines.h"
#include "tools/model_tools.h"
#include "tools/quantize_tool.h"
#include "tools/raw_model.h"
#include "tools/tokens_tool.h"

namespace seqgpt::cli {
namespace {

/// Makes `work` what the command does; its Result<int> is the exit code.
template <typename Work>
void on_chosen(CLI::App& command, Chosen& chosen, const Work& work) {
  command.callback([&chosen, work] {
    chosen = [work] {
      const Result<int> code = work();
      return code.ok() ? *code : fail(code.error());
    };
  });
}

Result<int> print(const Result<std::string>& line) {
  if (!line.ok()) return line.error();
  std::cout << *line << "\n";
  return kOk;
}

struct OpenModel {
  std::unique_ptr<Backend> backend;
  RawModel model;
};

Result<OpenModel> open_model(const ModelFlags& flags) {
  SEQGPT_ASSIGN(std::unique_ptr<Backend> backend, open_backend(flags));
  SEQGPT_ASSIGN(const std::string directory, model_directory(flags));
  SEQGPT_ASSIGN(const ModelOptions options, model_options(flags, *backend, Arithmetic::kExact));
  SEQGPT_ASSIGN(RawModel model, RawModel::load(*backend, directory, options));
  return OpenModel{std::move(backend), std::move(model)};
}

struct TokensFlags {
  std::string model;
  std::string encode;
  std::string decode;
  bool skip_special = false;
  bool jsonl = false;
};

Result<int> tokens(const TokensFlags& flags, bool encode_given) {
  ModelFlags model;
  model.model = flags.model;
  SEQGPT_ASSIGN(const std::filesystem::path directory, model_directory(model));
  SEQGPT_ASSIGN(const Tokenizer tokenizer, Tokenizer::load(directory / "tokenizer.json"));
  if (flags.jsonl) {
    run_json_lines(std::cin, std::cout,
                   [&](const JsonRequest& request) { return tokens_answer(tokenizer, request); });
    return kOk;
  }
  if (encode_given) return print(tokens_of_text(tokenizer, flags.encode));
  SEQGPT_ASSIGN(const std::vector<int32_t> ids, parse_ids(flags.decode, "--decode"));
  return print(text_of_tokens(tokenizer, ids, flags.skip_special));
}

struct LogitsFlags {
  ModelFlags model;
  std::string ids;
  std::string positions = "last";
  bool jsonl = false;
};

Result<int> logits(const LogitsFlags& flags) {
  SEQGPT_ASSIGN(const OpenModel open, open_model(flags.model));
  if (flags.jsonl) {
    run_json_lines(std::cin, std::cout, [&](const JsonRequest& request) {
      return logits_answer(open.model.engine(), request);
    });
    return kOk;
  }
  SEQGPT_ASSIGN(std::vector<int32_t> ids, parse_ids(flags.ids, "--ids"));
  return print(logits_answer(open.model.engine(), std::move(ids), flags.positions));
}

struct GenerateFlags {
  ModelFlags model;
  std::string ids;
  std::string forced;
  GenerateArguments arguments;
  bool jsonl = false;
};

Result<int> generate(const GenerateFlags& flags) {
  SEQGPT_ASSIGN(const OpenModel open, open_model(flags.model));
  const int32_t eos = open.model.eos_id();
  if (flags.jsonl) {
    run_json_lines(std::cin, std::cout, [&](const JsonRequest& request) {
      return generate_answer(open.model.engine(), eos, request);
    });
    return kOk;
  }
  GenerateArguments arguments = flags.arguments;
  SEQGPT_ASSIGN(arguments.ids, parse_ids(flags.ids, "--ids"));
  if (!flags.forced.empty()) {
    SEQGPT_ASSIGN(arguments.forced, parse_ids(flags.forced, "--forced"));
  }
  return print(generate_answer(open.model.engine(), eos, arguments));
}

struct BenchFlags {
  ModelFlags model;
  BenchOptions options;
  bool json = false;
};

Result<int> bench(const BenchFlags& flags) {
  SEQGPT_ASSIGN(const std::unique_ptr<Backend> backend, open_backend(flags.model));
  BenchOptions options = flags.options;
  options.model = flags.model.model;
  SEQGPT_ASSIGN(const std::filesystem::path directory, model_directory(flags.model));
  options.tokenizer = directory / "tokenizer.json";
  SEQGPT_ASSIGN(options.weights, model_options(flags.model, *backend, Arithmetic::kFastest));
  SEQGPT_ASSIGN(const BenchReport report, run_bench(*backend, options));
  std::cout << (flags.json ? report.json + "\n" : report.text);
  return kOk;
}

}  // namespace

void add_tokens(CLI::App& app, Chosen& chosen) {
  CLI::App* command = app.add_subcommand(
      "tokens", "text to token ids with offsets, or ids to text (needs tokenizer.json only)");
  auto flags = std::make_shared<TokensFlags>();
  command->add_option("--model", flags->model,
                      "directory with tokenizer.json (default: the bundled model)");
  CLI::Option* encode =
      command->add_option("--encode", flags->encode, "text to encode; added tokens are recognised");
  CLI::Option* decode =
      command->add_option("--decode", flags->decode, "ids to decode, such as 1,2,3");
  command->add_flag("--skip-special", flags->skip_special, "leave special tokens out of the text");
  CLI::Option* jsonl = command->add_flag("--jsonl", flags->jsonl,
                                         "read {\"text\"} or {\"ids\"} a line from standard input");
  encode->excludes(decode)->excludes(jsonl);
  decode->excludes(jsonl);
  command->footer(
      "Examples:\n  seqgpt tokens --encode '王伟任CTO'\n  seqgpt tokens --decode 71,72,73");
  on_chosen(*command, chosen, [flags, encode, decode]() -> Result<int> {
    if (encode->empty() && decode->empty() && !flags->jsonl) {
      return Error{ErrorCode::kInvalidArgument,
                   "tokens needs --encode TEXT, --decode IDS or --jsonl"};
    }
    return tokens(*flags, !encode->empty());
  });
}

void add_logits(CLI::App& app, Chosen& chosen) {
  CLI::App* command = app.add_subcommand(
      "logits", "a model's raw outputs for given token ids (f32 arithmetic unless told)");
  auto flags = std::make_shared<LogitsFlags>();
  CLI::Option* ids = command->add_option("--ids", flags->ids, "token ids, such as 1,2,3");
  command->add_option("--positions", flags->positions, "last, all, or numbers such as 0,7")
      ->capture_default_str();
  CLI::Option* jsonl = command->add_flag(
      "--jsonl", flags->jsonl, "read {\"ids\", \"positions\"} a line from standard input");
  ids->excludes(jsonl);
  flags->model.add_to(*command);
  command->footer("Example:\n  seqgpt logits --model DIR --ids 1,2,3 --positions all");
  on_chosen(*command, chosen, [flags, ids]() -> Result<int> {
    if (ids->empty() && !flags->jsonl)
      return Error{ErrorCode::kInvalidArgument, "logits needs --ids or --jsonl"};
    return logits(*flags);
  });
}

void add_generate(CLI::App& app, Chosen& chosen) {
  CLI::App* command = app.add_subcommand(
      "generate", "continue token ids, greedily or with beams (f32 arithmetic unless told)");
  auto flags = std::make_shared<GenerateFlags>();
  CLI::Option* ids = command->add_option("--ids", flags->ids, "token ids of the prompt");
  command->add_option("--max-new-tokens", flags->arguments.max_new_tokens, "most tokens to add")
      ->check(CLI::Range(1, 1 << 20))
      ->capture_default_str();
  command->add_option("--beams", flags->arguments.beams, "beams; 1 is greedy")
      ->check(CLI::Range(1, 64))
      ->capture_default_str();
  command->add_option("--repetition-penalty", flags->arguments.repetition_penalty, "as in HF")
      ->capture_default_str();
  command->add_option("--forced", flags->forced,
                      "give the log-probabilities of these ids as continuation instead");
  CLI::Option* jsonl =
      command->add_flag("--jsonl", flags->jsonl, "read one request a line from standard input");
  ids->excludes(jsonl);
  flags->model.add_to(*command);
  command->footer(
      "Example:\n  seqgpt generate --model DIR --ids 1,2,3 --max-new-tokens 32 --beams 4");
  on_chosen(*command, chosen, [flags, ids]() -> Result<int> {
    if (ids->empty() && !flags->jsonl)
      return Error{ErrorCode::kInvalidArgument, "generate needs --ids or --jsonl"};
    return generate(*flags);
  });
}

void add_inspect(CLI::App& app, Chosen& chosen) {
  CLI::App* command = app.add_subcommand(
      "inspect", "what a model directory holds, and whether its files are whole");
  auto directory = std::make_shared<std::string>();
  auto json = std::make_shared<bool>(false);
  command->add_option("DIR", *directory, "a model directory (default: the bundled model)");
  command->add_flag("--json", *json, "as one JSON object");
  command->footer("Example:\n  seqgpt inspect models/seqgpt-mini");
  on_chosen(*command, chosen, [directory, json]() -> Result<int> {
    ModelFlags flags;
    flags.model = *directory;
    SEQGPT_ASSIGN(const std::string path, model_directory(flags));
    SEQGPT_ASSIGN(const Inspection inspection, inspect_model(path));
    std::cout << (*json ? inspection.json + "\n" : inspection.text);
    return inspection.whole ? kOk : kFailed;
  });
}

void add_quantize(CLI::App& app, Chosen& chosen) {
  CLI::App* command = app.add_subcommand(
      "quantize", "pack a checkpoint for this machine's kernels, so that it loads at once");
  struct Flags {
    ModelFlags model;
    std::string out;
  };
  auto flags = std::make_shared<Flags>();
  flags->model.weights = "int8";
  flags->model.compute = "f32";
  flags->model.add_to(*command);
  command->remove_option(command->get_option("--compute"));
  command->remove_option(command->get_option("--kv"));
  command->add_option("--out", flags->out, "the directory to make")->required();
  command->footer(
      "Example:\n  seqgpt quantize --model SeqGPT-560M --weights int8 --out SeqGPT-560M-int8\n  "
      "seqgpt extract --model SeqGPT-560M-int8 -l 姓名,公司 '王伟任职于云图公司。'");
  on_chosen(*command, chosen, [flags]() -> Result<int> {
    SEQGPT_ASSIGN(const auto backend, open_backend(flags->model));
    SEQGPT_ASSIGN(const std::string directory, model_directory(flags->model));
    SEQGPT_ASSIGN(const ModelOptions options,
                  model_options(flags->model, *backend, Arithmetic::kExact));
    return print(
        quantize_model(directory, *backend, options.weights.value_or(DType::kI8), flags->out));
  });
}

void add_bench(CLI::App& app, Chosen& chosen) {
  CLI::App* command = app.add_subcommand(
      "bench", "measure this machine on a model, as shares of its measured ceilings");
  auto flags = std::make_shared<BenchFlags>();
  command
      ->add_option("--shape", flags->options.shape,
                   "random weights of a known shape: seqgpt-560m, seqgpt-mini-12m")
      ->capture_default_str();
  command->add_option("--repeats", flags->options.repeats, "runs of each figure; medians are shown")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  command
      ->add_option("--clients", flags->options.clients,
                   "how many send requests at once, such as 1,4,24; each number is one figure")
      ->delimiter(',')
      ->check(CLI::Range(1, 256))
      ->capture_default_str();
  command->add_flag("--json", flags->json, "as one JSON object");
  flags->model.add_to(*command);
  command->footer(
      "Examples:\n  seqgpt bench --shape seqgpt-560m\n  seqgpt bench --model models/seqgpt-mini "
      "--json");
  on_chosen(*command, chosen, [flags] { return bench(*flags); });
}

}  // namespace seqgpt::cli
