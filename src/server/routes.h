// SPDX-License-Identifier: Apache-2.0
// The table of routes: what is served where, to whom, and with which body. openapi.json is made
// from it.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "api/openapi.h"
#include "store/log.h"

namespace seqgpt {

enum class Endpoint {
  kExtract,
  kClassify,
  kGenerate,
  kExtractBatch,
  kClassifyBatch,
  kExtractJob,
  kClassifyJob,
  kJobList,
  kJobStatus,
  kJobDelete,
  kJobResults,
  kPdfText,
  kCompletions,
  kModels,
  kModel,
  kHealth,
  kReady,
  kMetrics,
  kInfo,
  kVersion,
  kOpenapi,
  kDocs,
};

enum class BodyKind { kNone, kTask, kBatch, kTaskOrBatch, kFree, kCompletion };

struct Route {
  Endpoint endpoint;
  LogWord name;  // in logs, metrics and the audit log
  std::string_view method;
  std::string_view path;  // {id} stands for one segment
  bool also_v1;           // served under /v1 too
  bool open;              // needs no key
  bool streams;           // answers with events on Accept: text/event-stream
  BodyKind body;
  std::string_view summary;
};

/// Synonyms are rows of their own. Page files are not in it.
std::span<const Route> routes();
/// What serves the page alone and may change with it: no part of the interface.
bool is_of_the_page(const Route& route);
/// The others, for openapi.json.
std::vector<ApiRoute> api_routes();

struct RouteMatch {
  const Route* route = nullptr;  // null: no such path, or not with this method
  std::string id;                // of {id}
  std::string allowed;           // methods of the path, for Allow; empty: no such path
};

/// HEAD counts as GET.
RouteMatch find_route(std::string_view method, std::string_view path);

}  // namespace seqgpt
