// SPDX-License-Identifier: Apache-2.0
// WindowReader: the windows of one text on their way through the engine, a few at a time.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <optional>

#include "constrain/span_index.h"
#include "engine/engine.h"

namespace seqgpt {

/// What one window asks of the engine. submit() leaves nothing there when it fails.
class WindowWork {
 public:
  virtual ~WindowWork() = default;
  virtual Status submit(Engine& engine) = 0;
  virtual bool ready(const Engine& engine) const = 0;
  /// Takes the results; called once, when ready.
  virtual Status collect(Engine& engine) = 0;
  /// Takes everything back: nobody will collect it.
  virtual void withdraw(Engine& engine) = 0;
};

/// Only kWindowsInFlight windows exist at a time: memory grows by the window, not by the text.
class WindowReader {
 public:
  /// The next window of the text, or nothing at its end.
  using Next = std::function<std::optional<ByteSpan>()>;
  using Make = std::function<Result<std::unique_ptr<WindowWork>>(ByteSpan window)>;
  using Done = std::function<void(WindowWork& work, ByteSpan window)>;

  WindowReader(Next next, Make make, Done done)
      : next_(std::move(next)), make_(std::move(make)), done_(std::move(done)) {}

  /// Hands what has ended to Done, in the text's order, and submits what comes next. True when
  /// every window was handed over. After an error nothing is left in the engine.
  Result<bool> advance(Engine& engine);
  /// The one window in flight when there is just one; else null.
  const WindowWork* only_window() const {
    return in_flight_.size() == 1 ? in_flight_.front().work.get() : nullptr;
  }
  /// The one that comes first in the text of those in flight; null when there is none.
  const WindowWork* first_window() const {
    return in_flight_.empty() ? nullptr : in_flight_.front().work.get();
  }
  /// Takes back what is in flight: nobody will collect it.
  void withdraw(Engine& engine);

 private:
  static constexpr size_t kWindowsInFlight = 8;

  struct InFlight {
    ByteSpan window;
    std::unique_ptr<WindowWork> work;
  };

  Status collect(Engine& engine);
  Status refill(Engine& engine);

  Next next_;
  Make make_;
  Done done_;
  std::deque<InFlight> in_flight_;
  bool all_submitted_ = false;
};

}  // namespace seqgpt
