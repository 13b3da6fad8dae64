// SPDX-License-Identifier: Apache-2.0
// BoundaryWindow: one window read once more for the boundary head, which moves the ends of the
// values found there.
#pragma once

#include <array>
#include <map>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "model/boundary_head.h"
#include "pipeline/finding.h"
#include "pipeline/pipeline.h"
#include "pipeline/window_reader.h"

namespace seqgpt {

/// A value whose ends are to be judged; `span` is of the whole text and lies in the window.
struct OpenValue {
  size_t label = 0;  // index into the task's labels
  ByteSpan span;
};

/// In characters; training/boundary_head.py has the same.
inline constexpr int kBoundaryReach = 3;

/// Where a value may begin and end by the constraint's own rules (span_text.h).
class EndPlaces {
 public:
  explicit EndPlaces(std::string_view text);
  /// The span itself, then those it may be moved to (BoundaryWindow).
  std::vector<ByteSpan> candidates(ByteSpan span) const;

 private:
  std::vector<size_t> near(size_t at, const std::vector<bool>& allowed) const;
  bool cuts_word(size_t at) const;
  bool keeps_line(ByteSpan own, ByteSpan moved) const;

  std::string_view text_;
  std::vector<bool> begins_;  // by byte of the text
  std::vector<bool> ends_;    // by byte, end exclusive
};

/// Candidates are the spans whose ends are up to kBoundaryReach characters away and may stand
/// there, with nothing of another line, where the rules of boundary.h find nothing to do and no
/// number or Latin word is cut. The best one is taken when
/// its score is ahead of the value's own by the head's margin.
class BoundaryWindow final : public WindowWork {
 public:
  /// The pipeline has a head; pipeline and task must outlive it.
  static std::unique_ptr<BoundaryWindow> make(const Pipeline& pipeline, const Task& task,
                                              ByteSpan window, std::vector<OpenValue> values);

  Status submit(Engine& engine) override;
  bool ready(const Engine& engine) const override;
  Status collect(Engine& engine) override;
  void withdraw(Engine& engine) override { withdraw_from(engine, 0); }

  /// In the order given, after collect() with their ends as the head has them.
  const std::vector<OpenValue>& values() const { return values_; }

 private:
  /// The states of one span's slots, as positions in the prompt.
  struct Judged {
    ByteSpan span;
    std::array<int, BoundaryHead::kSlots> slots{};
    std::array<float, BoundaryHead::kScalars> scalars{};
  };
  /// Values whose labels are asked in one prompt.
  struct Group {
    std::vector<size_t> values;               // indices into values_
    std::vector<std::vector<Judged>> judged;  // of each value
    std::vector<int32_t> prompt;
    std::vector<int> positions;  // ascending
    RequestId request = 0;
  };
  using Projections = std::map<std::pair<size_t, int>, std::vector<float>>;  // by slot and position

  BoundaryWindow(const Pipeline& pipeline, const Task& task, ByteSpan window,
                 std::vector<OpenValue> values);
  void add_group(const std::vector<size_t>& labels, const EndPlaces& places);
  ByteSpan best(const std::vector<Judged>& judged, Projections& projections,
                const std::vector<int>& positions, const LogitsAnswer& states) const;
  void withdraw_from(Engine& engine, size_t first);

  const Pipeline& pipeline_;
  const Task& task_;
  ByteSpan window_;
  std::vector<OpenValue> values_;
  std::vector<Group> groups_;
};

/// Reads every window that has values whose ends no form settles (of types text, person, org and
/// place, without pattern and one_of), each value with the first window that holds it; moves the
/// ends of `findings`. All three must outlive the reader; the findings stay as many and in order.
WindowReader boundary_reader(const Pipeline& pipeline, const Task& task,
                             std::vector<Finding>& findings);

}  // namespace seqgpt
