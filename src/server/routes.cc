// SPDX-License-Identifier: Apache-2.0
// The table, and looking a path up in it.
#include "server/routes.h"

namespace seqgpt {
namespace {

using enum Endpoint;

constexpr Route kRoutes[] = {
    {kExtract, "extract", "POST", "/extract", true, false, true, BodyKind::kTask,
     "Verbatim fields of one text"},
    {kClassify, "classify", "POST", "/classify", true, false, true, BodyKind::kTask,
     "The class of one text"},
    {kClassify, "classify", "POST", "/seqgpt/classify", false, false, true, BodyKind::kTask,
     "The same as /classify"},
    {kGenerate, "generate", "POST", "/generate", true, false, true, BodyKind::kFree,
     "A free prompt"},
    {kExtractBatch, "extract_batch", "POST", "/extract/batch", true, false, false, BodyKind::kBatch,
     "Fields of many texts, in order"},
    {kClassifyBatch, "classify_batch", "POST", "/classify/batch", true, false, false,
     BodyKind::kBatch, "Classes of many texts, in order"},
    {kExtractJob, "extract_async", "POST", "/extract/async", true, false, false,
     BodyKind::kTaskOrBatch, "The same as a job that outlives the connection"},
    {kClassifyJob, "classify_async", "POST", "/classify/async", true, false, false,
     BodyKind::kTaskOrBatch, "The same as a job that outlives the connection"},
    {kJobList, "jobs", "GET", "/jobs", true, false, false, BodyKind::kNone,
     "The key's jobs, newest first"},
    {kJobStatus, "job", "GET", "/jobs/{id}", true, false, false, BodyKind::kNone,
     "State and progress of a job"},
    {kJobDelete, "job_delete", "DELETE", "/jobs/{id}", true, false, false, BodyKind::kNone,
     "Cancels a job under way, wipes one that has ended"},
    {kJobResults, "job_results", "GET", "/jobs/{id}/results", true, false, false, BodyKind::kNone,
     "Results as NDJSON from a cursor on"},
    {kPdfText, "pdf_text", "POST", "/page/pdf-text", false, false, false, BodyKind::kNone,
     "The text of a PDF (the request's body), for the page"},
    {kCompletions, "completions", "POST", "/v1/completions", false, false, false,
     BodyKind::kCompletion, "OpenAI's shape of a free prompt"},
    {kModels, "models", "GET", "/v1/models", false, false, false, BodyKind::kNone,
     "The model, in OpenAI's shape"},
    {kModel, "model", "GET", "/v1/models/{id}", false, false, false, BodyKind::kNone,
     "The same alone, by its name"},
    {kHealth, "health", "GET", "/healthz", true, true, false, BodyKind::kNone,
     "State, latencies, queue; always 200"},
    {kHealth, "health", "GET", "/health", true, true, false, BodyKind::kNone, "The same"},
    {kReady, "ready", "GET", "/ready", true, true, false, BodyKind::kNone,
     "200 when warm, else 503"},
    {kMetrics, "metrics", "GET", "/metrics", false, false, false, BodyKind::kNone,
     "Prometheus' text format"},
    {kInfo, "info", "GET", "/info", true, false, false, BodyKind::kNone,
     "Model, device and limits"},
    {kVersion, "version", "GET", "/version", true, false, false, BodyKind::kNone,
     "Version and fingerprint"},
    {kOpenapi, "openapi", "GET", "/openapi.json", true, true, false, BodyKind::kNone,
     "This interface as OpenAPI 3.1"},
    {kDocs, "docs", "GET", "/docs", false, true, false, BodyKind::kNone,
     "This interface as a page"},
};

constexpr std::string_view kId = "{id}";

/// Whether `path` is an instance of `pattern`; the segment of {id} goes to `id`.
bool matches(std::string_view pattern, std::string_view path, std::string& id) {
  const size_t hole = pattern.find(kId);
  if (hole == std::string_view::npos) return pattern == path;
  const std::string_view tail = pattern.substr(hole + kId.size());
  if (path.size() <= hole + tail.size()) return false;
  if (!path.starts_with(pattern.substr(0, hole)) || !path.ends_with(tail)) return false;
  const std::string_view segment = path.substr(hole, path.size() - hole - tail.size());
  if (segment.empty() || segment.find('/') != std::string_view::npos) return false;
  id = segment;
  return true;
}

bool is_route(const Route& route, std::string_view path, std::string& id) {
  if (matches(route.path, path, id)) return true;
  return route.also_v1 && path.starts_with("/v1/") && matches(route.path, path.substr(3), id);
}

}  // namespace

std::span<const Route> routes() {
  return kRoutes;
}

bool is_of_the_page(const Route& route) {
  return route.path.starts_with("/page/");
}

std::vector<ApiRoute> api_routes() {
  std::vector<ApiRoute> all;
  for (const Route& route : kRoutes) {
    if (is_of_the_page(route)) continue;
    all.push_back({route.name.text(), route.method, route.path, route.summary, route.also_v1,
                   route.open, route.streams});
  }
  return all;
}

RouteMatch find_route(std::string_view method, std::string_view path) {
  if (method == "HEAD") method = "GET";
  RouteMatch match;
  for (const Route& route : kRoutes) {
    std::string id;
    if (!is_route(route, path, id)) continue;
    if (!match.allowed.empty()) match.allowed += ", ";
    match.allowed += route.method;
    if (route.method == "GET") match.allowed += ", HEAD";
    if (route.method != method || match.route) continue;
    match.route = &route;
    match.id = std::move(id);
  }
  if (!match.allowed.empty()) match.allowed += ", OPTIONS";
  return match;
}

}  // namespace seqgpt
