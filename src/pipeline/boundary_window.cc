// SPDX-License-Identifier: Apache-2.0
// Hidden states around each value's ends, the spans near it, and the best of them.
#include "pipeline/boundary_window.h"

#include <algorithm>
#include <set>
#include <string>

#include "base/utf8.h"
#include "constrain/line_walk.h"
#include "constrain/span_text.h"
#include "pipeline/boundary.h"
#include "pipeline/windows.h"
#include "task/characters.h"

namespace seqgpt {
namespace {

/// Tokens of a rendered prompt, found by character.
class PromptTokens {
 public:
  PromptTokens(const Tokenizer& tokenizer, const std::string& rendered)
      : owner_(utf8_count(rendered), 0) {
    const std::vector<Token> tokens = tokenizer.encode_with_offsets(rendered);
    for (size_t i = 0; i < tokens.size(); ++i) {
      for (uint32_t at = tokens[i].start; at < tokens[i].end; ++at)
        owner_[at] = static_cast<int>(i);
      starts_.insert(tokens[i].start);
      ends_.insert(tokens[i].end);
    }
  }
  size_t characters() const { return owner_.size(); }
  /// The token that holds a character; its last one where several do.
  int owner(size_t character) const { return owner_[character]; }
  bool starts(size_t character) const { return starts_.contains(character); }
  bool ends(size_t character) const { return ends_.contains(character); }

 private:
  std::vector<int> owner_;
  std::set<size_t> starts_;
  std::set<size_t> ends_;
};

/// Where a byte of a window's text stands in its prompt, in characters (render_prompt trims the
/// text and leaves \r out).
size_t prompt_character(std::string_view text, size_t at) {
  const size_t before = utf8_count("输入: ");
  const size_t begin = static_cast<size_t>(trim_white_space(text).data() - text.data());
  const std::string_view read = text.substr(begin, at - begin);
  return before + utf8_count(read) - static_cast<size_t>(std::ranges::count(read, '\r'));
}

/// The character that ends the name names[index] in a prompt of so many.
size_t name_end(const std::vector<std::string>& names, size_t index, size_t characters) {
  size_t behind = utf8_count("\n输出: ");
  for (size_t i = index + 1; i < names.size(); ++i) behind += 1 + utf8_count(names[i]);
  return characters - behind;
}

/// A window and the findings to be judged in it, as indices.
struct OpenWindow {
  ByteSpan window;
  std::vector<size_t> findings;
};

bool has_open_ends(const Label& label) {
  const bool bare = label.type.empty() || label.type == "text" || label.type == "person" ||
                    label.type == "org" || label.type == "place";
  return bare && label.pattern.empty() && label.one_of.empty();
}

std::vector<OpenWindow> open_windows(const Pipeline& pipeline, const Task& task,
                                     const std::vector<Finding>& findings) {
  std::vector<OpenWindow> all;
  std::vector<bool> given(findings.size(), false);
  auto next = windows_of(pipeline.tokenizer(), task.text, task.options.window_tokens);
  while (const auto window = next()) {
    OpenWindow open{*window, {}};
    for (size_t i = 0; i < findings.size(); ++i) {
      const ByteSpan span = findings[i].span;
      const bool inside = window->begin <= span.begin && span.end <= window->end;
      if (given[i] || !inside || !has_open_ends(task.labels[findings[i].label])) continue;
      given[i] = true;
      open.findings.push_back(i);
    }
    if (!open.findings.empty()) all.push_back(std::move(open));
  }
  return all;
}

}  // namespace

EndPlaces::EndPlaces(std::string_view text)
    : text_(text), begins_(text.size() + 1, false), ends_(text.size() + 1, false) {
  const SpanText spans = make_span_text(text);
  for (size_t i = 0; i < spans.bytes.size(); ++i) {
    const size_t at = spans.source[i];
    if ((spans.flags[i] & SpanText::kMayBegin) != 0) begins_[at] = true;
    if ((spans.flags[i] & SpanText::kMayEnd) != 0) ends_[at + 1] = true;
  }
}

/// Places up to kBoundaryReach characters from `at`, itself among them.
std::vector<size_t> EndPlaces::near(size_t at, const std::vector<bool>& allowed) const {
  std::vector<size_t> places = {at};
  size_t back = at;
  for (int i = 0; i < kBoundaryReach && back > 0; ++i) {
    do --back;
    while (!utf8_boundary(text_, back));
    if (allowed[back]) places.push_back(back);
  }
  size_t on = at;
  for (int i = 0; i < kBoundaryReach && on < text_.size(); ++i) {
    on += utf8_decode(text_, on).bytes;
    if (allowed[on]) places.push_back(on);
  }
  std::ranges::sort(places);
  return places;
}

/// Whether a number or a Latin word goes on over `at`.
bool EndPlaces::cuts_word(size_t at) const {
  if (at == 0 || at >= text_.size()) return false;
  size_t before = at;
  do --before;
  while (!utf8_boundary(text_, before));
  const char32_t a = utf8_decode(text_, before).code_point;
  const char32_t b = utf8_decode(text_, at).code_point;
  return (is_digit(a) && is_digit(b)) || (is_latin(a) && is_latin(b));
}

/// Whether what was added is of the value's own line.
bool EndPlaces::keeps_line(ByteSpan own, ByteSpan moved) const {
  static constexpr std::string_view kBreaks = "\r\n\t";
  const auto clean = [&](size_t begin, size_t end) {
    return begin >= end || text_.substr(begin, end - begin).find_first_of(kBreaks) == text_.npos;
  };
  return clean(moved.begin, own.begin) && clean(own.end, moved.end);
}

std::vector<ByteSpan> EndPlaces::candidates(ByteSpan span) const {
  std::vector<ByteSpan> found = {span};
  const std::vector<size_t> ends = near(span.end, ends_);
  for (const size_t begin : near(span.begin, begins_)) {
    for (const size_t end : ends) {
      const ByteSpan moved{begin, end};
      if (begin >= end || moved == span || !keeps_line(span, moved)) continue;
      if (begin != span.begin && cuts_word(begin)) continue;
      if (end != span.end && cuts_word(end)) continue;
      if (tidy_boundary(text_, moved) != moved) continue;
      if (text_.substr(begin, end - begin) != kAbsent) found.push_back(moved);
    }
  }
  return found;
}

BoundaryWindow::BoundaryWindow(const Pipeline& pipeline, const Task& task, ByteSpan window,
                               std::vector<OpenValue> values)
    : pipeline_(pipeline), task_(task), window_(window), values_(std::move(values)) {}

std::unique_ptr<BoundaryWindow> BoundaryWindow::make(const Pipeline& pipeline, const Task& task,
                                                     ByteSpan window,
                                                     std::vector<OpenValue> values) {
  std::unique_ptr<BoundaryWindow> work(
      new BoundaryWindow(pipeline, task, window, std::move(values)));
  std::set<size_t> distinct;
  for (const OpenValue& value : work->values_) distinct.insert(value.label);
  const EndPlaces places(
      std::string_view(task.text).substr(window.begin, window.end - window.begin));
  auto label = distinct.begin();
  for (const size_t count : group_sizes(distinct.size())) {
    const auto end = std::next(label, static_cast<ptrdiff_t>(count));
    work->add_group({label, end}, places);
    label = end;
  }
  return work;
}

void BoundaryWindow::add_group(const std::vector<size_t>& labels, const EndPlaces& places) {
  const std::string_view text =
      std::string_view(task_.text).substr(window_.begin, window_.end - window_.begin);
  std::vector<std::string> names;
  for (const size_t label : labels) names.push_back(prompt_name(task_.labels[label]));
  const std::string rendered = render_prompt(TaskKind::kExtract, text, names);
  const PromptTokens tokens(pipeline_.tokenizer(), rendered);
  Group group;
  std::set<int> positions;
  for (size_t i = 0; i < values_.size(); ++i) {
    const auto asked = std::ranges::find(labels, values_[i].label);
    if (asked == labels.end()) continue;
    group.values.push_back(i);
    std::vector<Judged>& judged = group.judged.emplace_back();
    const size_t name =
        name_end(names, static_cast<size_t>(asked - labels.begin()), tokens.characters());
    const ByteSpan own{values_[i].span.begin - window_.begin, values_[i].span.end - window_.begin};
    for (const ByteSpan& span : places.candidates(own)) {
      const size_t begin = prompt_character(text, span.begin);
      const size_t end = prompt_character(text, span.end);
      judged.push_back({{window_.begin + span.begin, window_.begin + span.end},
                        {tokens.owner(begin - 1), tokens.owner(begin), tokens.owner(end - 1),
                         tokens.owner(end), tokens.owner(name - 1)},
                        {tokens.starts(begin) ? 1.0F : 0.0F, tokens.ends(end) ? 1.0F : 0.0F,
                         static_cast<float>(end - begin) / BoundaryHead::kLongSpan}});
      positions.insert(judged.back().slots.begin(), judged.back().slots.end());
    }
  }
  group.positions.assign(positions.begin(), positions.end());
  group.prompt = pipeline_.encode_prompt(rendered);
  groups_.push_back(std::move(group));
}

Status BoundaryWindow::submit(Engine& engine) {
  for (size_t i = 0; i < groups_.size(); ++i) {
    Result<RequestId> submitted = engine.submit(
        LogitsQuery{std::move(groups_[i].prompt), groups_[i].positions, /*hidden=*/true});
    if (!submitted.ok()) {
      groups_.resize(i);
      withdraw_from(engine, 0);
      return std::move(submitted).error();
    }
    groups_[i].request = *submitted;
  }
  return {};
}

bool BoundaryWindow::ready(const Engine& engine) const {
  return std::ranges::all_of(groups_,
                             [&](const Group& group) { return engine.done(group.request); });
}

Status BoundaryWindow::collect(Engine& engine) {
  for (size_t i = 0; i < groups_.size(); ++i) {
    const Group& group = groups_[i];
    Result<LogitsAnswer> states = engine.take_logits(group.request);
    if (!states.ok()) {
      withdraw_from(engine, i + 1);
      return std::move(states).error();
    }
    Projections projections;
    for (size_t k = 0; k < group.values.size(); ++k) {
      values_[group.values[k]].span = best(group.judged[k], projections, group.positions, *states);
    }
  }
  return {};
}

ByteSpan BoundaryWindow::best(const std::vector<Judged>& judged, Projections& projections,
                              const std::vector<int>& positions, const LogitsAnswer& states) const {
  const BoundaryHead& head = *pipeline_.boundary_head();
  const auto projected = [&](size_t slot, int position) {
    std::vector<float>& units = projections[{slot, position}];
    if (units.empty()) {
      const auto row = std::ranges::lower_bound(positions, position) - positions.begin();
      units.resize(head.units());
      head.project(slot, states.values[static_cast<size_t>(row)], units);
    }
    return units.data();
  };
  const Judged* chosen = &judged.front();
  float to_beat = 0;
  for (const Judged& span : judged) {
    std::array<const float*, BoundaryHead::kSlots> slots{};
    for (size_t slot = 0; slot < slots.size(); ++slot)
      slots[slot] = projected(slot, span.slots[slot]);
    const float score = head.score(slots, span.scalars);
    if (&span == &judged.front()) {
      to_beat = score + head.margin();
    } else if (score > to_beat) {
      to_beat = score;
      chosen = &span;
    }
  }
  return chosen->span;
}

WindowReader boundary_reader(const Pipeline& pipeline, const Task& task,
                             std::vector<Finding>& findings) {
  const auto windows =
      std::make_shared<const std::vector<OpenWindow>>(open_windows(pipeline, task, findings));
  auto next = [windows, at = size_t{0}]() mutable {
    return at < windows->size() ? std::optional((*windows)[at++].window) : std::nullopt;
  };
  auto make = [&pipeline, &task, &findings, windows,
               at = size_t{0}](ByteSpan window) mutable -> Result<std::unique_ptr<WindowWork>> {
    std::vector<OpenValue> values;
    for (const size_t i : (*windows)[at++].findings)
      values.push_back({findings[i].label, findings[i].span});
    return std::unique_ptr<WindowWork>(
        BoundaryWindow::make(pipeline, task, window, std::move(values)));
  };
  auto done = [&findings, windows, at = size_t{0}](WindowWork& work, ByteSpan) mutable {
    const std::vector<OpenValue>& values = static_cast<const BoundaryWindow&>(work).values();
    const std::vector<size_t>& own = (*windows)[at++].findings;
    for (size_t i = 0; i < own.size(); ++i) findings[own[i]].span = values[i].span;
  };
  return {std::move(next), std::move(make), std::move(done)};
}

void BoundaryWindow::withdraw_from(Engine& engine, size_t first) {
  for (size_t i = first; i < groups_.size(); ++i) {
    engine.cancel(groups_[i].request);
    (void)engine.take_logits(groups_[i].request);
  }
}

}  // namespace seqgpt
