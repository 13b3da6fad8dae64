// SPDX-License-Identifier: Apache-2.0
// Logs as JSON lines. A line is made of names known when the program was compiled, numbers, and
// identifiers that were checked: the text of a request cannot be passed by accident.
#pragma once

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <variant>

#include "base/result.h"
#include "store/clock.h"

namespace seqgpt {

enum class LogLevel { kDebug, kInfo, kWarning, kError };
Result<LogLevel> parse_log_level(std::string_view name);  // debug, info, warning, error

/// A word of the program's own source: letters, digits and _ . / -, checked by the compiler.
class LogWord {
 public:
  template <size_t kSize>
  consteval LogWord(const char (&word)[kSize]) : word_(word, kSize - 1) {
    for (const char c : word_) {
      const bool fine = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                        (c >= '0' && c <= '9') || c == '_' || c == '.' || c == '/' || c == '-';
      if (!fine) throw "a LogWord has letters, digits and _ . / - only";
    }
  }
  std::string_view text() const { return word_; }

 private:
  std::string_view word_;
};

/// An identifier from outside (trace id, key id, job id, address, file name): at most 128 of
/// letters, digits and . _ : / @ [ ] -; anything else is written as "?".
class LogIdentifier {
 public:
  explicit LogIdentifier(std::string_view raw);
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

/// The name of an error's code ("bad_file"): its message may quote a text and is never logged.
LogWord log_word(ErrorCode code);

struct LogField {
  LogField(LogWord name, std::integral auto value)
      : name(name), value(static_cast<int64_t>(value)) {}
  LogField(LogWord name, bool value) : name(name), value(value) {}
  LogField(LogWord name, std::floating_point auto value)
      : name(name), value(static_cast<double>(value)) {}
  LogField(LogWord name, LogWord value) : name(name), value(value) {}
  LogField(LogWord name, LogIdentifier value) : name(name), value(std::move(value)) {}

  LogWord name;
  std::variant<int64_t, double, bool, LogWord, LogIdentifier> value;
};

struct LogOptions {
  std::string file;  // empty: standard error
  LogLevel level = LogLevel::kInfo;
  uint64_t max_file_bytes = uint64_t{64} << 20;  // then FILE is renamed FILE.20261130-1
  size_t keep_files = 14;                        // renamed ones
  UnixClock clock = system_unix_ms;              // days are UTC
};

/// Thread contract: any thread may call any member. A disk that is full loses lines, never the
/// program; lost() counts them.
class Log {
 public:
  static Result<std::unique_ptr<Log>> open(const LogOptions& options);
  virtual ~Log() = default;
  virtual void write(LogLevel level, LogWord event, std::initializer_list<LogField> fields) = 0;
  virtual void set_level(LogLevel level) = 0;
  /// Opens FILE anew (after an outer logrotate has moved it).
  virtual Status reopen() = 0;
  virtual uint64_t lost() const = 0;

  void info(LogWord event, std::initializer_list<LogField> fields = {}) {
    write(LogLevel::kInfo, event, fields);
  }
  void warning(LogWord event, std::initializer_list<LogField> fields = {}) {
    write(LogLevel::kWarning, event, fields);
  }
  void error(LogWord event, std::initializer_list<LogField> fields = {}) {
    write(LogLevel::kError, event, fields);
  }
};

}  // namespace seqgpt
