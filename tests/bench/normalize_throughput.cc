// SPDX-License-Identifier: Apache-2.0
// normalize_throughput: canonical values a second of processor time on one core, over the graded
// suites in rotation.
#include <cstdio>
#include <ctime>
#include <map>
#include <string>
#include <vector>

#include "normalize/normalize.h"
#include "support/golden.h"

namespace {

using seqgpt::testing_support::Json;

struct Case {
  seqgpt::ValueKind kind;
  std::string text;
  seqgpt::ReferenceTime reference;
};

double rate(const std::vector<Case>& cases) {
  constexpr std::clock_t kLength = CLOCKS_PER_SEC;
  size_t done = 0;
  size_t kept = 0;
  const std::clock_t start = std::clock();
  std::clock_t elapsed = 0;
  for (; elapsed < kLength; elapsed = std::clock() - start) {
    for (const Case& item : cases)
      kept += seqgpt::normalize(item.kind, item.text, item.reference).fields.size();
    done += cases.size();
  }
  return kept == 0 ? 0 : static_cast<double>(done) * CLOCKS_PER_SEC / static_cast<double>(elapsed);
}

}  // namespace

int main() {
  std::vector<Case> all;
  std::map<std::string, std::vector<Case>> by_kind;
  for (const char* file :
       {"amount", "contact", "datetime", "duration", "identifiers", "number", "phone"}) {
    const auto path =
        seqgpt::testing_support::kGolden / "normalize" / (std::string(file) + ".json");
    for (const Json& item : seqgpt::testing_support::read_json(path)) {
      const std::string time =
          item["reference_time"].is_string() ? item["reference_time"].get<std::string>() : "none";
      const std::string kind = item["kind"];
      all.push_back(
          {*seqgpt::value_kind(kind), item["input"], *seqgpt::ReferenceTime::parse(time)});
      by_kind[kind].push_back(all.back());
    }
  }
  for (const auto& [kind, cases] : by_kind)
    std::printf("%-10s %10.0f values/s\n", kind.c_str(), rate(cases));
  std::printf("%-10s %10.0f values/s\n", "all", rate(all));
}
