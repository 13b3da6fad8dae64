// SPDX-License-Identifier: Apache-2.0
// Extraction, classification, free prompts and completions: from the body to an order and back.
#include <ctime>

#include "base/utf8.h"
#include "server/app.h"

namespace seqgpt {
namespace {

using Clock = std::chrono::steady_clock;

void put(std::string& key, std::string_view part) {
  key.append(std::to_string(part.size())).append(":").append(part);
}

void put_label(std::string& key, const Label& label) {
  for (const std::string& part :
       {label.name, label.key, label.type, label.id_kind, label.description, label.pattern})
    put(key, part);
  put(key, label.mentions ? (*label.mentions == Mentions::kAll ? "all" : "one") : "");
  put(key, std::to_string(label.one_of.size()));
  for (const std::string& one : label.one_of) put(key, one);
}

std::string retry_after(const Service& service) {
  return std::to_string(static_cast<int>(service.stats().retry_after_s));
}

constexpr size_t kStreamedCharacters = 8;  // of a completion's text in one piece

/// Pieces of whole characters.
std::vector<std::string_view> pieces_of(std::string_view text) {
  std::vector<std::string_view> pieces;
  size_t begin = 0;
  size_t count = 0;
  for (size_t at = 0; at <= text.size(); ++at) {
    if (at < text.size() && (!utf8_boundary(text, at) || at == begin)) continue;
    if (at < text.size() && ++count < kStreamedCharacters) continue;
    if (at > begin) pieces.push_back(text.substr(begin, at - begin));
    begin = at;
    count = 0;
  }
  return pieces;
}

}  // namespace

std::string flight_key(const TaskRequest& request) {
  std::string key = request.task.kind == TaskKind::kExtract ? "extract" : "classify";
  key += request.may_degrade ? "+" : "-";
  RequestOptions all;
  all.task = request.task.options;
  TaskOptions& options = all.task;
  if (request.reference_is_now) {  // the moment is whoever came first's, the zone is one's own
    const size_t zone = std::min(options.reference_time.size(), size_t{6});
    options.reference_time =
        "now" + options.reference_time.substr(options.reference_time.size() - zone);
  }
  put(key, options_text(all, kForText));
  put(key, options.reference_time);
  for (const Label& label : request.task.labels) put_label(key, label);
  put(key, request.task.text);
  return key;
}

std::string flight_key(const FreeRequest& request) {
  const FreePrompt& prompt = request.prompt;
  std::string key = request.may_degrade ? "free+" : "free-";
  put(key, prompt.task_word);
  put(key, std::to_string(prompt.max_new_tokens));
  put(key, std::to_string(prompt.beams));
  put(key, std::to_string(prompt.repetition_penalty));
  put(key, prompt.copy_only ? "copy" : "");
  for (const auto* list : {&prompt.stop, &prompt.one_of}) {
    put(key, std::to_string(list->size()));
    for (const std::string& one : *list) put(key, one);
  }
  for (const Label& label : prompt.labels) put_label(key, label);
  put(key, prompt.text);
  return key;
}

Order order_of(const TaskRequest& request, Clock::time_point start) {
  Order order;
  order.work = request.task;
  order.flight = flight_key(request);
  order.may_degrade = request.may_degrade;
  order.deadline = start + std::chrono::milliseconds(request.timeout_ms);
  return order;
}

std::pair<int, std::string_view> status_of(const Finished& finished) {
  if (finished.timed_out) return {504, "timeout"};
  const ErrorCode code = finished.answer.error().code;
  return {http_status(code), error_type(code)};
}

void App::note_task(Call& call, const Task& task) const {
  ++call.items;
  call.characters += utf8_count(task.text);
  for (const Label& label : task.labels) {
    if (call.labels.size() == kMaxLabels) break;
    if (call.label_names.insert(label.name).second) call.labels.push_back(label.name);
  }
  if (parts_.vault) call.text_hash = parts_.vault->text_hash(task.text, call.text_hash);
}

bool App::ready_for_work(const CallPtr& call) {
  if (!draining_ && parts_.service->state() == ServiceState::kReady) return true;
  fail(call, 503, draining_ ? "draining" : "loading",
       {ErrorCode::kOverloaded,
        draining_ ? "the server is about to end" : "the model is still being loaded"},
       {{"Retry-After", "2"}});
  return false;
}

bool App::submit(const CallPtr& call, Order order) {
  const Result<OrderId> id = parts_.service->submit(std::move(order));
  if (!id.ok()) {
    fail(call, 429, "queue_full", id.error(), {{"Retry-After", retry_after(*parts_.service)}});
    return false;
  }
  call->reply->on_gone([this, call = std::weak_ptr<Call>(call), order = *id] {
    parts_.service->cancel(order);
    const CallPtr left = call.lock();
    if (left && !left->ended.exchange(true)) note(*left, 499, 0);
  });
  return true;
}

void App::fail_order(const CallPtr& call, const Finished& finished) {
  const auto [status, type] = status_of(finished);
  fail(call, status, type, finished.answer.error());
}

void App::open_events(const CallPtr& call) {
  HttpResponse head{200, "text/event-stream", "", {{"X-Accel-Buffering", "no"}}};
  add_headers(*call, head.headers);
  call->reply->start(std::move(head));
}

void App::end_events(const CallPtr& call, int status, std::string_view event, std::string data) {
  if (call->ended.exchange(true)) return;
  note(*call, status, data.size());
  call->reply->write(server_sent_event(event, data));
  call->reply->finish();
}

void App::run_task(const CallPtr& call, TaskKind kind) {
  Result<TaskRequest> read = read_task_request(call->request.body, kind, defaults());
  if (!read.ok()) return fail(call, read.error());
  if (!ready_for_work(call)) return;
  note_task(*call, read->task);
  call->request.body = {};
  const auto request = std::make_shared<const TaskRequest>(std::move(*read));
  const bool events = call->wants_events();
  Order order = order_of(*request, call->start);
  order.done = [this, call, request](Finished finished) {
    call->reply->run([this, call, request, finished = std::move(finished)] {
      finish_task(call, *request, finished);
    });
  };
  if (events) {
    order.started = [call](double waited) {
      call->reply->write(server_sent_event("stage", stage_event("queue", waited)));
    };
    order.progress = [call](const TaskProgress& progress, double ms) {
      if (progress.windows < 2) return;  // fields tell of a short text
      call->reply->write(server_sent_event(
          "stage", stage_event("compute", ms, progress.windows_done, progress.windows)));
    };
    if (kind == TaskKind::kExtract) {
      order.decided = [this, call, request](const Decided& decided) {
        call->reply->run([this, call, request, decided] {
          tell_fields(call, *request, decided.answer, decided.labels);
        });
      };
    }
    open_events(call);
  }
  submit(call, std::move(order));
}

/// Each label once.
void App::tell_fields(const CallPtr& call, const TaskRequest& request, const Answer& answer,
                      const std::vector<size_t>& labels) {
  call->told.resize(answer.labels.size(), false);
  for (const size_t label : labels) {
    if (call->told[label]) continue;
    call->told[label] = true;
    call->reply->write(
        server_sent_event("field", field_event(answer, label, request.task.text, request.answer)));
  }
}

void App::finish_task(const CallPtr& call, const TaskRequest& request, const Finished& finished) {
  call->queue_ms = finished.queue_ms;
  const bool events = call->wants_events();
  if (!finished.answer.ok()) {
    if (!events) return fail_order(call, finished);
    const auto [status, type] = status_of(finished);
    return end_events(call, status, "error",
                      http_error_body(status, type, finished.answer.error(), call->trace_id));
  }
  const auto& answer = std::get<Answer>(**finished.answer);
  metrics_.add_answer(answer.kind == TaskKind::kExtract && answer.entities.empty(),
                      answer.truncated, !finished.dropped.empty());
  if (events) {
    if (answer.kind == TaskKind::kExtract) {
      std::vector<size_t> all(answer.labels.size());
      for (size_t label = 0; label < all.size(); ++label) all[label] = label;
      tell_fields(call, request, answer, all);
    }
    call->reply->write(server_sent_event("stage", stage_event("compute", finished.compute_ms)));
  }
  std::string body =
      answer_body(answer, request.task.text, request.answer, context_of(*call, finished), -1);
  if (events) return end_events(call, 200, "result", std::move(body));
  finish_json(call, std::move(body));
}

void App::run_prompt(const CallPtr& call) {
  Result<FreeRequest> read = read_free_request(call->request.body, defaults());
  if (!read.ok()) return fail(call, read.error());
  if (!ready_for_work(call)) return;
  Task noted;
  noted.text = read->prompt.text;
  noted.labels = read->prompt.labels;
  note_task(*call, noted);
  call->request.body = {};
  const bool events = call->wants_events();
  Order order;
  order.work = read->prompt;
  order.flight = flight_key(*read);
  order.may_degrade = read->may_degrade;
  order.deadline = call->start + std::chrono::milliseconds(read->timeout_ms);
  const auto finish_prompt = [this, call, text = read->prompt.text,
                              events](const Finished& finished) {
    call->queue_ms = finished.queue_ms;
    if (!finished.answer.ok() && !events) return fail_order(call, finished);
    if (!finished.answer.ok()) {
      const auto [status, type] = status_of(finished);
      return end_events(call, status, "error",
                        http_error_body(status, type, finished.answer.error(), call->trace_id));
    }
    const auto& answer = std::get<FreeAnswer>(**finished.answer);
    std::string body = free_body(answer, text, context_of(*call, finished), -1);
    if (!events) return finish_json(call, std::move(body));
    call->reply->write(server_sent_event("stage", stage_event("compute", finished.compute_ms)));
    end_events(call, 200, "result", std::move(body));
  };
  order.done = [call, finish_prompt](Finished finished) {
    call->reply->run([finish_prompt, finished = std::move(finished)] { finish_prompt(finished); });
  };
  if (events) {
    order.started = [call](double waited) {
      call->reply->write(server_sent_event("stage", stage_event("queue", waited)));
    };
    open_events(call);
  }
  submit(call, std::move(order));
}

namespace {

/// The prompts of one completion request; touched on the connection's thread alone.
struct CompletionRun {
  Completion completion;
  std::vector<std::optional<FreeAnswer>> answers;
  size_t left = 0;
  bool stream = false;
};

std::string completion_stream(const CompletionRun& run) {
  std::string out;
  for (size_t i = 0; i < run.answers.size(); ++i) {
    for (const std::string_view piece : pieces_of(run.answers[i]->text))
      out += server_sent_event("", completion_chunk(run.completion, i, piece, ""));
    out += server_sent_event(
        "", completion_chunk(run.completion, i, "", run.answers[i]->stopped ? "stop" : "length"));
  }
  return out + "data: [DONE]\n\n";
}

}  // namespace

void App::run_completion(const CallPtr& call) {
  const Result<CompletionRequest> read = read_completion_request(call->request.body, defaults());
  if (!read.ok()) return fail(call, read.error());
  if (!ready_for_work(call)) return;
  const auto run = std::make_shared<CompletionRun>();
  run->completion = {"cmpl-" + call->trace_id, parts_.service->facts().name, std::time(nullptr)};
  run->answers.resize(read->prompts.size());
  run->left = read->prompts.size();
  run->stream = read->stream;
  for (size_t i = 0; i < read->prompts.size(); ++i) {
    const FreeRequest& request = read->prompts[i];
    Task noted;
    noted.text = request.prompt.text;
    note_task(*call, noted);
    Order order;
    order.work = request.prompt;
    order.flight = flight_key(request);
    order.may_degrade = request.may_degrade;
    order.deadline = call->start + std::chrono::milliseconds(request.timeout_ms);
    const auto take = [this, call, run, i](const Finished& finished) {
      call->queue_ms = std::max(call->queue_ms, finished.queue_ms);
      if (!finished.answer.ok()) return fail_order(call, finished);
      run->answers[i] = std::get<FreeAnswer>(**finished.answer);
      if (--run->left > 0) return;
      std::vector<FreeAnswer> choices;
      for (auto& answer : run->answers) choices.push_back(*answer);
      if (run->stream) {
        finish(call, {200, "text/event-stream", completion_stream(*run), {}});
      } else {
        finish_json(call, completion_body(run->completion, choices));
      }
    };
    order.done = [call, take](Finished finished) {
      call->reply->run([take, finished = std::move(finished)] { take(finished); });
    };
    if (!submit(call, std::move(order))) return;
  }
}

}  // namespace seqgpt
