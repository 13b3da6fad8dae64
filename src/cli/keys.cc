// SPDX-License-Identifier: Apache-2.0
// seqgpt keys: makes and lists the bearer keys of a service.
#include <iostream>
#include <memory>

#include "cli/commands.h"
#include "cli/common.h"
#include "store/keys.h"

namespace seqgpt::cli {
namespace {

struct KeysFlags {
  std::string file;
  std::string name;
  std::optional<uint32_t> rate;
};

Result<int> add(const KeysFlags& flags) {
  SEQGPT_ASSIGN(const std::string key, add_key(flags.file, flags.name, flags.rate));
  std::cout << key << "\n";
  std::cerr
      << "seqgpt: added " << flags.name << " to " << flags.file
      << "; this key is shown once and stored nowhere. A running service reads the file again "
         "on SIGHUP\n";
  return kOk;
}

Result<int> list(const KeysFlags& flags) {
  SEQGPT_ASSIGN(const KeyRing ring, KeyRing::load(flags.file));
  for (const KeyEntry& entry : ring.entries()) {
    std::cout << entry.id << "\t"
              << (entry.rate_per_minute ? std::to_string(*entry.rate_per_minute) + "/min" : "-")
              << "\n";
  }
  return kOk;
}

void add_file(CLI::App& command, KeysFlags& flags) {
  command.add_option("--keys-file", flags.file, "the file of hashed keys (as given to serve)")
      ->envname("SEQGPT_KEYS_FILE")
      ->required();
}

}  // namespace

void add_keys(CLI::App& app, Chosen& chosen) {
  CLI::App* command = app.add_subcommand("keys", "make and list the bearer keys of a service");
  command->require_subcommand(1);
  auto flags = std::make_shared<KeysFlags>();
  CLI::App* adding = command->add_subcommand("add", "make a key, print it once, store its hash");
  adding->add_option("NAME", flags->name, "who has it: letters, digits, . _ -")->required();
  adding->add_option("--rate", flags->rate, "requests a minute (default: unlimited)");
  add_file(*adding, *flags);
  CLI::App* listing = command->add_subcommand("list", "names and rates");
  add_file(*listing, *flags);
  command->footer(
      "Example:\n"
      "  seqgpt keys add crm --rate 600 --keys-file /etc/seqgpt/keys\n"
      "To withdraw a key, delete its line and send the service SIGHUP.");
  const auto choose = [flags, &chosen](Result<int> (*work)(const KeysFlags&)) {
    return [flags, &chosen, work] {
      chosen = [flags, work] {
        const Result<int> code = work(*flags);
        return code.ok() ? *code : fail(code.error());
      };
    };
  };
  adding->callback(choose(add));
  listing->callback(choose(list));
}

}  // namespace seqgpt::cli
