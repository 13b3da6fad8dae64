// SPDX-License-Identifier: Apache-2.0
// Checkpoints with a classification head: BIO tags to entities, and class probabilities of a whole
// text.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "base/utf8.h"
#include "pipeline/canonical.h"
#include "pipeline/finding.h"
#include "pipeline/job.h"
#include "pipeline/window_reader.h"
#include "pipeline/windows.h"

namespace seqgpt {
namespace {

std::vector<double> softmax(const std::vector<float>& logits) {
  const float top = *std::ranges::max_element(logits);
  std::vector<double> weights;
  for (const float logit : logits) weights.push_back(std::exp(static_cast<double>(logit) - top));
  const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
  for (double& weight : weights) weight /= sum;
  return weights;
}

/// Each class on its own.
std::vector<double> sigmoids(const std::vector<float>& logits) {
  std::vector<double> probabilities;
  for (const float logit : logits)
    probabilities.push_back(1 / (1 + std::exp(-static_cast<double>(logit))));
  return probabilities;
}

/// "B-PER" is {'B', "PER"}; "PER" is {'I', "PER"}, as HF's "simple" aggregation reads it; "O" has
/// no type.
struct Tag {
  char place = 'I';
  std::string_view type;
};

Tag read_tag(std::string_view name) {
  if (name == "O") return {'O', {}};
  if (name.starts_with("B-")) return {'B', name.substr(2)};
  if (name.starts_with("I-")) return {'I', name.substr(2)};
  return {'I', name};
}

/// A run of tokens under one type; a new one begins at B-, or where the type changes.
struct TaggedSpan {
  std::string_view type;
  uint32_t start = 0;  // code points
  uint32_t end = 0;
  double score_sum = 0;
  int tokens = 0;
};

std::vector<TaggedSpan> decode_tags(const std::vector<Token>& tokens,
                                    const std::vector<std::vector<float>>& logits,
                                    const std::vector<std::string>& names) {
  std::vector<TaggedSpan> spans;
  bool open = false;
  for (size_t i = 0; i < tokens.size(); ++i) {
    const std::vector<double> probabilities = softmax(logits[i]);
    const auto best =
        static_cast<size_t>(std::ranges::max_element(probabilities) - probabilities.begin());
    const Tag tag = read_tag(names[best]);
    if (tag.place == 'O') {
      open = false;
      continue;
    }
    if (!open || tag.place == 'B' || spans.back().type != tag.type) {
      spans.push_back({tag.type, tokens[i].start, tokens[i].end, 0, 0});
      open = true;
    }
    spans.back().end = std::max(spans.back().end, tokens[i].end);
    spans.back().score_sum += probabilities[best];
    ++spans.back().tokens;
  }
  return spans;
}

/// Byte position of every code point of a valid text, and its end.
std::vector<size_t> byte_positions(std::string_view text) {
  std::vector<size_t> positions;
  for (size_t at = 0; at < text.size(); ++at) {
    if (utf8_boundary(text, at)) positions.push_back(at);
  }
  positions.push_back(text.size());
  return positions;
}

/// Type names of the tags, in order of first appearance.
std::vector<Label> labels_of_tags(const std::vector<std::string>& class_names) {
  std::vector<Label> labels;
  for (const std::string& name : class_names) {
    const std::string type(read_tag(name).type);
    const auto known = [&](const Label& label) { return label.name == type; };
    if (!type.empty() && std::ranges::none_of(labels, known)) labels.push_back({type, type, {}});
  }
  return labels;
}

/// One window's raw outputs after given tokens.
class LogitsWindow final : public WindowWork {
 public:
  explicit LogitsWindow(LogitsQuery query) : query_(std::move(query)) {}

  Status submit(Engine& engine) override {
    SEQGPT_ASSIGN(id_, engine.submit(std::move(query_)));
    return {};
  }
  bool ready(const Engine& engine) const override { return engine.done(id_); }
  Status collect(Engine& engine) override {
    SEQGPT_ASSIGN(logits_, engine.take_logits(id_));
    return {};
  }
  void withdraw(Engine& engine) override {
    engine.cancel(id_);
    (void)engine.take_logits(id_);
  }

  const std::vector<std::vector<float>>& values() const { return logits_.values; }

 private:
  LogitsQuery query_;
  LogitsAnswer logits_;
  RequestId id_ = 0;
};

Error no_such_class(size_t label, const std::string& name, const std::string& what,
                    const std::vector<std::string>& known) {
  const std::string where = "labels[" + std::to_string(label) + "]";
  std::string message = "this checkpoint " + what + "; it has no \"" + name + "\", but";
  for (const std::string& own : known) message += " " + own;
  return {ErrorCode::kInvalidArgument, message, where};
}

/// The windows of a task's text, each one forward pass.
class HeadJob : public Job {
 public:
  HeadJob(const Pipeline& pipeline, const ModelConfig& config, const Task& task)
      : pipeline_(pipeline), config_(config), task_(task), labels_(task.labels) {
    const auto make = [this](ByteSpan window) -> Result<std::unique_ptr<WindowWork>> {
      return std::unique_ptr<WindowWork>(std::make_unique<LogitsWindow>(query(window)));
    };
    const auto done = [this](WindowWork& work, ByteSpan window) {
      add(static_cast<const LogitsWindow&>(work).values(), window);
    };
    reader_.emplace(windows_of(pipeline.tokenizer(), task.text, task.options.window_tokens), make,
                    done);
  }

  Result<bool> advance(Engine& engine) override { return reader_->advance(engine); }
  void withdraw(Engine& engine) override { reader_->withdraw(engine); }

 protected:
  virtual LogitsQuery query(ByteSpan window) const = 0;
  virtual void add(const std::vector<std::vector<float>>& logits, ByteSpan window) = 0;

  std::string_view text(ByteSpan window) const {
    return std::string_view(task_.text).substr(window.begin, window.end - window.begin);
  }

  const Pipeline& pipeline_;
  const ModelConfig& config_;
  const Task& task_;
  std::vector<Label> labels_;

 private:
  std::optional<WindowReader> reader_;
};

class TaggingJob final : public HeadJob {
 public:
  using HeadJob::HeadJob;

  Status check_labels() {
    if (!task_.options.record.empty()) {
      return Error{ErrorCode::kUnsupported,
                   "record needs a language model; this checkpoint tags tokens", "record"};
    }
    SEQGPT_ASSIGN(reference_, reference_of(task_));
    const std::vector<Label> known = labels_of_tags(config_.class_names);
    if (labels_.empty()) labels_ = known;
    std::vector<std::string> types;
    for (const Label& label : known) types.push_back(label.name);
    for (size_t i = 0; i < labels_.size(); ++i) {
      const std::string_view own = pipeline_.label_map().own_name(labels_[i].name);
      const auto same = [&](const std::string& type) { return same_name(type, own); };
      if (std::ranges::none_of(types, same))
        return no_such_class(i, labels_[i].name, "tags its own types only", types);
    }
    return {};
  }

  Answer answer() override {
    // A tagger means every occurrence it tags.
    merge_findings(task_.text, std::vector<bool>(labels_.size(), true),
                   std::vector<bool>(labels_.size()), findings_);
    Answer answer;
    answer.labels = labels_;
    for (const Finding& finding : findings_) {
      if (finding.confidence >= task_.options.min_confidence)
        answer.entities.push_back(
            {finding.label, finding.span, {}, finding.evidence, finding.confidence});
    }
    if (task_.options.normalize) add_canonical(answer, task_, reference_);
    return answer;
  }

 private:
  LogitsQuery query(ByteSpan window) const override {
    LogitsQuery query;
    query.prompt = pipeline_.tokenizer().encode(text(window));
    query.positions.resize(query.prompt.size());
    std::iota(query.positions.begin(), query.positions.end(), 0);
    return query;
  }

  void add(const std::vector<std::vector<float>>& logits, ByteSpan window) override {
    const std::vector<size_t> at = byte_positions(text(window));
    const std::vector<Token> tokens = pipeline_.tokenizer().encode_with_offsets(text(window));
    for (const TaggedSpan& span : decode_tags(tokens, logits, config_.class_names)) {
      for (size_t label = 0; label < labels_.size(); ++label) {
        if (!same_name(pipeline_.label_map().own_name(labels_[label].name), span.type)) continue;
        Finding finding;
        finding.label = label;
        finding.span = {window.begin + at[span.start], window.begin + at[span.end]};
        finding.confidence = span.score_sum / span.tokens;
        finding.window = windows_;
        findings_.push_back(finding);
      }
    }
    ++windows_;
  }

  ReferenceTime reference_;
  std::vector<Finding> findings_;
  size_t windows_ = 0;
};

class HeadClassificationJob final : public HeadJob {
 public:
  using HeadJob::HeadJob;

  /// Asked labels must be classes of the head; none asked means all.
  Status check_labels() {
    if (labels_.empty()) {
      for (const std::string& name : config_.class_names) labels_.push_back({name, name, {}});
    }
    for (size_t i = 0; i < labels_.size(); ++i) {
      const std::string_view own = pipeline_.label_map().own_name(labels_[i].name);
      const auto same = [&](const std::string& name) { return same_name(name, own); };
      const auto found = std::ranges::find_if(config_.class_names, same);
      if (found == config_.class_names.end())
        return no_such_class(i, labels_[i].name, "knows its own classes only", config_.class_names);
      classes_.push_back(static_cast<size_t>(found - config_.class_names.begin()));
    }
    sums_.resize(labels_.size());
    return {};
  }

  Answer answer() override {
    for (double& sum : sums_) sum /= characters_;
    return classes_answer(task_, labels_, sums_);
  }

 private:
  LogitsQuery query(ByteSpan window) const override {
    LogitsQuery query;
    query.prompt = pipeline_.tokenizer().encode(text(window));
    query.positions = {static_cast<int>(query.prompt.size()) - 1};
    return query;
  }

  void add(const std::vector<std::vector<float>>& logits, ByteSpan window) override {
    std::vector<float> asked;
    for (const size_t index : classes_) asked.push_back(logits[0][index]);
    const auto length = static_cast<double>(utf8_count(text(window)));
    const std::vector<double> probabilities =
        task_.options.multi ? sigmoids(asked) : softmax(asked);
    for (size_t i = 0; i < sums_.size(); ++i) sums_[i] += length * probabilities[i];
    characters_ += length;
  }

  std::vector<size_t> classes_;
  std::vector<double> sums_;
  double characters_ = 0;
};

template <typename HeadJobType>
Result<std::unique_ptr<Job>> make_head_job(const Pipeline& pipeline, const ModelConfig& config,
                                           const Task& task) {
  auto job = std::make_unique<HeadJobType>(pipeline, config, task);
  SEQGPT_TRY(job->check_labels());
  return std::unique_ptr<Job>(std::move(job));
}

}  // namespace

Result<std::unique_ptr<Job>> make_tagging_job(const Pipeline& pipeline, const ModelConfig& config,
                                              const Task& task) {
  return make_head_job<TaggingJob>(pipeline, config, task);
}

Result<std::unique_ptr<Job>> make_head_classification_job(const Pipeline& pipeline,
                                                          const ModelConfig& config,
                                                          const Task& task) {
  return make_head_job<HeadClassificationJob>(pipeline, config, task);
}

}  // namespace seqgpt
