// SPDX-License-Identifier: Apache-2.0
// doctor: is this machine fit to run a model as a service, and if not, what to do.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace seqgpt {

enum class Health { kOk, kWarn, kFail };

/// A sentence in both languages.
struct Bilingual {
  std::string zh;
  std::string en;
};

struct Finding {
  std::string name;  // stable, for programs: "memory"
  Health health = Health::kOk;
  Bilingual fact;  // what was found
  Bilingual mend;  // what to do; empty when all is well
};

struct DoctorOptions {
  std::filesystem::path root = "/";  // where proc and sys are, for tests
  std::string model;                 // directory of the model; empty: none was found
  std::filesystem::path data = ".";  // where jobs, logs and audit go
  int64_t now = 0;                   // seconds since 1970
  uint64_t open_files = 0;           // soft limit of this process
  bool clock_synchronised = true;    // as the kernel says
};

/// Reads files under root and the model; changes nothing and opens no connection.
std::vector<Finding> examine_machine(const DoctorOptions& options);

enum class Language { kChinese, kEnglish };
std::string doctor_text(const std::vector<Finding>& findings, Language language);
/// {"healthy", "checks": [{"name","health","fact": {"zh","en"},"mend": {"zh","en"}|null}]}
std::string doctor_json(const std::vector<Finding>& findings);
/// No check failed; warnings are allowed.
bool healthy(const std::vector<Finding>& findings);

}  // namespace seqgpt
