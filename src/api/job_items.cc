// SPDX-License-Identifier: Apache-2.0
// Job items and summaries as JSON.
#include "api/job_items.h"

#include "api/body_json.h"
#include "api/request_json.h"

namespace seqgpt {
namespace {

/// What an item says itself goes before what all share.
Json merged(const Json& shared, const Json& item) {
  Json request = shared;
  for (const auto& [key, value] : item.items()) {
    if (key != "id") request[key] = value;
  }
  return request;
}

Json summary_json(const JobSummary& job) {
  Json json = {{"job_id", job.id}, {"kind", job.kind}, {"status", job.status}};
  json["progress"] = job.items == 0
                         ? 0.0
                         : static_cast<double>(job.finished_items) / static_cast<double>(job.items);
  json["items"] = job.items;
  json["finished_items"] = job.finished_items;
  json["failed_items"] = job.failed_items;
  if (!job.created.empty()) json["created"] = job.created;
  if (!job.finished.empty()) json["finished"] = job.finished;
  if (!job.expires.empty()) json["expires"] = job.expires;
  if (job.only_result.empty()) return json;
  Json result = Json::parse(job.only_result, nullptr, false);
  if (result.is_object() && result.contains("error")) {
    json["error"] = result["error"];
  } else {
    json["result"] = std::move(result);
  }
  return json;
}

}  // namespace

Result<JobItems> job_items(std::string_view body, TaskKind kind, const RequestDefaults& defaults) {
  // The strict reading: what is wrong with the body itself, or with all its items, is told at once.
  JobItems job;
  SEQGPT_ASSIGN(job.request, read_batch_request(body, kind, defaults, true));
  SEQGPT_ASSIGN(Json shared, parse_json(body));
  shared["reference_time"] = job.request.reference_time;
  shared.erase("timezone");  // it is in the moment now, and items may name another
  if (!shared.contains("timeout_ms")) shared["timeout_ms"] = kMaxTimeoutMs;
  if (!shared.contains("items")) {
    job.stored.push_back(dump_json({{"request", std::move(shared)}}, -1));
    return job;
  }
  const Json items = shared["items"];
  shared.erase("items");
  for (const Json& item : items) {
    Json one = Json::object();
    if (item.is_object() && item.contains("id") && !item["id"].is_null()) one["id"] = item["id"];
    one["request"] = item.is_object() ? merged(shared, item) : item;
    job.stored.push_back(dump_json(one, -1));
  }
  return job;
}

Result<JobItem> read_job_item(std::string_view stored, TaskKind kind,
                              const RequestDefaults& defaults) {
  SEQGPT_ASSIGN(const Json item, parse_json(stored));
  JobItem read;
  if (item.contains("id")) read.id = dump_json(item["id"], -1);
  read.request = read_task_request(dump_json(item.value("request", Json()), -1), kind, defaults);
  return read;
}

std::string job_body(const JobSummary& job) {
  return dump_json(summary_json(job), -1);
}

std::string job_list_body(const std::vector<JobSummary>& jobs, std::string_view next) {
  Json list = Json::array();
  for (const JobSummary& job : jobs) list.push_back(summary_json(job));
  Json body = {{"jobs", std::move(list)}};
  body["next"] = next.empty() ? Json(nullptr) : Json(next);
  return dump_json(body, -1);
}

std::string job_created_body(std::string_view id, std::string_view status_url) {
  return dump_json({{"job_id", id}, {"status_url", status_url}}, -1);
}

std::string result_line(size_t index, std::string_view result) {
  std::string line = "{\"index\":" + std::to_string(index);
  if (result.size() > 2) line += ",";
  return line.append(result.substr(1)).append("\n");
}

}  // namespace seqgpt
