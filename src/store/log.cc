// SPDX-License-Identifier: Apache-2.0
// JSON lines through spdlog, with a file that turns over by size and day.
#include "store/log.h"

#include <spdlog/details/file_helper.h>
#include <spdlog/logger.h>
#include <spdlog/sinks/base_sink.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <sys/stat.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <mutex>
#include <vector>

#include "store/private_file.h"
#include "store/utc_day.h"

namespace seqgpt {
namespace {

constexpr size_t kMaxIdentifier = 128;
constexpr int kMaxTurns = 9999;  // of one day

spdlog::level::level_enum spdlog_level(LogLevel level) {
  switch (level) {
    case LogLevel::kDebug:
      return spdlog::level::debug;
    case LogLevel::kWarning:
      return spdlog::level::warn;
    case LogLevel::kError:
      return spdlog::level::err;
    default:
      return spdlog::level::info;
  }
}

std::string_view level_name(LogLevel level) {
  constexpr std::string_view kNames[] = {"debug", "info", "warning", "error"};
  return kNames[static_cast<size_t>(level)];
}

/// FILE, renamed FILE.20261130-1 when its day or its size is over.
class TurningFileSink : public spdlog::sinks::base_sink<std::mutex> {
 public:
  explicit TurningFileSink(LogOptions options) : options_(std::move(options)) { open(); }

  void reopen() {
    const std::lock_guard guard(mutex_);
    file_.close();
    open();
  }

 protected:
  void sink_it_(const spdlog::details::log_msg& message) override {
    const int64_t today = utc_day(options_.clock());
    if (size_ > 0 && (today != day_ || size_ + message.payload.size() > options_.max_file_bytes))
      turn();
    day_ = today;
    spdlog::memory_buf_t line;
    line.append(message.payload.data(), message.payload.data() + message.payload.size());
    file_.write(line);
    file_.flush();
    size_ += line.size();
  }
  void flush_() override { file_.flush(); }

 private:
  void open() {
    file_.open(options_.file);
    size_ = file_.size();
    struct stat facts{};
    const bool known = size_ > 0 && ::stat(options_.file.c_str(), &facts) == 0;
    day_ = utc_day(known ? UnixMs{facts.st_mtime} * 1000 : options_.clock());
  }

  void turn() {
    file_.close();
    const std::string stem = options_.file + "." + utc_date(day_ * 86'400'000) + "-";
    std::error_code error;
    int number = 1;
    while (number < kMaxTurns && std::filesystem::exists(stem + std::to_string(number), error))
      ++number;
    std::filesystem::rename(options_.file, stem + std::to_string(number), error);
    remove_old();
    open();
  }

  void remove_old() {
    const std::filesystem::path path = options_.file;
    const std::string prefix = path.filename().string() + ".";
    // By name alone 10 would stand before 2: the order is that of day, then number.
    std::vector<std::pair<std::pair<std::string, int>, std::filesystem::path>> old;
    std::error_code error;
    std::filesystem::directory_iterator entry(
        path.has_parent_path() ? path.parent_path() : std::filesystem::path("."), error);
    for (; !error && entry != std::filesystem::directory_iterator(); entry.increment(error)) {
      const std::string name = entry->path().filename().string();
      const size_t dash = name.rfind('-');
      if (!name.starts_with(prefix) || dash == std::string::npos) continue;
      const std::string day = name.substr(prefix.size(), dash - prefix.size());
      int number = 0;
      const auto [end, bad] =
          std::from_chars(name.data() + dash + 1, name.data() + name.size(), number);
      if (day.size() != 8 || bad != std::errc() || end != name.data() + name.size()) continue;
      old.push_back({{day, number}, entry->path()});
    }
    std::sort(old.begin(), old.end());
    for (size_t i = 0; i + options_.keep_files < old.size(); ++i)
      std::filesystem::remove(old[i].second, error);
  }

  LogOptions options_;
  spdlog::details::file_helper file_;
  uint64_t size_ = 0;
  int64_t day_ = 0;
};

void append_value(std::string& line, const LogField& field) {
  if (const auto* number = std::get_if<int64_t>(&field.value)) {
    line += std::to_string(*number);
  } else if (const auto* real = std::get_if<double>(&field.value)) {
    char text[32];
    const auto end = std::to_chars(text, text + sizeof text, *real, std::chars_format::general, 6);
    line += std::isfinite(*real) ? std::string_view(text, end.ptr) : "null";
  } else if (const auto* flag = std::get_if<bool>(&field.value)) {
    line += *flag ? "true" : "false";
  } else if (const auto* word = std::get_if<LogWord>(&field.value)) {
    line.append("\"").append(word->text()).append("\"");
  } else {
    line.append("\"").append(std::get<LogIdentifier>(field.value).text()).append("\"");
  }
}

class SpdLog : public Log {
 public:
  SpdLog(LogOptions options, std::shared_ptr<TurningFileSink> file, spdlog::sink_ptr sink)
      : options_(std::move(options)), file_(std::move(file)), logger_("seqgpt", std::move(sink)) {
    logger_.set_error_handler([this](const std::string&) { ++lost_; });
    logger_.set_level(spdlog_level(options_.level));
  }

  void write(LogLevel level, LogWord event, std::initializer_list<LogField> fields) override {
    if (!logger_.should_log(spdlog_level(level))) return;
    std::string line = "{\"time\":\"" + utc_iso(options_.clock()) + "\",\"level\":\"";
    line.append(level_name(level)).append("\",\"event\":\"").append(event.text()).append("\"");
    for (const LogField& field : fields) {
      line.append(",\"").append(field.name.text()).append("\":");
      append_value(line, field);
    }
    line += "}\n";
    logger_.log(spdlog_level(level), spdlog::string_view_t(line.data(), line.size()));
  }
  void set_level(LogLevel level) override { logger_.set_level(spdlog_level(level)); }
  Status reopen() override;
  uint64_t lost() const override { return lost_; }

 private:
  LogOptions options_;
  std::shared_ptr<TurningFileSink> file_;  // null: standard error
  std::atomic<uint64_t> lost_{0};
  spdlog::logger logger_;
};

Status SpdLog::reopen() {
  try {
    if (file_) file_->reopen();
  } catch (const spdlog::spdlog_ex& error) {
    return Error{ErrorCode::kIo, "cannot open the log " + options_.file + ": " + error.what()};
  }
  return {};
}

/// Lines come whole: the sink adds nothing.
class PlainFormatter : public spdlog::formatter {
 public:
  void format(const spdlog::details::log_msg& message, spdlog::memory_buf_t& out) override {
    out.append(message.payload.data(), message.payload.data() + message.payload.size());
  }
  std::unique_ptr<spdlog::formatter> clone() const override {
    return std::make_unique<PlainFormatter>();
  }
};

}  // namespace

Result<LogLevel> parse_log_level(std::string_view name) {
  for (const LogLevel level :
       {LogLevel::kDebug, LogLevel::kInfo, LogLevel::kWarning, LogLevel::kError}) {
    if (level_name(level) == name) return level;
  }
  return Error{ErrorCode::kInvalidArgument, "the log level must be debug, info, warning or error",
               "log_level"};
}

LogIdentifier::LogIdentifier(std::string_view raw) : text_(raw) {
  constexpr std::string_view kFine =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._:/@[]-";
  if (raw.size() > kMaxIdentifier || raw.find_first_not_of(kFine) != std::string_view::npos)
    text_ = "?";
}

LogWord log_word(ErrorCode code) {
  switch (code) {
    case ErrorCode::kInvalidArgument:
      return "invalid_argument";
    case ErrorCode::kNotFound:
      return "not_found";
    case ErrorCode::kTooLarge:
      return "too_large";
    case ErrorCode::kUnbuildable:
      return "unbuildable";
    case ErrorCode::kBadFile:
      return "bad_file";
    case ErrorCode::kUnsupported:
      return "unsupported";
    case ErrorCode::kNonFinite:
      return "non_finite";
    case ErrorCode::kCancelled:
      return "cancelled";
    case ErrorCode::kOverloaded:
      return "overloaded";
    case ErrorCode::kIo:
      return "io";
    default:
      return "internal";
  }
}

Result<std::unique_ptr<Log>> Log::open(const LogOptions& options) {
  try {
    std::shared_ptr<TurningFileSink> file;
    spdlog::sink_ptr sink;
    if (options.file.empty()) {
      sink = std::make_shared<spdlog::sinks::stderr_sink_mt>();
    } else {
      sink = file = std::make_shared<TurningFileSink>(options);
    }
    sink->set_formatter(std::make_unique<PlainFormatter>());
    return std::unique_ptr<Log>(
        std::make_unique<SpdLog>(options, std::move(file), std::move(sink)));
  } catch (const std::exception& error) {
    return Error{ErrorCode::kIo, "cannot open the log " + options.file + ": " + error.what() +
                                     "; check its directory and mode"};
  }
}

}  // namespace seqgpt
