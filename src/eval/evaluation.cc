// SPDX-License-Identifier: Apache-2.0
// Joining. A model's answers are read back from the lines that a batch would write, so both ways
// score the same.
#include "eval/evaluation.h"

#include <deque>

#include "batch/run.h"

namespace seqgpt {
namespace {

constexpr size_t kMostExamples = 200;  // shown on the report page
constexpr size_t kMostBadLines = 20;

/// Gold lines as items of a batch; remembers the gold until its answer comes.
class GoldItems final : public ItemSource {
 public:
  GoldItems(GoldReader& gold, const BatchDefaults& defaults, Evaluation& evaluation)
      : gold_(gold), extract_(defaults), classify_(defaults), evaluation_(evaluation) {
    extract_.kind = TaskKind::kExtract;
    classify_.kind = TaskKind::kClassify;
    classify_.options.task.multi |= gold.several_classes();
  }

  Result<std::optional<BatchLine>> next() override {
    for (;;) {
      SEQGPT_ASSIGN(std::optional<GoldReader::Read> read, gold_.next());
      if (!read) return std::optional<BatchLine>();
      if (read->error) {
        evaluation_.add_bad_line(read->line, *read->error);
        continue;
      }
      waiting_.push_back(std::move(read->item));
      const GoldItem& item = waiting_.back();
      return std::optional<BatchLine>(BatchLine::from_json(
          item.request, item.line, item.classification ? classify_ : extract_));
    }
  }

  GoldItem take_oldest() {
    GoldItem oldest = std::move(waiting_.front());
    waiting_.pop_front();
    return oldest;
  }

 private:
  GoldReader& gold_;
  BatchDefaults extract_;
  BatchDefaults classify_;
  Evaluation& evaluation_;
  std::deque<GoldItem> waiting_;
};

class ScoringSink final : public AnswerSink {
 public:
  ScoringSink(GoldItems& items, const BatchDefaults& defaults, Evaluation& evaluation,
              const std::function<void(uint64_t)>& observer)
      : items_(items), defaults_(defaults), evaluation_(evaluation), observer_(observer) {}

  Status put(const BatchLine& line, const Result<Answer>& answer) override {
    const GoldItem gold = items_.take_oldest();
    SEQGPT_ASSIGN(const Prediction prediction,
                  parse_prediction(line.output(answer, defaults_), gold.line));
    observer_(++done_);
    return evaluation_.add(gold, prediction);
  }

 private:
  GoldItems& items_;
  const BatchDefaults& defaults_;
  Evaluation& evaluation_;
  const std::function<void(uint64_t)>& observer_;
  uint64_t done_ = 0;
};

}  // namespace

Evaluation::Evaluation(bool ignore_space, MissSink on_miss) : on_miss_(std::move(on_miss)) {
  report_.ignore_space = ignore_space;
}

void Evaluation::begin_file(const std::string& name) {
  report_.files.emplace_back();
  report_.files.back().name = name;
}

void Evaluation::add_bad_line(uint64_t line, const Error& error) {
  FileReport& file = report_.files.back();
  ++file.bad_lines;
  if (bad_lines_.size() < kMostBadLines)
    bad_lines_.push_back(file.name + " line " + std::to_string(line + 1) + ": " + error.message);
}

Status Evaluation::add(const GoldItem& gold, const std::optional<Prediction>& prediction) {
  FileReport& file = report_.files.back();
  Prediction given = prediction.value_or(Prediction{gold.id, "no prediction", {}, {}, {}});
  file.without += !prediction;
  file.failed += prediction && prediction->error;
  if (gold.classification) {
    file.classification.add(gold, given);
  } else {
    file.extraction.add(gold, given);
  }
  for (Miss& miss : misses_of(gold, given, report_.ignore_space)) {
    ++report_.misses;
    SEQGPT_TRY(on_miss_(miss_line(miss, file.name, gold)));
    if (report_.examples.size() < kMostExamples)
      report_.examples.push_back({std::move(miss), file.name, gold.line + 1});
  }
  return {};
}

Status evaluate_predictions(GoldReader& gold, PredictionFile& predictions, Evaluation& evaluation,
                            bool whole) {
  for (;;) {
    SEQGPT_ASSIGN(const std::optional<GoldReader::Read> read, gold.next());
    if (!read) break;
    if (read->error) {
      evaluation.add_bad_line(read->line, *read->error);
      continue;
    }
    SEQGPT_ASSIGN(const std::optional<Prediction> prediction, predictions.find(read->item.id));
    SEQGPT_TRY(evaluation.add(read->item, prediction));
  }
  if (!whole) return {};
  SEQGPT_ASSIGN(const uint64_t unasked, predictions.unasked());
  evaluation.add_unasked(unasked);
  return {};
}

Status evaluate_answers(GoldReader& gold, Answerer& answerer, const BatchDefaults& defaults,
                        Evaluation& evaluation, const std::function<void(uint64_t)>& observer) {
  GoldItems items(gold, defaults, evaluation);
  ScoringSink sink(items, defaults, evaluation, observer);
  return run_batch(items, answerer, sink);
}

}  // namespace seqgpt
