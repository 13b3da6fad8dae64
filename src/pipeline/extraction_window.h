// SPDX-License-Identifier: Apache-2.0
// ExtractionWindow: one window asked for labels, in groups of at most six, one constrained
// generation a group.
#pragma once

#include <memory>
#include <vector>

#include "constrain/extraction.h"
#include "pipeline/answer.h"
#include "pipeline/finding.h"
#include "pipeline/pipeline.h"
#include "pipeline/window_reader.h"

namespace seqgpt {

class ExtractionWindow final : public WindowWork {
 public:
  /// Asks `window` of the task's text for those of its labels that `labels` lists; `present` tells
  /// of every label of the task whether the text has something of its type (note_types). Task and
  /// pipeline must outlive it.
  static Result<std::unique_ptr<ExtractionWindow>> make(const Pipeline& pipeline, const Task& task,
                                                        const std::vector<size_t>& labels,
                                                        const std::vector<bool>& present,
                                                        ByteSpan window);

  Status submit(Engine& engine) override;
  bool ready(const Engine& engine) const override;
  Status collect(Engine& engine) override;
  void withdraw(Engine& engine) override { withdraw_from(engine, 0, groups_.size()); }

  /// Whether the model has chosen anything yet: else it still reads.
  bool has_chosen(const Engine& engine) const;
  /// What is decided before ready(): findings of those labels that `decided`, one for each label of
  /// the task, then tells true for.
  std::vector<Finding> findings_so_far(const Engine& engine, std::vector<bool>& decided) const;

  /// Of the whole text; without confidence and window number.
  const std::vector<Finding>& findings() const { return findings_; }
  const std::vector<Warning>& warnings() const { return warnings_; }

 private:
  /// Labels asked in one prompt.
  struct Group {
    std::vector<size_t> labels;
    std::shared_ptr<const ExtractionConstraint> constraint;
    std::vector<int32_t> prompt;
    RequestId request = 0;
  };

  ExtractionWindow(const Task& task, ByteSpan window) : task_(task), window_(window) {}
  Status add_group(const Pipeline& pipeline, std::vector<std::shared_ptr<const SpanIndex>> indices,
                   std::vector<size_t> labels);
  std::string_view text() const;
  Finding finding_of(const Group& group, const ExtractedValue& value,
                     const std::vector<TokenChoice>& choices) const;
  void add(const Group& group, const ExtractedValue& value,
           const std::vector<TokenChoice>& choices);
  void warn_of_cut(const Group& group, size_t tokens);
  void withdraw_from(Engine& engine, size_t first, size_t end);

  const Task& task_;
  ByteSpan window_;
  std::vector<Group> groups_;
  std::vector<Finding> findings_;
  std::vector<Warning> warnings_;
};

}  // namespace seqgpt
