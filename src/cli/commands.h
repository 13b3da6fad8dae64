// SPDX-License-Identifier: Apache-2.0
// The commands of seqgpt: each adds itself to the parser and leaves what it does in `chosen`.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>

namespace seqgpt::cli {

/// What the parsed command line asks for; returns an exit code.
using Chosen = std::function<int()>;

void add_extract(CLI::App& app, Chosen& chosen);
void add_classify(CLI::App& app, Chosen& chosen);
void add_prompt(CLI::App& app, Chosen& chosen);
void add_batch(CLI::App& app, Chosen& chosen);
void add_eval(CLI::App& app, Chosen& chosen);
void add_calibrate(CLI::App& app, Chosen& chosen);
void add_tokens(CLI::App& app, Chosen& chosen);
void add_logits(CLI::App& app, Chosen& chosen);
void add_generate(CLI::App& app, Chosen& chosen);
void add_inspect(CLI::App& app, Chosen& chosen);
void add_bench(CLI::App& app, Chosen& chosen);
void add_serve(CLI::App& app, Chosen& chosen);
void add_normalize(CLI::App& app, Chosen& chosen);

}  // namespace seqgpt::cli
