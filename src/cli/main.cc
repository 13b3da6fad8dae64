// SPDX-License-Identifier: Apache-2.0
// seqgpt: the program. Parses the command line and runs one command.
#include <CLI/CLI.hpp>
#include <exception>
#include <filesystem>
#include <iostream>
#include <string>
#include <vector>

#include "base/version.h"
#include "cli/commands.h"
#include "cli/common.h"

namespace {

bool knows(const CLI::App& app, const std::string& name) {
  for (const CLI::App* command : app.get_subcommands({})) {
    if (command->check_name(name)) return true;
  }
  return false;
}

}  // namespace

int main(int argc, char** argv) {
  using namespace seqgpt::cli;
  CLI::App app{
      "seqgpt extracts fields from Chinese business text and sorts text into classes, on this "
      "machine alone.\n"
      "Every value is a verbatim span of the text, with its offsets.\n\n"
      "  seqgpt extract -l 姓名,公司,职位 '王伟，现任上海云图数据科技有限公司CTO。'\n"
      "  seqgpt classify -l 财经,科技,体育 '央行下调存款准备金率'\n"
      "  seqgpt batch --input in.jsonl --output out.jsonl -l 姓名,公司\n"
      "  seqgpt serve\n"};
  app.set_version_flag("--version", std::string(seqgpt::kVersion));
  app.require_subcommand(1);
  Chosen chosen;
  add_extract(app, chosen);
  add_classify(app, chosen);
  add_prompt(app, chosen);
  add_batch(app, chosen);
  add_eval(app, chosen);
  add_calibrate(app, chosen);
  add_tokens(app, chosen);
  add_logits(app, chosen);
  add_generate(app, chosen);
  add_inspect(app, chosen);
  add_bench(app, chosen);
  add_serve(app, chosen);
  add_normalize(app, chosen);
  // seqgpt-server and seqgpt-ui are names of the same program.
  std::vector<char*> arguments(argv, argv + argc);
  const std::string name = std::filesystem::path(argv[0]).filename().string();
  std::string serve = "serve";
  if (name == "seqgpt-server" || name == "seqgpt-ui")
    arguments.insert(arguments.begin() + 1, serve.data());
  argc = static_cast<int>(arguments.size());
  argv = arguments.data();
  if (argc > 1 && argv[1][0] != '-' && !knows(app, argv[1])) {
    std::cerr << "seqgpt: there is no command \"" << argv[1]
              << "\" in this version; seqgpt --help lists them\n";
    return kUsage;
  }
  try {
    app.parse(argc, argv);
    const int code = chosen();
    std::cout.flush();
    if (std::cout) return code;
    std::cerr << "seqgpt: cannot write standard output: is the disk full, or the pipe closed?\n";
    return kFailed;
  } catch (const CLI::ParseError& error) {
    const int code = app.exit(error);
    return code == 0 ? kOk : kUsage;
  } catch (const std::bad_alloc&) {
    std::cerr << "seqgpt: out of memory\n";
  } catch (const std::exception& error) {
    std::cerr << "seqgpt: unexpected: " << error.what() << "\n";
  }
  return kFailed;
}
