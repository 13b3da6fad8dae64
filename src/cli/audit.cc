// SPDX-License-Identifier: Apache-2.0
// seqgpt audit: reads the encrypted audit log of a service.
#include <cstdio>
#include <ctime>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/commands.h"
#include "cli/common.h"
#include "normalize/reference_time.h"
#include "server/routes.h"
#include "store/audit.h"

namespace seqgpt::cli {
namespace {

struct AuditFlags {
  std::string directory;
  std::string key_file;
  std::string since;
  std::string until;
  std::string timezone = "Asia/Shanghai";
  std::string route;
  std::string key;
  bool json = false;
};

std::string iso_time(UnixMs time) {
  const std::time_t seconds = time / 1000;
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  char text[48];
  const size_t length = std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", &parts);
  std::snprintf(text + length, sizeof text - length, ".%03dZ", static_cast<int>(time % 1000));
  return text;
}

std::string json_line(const AuditRecord& record) {
  using Json = nlohmann::ordered_json;
  const Json line = {{"time", iso_time(record.time)},
                     {"key", record.key},
                     {"route", record.route},
                     {"status", record.status},
                     {"latency_ms", record.latency_ms},
                     {"request_bytes", record.request_bytes},
                     {"answer_bytes", record.answer_bytes},
                     {"text_characters", record.text_characters},
                     {"items", record.items},
                     {"labels", record.labels},
                     {"text_hash", record.text_hash},
                     {"trace_id", record.trace_id}};
  return line.dump(-1, ' ', false, Json::error_handler_t::replace);
}

/// For people: a line of columns. Label names come from callers, so control characters go.
std::string table_line(const AuditRecord& record) {
  char head[160];
  std::snprintf(head, sizeof head, "%s  %3d  %9.1f ms  %8llu chars  ",
                iso_time(record.time).c_str(), record.status, record.latency_ms,
                static_cast<unsigned long long>(record.text_characters));
  std::string line = head + (record.key.empty() ? "-" : record.key) + "  " + record.route + "  " +
                     record.trace_id + "  ";
  for (const std::string& label : record.labels)
    line += (&label == record.labels.data() ? "" : "、") + label;
  for (char& c : line) {
    if (static_cast<unsigned char>(c) < ' ' || c == '\x7f') c = ' ';
  }
  return line;
}

Result<UnixMs> parse_time(const std::string& text, const TimeZone& zone, const std::string& option,
                          UnixMs otherwise) {
  if (text.empty()) return otherwise;
  const Result<ReferenceTime> time = ReferenceTime::parse(text, zone);
  if (!time.ok() || !time->given())
    return Error{ErrorCode::kInvalidArgument,
                 option + " must be a time such as 2026-11-30 or 2026-11-30T09:00:00+08:00",
                 option};
  return (seconds_of(time->local()) - time->zone().offset_minutes * 60) * 1000;
}

/// The names in the log of a route given by its path, or by one of them. A path has one for each
/// method.
Result<std::vector<std::string>> routes_of(const std::string& route) {
  std::vector<std::string> names;
  if (!route.empty() && !route.starts_with('/')) names.push_back(route);
  if (!route.starts_with('/')) return names;
  for (const char* method : {"GET", "POST", "DELETE"}) {
    const RouteMatch match = find_route(method, route);
    if (match.route) names.emplace_back(match.route->name.text());
  }
  if (!names.empty()) return names;
  return Error{ErrorCode::kInvalidArgument,
               "--route " + route +
                   ": the server has no such path; give one without its host and root path, such "
                   "as /extract, /v1/extract/batch or /jobs/{id}",
               "route"};
}

int tell(const AuditReport& report, uint64_t shown) {
  for (const std::string& file : report.unclosed)
    std::cerr << "seqgpt: " << file << " has no end mark: it is being written, or its writer was "
              << "killed\n";
  for (const AuditFault& fault : report.faults)
    std::cerr << "seqgpt: " << fault.file << " " << fault.problem << "\n";
  std::cerr << "seqgpt: " << shown << " of " << report.records << " records in " << report.files
            << " files\n";
  return report.faults.empty() ? kOk : kSomeFailed;
}

Result<int> audit(const AuditFlags& flags) {
  AuditFilter filter;
  SEQGPT_ASSIGN(filter.routes, routes_of(flags.route));
  filter.key = flags.key;
  SEQGPT_ASSIGN(const TimeZone zone, TimeZone::parse(flags.timezone));
  SEQGPT_ASSIGN(filter.since, parse_time(flags.since, zone, "--since", 0));
  SEQGPT_ASSIGN(filter.until, parse_time(flags.until, zone, "--until", INT64_MAX));
  SEQGPT_ASSIGN(const Vault vault, Vault::open_existing(flags.key_file));
  uint64_t shown = 0;
  SEQGPT_ASSIGN(const AuditReport report,
                read_audit(flags.directory, vault, filter, [&](const AuditRecord& record) {
                  std::cout << (flags.json ? json_line(record) : table_line(record)) << "\n";
                  ++shown;
                }));
  return tell(report, shown);
}

}  // namespace

void add_audit(CLI::App& app, Chosen& chosen) {
  CLI::App* command = app.add_subcommand("audit", "read the encrypted audit log of a service");
  auto flags = std::make_shared<AuditFlags>();
  command->add_option("--audit-dir", flags->directory, "the directory given to serve")
      ->envname("SEQGPT_AUDIT_DIR")
      ->required();
  command->add_option("--key-file", flags->key_file, "the key file given to serve")
      ->envname("SEQGPT_KEY_FILE")
      ->required();
  command->add_option("--since", flags->since,
                      "from this time on: 2026-11-30 or 2026-11-30T09:00:00");
  command->add_option("--until", flags->until, "before this time");
  command->add_option("--timezone", flags->timezone, "of --since and --until")
      ->capture_default_str();
  command->add_option("--route", flags->route,
                      "this route only, by its path (/extract, /v1/extract/batch, /jobs/{id}) or "
                      "the name it has in the log (extract, extract_batch, job)");
  command->add_option("--key", flags->key, "this key's name only");
  command->add_flag("--json", flags->json, "one JSON object a line");
  command->footer(
      "Example:\n"
      "  seqgpt audit --audit-dir /var/lib/seqgpt/audit --key-file /var/lib/seqgpt/secret.key "
      "--since "
      "2026-11-30 --json\n"
      "Exit code 3: some records could not be read; what stands before them was.");
  command->callback([flags, &chosen] {
    chosen = [flags] {
      const Result<int> code = audit(*flags);
      return code.ok() ? *code : fail(code.error());
    };
  });
}

}  // namespace seqgpt::cli
