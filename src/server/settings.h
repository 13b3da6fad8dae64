// SPDX-License-Identifier: Apache-2.0
// Settings of the server by name: one table for flags, environment, file and --print-config.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace seqgpt {

/// Lists are separated by commas.
enum class SettingKind { kText, kNumber, kList, kAddresses, kPath };

struct SettingRow {
  std::string_view name;  // --name with - for _, SEQGPT_NAME, name = value
  SettingKind kind;
  std::string_view initial;
  double minimum;  // of numbers
  double maximum;
  std::string_view help;
};
std::span<const SettingRow> setting_rows();

/// Values with where they came from. A later set() wins, so the order is: file, environment, flags.
class Settings {
 public:
  /// Errors: kInvalidArgument naming the setting, its origin and its range.
  Status set(const std::string& name, const std::string& value, const std::string& origin);
  /// `name = value` lines; blank ones and those from # on are skipped. Errors name file and line.
  Status read_file(std::string_view text, const std::string& file);
  /// Takes SEQGPT_NAME of every row; `get` is the environment.
  Status read_environment(const std::function<std::optional<std::string>(const std::string&)>& get);

  const std::string& text(std::string_view name) const;
  double number(std::string_view name) const;
  std::vector<std::string> list(std::string_view name) const;

  /// "name = value  # origin" for every row.
  std::string print() const;

 private:
  struct Value {
    std::string value;
    std::string origin;
  };
  std::map<std::string, Value, std::less<>> values_;
};

}  // namespace seqgpt
