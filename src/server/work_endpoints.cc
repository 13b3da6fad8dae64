// SPDX-License-Identifier: Apache-2.0
// Extraction and classification: from the body to an order and back; and what all work shares.
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
       {label.name, label.key, label.type, label.kind, label.description, label.pattern})
    put(key, part);
  put(key, label.mentions ? (*label.mentions == Mentions::kAll ? "all" : "one") : "");
  put(key, std::to_string(label.one_of.size()));
  for (const std::string& one : label.one_of) put(key, one);
}

std::string retry_after(const Service& service) {
  return std::to_string(static_cast<int>(service.stats().retry_after_s));
}

}  // namespace

std::string flight_key(const TaskRequest& request, const std::string& owner) {
  std::string key = request.task.kind == TaskKind::kExtract ? "extract" : "classify";
  key += request.may_degrade ? "+" : "-";
  put(key, owner);
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

std::string flight_key(const FreeRequest& request, const std::string& owner) {
  const FreePrompt& prompt = request.prompt;
  std::string key = request.may_degrade ? "free+" : "free-";
  put(key, owner);
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

Order order_of(const TaskRequest& request, const std::string& owner, Clock::time_point start) {
  Order order;
  order.work.emplace<Task>(request.task).owner = owner;
  order.flight = flight_key(request, owner);
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

std::optional<OrderId> App::submit(const CallPtr& call, Order order) {
  const Result<OrderId> id = parts_.service->submit(std::move(order));
  if (!id.ok()) {
    fail(call, 429, "queue_full", id.error(), {{"Retry-After", retry_after(*parts_.service)}});
    return std::nullopt;
  }
  call->reply->on_gone([this, call = std::weak_ptr<Call>(call), order = *id] {
    parts_.service->cancel(order);
    const CallPtr left = call.lock();
    if (left && !left->ended.exchange(true)) note(*left, 499, 0);
  });
  return *id;
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

void App::end_events(const CallPtr& call, int status, std::string_view event,
                     const std::string& data) {
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
  Order order = order_of(*request, call->key, call->start);
  order.done = [this, call, request](Finished finished) {
    call->reply->run([this, call, request, finished = std::move(finished)] {
      finish_task(call, *request, finished);
    });
  };
  if (events) {
    order.started = [call](double waited) {
      call->reply->write(server_sent_event("stage", stage_event("queue", waited)));
    };
    order.has_read = [call](double ms) {
      if (call->read_told.exchange(true)) return;
      call->reply->write(server_sent_event("stage", stage_event("read", ms)));
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

void App::tell_stages(const CallPtr& call, const Finished& finished) {
  const WorkTimes& times = finished.times;
  std::vector<std::pair<std::string_view, double>> stages;
  if (!call->read_told.exchange(true)) stages.emplace_back("read", times.read);
  stages.emplace_back("decide", times.decide);
  stages.emplace_back("normalize", times.normalize);
  stages.emplace_back("compute", finished.compute_ms);
  for (const auto& [name, ms] : stages) {
    if (ms >= 0) call->reply->write(server_sent_event("stage", stage_event(name, ms)));
  }
}

void App::end_failed(const CallPtr& call, const Finished& finished) {
  if (!call->wants_events()) return fail_order(call, finished);
  const auto [status, type] = status_of(finished);
  end_events(call, status, "error",
             http_error_body(status, type, finished.answer.error(), call->trace_id));
}

void App::finish_task(const CallPtr& call, const TaskRequest& request, const Finished& finished) {
  call->queue_ms = finished.queue_ms;
  if (!finished.answer.ok()) return end_failed(call, finished);
  const bool events = call->wants_events();
  const auto& answer = std::get<Answer>(**finished.answer);
  metrics_.add_answer(answer.kind == TaskKind::kExtract && answer.entities.empty(),
                      answer.truncated, !finished.dropped.empty());
  if (events) {
    if (answer.kind == TaskKind::kExtract) {
      std::vector<size_t> all(answer.labels.size());
      for (size_t label = 0; label < all.size(); ++label) all[label] = label;
      tell_fields(call, request, answer, all);
    }
    tell_stages(call, finished);
  }
  std::string body =
      answer_body(answer, request.task.text, request.answer, context_of(*call, finished), -1);
  if (events) return end_events(call, 200, "result", body);
  finish_json(call, std::move(body));
}

}  // namespace seqgpt
