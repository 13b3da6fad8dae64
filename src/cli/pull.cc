// SPDX-License-Identifier: Apache-2.0
// seqgpt pull: fetches a model; the only command that opens an outgoing connection.
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <iostream>
#include <memory>

#include "cli/commands.h"
#include "cli/common.h"
#include "cli/operator.h"
#include "tools/pull.h"

namespace seqgpt::cli {
namespace {

struct PullFlags {
  std::string repository;
  std::string mirror;
  std::string revision;
  std::string out;
  std::string layout = "hf";
  bool offline = false;
};

/// A line on standard error, drawn over and over on a terminal, once a file elsewhere.
class PullProgress {
 public:
  void operator()(const std::string& file, uint64_t done, uint64_t total) {
    if (!terminal_) {
      if (file != last_file_) std::cerr << "seqgpt: fetching " << file << "\n";
      last_file_ = file;
      return;
    }
    const auto now = std::chrono::steady_clock::now();
    if (now - last_ < std::chrono::milliseconds(100) && done < total) return;
    last_ = now;
    drawn_ = true;
    const double share =
        total > 0 ? 100.0 * static_cast<double>(done) / static_cast<double>(total) : 0;
    std::fprintf(stderr, "\r%5.1f %%  %llu of %llu MiB  %s\x1B[K", share,
                 static_cast<unsigned long long>(done >> 20),
                 static_cast<unsigned long long>(total >> 20), file.c_str());
  }
  void finish() const {
    if (drawn_) std::fprintf(stderr, "\n");
  }

 private:
  bool terminal_ = isatty(STDERR_FILENO) != 0;
  bool drawn_ = false;
  std::string last_file_;
  std::chrono::steady_clock::time_point last_;
};

Result<std::string> base_of(const PullFlags& flags, HubLayout layout) {
  std::string base = flags.mirror;
  if (base.empty()) base = environment("SEQGPT_MIRROR");
  if (base.empty() && layout == HubLayout::kHuggingFace) base = environment("HF_ENDPOINT");
  if (base.empty())
    base = layout == HubLayout::kHuggingFace ? "https://huggingface.co" : "https://modelscope.cn";
  while (base.ends_with('/')) base.pop_back();
  if (base.starts_with("https://") || base.starts_with("http://")) return base;
  return Error{ErrorCode::kInvalidArgument, "--mirror must begin with https:// or http://",
               "mirror"};
}

Result<PullOptions> options_of(const PullFlags& flags) {
  PullOptions options;
  if (flags.layout != "hf" && flags.layout != "modelscope")
    return Error{ErrorCode::kInvalidArgument, "--layout must be hf or modelscope", "layout"};
  const bool face = flags.layout == "hf";
  options.layout = face ? HubLayout::kHuggingFace : HubLayout::kModelScope;
  options.repository = flags.repository;
  options.revision = !flags.revision.empty() ? flags.revision : face ? "main" : "master";
  SEQGPT_TRY(check_repository(options.repository));
  SEQGPT_ASSIGN(options.base, base_of(flags, options.layout));
  options.out =
      !flags.out.empty() ? flags.out : options.repository.substr(options.repository.find('/') + 1);
  while (options.out.string().size() > 1 && !options.out.has_filename())
    options.out = options.out.parent_path();  // "DIR/": the part lies beside it, not in it
  return options;
}

Result<int> pull(const PullFlags& flags) {
  if (flags.offline || environment_flag("SEQGPT_OFFLINE"))
    return Error{ErrorCode::kUnsupported,
                 "pull opens a connection, and --offline (or SEQGPT_OFFLINE) forbids it: fetch the "
                 "model elsewhere and copy its directory"};
  SEQGPT_ASSIGN(PullOptions options, options_of(flags));
  PullProgress progress;
  options.progress = [&](const std::string& file, uint64_t done, uint64_t total) {
    progress(file, done, total);
  };
  const Result<PullReport> report = pull_model(options);
  progress.finish();
  if (!report.ok()) return report.error();
  std::cout << report->directory.string() << "\n";
  std::cerr << "seqgpt: " << report->files << " files, " << report->bytes << " bytes";
  if (report->unchecked > 0)
    std::cerr << "; the hub told no checksum for " << report->unchecked << " of them";
  std::cerr << "\n";
  return kOk;
}

}  // namespace

void add_pull(CLI::App& app, Chosen& chosen) {
  CLI::App* command = app.add_subcommand("pull", "fetch a model from Hugging Face or ModelScope");
  auto flags = std::make_shared<PullFlags>();
  command->add_option("MODEL", flags->repository, "owner/name, such as DAMO-NLP/SeqGPT-560M")
      ->required();
  command->add_option(
      "--mirror", flags->mirror,
      "address of a mirror (default: SEQGPT_MIRROR, HF_ENDPOINT, or the hub itself)");
  command->add_option("--revision", flags->revision,
                      "branch, tag or commit (default: main, or master on ModelScope)");
  command->add_option("--out", flags->out, "directory to make (default: the model's name)");
  command->add_option("--layout", flags->layout, "hf or modelscope: whose addresses the mirror has")
      ->capture_default_str();
  command->add_flag("--offline", flags->offline, "refuse: open no connection at all");
  command->footer(
      "Example:\n"
      "  seqgpt pull DAMO-NLP/SeqGPT-560M --mirror https://hf-mirror.com --out models/seqgpt-560m\n"
      "A broken download goes on where it stopped when the command is given again.");
  command->callback([flags, &chosen] {
    chosen = [flags] {
      const Result<int> code = pull(*flags);
      return code.ok() ? *code : fail(code.error());
    };
  });
}

}  // namespace seqgpt::cli
