// SPDX-License-Identifier: Apache-2.0
// From picks to a step and back.
#include "engine/batch.h"

#include <algorithm>
#include <utility>

namespace seqgpt {
namespace {

void clear(Batch& batch) {
  for (StepOutput& output : batch.step.outputs)
    batch.spare_values.push_back(std::move(output.values));
  batch.step.tokens.clear();
  batch.step.slices.clear();
  batch.step.outputs.clear();
  batch.deliveries.clear();
}

std::vector<float> spare(Batch& batch) {
  if (batch.spare_values.empty()) return {};
  std::vector<float> values = std::move(batch.spare_values.back());
  batch.spare_values.pop_back();
  return values;
}

void lay_out(const Pick& pick, Batch& batch) {
  Step& step = batch.step;
  Sequence& sequence = pick.request->work->sequences()[pick.sequence];
  const int end = sequence.computed + pick.rows;
  KvPool& pool = pick.request->work->pool();
  make_room(sequence, end, pool);
  const int first_row = static_cast<int>(step.tokens.size());
  step.tokens.insert(step.tokens.end(), sequence.tokens.begin() + sequence.computed,
                     sequence.tokens.begin() + end);
  step.slices.push_back({first_row, pick.rows, sequence.computed, sequence.blocks, &pool.blocks()});
  for (const WantedRow& wanted : sequence.wanted) {
    if (wanted.position >= end) break;
    step.outputs.push_back(
        {first_row + wanted.position - sequence.computed, wanted.ids, spare(batch), wanted.hidden});
  }
}

/// One pick's share of the batch; `output` walks over the step's outputs.
Status deliver_pick(const Pick& pick, const AttentionSlice& slice, Step& step, size_t& output,
                    EngineCounters& counters) {
  Work& work = *pick.request->work;
  const int end = slice.first_position + slice.rows;
  counters.prompt_tokens +=
      static_cast<uint64_t>(std::clamp(work.prompt_size() - slice.first_position, 0, slice.rows));
  {
    Sequence& sequence = work.sequences()[pick.sequence];
    sequence.computed = end;
    std::erase_if(sequence.wanted,
                  [end](const WantedRow& wanted) { return wanted.position < end; });
  }
  Status status;
  for (; output < step.outputs.size() && step.outputs[output].row < slice.first_row + slice.rows;
       ++output) {
    StepOutput& out = step.outputs[output];
    counters.logits_rows += out.hidden ? 0 : out.values.size();
    counters.full_rows += out.ids.empty() && !out.hidden ? 1 : 0;
    const int position = slice.first_position + out.row - slice.first_row;
    // A row that was taken may have taken those after it back: drafts that were wrong.
    const bool stale = position >= work.sequences()[pick.sequence].computed;
    if (status.ok() && !stale) status = work.take_row(pick.sequence, position, out.values);
  }
  return status;
}

}  // namespace

void make_batch(std::span<const Pick> picks, Batch& batch) {
  clear(batch);
  batch.picks.assign(picks.begin(), picks.end());
  for (const Pick& pick : picks) lay_out(pick, batch);
}

void deliver(Batch& batch, EngineCounters& counters) {
  std::vector<Delivery>& deliveries = batch.deliveries;
  size_t output = 0;
  for (size_t i = 0; i < batch.picks.size(); ++i) {
    const Pick& pick = batch.picks[i];
    if (i == 0 || pick.request != batch.picks[i - 1].request)
      deliveries.push_back({pick.request, {}});
    Status status = deliver_pick(pick, batch.step.slices[i], batch.step, output, counters);
    if (deliveries.back().status.ok()) deliveries.back().status = std::move(status);
  }
  for (Delivery& delivery : deliveries) {
    Work& work = *delivery.request->work;
    if (delivery.status.ok() && !work.finished() && !work.pending())
      delivery.status = work.proceed();
  }
}

std::span<const Pick> picks_of_one_request(std::span<const Pick> picks, size_t first) {
  size_t end = first;
  while (end < picks.size() && picks[end].request == picks[first].request) ++end;
  return picks.subspan(first, end - first);
}

}  // namespace seqgpt
