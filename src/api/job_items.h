// SPDX-License-Identifier: Apache-2.0
// Items of jobs as they are stored: each a whole request of its own, its moment fixed.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "api/http_request.h"

namespace seqgpt {

struct JobItems {
  std::vector<std::string> stored;
  BatchRequest request;  // the same items, read
};
/// The items of an /async body (one task, or "items" with what they share). Items are not checked
/// one by one: a bad one becomes its own error when it is run. Errors: as read_batch_request's for
/// the body itself.
Result<JobItems> job_items(std::string_view body, TaskKind kind, const RequestDefaults& defaults);

struct JobItem {
  std::string id;  // JSON text, empty: none
  Result<TaskRequest> request = Error{};
};
Result<JobItem> read_job_item(std::string_view stored, TaskKind kind,
                              const RequestDefaults& defaults);

/// What GET /jobs/{id} says.
struct JobSummary {
  std::string id;
  std::string kind;
  std::string status;
  size_t items = 0;
  size_t finished_items = 0;
  size_t failed_items = 0;
  std::string created;  // ISO 8601 in UTC, empty: not yet
  std::string finished;
  std::string expires;
  std::string only_result;  // JSON text of the result of a job of one item; empty: not there
};
std::string job_body(const JobSummary& job);
std::string job_list_body(const std::vector<JobSummary>& jobs, std::string_view next);
std::string job_created_body(std::string_view id, std::string_view status_url);
/// A stored result with its index in front.
std::string result_line(size_t index, std::string_view result);

}  // namespace seqgpt
