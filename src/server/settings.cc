// SPDX-License-Identifier: Apache-2.0
// The table, and reading its values.
#include "server/settings.h"

#include <arpa/inet.h>

#include <algorithm>
#include <cctype>
#include <charconv>

namespace seqgpt {
namespace {

using enum SettingKind;

constexpr double kMost = 1e12;
constexpr double kHourMs = 3'600'000;

constexpr SettingRow kRows[] = {
    {"host", kText, "127.0.0.1", 0, 0, "address to listen on"},
    {"port", kNumber, "8000", 0, 65535, "port; 0 takes one that is free"},
    {"workers", kNumber, "2", 1, 256, "threads that read and write"},
    {"threads", kNumber, "0", 0, 1024, "compute threads; 0: the cores this process may use"},
    {"gpus", kText, "", 0, 0, "GPUs to compute on, e.g. 0,1 (needs a GPU build)"},
    {"model", kText, "", 0, 0, "directory of a checkpoint; empty: the bundled model"},
    {"isa", kText, "auto", 0, 0, "instruction set"},
    {"weights", kText, "", 0, 0, "f32, bf16, int8 or int4; empty: as the arithmetic wants"},
    {"compute", kText, "", 0, 0, "f32 or bf16; empty: the fastest"},
    {"kv", kText, "", 0, 0,
     "keys and values: f32, bf16, int8, int4 or auto; empty: as the arithmetic"},
    {"fields", kText, "", 0, 0, "JSON file of your own fields (read again on SIGHUP)"},
    {"keys", kText, "", 0, 0,
     "file of bearer keys (read again on SIGHUP); without a file no key is needed"},
    {"data_dir", kText, "", 0, 0, "directory of jobs and of the key file; empty: no jobs"},
    {"queue", kText, "", 0, 0, "redis://… shares the jobs of several machines"},
    {"key_file", kText, "", 0, 0,
     "key that jobs and audit are encrypted with; empty: "
     "DATA_DIR/secret.key"},
    {"audit_dir", kText, "", 0, 0, "directory of the audit log; empty: none"},
    {"log_file", kText, "", 0, 0, "log of JSON lines; empty: standard error"},
    {"log_level", kText, "info", 0, 0, "debug, info, warning or error"},
    {"tls_cert", kText, "", 0, 0, "PEM certificate chain"},
    {"tls_key", kText, "", 0, 0, "its PEM key"},
    {"root_path", kPath, "", 0, 0, "path below which a proxy serves this, e.g. /seqgpt"},
    {"trusted_proxy", kAddresses, "", 0, 0, "addresses whose X-Forwarded-For is believed"},
    {"cors_origin", kList, "", 0, 0, "origins of other pages that may ask; * for any"},
    {"head_bytes", kNumber, "16384", 512, 1 << 20, "of a request's line and headers"},
    {"body_bytes", kNumber, "8388608", 1, 1 << 30, "of a request's body"},
    {"head_ms", kNumber, "10000", 1, kHourMs, "for a request's head to come"},
    {"body_ms", kNumber, "60000", 1, kHourMs, "for its body"},
    {"idle_ms", kNumber, "75000", 1, kHourMs, "between two requests of a connection"},
    {"write_ms", kNumber, "30000", 1, kHourMs, "for a client to take its answer"},
    {"connections", kNumber, "20000", 1, 1'000'000, "open at a time"},
    {"connections_per_address", kNumber, "1000", 1, 1'000'000,
     "open at a time; this machine and trusted proxies are not counted"},
    {"max_queued", kNumber, "256", 1, 1'000'000, "requests that wait; beyond: 429"},
    {"max_running", kNumber, "32", 1, 4096, "requests that share the engine"},
    {"timeout_ms", kNumber, "30000", 1, kHourMs, "a request's own default"},
    {"brown_out_start_ms", kNumber, "500", 1, kHourMs, "time in the queue that starts brown-out"},
    {"brown_out_start_after_ms", kNumber, "1000", 0, kHourMs, "once it has lasted this long"},
    {"brown_out_end_ms", kNumber, "100", 1, kHourMs, "time in the queue below which it may end"},
    {"brown_out_end_after_ms", kNumber, "5000", 0, kHourMs, "once it has lasted this long"},
    {"job_items", kNumber, "8", 1, 1024, "of jobs under way at a time"},
    {"job_keep_s", kNumber, "86400", 1, kMost, "results are wiped this long after a job's end"},
    {"drain_ms", kNumber, "30000", 0, kHourMs, "for answers under way when told to end"},
};

const SettingRow* find_row(std::string_view name) {
  const auto found = std::ranges::find(kRows, name, &SettingRow::name);
  return found == std::end(kRows) ? nullptr : &*found;
}

std::string_view trimmed(std::string_view text) {
  const auto blank = [](char c) { return c == ' ' || c == '\t' || c == '\r'; };
  while (!text.empty() && blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && blank(text.back())) text.remove_suffix(1);
  return text;
}

std::optional<double> parse_number(const std::string& text) {
  double value = 0;
  const char* end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, value);
  if (read.ec != std::errc() || read.ptr != end) return std::nullopt;
  return value;
}

/// Empty, or segments of plain characters, each after a slash.
bool is_root_path(std::string_view path) {
  if (path.empty()) return true;
  if (path.front() != '/' || path.back() == '/' || path.find("//") != std::string_view::npos)
    return false;
  return std::ranges::all_of(path, [](unsigned char c) {
    return std::isalnum(c) != 0 ||
           std::string_view("/-_.~").find(static_cast<char>(c)) != std::string_view::npos;
  });
}

bool is_address(const std::string& text) {
  in6_addr address{};
  return inet_pton(AF_INET, text.c_str(), &address) == 1 ||
         inet_pton(AF_INET6, text.c_str(), &address) == 1;
}

std::string plain(double value) {
  char text[40];
  const auto end = std::to_chars(text, text + sizeof text, value, std::chars_format::fixed, 0);
  return {text, end.ptr};
}

}  // namespace

std::span<const SettingRow> setting_rows() {
  return kRows;
}

Status Settings::set(const std::string& name, const std::string& value, const std::string& origin) {
  const SettingRow* row = find_row(name);
  if (!row) {
    return Error{ErrorCode::kInvalidArgument, origin + ": there is no setting \"" + name + "\"",
                 name};
  }
  if (row->kind == kNumber) {
    const auto number = parse_number(value);
    if (!number || *number < row->minimum || *number > row->maximum) {
      return Error{ErrorCode::kInvalidArgument,
                   origin + ": " + name + " must be a number from " + plain(row->minimum) + " to " +
                       plain(row->maximum) + ", not \"" + value + "\"",
                   name};
    }
  }
  if (row->kind == kPath && !is_root_path(value)) {
    return Error{ErrorCode::kInvalidArgument,
                 origin + ": " + name +
                     " must be like /seqgpt, without a slash at its end, not \"" + value + "\"",
                 name};
  }
  values_[name] = {value, origin};
  if (row->kind != kAddresses) return {};
  for (const std::string& address : list(name)) {
    if (is_address(address)) continue;
    return Error{ErrorCode::kInvalidArgument,
                 origin + ": " + name + " takes single IP addresses, not \"" + address + "\"",
                 name};
  }
  return {};
}

Status Settings::read_file(std::string_view text, const std::string& file) {
  for (size_t line = 1; !text.empty(); ++line) {
    const size_t end = std::min(text.find('\n'), text.size());
    std::string_view one = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    one = trimmed(one.substr(0, one.find('#')));
    if (one.empty()) continue;
    const std::string origin = file + ":" + std::to_string(line);
    const size_t equals = one.find('=');
    if (equals == std::string_view::npos) {
      return Error{ErrorCode::kInvalidArgument, origin + ": a line is name = value", "config"};
    }
    SEQGPT_TRY(set(std::string(trimmed(one.substr(0, equals))),
                   std::string(trimmed(one.substr(equals + 1))), origin));
  }
  return {};
}

Status Settings::read_environment(
    const std::function<std::optional<std::string>(const std::string&)>& get) {
  for (const SettingRow& row : kRows) {
    std::string name = "SEQGPT_";
    for (const char c : row.name)
      name += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    const auto value = get(name);
    if (value && !value->empty()) SEQGPT_TRY(set(std::string(row.name), *value, name));
  }
  return {};
}

const std::string& Settings::text(std::string_view name) const {
  const auto found = values_.find(name);
  if (found != values_.end()) return found->second.value;
  static const std::map<std::string_view, std::string> initial = [] {
    std::map<std::string_view, std::string> all;
    for (const SettingRow& row : kRows) all.emplace(row.name, row.initial);
    return all;
  }();
  return initial.at(name);
}

double Settings::number(std::string_view name) const {
  return parse_number(text(name)).value_or(0);
}

std::vector<std::string> Settings::list(std::string_view name) const {
  std::vector<std::string> items;
  std::string_view rest = text(name);
  while (!rest.empty()) {
    const size_t comma = std::min(rest.find(','), rest.size());
    const std::string_view item = trimmed(rest.substr(0, comma));
    if (!item.empty()) items.emplace_back(item);
    rest.remove_prefix(std::min(comma + 1, rest.size()));
  }
  return items;
}

std::string Settings::print() const {
  std::string out;
  for (const SettingRow& row : kRows) {
    const auto found = values_.find(row.name);
    out.append(row.name).append(" = ").append(text(row.name)).append("  # ");
    out.append(found == values_.end() ? "default" : found->second.origin).append("\n");
  }
  return out;
}

}  // namespace seqgpt
