// SPDX-License-Identifier: Apache-2.0
// Error and Result<T>: how every folder of ours reports failure; no exception crosses a folder.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <variant>

namespace seqgpt {

/// What went wrong, by who can mend it. src/api maps each to an HTTP status, src/cli to an exit
/// code.
enum class ErrorCode {
  kInvalidArgument,  // the caller's value is wrong: 400
  kNotFound,         // a file, a model, a job that is not there: 404
  kTooLarge,         // a stated limit is exceeded: 413
  kUnbuildable,      // a constraint that cannot be built: 422
  kBadFile,          // a file's content is damaged or hostile
  kUnsupported,      // well formed, but nothing we know how to run
  kNonFinite,        // NaN or infinity came out of the network
  kCancelled,
  kOverloaded,
  kIo,
  kInternal,
};

/// A failure in plain words: message says what, where and how to mend it; param names the field.
struct Error {
  ErrorCode code = ErrorCode::kInternal;
  std::string message;
  std::string param = {};
};

/// Either a value or an Error. Test with ok() before value(); value() on an error is a programmer
/// error.
template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}

  bool ok() const { return state_.index() == 0; }
  explicit operator bool() const { return ok(); }
  T& value() & { return std::get<0>(state_); }
  const T& value() const& { return std::get<0>(state_); }
  T&& value() && { return std::get<0>(std::move(state_)); }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }
  const Error& error() const& { return std::get<1>(state_); }
  Error&& error() && { return std::get<1>(std::move(state_)); }

 private:
  std::variant<T, Error> state_;
};

/// Success, or an Error.
template <>
class [[nodiscard]] Result<void> {
 public:
  Result() = default;
  Result(Error error) : error_(std::move(error)) {}

  bool ok() const { return !error_.has_value(); }
  explicit operator bool() const { return ok(); }
  const Error& error() const& { return *error_; }
  Error&& error() && { return *std::move(error_); }

 private:
  std::optional<Error> error_;
};

using Status = Result<void>;

}  // namespace seqgpt

#define SEQGPT_JOIN_INNER(a, b) a##b
#define SEQGPT_JOIN(a, b) SEQGPT_JOIN_INNER(a, b)

/// SEQGPT_TRY(Status expression): returns the error from the enclosing function, else goes on.
#define SEQGPT_TRY(expression)                                    \
  do {                                                            \
    if (auto seqgpt_status = (expression); !seqgpt_status.ok()) { \
      return std::move(seqgpt_status).error();                    \
    }                                                             \
  } while (false)

// NOLINTBEGIN(bugprone-macro-parentheses): a declaration cannot stand in parentheses
/// SEQGPT_ASSIGN(auto x, Result expression): binds the value, or returns the error.
#define SEQGPT_ASSIGN(target, expression) \
  SEQGPT_ASSIGN_INNER(SEQGPT_JOIN(seqgpt_result_, __LINE__), target, expression)
#define SEQGPT_ASSIGN_INNER(result, target, expression) \
  auto result = (expression);                           \
  if (!result.ok()) return std::move(result).error();   \
  target = std::move(result).value()
// NOLINTEND(bugprone-macro-parentheses)
