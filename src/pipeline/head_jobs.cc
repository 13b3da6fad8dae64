// SPDX-License-Identifier: Apache-2.0
// Checkpoints with a classification head: BIO tags to entities, and class probabilities of a whole
// text.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "base/utf8.h"
#include "pipeline/job.h"

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

bool same_name(std::string_view a, std::string_view b) {  // Latin letters compare without case
  return std::ranges::equal(
      a, b, [](unsigned char x, unsigned char y) { return std::tolower(x) == std::tolower(y); });
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

class TaggingJob final : public Job {
 public:
  TaggingJob(const ModelConfig& config, const Task& task)
      : config_(config), task_(task), labels_(task.labels) {}

  Status prepare(const Pipeline& pipeline) {
    const std::vector<Label> known = labels_of_tags(config_.class_names);
    if (labels_.empty()) labels_ = known;
    for (size_t i = 0; i < labels_.size(); ++i) {
      const auto same = [&](const Label& label) { return same_name(label.name, labels_[i].name); };
      if (std::ranges::any_of(known, same)) continue;
      std::string message =
          "this checkpoint tags its own types only; it has no \"" + labels_[i].name + "\", but";
      for (const Label& label : known) message += " " + label.name;
      return Error{ErrorCode::kInvalidArgument, message, "labels[" + std::to_string(i) + "]"};
    }
    tokens_ = pipeline.tokenizer().encode_with_offsets(task_.text);
    return {};
  }

  Status submit(Engine& engine) override {
    LogitsQuery query;
    for (const Token& token : tokens_) query.prompt.push_back(token.id);
    query.positions.resize(tokens_.size());
    std::iota(query.positions.begin(), query.positions.end(), 0);
    SEQGPT_ASSIGN(id_, engine.submit(std::move(query)));
    return {};
  }

  bool ready(const Engine& engine) const override { return engine.done(id_); }

  Result<Answer> collect(Engine& engine) override {
    SEQGPT_ASSIGN(const LogitsAnswer logits, engine.take_logits(id_));
    const std::vector<size_t> at = byte_positions(task_.text);
    Answer answer;
    answer.labels = labels_;
    for (const TaggedSpan& span : decode_tags(tokens_, logits.values, config_.class_names)) {
      const auto same = [&](const Label& label) { return same_name(label.name, span.type); };
      const auto label = std::ranges::find_if(labels_, same);
      if (label == labels_.end()) continue;
      answer.entities.push_back({static_cast<size_t>(label - labels_.begin()),
                                 {at[span.start], at[span.end]},
                                 span.score_sum / span.tokens});
    }
    std::ranges::stable_sort(answer.entities, {},
                             [](const Entity& e) { return std::pair(e.label, e.span.begin); });
    return answer;
  }

 private:
  const ModelConfig& config_;
  const Task& task_;
  std::vector<Label> labels_;
  std::vector<Token> tokens_;
  RequestId id_ = 0;
};

class HeadClassificationJob final : public Job {
 public:
  HeadClassificationJob(const ModelConfig& config, const Task& task)
      : config_(config), task_(task), labels_(task.labels) {}

  /// Asked labels must be classes of the head; none asked means all.
  Status prepare(const Pipeline& pipeline) {
    if (labels_.empty()) {
      for (const std::string& name : config_.class_names) labels_.push_back({name, name, {}});
    }
    for (size_t i = 0; i < labels_.size(); ++i) {
      const auto same = [&](const std::string& name) { return same_name(name, labels_[i].name); };
      const auto found = std::ranges::find_if(config_.class_names, same);
      if (found == config_.class_names.end()) {
        std::string message = "this checkpoint knows its own classes only; it has no \"" +
                              labels_[i].name + "\", but";
        for (const std::string& name : config_.class_names) message += " " + name;
        return Error{ErrorCode::kInvalidArgument, message, "labels[" + std::to_string(i) + "]"};
      }
      classes_.push_back(static_cast<size_t>(found - config_.class_names.begin()));
    }
    query_.prompt = pipeline.tokenizer().encode(task_.text);
    query_.positions = {static_cast<int>(query_.prompt.size()) - 1};
    return {};
  }

  Status submit(Engine& engine) override {
    SEQGPT_ASSIGN(id_, engine.submit(std::move(query_)));
    return {};
  }

  bool ready(const Engine& engine) const override { return engine.done(id_); }

  Result<Answer> collect(Engine& engine) override {
    SEQGPT_ASSIGN(const LogitsAnswer logits, engine.take_logits(id_));
    std::vector<float> asked;
    for (const size_t index : classes_) asked.push_back(logits.values[0][index]);
    const std::vector<double> probabilities = softmax(asked);
    Answer answer;
    answer.kind = TaskKind::kClassify;
    answer.labels = labels_;
    for (size_t i = 0; i < labels_.size(); ++i) answer.classes.push_back({i, probabilities[i]});
    std::ranges::stable_sort(answer.classes, std::greater{}, &ClassScore::probability);
    return answer;
  }

 private:
  const ModelConfig& config_;
  const Task& task_;
  std::vector<Label> labels_;
  std::vector<size_t> classes_;
  LogitsQuery query_;
  RequestId id_ = 0;
};

}  // namespace

Result<std::unique_ptr<Job>> make_tagging_job(const Pipeline& pipeline, const ModelConfig& config,
                                              const Task& task) {
  auto job = std::make_unique<TaggingJob>(config, task);
  SEQGPT_TRY(job->prepare(pipeline));
  return std::unique_ptr<Job>(std::move(job));
}

Result<std::unique_ptr<Job>> make_head_classification_job(const Pipeline& pipeline,
                                                          const ModelConfig& config,
                                                          const Task& task) {
  auto job = std::make_unique<HeadClassificationJob>(config, task);
  SEQGPT_TRY(job->prepare(pipeline));
  return std::unique_ptr<Job>(std::move(job));
}

}  // namespace seqgpt
