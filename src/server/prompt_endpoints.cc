// SPDX-License-Identifier: Apache-2.0
// Free prompts and OpenAI's completions: from the body to orders and back, in one piece or as the
// text is written.
#include <ctime>

#include "server/app.h"

namespace seqgpt {
namespace {

Order order_of(const FreeRequest& request, const std::string& owner,
               std::chrono::steady_clock::time_point start) {
  Order order;
  order.work.emplace<FreePrompt>(request.prompt).owner = owner;
  order.flight = flight_key(request, owner);
  order.may_degrade = request.may_degrade;
  order.deadline = start + std::chrono::milliseconds(request.timeout_ms);
  return order;
}

/// What of a text that grows has not been told. Touched on the connection's thread alone.
class Telling {
 public:
  std::string_view news(std::string_view text) {
    if (text.size() <= told_) return {};
    const std::string_view rest = text.substr(told_);
    told_ = text.size();
    return rest;
  }

 private:
  size_t told_ = 0;
};

}  // namespace

void App::finish_prompt(const CallPtr& call, const std::string& prompt, const Finished& finished) {
  call->queue_ms = finished.queue_ms;
  if (!finished.answer.ok()) return end_failed(call, finished);
  const bool events = call->wants_events();
  const auto& answer = std::get<FreeAnswer>(**finished.answer);
  std::string body = free_body(answer, prompt, context_of(*call, finished), -1);
  if (!events) return finish_json(call, std::move(body));
  tell_stages(call, finished);
  end_events(call, 200, "result", body);
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
  Order order = order_of(*read, call->key, call->start);
  const bool events = call->wants_events();
  const auto tell = [call, telling = std::make_shared<Telling>()](std::string_view text) {
    const std::string_view news = telling->news(text);
    if (!news.empty()) call->reply->write(server_sent_event("text", text_event(news)));
  };
  order.done = [this, call, tell, text = read->prompt.text, events](Finished finished) {
    call->reply->run([this, call, tell, text, events, finished = std::move(finished)] {
      if (events && finished.answer.ok()) tell(std::get<FreeAnswer>(**finished.answer).text);
      finish_prompt(call, text, finished);
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
    order.written = [call, tell](const std::shared_ptr<const std::string>& text) {
      call->reply->run([tell, text] { tell(*text); });
    };
    open_events(call);
  }
  submit(call, std::move(order));
}

/// The prompts of one completion request; touched on the connection's thread alone.
struct App::CompletionRun {
  CallPtr call;
  Completion completion;
  std::vector<std::optional<FreeAnswer>> answers;
  std::vector<Telling> telling;
  std::vector<OrderId> orders;
  size_t left = 0;
  bool stream = false;
  bool open = false;  // the stream has begun

  std::vector<FreeAnswer> choices() const {
    std::vector<FreeAnswer> all;
    for (const auto& answer : answers) all.push_back(*answer);
    return all;
  }
};

/// The stream begins with its first piece: what fails before is answered as an error of its own.
void App::stream_completion(CompletionRun& run, size_t choice, std::string_view text,
                            std::string_view finish_reason) {
  const CallPtr& call = run.call;
  if (call->ended) return;
  if (!std::exchange(run.open, true)) open_events(call);
  const std::string_view news = run.telling[choice].news(text);
  if (!news.empty())
    call->reply->write(server_sent_event("", completion_chunk(run.completion, choice, news, "")));
  if (finish_reason.empty()) return;
  call->reply->write(
      server_sent_event("", completion_chunk(run.completion, choice, "", finish_reason)));
}

void App::fail_completion(CompletionRun& run, const Finished& finished) {
  const CallPtr& call = run.call;
  if (!run.open) {
    fail_order(call, finished);
  } else {
    const auto [status, type] = status_of(finished);
    end_events(call, status, "",
               http_error_body(status, type, finished.answer.error(), call->trace_id));
  }
  for (const OrderId order : run.orders) parts_.service->cancel(order);
}

void App::take_choice(CompletionRun& run, size_t choice, const Finished& finished) {
  const CallPtr& call = run.call;
  call->queue_ms = std::max(call->queue_ms, finished.queue_ms);
  if (!finished.answer.ok()) return fail_completion(run, finished);
  const auto& answer = std::get<FreeAnswer>(**finished.answer);
  run.answers[choice] = answer;
  if (run.stream) stream_completion(run, choice, answer.text, answer.stopped ? "stop" : "length");
  if (--run.left > 0) return;
  if (!run.stream) return finish_json(call, completion_body(run.completion, run.choices()));
  if (run.completion.counts_tokens)
    call->reply->write(server_sent_event("", completion_usage(run.completion, run.choices())));
  end_events(call, 200, "", "[DONE]");
}

void App::run_completion(const CallPtr& call) {
  const Result<CompletionRequest> read = read_completion_request(call->request.body, defaults());
  if (!read.ok()) return fail(call, read.error());
  if (!ready_for_work(call)) return;
  const auto run = std::make_shared<CompletionRun>();
  run->call = call;
  run->completion = {"cmpl-" + call->trace_id, parts_.service->facts().name, std::time(nullptr),
                     read->counts_tokens};
  run->answers.resize(read->prompts.size());
  run->telling.resize(read->prompts.size());
  run->left = read->prompts.size();
  run->stream = read->stream;
  for (size_t i = 0; i < read->prompts.size(); ++i) {
    Task noted;
    noted.text = read->prompts[i].prompt.text;
    note_task(*call, noted);
    Order order = order_of(read->prompts[i], call->key, call->start);
    order.done = [this, run, i](Finished finished) {
      run->call->reply->run(
          [this, run, i, finished = std::move(finished)] { take_choice(*run, i, finished); });
    };
    if (run->stream) {
      order.written = [this, run, i](const std::shared_ptr<const std::string>& text) {
        run->call->reply->run([this, run, i, text] { stream_completion(*run, i, *text, ""); });
      };
    }
    const std::optional<OrderId> id = submit(call, std::move(order));
    if (!id) {
      for (const OrderId begun : run->orders) parts_.service->cancel(begun);
      return;
    }
    run->orders.push_back(*id);
  }
}

}  // namespace seqgpt
