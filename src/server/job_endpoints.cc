// SPDX-License-Identifier: Apache-2.0
// Jobs: put down, looked at, read page by page, called off. The queue is touched on the runner's
// thread.
#include <charconv>
#include <ctime>

#include "api/job_items.h"
#include "server/app.h"
#include "server/job_runner.h"

namespace seqgpt {
namespace {

constexpr size_t kListLimit = 50;
constexpr size_t kResultLimit = 1000;
constexpr size_t kMaxIdempotencyKey = 200;

std::string iso_time(UnixMs time) {
  if (time == 0) return "";
  const auto seconds = static_cast<std::time_t>(time / 1000);
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  char text[32];
  const size_t size = std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
  return {text, size};
}

JobSummary summary_of(const JobView& view) {
  JobSummary job;
  job.id = view.id;
  job.kind = view.kind;
  job.status = job_state_name(view.state);
  job.items = view.items;
  job.finished_items = view.finished_items;
  job.failed_items = view.failed_items;
  job.created = iso_time(view.created);
  job.finished = iso_time(view.finished);
  job.expires = iso_time(view.expires);
  return job;
}

/// What an item without a payload of its own is told as.
std::string payload_of(const ItemResult& result) {
  if (result.outcome == ItemOutcome::kCrashed) {
    return item_error_body("", 500, "crashed",
                           {ErrorCode::kInternal, "the server ended while it worked on this item"});
  }
  if (result.outcome == ItemOutcome::kCancelled)
    return item_error_body("", 499, "cancelled", {ErrorCode::kCancelled, "the job was cancelled"});
  return result.payload;
}

/// A whole number of the query; `otherwise` when absent, nothing when it is none.
std::optional<size_t> number_of(const HttpRequest& request, std::string_view name,
                                size_t otherwise) {
  const auto text = query_value(request.query, name);
  if (!text) return otherwise;
  size_t value = 0;
  const auto read = std::from_chars(text->data(), text->data() + text->size(), value);
  if (read.ec != std::errc() || read.ptr != text->data() + text->size()) return std::nullopt;
  return value;
}

}  // namespace

bool App::has_jobs(const CallPtr& call) {
  if (parts_.jobs) return true;
  fail(call, 503, "unavailable",
       {ErrorCode::kUnsupported, "this server keeps no jobs: start it with --data-dir DIR"});
  return false;
}

void App::create_job(const CallPtr& call, TaskKind kind) {
  if (!has_jobs(call)) return;
  if (draining_)
    return fail(call, 503, "draining", {ErrorCode::kOverloaded, "the server is about to end"});
  Result<JobItems> items = job_items(call->request.body, kind, defaults());
  if (!items.ok()) return fail(call, items.error());
  note_batch(*call, items->request);
  const std::string idempotency(call->request.header("idempotency-key").value_or(""));
  if (idempotency.size() > kMaxIdempotencyKey) {
    return fail(call, {ErrorCode::kInvalidArgument,
                       "Idempotency-Key is longer than " + std::to_string(kMaxIdempotencyKey),
                       "Idempotency-Key"});
  }
  NewJob job;
  job.kind = kind == TaskKind::kExtract ? "extract" : "classify";
  job.owner = call->key;
  job.options = call->trace_id;  // for what is noted at its end
  job.items = std::move(items->stored);
  job.idempotency_key = idempotency;
  job.request = std::move(call->request.body);
  job.keep = options_.keep_jobs;
  parts_.jobs->post([this, call, job = std::move(job)](JobQueue& queue) {
    const Result<CreatedJob> created = queue.create(job);
    if (!created.ok()) return fail_queue(call, created.error());
    const std::string url = options_.root_path + "/jobs/" + created->id;
    finish(call,
           {202, "application/json", job_created_body(created->id, url), {{"Location", url}}});
  });
}

void App::fail_queue(const CallPtr& call, const Error& error) {
  switch (error.code) {
    case ErrorCode::kOverloaded:
      return fail(call, 429, "queue_full", error, {{"Retry-After", "10"}});
    case ErrorCode::kInvalidArgument:
    case ErrorCode::kNotFound:
    case ErrorCode::kTooLarge:
      return fail(call, error);
    default:
      break;
  }
  // The store's own trouble: its message names files and addresses, which are the operator's alone.
  parts_.log->error("job_queue_failed",
                    {{"trace_id", LogIdentifier(call->trace_id)}, {"error", log_word(error.code)}});
  if (error.code == ErrorCode::kIo) {  // a full disk, a server that is away: it passes
    return fail(call, 503, "queue_unavailable", {error.code, "the job store cannot take this now"},
                {{"Retry-After", "10"}});
  }
  fail(call, {error.code, "the job store failed; who runs this server must mend it"});
}

void App::list_jobs(const CallPtr& call) {
  if (!has_jobs(call)) return;
  const auto limit = number_of(call->request, "limit", kListLimit);
  if (!limit || *limit == 0 || *limit > kListLimit * 10)
    return fail(call, {ErrorCode::kInvalidArgument, "limit must be from 1 to 500", "limit"});
  const std::string cursor = query_value(call->request.query, "cursor").value_or("");
  parts_.jobs->post([this, call, cursor, limit = *limit](JobQueue& queue) {
    const Result<JobPage> page = queue.list(call->key, cursor, limit);
    if (!page.ok()) return fail_queue(call, page.error());
    std::vector<JobSummary> jobs;
    for (const JobView& view : page->jobs) jobs.push_back(summary_of(view));
    finish_json(call, job_list_body(jobs, page->next));
  });
}

void App::job_status(const CallPtr& call) {
  if (!has_jobs(call)) return;
  parts_.jobs->post([this, call](JobQueue& queue) {
    const Result<JobView> view = queue.get(call->id, call->key);
    if (!view.ok()) return fail_queue(call, view.error());
    JobSummary job = summary_of(*view);
    if (view->items == 1 && view->finished_items == 1) {
      const Result<ResultPage> page = queue.results(call->id, call->key, 0, 1);
      if (page.ok() && !page->results.empty()) job.only_result = payload_of(page->results[0]);
    }
    finish_json(call, job_body(job));
  });
}

void App::delete_job(const CallPtr& call) {
  if (!has_jobs(call)) return;
  parts_.jobs->post([this, call](JobQueue& queue) {
    const Result<JobView> before = queue.get(call->id, call->key);
    if (!before.ok()) return fail_queue(call, before.error());
    const bool open = before->state == JobState::kQueued || before->state == JobState::kRunning;
    if (open) {
      const Result<JobView> cancelled = queue.cancel(call->id, call->key);
      if (!cancelled.ok()) return fail_queue(call, cancelled.error());
      return finish_json(call, job_body(summary_of(*cancelled)));
    }
    const Status wiped = queue.wipe(call->id, call->key);
    if (!wiped.ok()) return fail_queue(call, wiped.error());
    finish_json(call, job_body(summary_of(*before)));
  });
}

void App::job_results(const CallPtr& call) {
  if (!has_jobs(call)) return;
  const auto cursor = number_of(call->request, "cursor", 0);
  const auto limit = number_of(call->request, "limit", kResultLimit);
  if (!cursor)
    return fail(call, {ErrorCode::kInvalidArgument, "cursor must be a number from 0 on", "cursor"});
  if (!limit || *limit == 0 || *limit > kResultLimit)
    return fail(call, {ErrorCode::kInvalidArgument, "limit must be from 1 to 1000", "limit"});
  parts_.jobs->post([this, call, cursor = *cursor, limit = *limit](JobQueue& queue) {
    const Result<ResultPage> page = queue.results(call->id, call->key, cursor, limit);
    if (!page.ok()) return fail_queue(call, page.error());
    HttpResponse response{200, "application/x-ndjson", "", {}};
    for (const ItemResult& result : page->results)
      response.body += result_line(result.index, payload_of(result));
    if (page->more) response.headers.emplace_back("X-Next-Cursor", std::to_string(page->next));
    finish(call, std::move(response));
  });
}

}  // namespace seqgpt
