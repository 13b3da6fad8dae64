// SPDX-License-Identifier: Apache-2.0
// App: a whole HTTP request to its endpoint and back: who asks, may they, what for, and what is
// noted of it.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <unordered_set>
#include <vector>

#include "api/http_body.h"
#include "api/http_request.h"
#include "server/gpu_monitor.h"
#include "server/http.h"
#include "server/http_server.h"
#include "server/metrics.h"
#include "server/pdf_text.h"
#include "server/routes.h"
#include "server/service.h"
#include "store/audit.h"
#include "store/job_queue.h"
#include "store/keys.h"
#include "store/log.h"
#include "store/rate_limiter.h"
#include "store/vault.h"

namespace seqgpt {

class JobRunner;

struct AppOptions {
  std::string root_path;  // "/seqgpt" behind a proxy; paths may come with or without it
  std::vector<std::string> trusted_proxies;
  std::vector<std::string> cors_origins;  // "*": any
  int timeout_ms = 30'000;
  std::chrono::seconds keep_jobs{24 * 3600};
};

/// What the app uses; all outlive it. Null: not configured.
struct AppParts {
  Service* service = nullptr;
  Log* log = nullptr;
  AuditLog* audit = nullptr;
  const Vault* vault = nullptr;
  JobRunner* jobs = nullptr;
  const GpuMonitor* gpus = nullptr;
  std::function<double()> load_progress = {};  // 0..1 while the model is loaded; any thread
};

/// What may change while the server runs (SIGHUP).
struct AppSecrets {
  std::shared_ptr<const KeyRing> keys;  // null or empty: no key is needed
  std::shared_ptr<const FieldTable> fields = FieldTable::standard();
};

/// One request on its way. Its members are set by the app before the endpoint runs; then one
/// thread at a time has it.
struct Call {
  HttpRequest request;
  std::shared_ptr<Reply> reply;
  std::string trace_id;
  std::string client;
  std::string key;  // id of the bearer key
  const Route* route = nullptr;
  std::string id;  // of {id}
  std::chrono::steady_clock::time_point start;
  // Noted by endpoints, for the audit log and metrics.
  uint64_t request_bytes = 0;
  uint64_t characters = 0;
  uint64_t items = 0;
  std::vector<std::string> labels;              // names of all texts, each once
  std::unordered_set<std::string> label_names;  // the same
  std::string text_hash;
  double queue_ms = -1;
  std::vector<bool> told;  // labels whose event was sent
  std::atomic<bool> read_told{false};
  std::atomic<bool> ended{false};

  double elapsed_ms() const;
  bool wants_events() const;
};
using CallPtr = std::shared_ptr<Call>;

/// Thread contract: handle() on the HTTP workers, many at a time; the others on any thread. Must
/// outlive the service's thread and the HTTP server.
class App {
 public:
  App(AppOptions options, AppParts parts);
  ~App();  // waits for a PDF that is being read
  /// Once, before the first request: the runner needs the app's fields, and comes after it.
  void set_jobs(JobRunner* jobs) { parts_.jobs = jobs; }
  std::shared_ptr<const FieldTable> fields() const { return secrets().fields; }

  void handle(HttpRequest request, std::shared_ptr<Reply> reply);
  void set_secrets(AppSecrets secrets);
  /// From now on health says draining and work is refused.
  void set_draining() { draining_ = true; }
  /// For the figures of /metrics; may be null.
  void set_http(const HttpServer* http) { http_ = http; }
  const RequestMetrics& metrics() const { return metrics_; }
  /// A job's last item has ended; `trace_id` is that of the request that put it down.
  void note_job_end(const JobView& job, const std::string& trace_id);

 private:
  // app.cc
  void dispatch(const CallPtr& call);
  bool authorised(const CallPtr& call, const AppSecrets& secrets);
  void answer_options(const CallPtr& call, const std::string& allowed);
  bool serve_page(const CallPtr& call);
  std::string path_below_root(const std::string& path) const;
  void finish(const CallPtr& call, HttpResponse response);
  void finish_json(const CallPtr& call, std::string body, int status = 200);
  void fail(const CallPtr& call, int status, std::string_view type, const Error& error,
            HttpHeaders headers = {});
  void fail(const CallPtr& call, const Error& error);
  void note(const Call& call, int status, size_t answer_bytes);
  void append_audit(const AuditRecord& record);
  void add_headers(const Call& call, HttpHeaders& headers) const;
  AppSecrets secrets() const;
  RequestDefaults defaults() const;
  BodyContext context_of(const Call& call, const Finished& finished) const;

  // work_endpoints.cc
  void run_task(const CallPtr& call, TaskKind kind);
  /// For the audit log; a further text of one request adds to what was noted.
  void note_task(Call& call, const Task& task) const;
  bool ready_for_work(const CallPtr& call);
  /// Submits; when the client leaves, the order is called off. Nothing: the call has failed.
  std::optional<OrderId> submit(const CallPtr& call, Order order);
  void fail_order(const CallPtr& call, const Finished& finished);
  /// fail_order, or the same as a last event to who asked for events.
  void end_failed(const CallPtr& call, const Finished& finished);
  void open_events(const CallPtr& call);
  void end_events(const CallPtr& call, int status, std::string_view event, const std::string& data);
  void tell_fields(const CallPtr& call, const TaskRequest& request, const Answer& answer,
                   const std::vector<size_t>& labels);
  void finish_task(const CallPtr& call, const TaskRequest& request, const Finished& finished);

  /// Stages that have ended and were not told yet, then the whole.
  void tell_stages(const CallPtr& call, const Finished& finished);

  // prompt_endpoints.cc
  struct CompletionRun;
  void run_prompt(const CallPtr& call);
  void finish_prompt(const CallPtr& call, const std::string& prompt, const Finished& finished);
  void run_completion(const CallPtr& call);
  void stream_completion(CompletionRun& run, size_t choice, std::string_view text,
                         std::string_view finish_reason);
  void fail_completion(CompletionRun& run, const Finished& finished);
  void take_choice(CompletionRun& run, size_t choice, const Finished& finished);

  // batch_endpoints.cc
  void run_batch(const CallPtr& call, TaskKind kind);
  void note_batch(Call& call, const BatchRequest& request) const;

  // job_endpoints.cc
  bool has_jobs(const CallPtr& call);
  void fail_queue(const CallPtr& call, const Error& error);
  void create_job(const CallPtr& call, TaskKind kind);
  void list_jobs(const CallPtr& call);
  void job_status(const CallPtr& call);
  void delete_job(const CallPtr& call);
  void job_results(const CallPtr& call);

  // pdf_endpoint.cc
  void pdf_text(const CallPtr& call);

  // status_endpoints.cc
  void health(const CallPtr& call);
  void ready(const CallPtr& call);
  void write_metrics(const CallPtr& call);
  void info(const CallPtr& call);
  void version(const CallPtr& call);
  void models(const CallPtr& call);
  void model(const CallPtr& call);

  const AppOptions options_;
  AppParts parts_;
  const std::string openapi_;
  const std::chrono::steady_clock::time_point started_ = std::chrono::steady_clock::now();
  std::atomic<bool> draining_{false};
  std::atomic<const HttpServer*> http_{nullptr};
  RequestMetrics metrics_;
  RateLimiter limiter_;
  PdfReader pdf_;
  std::atomic<bool> pdf_busy_{false};
  std::thread pdf_thread_;  // touched by whoever set pdf_busy_
  std::atomic<uint64_t> audit_failures_{0};
  mutable std::mutex mutex_;  // of secrets_
  AppSecrets secrets_;
};

/// The key under which equal requests are one computation: every byte of the task that reaches the
/// answer, and who asks, so that nobody is answered sooner because another has asked the same.
/// Those that named no moment share the first one's.
std::string flight_key(const TaskRequest& request, const std::string& owner);
std::string flight_key(const FreeRequest& request, const std::string& owner);
/// An order for a checked task of `owner`, the id of the bearer key.
Order order_of(const TaskRequest& request, const std::string& owner,
               std::chrono::steady_clock::time_point start);
/// The HTTP status and the word of an error out of the service.
std::pair<int, std::string_view> status_of(const Finished& finished);

}  // namespace seqgpt
