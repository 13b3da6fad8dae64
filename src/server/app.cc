// SPDX-License-Identifier: Apache-2.0
// Every request's way: trace id, route, key, endpoint, answer, notes.
#include "server/app.h"

#include <algorithm>
#include <ctime>

#include "server/page_files.h"
#include "server/trace.h"

namespace seqgpt {
namespace {

constexpr std::string_view kBearer = "bearer";
constexpr const char* kPageMethods = "GET, HEAD, OPTIONS";

/// The key of "Bearer KEY"; the scheme in any case, one blank or more (RFC 9110, 11.4).
std::optional<std::string_view> bearer_key(std::string_view header) {
  if (header.size() <= kBearer.size()) return std::nullopt;
  for (size_t i = 0; i < kBearer.size(); ++i) {
    if ((header[i] | 0x20) != kBearer[i]) return std::nullopt;
  }
  const size_t begin = header.find_first_not_of(' ', kBearer.size());
  if (begin == kBearer.size() || begin == std::string_view::npos) return std::nullopt;
  return header.substr(begin);
}

bool lists(std::string_view header, std::string_view value) {
  return header.find(value) != std::string_view::npos;
}

}  // namespace

double Call::elapsed_ms() const {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start)
      .count();
}

bool Call::wants_events() const {
  return route->streams && lists(request.header("accept").value_or(""), "text/event-stream");
}

App::App(AppOptions options, AppParts parts)
    : options_(std::move(options)),
      parts_(std::move(parts)),
      openapi_(openapi_json(options_.root_path, api_routes())) {}

AppSecrets App::secrets() const {
  const std::lock_guard lock(mutex_);
  return secrets_;
}

void App::set_secrets(AppSecrets secrets) {
  const std::lock_guard lock(mutex_);
  secrets_ = std::move(secrets);
}

RequestDefaults App::defaults() const {
  RequestDefaults defaults;
  defaults.rules.fields = secrets().fields;
  defaults.timeout_ms = options_.timeout_ms;
  defaults.now_seconds = std::time(nullptr);
  return defaults;
}

BodyContext App::context_of(const Call& call, const Finished& finished) const {
  const ModelFacts facts = parts_.service->facts();
  return {facts.name, facts.fingerprint, call.trace_id, call.elapsed_ms(), finished.dropped};
}

void App::handle(HttpRequest request, std::shared_ptr<Reply> reply) {
  const auto call = std::make_shared<Call>();
  call->start = std::chrono::steady_clock::now();
  call->trace_id = trace_id_of(request);
  call->client = client_address(request, options_.trusted_proxies);
  call->request_bytes = request.body.size();
  call->request = std::move(request);
  call->reply = std::move(reply);
  if (const auto& problem = call->request.problem) {
    static constexpr std::pair<int, std::string_view> kTypes[] = {{408, "timeout"},
                                                                  {413, "too_large"},
                                                                  {431, "too_large"},
                                                                  {501, "unsupported"},
                                                                  {505, "unsupported"}};
    std::string_view type = "invalid_request";
    for (const auto& [status, word] : kTypes) {
      if (status == problem->status) type = word;
    }
    return fail(call, problem->status, type, {ErrorCode::kInvalidArgument, problem->message});
  }
  dispatch(call);
}

std::string App::path_below_root(const std::string& path) const {
  const std::string& root = options_.root_path;
  if (root.empty() || !path.starts_with(root)) return path;
  if (path.size() == root.size()) return "/";
  return path[root.size()] == '/' ? path.substr(root.size()) : path;
}

void App::dispatch(const CallPtr& call) {
  const std::string& root = options_.root_path;
  if (!root.empty() && call->request.path == root)  // the page's links are relative to a folder
    return finish(call, {308, "", "", {{"Location", root + "/"}}});
  call->request.path = path_below_root(call->request.path);
  const std::string& method = call->request.method;
  if (serve_page(call)) return;
  RouteMatch match = find_route(method, call->request.path);
  if (match.allowed.empty() && find_page_file(call->request.path)) match.allowed = kPageMethods;
  if (match.allowed.empty()) {
    return fail(call, 404, "not_found",
                {ErrorCode::kNotFound, "there is nothing at this path; /docs lists what there is"});
  }
  if (method == "OPTIONS") return answer_options(call, match.allowed);
  if (!match.route) {
    return fail(call, 405, "method_not_allowed",
                {ErrorCode::kInvalidArgument, "this path takes " + match.allowed},
                {{"Allow", match.allowed}});
  }
  call->route = match.route;
  call->id = std::move(match.id);
  if (!match.route->open && !authorised(call, secrets())) return;
  switch (match.route->endpoint) {
    case Endpoint::kExtract:
      return run_task(call, TaskKind::kExtract);
    case Endpoint::kClassify:
      return run_task(call, TaskKind::kClassify);
    case Endpoint::kGenerate:
      return run_prompt(call);
    case Endpoint::kExtractBatch:
      return run_batch(call, TaskKind::kExtract);
    case Endpoint::kClassifyBatch:
      return run_batch(call, TaskKind::kClassify);
    case Endpoint::kExtractJob:
      return create_job(call, TaskKind::kExtract);
    case Endpoint::kClassifyJob:
      return create_job(call, TaskKind::kClassify);
    case Endpoint::kJobList:
      return list_jobs(call);
    case Endpoint::kJobStatus:
      return job_status(call);
    case Endpoint::kJobDelete:
      return delete_job(call);
    case Endpoint::kJobResults:
      return job_results(call);
    case Endpoint::kPdfText:
      return pdf_text(call);
    case Endpoint::kCompletions:
      return run_completion(call);
    case Endpoint::kModels:
      return models(call);
    case Endpoint::kModel:
      return model(call);
    case Endpoint::kHealth:
      return health(call);
    case Endpoint::kReady:
      return ready(call);
    case Endpoint::kMetrics:
      return write_metrics(call);
    case Endpoint::kInfo:
      return info(call);
    case Endpoint::kVersion:
      return version(call);
    case Endpoint::kOpenapi:
      return finish_json(call, openapi_);
    case Endpoint::kDocs:  // a page file
      break;
  }
  fail(call, 404, "not_found", {ErrorCode::kNotFound, "this build has no page"});
}

/// Answers itself when the caller may not go on.
bool App::authorised(const CallPtr& call, const AppSecrets& secrets) {
  if (!secrets.keys) return true;  // a file without keys lets nobody in
  const KeyEntry* entry = nullptr;
  if (const auto key = bearer_key(call->request.header("authorization").value_or("")))
    entry = secrets.keys->find(*key);
  if (!entry) {
    fail(
        call, 401, "unauthorized",
        {ErrorCode::kInvalidArgument, "this server asks for a key: send Authorization: Bearer KEY"},
        {{"WWW-Authenticate", "Bearer"}});
    return false;
  }
  call->key = entry->id;
  if (!entry->rate_per_minute) return true;
  const auto wait = limiter_.take(entry->id, *entry->rate_per_minute);
  if (!wait) return true;
  const auto seconds = std::chrono::ceil<std::chrono::seconds>(*wait).count();
  fail(call, 429, "rate_limited",
       {ErrorCode::kOverloaded, "this key has used up its " +
                                    std::to_string(*entry->rate_per_minute) + " requests a minute"},
       {{"Retry-After", std::to_string(std::max<int64_t>(1, seconds))}});
  return false;
}

/// Also a browser's preflight.
void App::answer_options(const CallPtr& call, const std::string& allowed) {
  HttpResponse response{204, "", "", {{"Allow", allowed}}};
  if (call->request.header("access-control-request-method")) {
    response.headers.emplace_back("Access-Control-Allow-Methods", allowed);
    response.headers.emplace_back(
        "Access-Control-Allow-Headers",
        "Authorization, Content-Type, Idempotency-Key, X-Request-ID, traceparent");
    response.headers.emplace_back("Access-Control-Max-Age", "600");
  }
  finish(call, std::move(response));
}

bool App::serve_page(const CallPtr& call) {
  const HttpRequest& request = call->request;
  if (request.method != "GET" && request.method != "HEAD") return false;
  const PageFile* file = find_page_file(request.path);
  if (!file) return false;
  HttpResponse response{200, std::string(file->content_type), "", {}};
  response.headers = {{"ETag", std::string(file->etag)},
                      {"Cache-Control", std::string(kPageCacheControl)},
                      {"Content-Security-Policy", std::string(kPageSecurityPolicy)},
                      {"X-Frame-Options", "DENY"},
                      {"Referrer-Policy", "no-referrer"},
                      {"Vary", "Accept-Encoding"}};
  if (lists(request.header("if-none-match").value_or(""), file->etag)) {
    response.status = 304;
  } else if (!file->gzip_bytes.empty() &&
             lists(request.header("accept-encoding").value_or(""), "gzip")) {
    response.body = file->gzip_bytes;
    response.headers.emplace_back("Content-Encoding", "gzip");
  } else {
    response.body = file->bytes;
  }
  finish(call, std::move(response));
  return true;
}

void App::add_headers(const Call& call, HttpHeaders& headers) const {
  headers.emplace_back("X-Request-ID", call.trace_id);
  headers.emplace_back("X-Content-Type-Options", "nosniff");
  const auto has = [&](std::string_view name) { return find_header(headers, name).has_value(); };
  if (!has("cache-control")) headers.emplace_back("Cache-Control", "no-store");
  const auto origin = call.request.header("origin");
  if (!origin) return;
  const auto allowed = [&](const std::string& one) { return one == "*" || one == *origin; };
  if (std::ranges::none_of(options_.cors_origins, allowed)) return;
  headers.emplace_back("Access-Control-Allow-Origin", std::string(*origin));
  headers.emplace_back("Access-Control-Expose-Headers", "X-Request-ID, Retry-After");
  if (!has("vary")) headers.emplace_back("Vary", "Origin");
}

void App::finish(const CallPtr& call, HttpResponse response) {
  if (call->ended.exchange(true)) return;
  add_headers(*call, response.headers);
  response.close = response.close || draining_;  // whoever asks again is to find another server
  note(*call, response.status, response.body.size());
  call->reply->send(std::move(response));
}

void App::finish_json(const CallPtr& call, std::string body, int status) {
  finish(call, {status, "application/json", std::move(body), {}});
}

void App::fail(const CallPtr& call, int status, std::string_view type, const Error& error,
               HttpHeaders headers) {
  finish(call, {status, "application/json", http_error_body(status, type, error, call->trace_id),
                std::move(headers)});
}

void App::fail(const CallPtr& call, const Error& error) {
  fail(call, http_status(error.code), error_type(error.code), error);
}

void App::note_job_end(const JobView& job, const std::string& trace_id) {
  const double ms = static_cast<double>(job.finished - job.created);
  parts_.log->info("job_ended", {{"trace_id", LogIdentifier(trace_id)},
                                 {"job", LogIdentifier(job.id)},
                                 {"items", job.items},
                                 {"failed_items", job.failed_items},
                                 {"ms", ms},
                                 {"key", LogIdentifier(job.owner.empty() ? "-" : job.owner)}});
  AuditRecord record;
  record.key = job.owner;
  record.route = "job_ended";
  record.trace_id = trace_id;
  record.status = job.state == JobState::kDone ? 200 : 500;
  record.items = job.items;
  record.latency_ms = ms;
  append_audit(record);
}

void App::append_audit(const AuditRecord& record) {
  if (!parts_.audit) return;
  const Status written = parts_.audit->append(record);
  if (written.ok()) return;
  ++audit_failures_;
  parts_.log->error("audit_failed", {{"error", log_word(written.error().code)}});
}

/// In metrics, the log and the audit log; never a text.
void App::note(const Call& call, int status, size_t answer_bytes) {
  static constexpr LogWord kNoRoute = "none";
  const LogWord route = call.route ? call.route->name : kNoRoute;
  const double ms = call.elapsed_ms();
  const bool work = call.route && call.route->body != BodyKind::kNone;
  metrics_.add({route.text(), status, ms, call.queue_ms, call.request_bytes, answer_bytes, work});
  const LogLevel level = status >= 500                    ? LogLevel::kWarning
                         : call.route && call.route->open ? LogLevel::kDebug
                                                          : LogLevel::kInfo;
  parts_.log->write(level, "request",
                    {{"trace_id", LogIdentifier(call.trace_id)},
                     {"route", route},
                     {"status", status},
                     {"ms", ms},
                     {"queue_ms", call.queue_ms},
                     {"request_bytes", call.request_bytes},
                     {"answer_bytes", answer_bytes},
                     {"items", call.items},
                     {"client", LogIdentifier(call.client)},
                     {"key", LogIdentifier(call.key.empty() ? "-" : call.key)}});
  if (!parts_.audit || !call.route || call.route->open) return;
  AuditRecord record;
  record.key = call.key;
  record.route = route.text();
  record.trace_id = call.trace_id;
  record.status = status;
  record.request_bytes = call.request_bytes;
  record.answer_bytes = answer_bytes;
  record.text_characters = call.characters;
  record.items = call.items;
  record.labels = call.labels;
  record.text_hash = call.text_hash;
  record.latency_ms = ms;
  append_audit(record);
}

}  // namespace seqgpt
