// SPDX-License-Identifier: Apache-2.0
// The list of checks, and their report.
#include "tools/doctor.h"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tools/doctor_checks.h"

namespace seqgpt {
namespace doctor {

constexpr size_t kKernelFileBytes = size_t{64} << 10;

Finding fine(std::string name, Bilingual fact) {
  return {std::move(name), Health::kOk, std::move(fact), {}};
}

Finding warning(std::string name, Bilingual fact, Bilingual mend) {
  return {std::move(name), Health::kWarn, std::move(fact), std::move(mend)};
}

Finding failure(std::string name, Bilingual fact, Bilingual mend) {
  return {std::move(name), Health::kFail, std::move(fact), std::move(mend)};
}

std::optional<std::string> kernel_file(const DoctorOptions& options, const std::string& path) {
  std::ifstream in(options.root / path, std::ios::binary);
  if (!in) return std::nullopt;
  std::string content(kKernelFileBytes, '\0');
  in.read(content.data(), static_cast<std::streamsize>(content.size()));
  content.resize(static_cast<size_t>(in.gcount()));
  return content;
}

std::optional<int64_t> kernel_number(const DoctorOptions& options, const std::string& path) {
  const std::optional<std::string> content = kernel_file(options, path);
  int64_t value = 0;
  if (!content) return std::nullopt;
  const auto [end, error] =
      std::from_chars(content->data(), content->data() + content->size(), value);
  return error == std::errc() ? std::optional(value) : std::nullopt;
}

}  // namespace doctor

namespace {

constexpr const char* health_name(Health health) {
  return health == Health::kOk ? "ok" : health == Health::kWarn ? "warn" : "fail";
}

size_t count(const std::vector<Finding>& findings, Health health) {
  return static_cast<size_t>(std::count_if(findings.begin(), findings.end(),
                                           [&](const Finding& f) { return f.health == health; }));
}

const std::string& in(Language language, const Bilingual& text) {
  return language == Language::kChinese ? text.zh : text.en;
}

}  // namespace

std::vector<Finding> examine_machine(const DoctorOptions& options) {
  using namespace doctor;
  constexpr Finding (*kChecks[])(const DoctorOptions&) = {
      check_cpu,        check_cores,      check_memory, check_model,   check_disk, check_open_files,
      check_huge_pages, check_swappiness, check_clock,  check_backlog, check_gpu};
  std::vector<Finding> findings;
  for (const auto check : kChecks) findings.push_back(check(options));
  return findings;
}

bool healthy(const std::vector<Finding>& findings) {
  return count(findings, Health::kFail) == 0;
}

std::string doctor_text(const std::vector<Finding>& findings, Language language) {
  std::string text;
  for (const Finding& finding : findings) {
    std::string mark = health_name(finding.health);
    mark.resize(5, ' ');
    text += mark + finding.name + ": " + in(language, finding.fact) + "\n";
    if (!finding.mend.en.empty()) text += "     → " + in(language, finding.mend) + "\n";
  }
  const std::string warnings = std::to_string(count(findings, Health::kWarn));
  const std::string failures = std::to_string(count(findings, Health::kFail));
  return text + (language == Language::kChinese
                     ? "共 " + failures + " 项不合格，" + warnings + " 项警告\n"
                     : failures + " failed, " + warnings + " warnings\n");
}

std::string doctor_json(const std::vector<Finding>& findings) {
  using Json = nlohmann::ordered_json;
  const auto both = [](const Bilingual& text) { return Json{{"zh", text.zh}, {"en", text.en}}; };
  Json checks = Json::array();
  for (const Finding& finding : findings) {
    checks.push_back({{"name", finding.name},
                      {"health", health_name(finding.health)},
                      {"fact", both(finding.fact)},
                      {"mend", finding.mend.en.empty() ? Json(nullptr) : both(finding.mend)}});
  }
  const Json report = {{"healthy", healthy(findings)}, {"checks", checks}};
  return report.dump(2, ' ', false, Json::error_handler_t::replace);
}

}  // namespace seqgpt
