// SPDX-License-Identifier: Apache-2.0
// Choosing the instruction set, once, when a backend is made.
#include <algorithm>
#include <system_error>

#include "backend/cpu/backend_impl.h"
#include "backend/cpu/cpu_backend.h"
#include "backend/cpu/isa.h"

namespace seqgpt {
namespace {

constexpr int kMaxThreads = 1024;

std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

Result<const cpu::Kernels*> choose(const std::string& name) {
  const cpu::Kernels* best = nullptr;
  for (const cpu::Isa& isa : cpu::known_isas()) {
    if (!isa.supported()) continue;
    best = isa.kernels;
    if (name == isa.kernels->name) return best;
  }
  if (name == "auto") return best;
  const std::vector<std::string> known = isa_names();
  const bool exists = std::find(known.begin(), known.end(), name) != known.end();
  return Error{ErrorCode::kInvalidArgument,
               (exists ? "this processor cannot run the instruction set \""
                       : "there is no instruction set named \"") +
                   name + "\"; it can run: auto, " + joined(supported_isa_names()),
               "isa"};
}

}  // namespace

std::vector<std::string> isa_names() {
  std::vector<std::string> names;
  for (const cpu::Isa& isa : cpu::known_isas()) names.emplace_back(isa.kernels->name);
  return names;
}

std::vector<std::string> supported_isa_names() {
  std::vector<std::string> names;
  for (const cpu::Isa& isa : cpu::known_isas()) {
    if (isa.supported()) names.emplace_back(isa.kernels->name);
  }
  return names;
}

bool isa_has_bf16(std::string_view isa) {
  for (const cpu::Isa& known : cpu::known_isas()) {
    if (isa == known.kernels->name) return known.kernels->native_bf16;
  }
  return false;
}

Result<std::unique_ptr<Backend>> make_cpu_backend(const CpuOptions& options) {
  SEQGPT_ASSIGN(const cpu::Kernels* kernels, choose(options.isa));
  if (options.threads < 0 || options.threads > kMaxThreads) {
    return Error{ErrorCode::kInvalidArgument,
                 "threads is " + std::to_string(options.threads) + "; it must lie in 1.." +
                     std::to_string(kMaxThreads) + " (0: as many as this process may use)",
                 "threads"};
  }
  const int threads =
      options.threads > 0 ? options.threads : std::min(usable_threads(), kMaxThreads);
  try {
    return cpu::CpuBackend::make(*kernels, threads);
  } catch (const std::system_error& failure) {
    return Error{ErrorCode::kTooLarge,
                 "cannot start " + std::to_string(threads) + " threads: " + failure.what(),
                 "threads"};
  }
}

}  // namespace seqgpt
