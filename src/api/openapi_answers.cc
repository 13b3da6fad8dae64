// SPDX-License-Identifier: Apache-2.0
// The schemas of answers, as the bodies are written by body.cc and the server; live answers are
// checked against them (tests/deploy/test_api.py), unknown fields included.
#include "api/openapi_parts.h"

namespace seqgpt {
namespace {

// Of an extraction or classification.
constexpr const char* kAnswers = R"json({
"Warning": {"type": "object", "properties": {
  "code": {"type": "string"}, "message": {"type": "string"}, "param": {"type": "string"}},
  "required": ["code", "message"], "additionalProperties": false},
"Entity": {"type": "object", "description": "A value: text stands in the text from start to end (exclusive).",
  "properties": {
  "label": {"type": "string"}, "key": {"type": "string"}, "text": {"type": "string", "minLength": 1},
  "start": {"type": "integer", "minimum": 0}, "end": {"type": "integer", "minimum": 1},
  "confidence": {"type": "number", "minimum": 0, "maximum": 1},
  "normalized": {"type": ["object", "null"], "properties": {"kind": {"type": "string"}}},
  "reason": {"type": "string", "description": "why normalized is null"}},
  "required": ["label", "key", "text", "start", "end", "confidence", "normalized"], "additionalProperties": false},
"Value": {"description": "A scalar by the field's type; a list of several; null for none; a range as an object.",
  "type": ["string", "number", "null", "array", "object"]},
"Extraction": {"type": "object", "properties": {
  "id": {},
  "success": {"const": true}, "trace_id": {"type": "string"}, "model": {"type": "string"},
  "fingerprint": {"type": "string"}, "latency_ms": {"type": "number"}, "reference_time": {"type": "string"},
  "result": {"type": "object", "additionalProperties": {"$ref": "#/components/schemas/Value"}},
  "records": {"type": "array", "items": {"type": "object", "additionalProperties": {"$ref": "#/components/schemas/Value"}}},
  "entities": {"type": "array", "items": {"$ref": "#/components/schemas/Entity"}},
  "coverage": {"type": "number", "minimum": 0, "maximum": 1}, "truncated": {"type": "boolean"},
  "degraded": {"type": "boolean", "description": "load took optional work away; warnings say which"},
  "warnings": {"type": "array", "items": {"$ref": "#/components/schemas/Warning"}}},
  "required": ["success", "model", "fingerprint", "result", "entities", "coverage", "truncated", "degraded", "warnings"],
  "additionalProperties": false},
"ClassScore": {"type": "object", "properties": {
  "label": {"type": "string"}, "probability": {"type": "number", "minimum": 0, "maximum": 1}},
  "required": ["label", "probability"], "additionalProperties": false},
"Classification": {"type": "object", "properties": {
  "id": {},
  "success": {"const": true}, "trace_id": {"type": "string"}, "model": {"type": "string"},
  "fingerprint": {"type": "string"}, "latency_ms": {"type": "number"}, "reference_time": {"type": "string"},
  "result": {"type": ["string", "array"], "items": {"type": "string"}},
  "labels": {"type": "array", "items": {"$ref": "#/components/schemas/ClassScore"}},
  "coverage": {"type": "number", "minimum": 0, "maximum": 1}, "truncated": {"type": "boolean"},
  "degraded": {"type": "boolean", "description": "load took optional work away; warnings say which"},
  "warnings": {"type": "array", "items": {"$ref": "#/components/schemas/Warning"}}},
  "required": ["success", "model", "fingerprint", "result", "labels", "coverage", "truncated", "degraded", "warnings"],
  "additionalProperties": false},
"Usage": {"type": "object", "properties": {
  "prompt_tokens": {"type": "integer"}, "completion_tokens": {"type": "integer"}},
  "required": ["prompt_tokens", "completion_tokens"], "additionalProperties": false},
"Generation": {"type": "object", "properties": {
  "success": {"const": true}, "trace_id": {"type": "string"}, "model": {"type": "string"},
  "fingerprint": {"type": "string"}, "latency_ms": {"type": "number"}, "text": {"type": "string"},
  "start": {"type": "integer"}, "end": {"type": "integer"}, "finish_reason": {"enum": ["stop", "length"]},
  "usage": {"$ref": "#/components/schemas/Usage"}, "degraded": {"type": "boolean"},
  "warnings": {"type": "array", "items": {"$ref": "#/components/schemas/Warning"}}},
  "required": ["success", "model", "fingerprint", "text", "finish_reason", "usage"], "additionalProperties": false},
"Error": {"type": "object", "properties": {"error": {"type": "object", "properties": {
  "code": {"type": "integer"}, "type": {"type": "string"}, "message": {"type": "string"},
  "param": {"type": "string", "description": "the field that is wrong, e.g. labels[2]"},
  "trace_id": {"type": "string"}},
  "required": ["code", "type", "message"], "additionalProperties": false}},
  "required": ["error"], "additionalProperties": false},
"ItemError": {"type": "object", "properties": {"id": {},
  "error": {"$ref": "#/components/schemas/Error/properties/error"}},
  "required": ["error"], "additionalProperties": false},
"ExtractResults": {"type": "object", "properties": {
  "success": {"const": true}, "trace_id": {"type": "string"}, "model": {"type": "string"},
  "fingerprint": {"type": "string"}, "latency_ms": {"type": "number"},
  "results": {"type": "array", "items": {"anyOf": [
    {"$ref": "#/components/schemas/Extraction"}, {"$ref": "#/components/schemas/ItemError"}]}}},
  "required": ["success", "model", "fingerprint", "results"], "additionalProperties": false},
"ClassifyResults": {"type": "object", "properties": {
  "success": {"const": true}, "trace_id": {"type": "string"}, "model": {"type": "string"},
  "fingerprint": {"type": "string"}, "latency_ms": {"type": "number"},
  "results": {"type": "array", "items": {"anyOf": [
    {"$ref": "#/components/schemas/Classification"}, {"$ref": "#/components/schemas/ItemError"}]}}},
  "required": ["success", "model", "fingerprint", "results"], "additionalProperties": false}
})json";

constexpr const char* kJobs = R"json({
"JobAccepted": {"type": "object", "properties": {
  "job_id": {"type": "string"}, "status_url": {"type": "string"}},
  "required": ["job_id", "status_url"], "additionalProperties": false},
"Job": {"type": "object", "properties": {
  "job_id": {"type": "string"}, "kind": {"enum": ["extract", "classify"]},
  "status": {"enum": ["queued", "running", "done", "failed", "cancelled"]},
  "progress": {"type": "number", "minimum": 0, "maximum": 1},
  "items": {"type": "integer", "minimum": 1}, "finished_items": {"type": "integer", "minimum": 0},
  "failed_items": {"type": "integer", "minimum": 0},
  "created": {"type": "string"}, "finished": {"type": "string"}, "expires": {"type": "string"},
  "result": {"type": "object", "description": "of a job of one text"},
  "error": {"type": "object", "description": "of a job of one text"}},
  "required": ["job_id", "kind", "status", "progress", "items", "finished_items", "failed_items"],
  "additionalProperties": false},
"Jobs": {"type": "object", "properties": {
  "jobs": {"type": "array", "items": {"$ref": "#/components/schemas/Job"}},
  "next": {"type": ["string", "null"], "description": "cursor of the next page"}},
  "required": ["jobs", "next"], "additionalProperties": false},
"Percentiles": {"type": "object", "properties": {
  "count": {"type": "integer"}, "p50": {"type": "number"}, "p95": {"type": "number"}, "p99": {"type": "number"}},
  "required": ["count", "p50", "p95", "p99"], "additionalProperties": false},
"Health": {"type": "object", "properties": {
  "status": {"enum": ["loading", "ready", "degraded", "draining"]}, "model": {"type": "string"},
  "version": {"type": "string"}, "uptime_s": {"type": "number"}, "device": {"type": "string"},
  "memory": {"type": "object", "properties": {"rss_bytes": {"type": "integer"}, "kv_bytes_used": {"type": "integer"}, "kv_bytes": {"type": "integer"}},
    "required": ["rss_bytes", "kv_bytes_used", "kv_bytes"]},
  "latency_ms": {"type": "object", "properties": {"last_10": {"$ref": "#/components/schemas/Percentiles"},
    "overall": {"$ref": "#/components/schemas/Percentiles"}}, "required": ["last_10", "overall"]},
  "queue": {"type": "object", "properties": {"waiting": {"type": "integer"}, "running": {"type": "integer"},
    "oldest_ms": {"type": "number"}, "browned_out": {"type": "boolean"}}, "required": ["waiting", "running"]},
  "load_progress": {"type": "number", "minimum": 0, "maximum": 1, "description": "while status is loading"},
  "gpus": {"type": "array", "description": "where there are any", "items": {"type": "object", "properties": {
    "name": {"type": "string"}, "utilization": {"type": "number", "description": "percent"},
    "memory_used_bytes": {"type": "integer"}, "memory_total_bytes": {"type": "integer"},
    "temperature_c": {"type": "number"}}, "required": ["name"]}}},
  "required": ["status", "model", "version", "uptime_s", "device", "memory", "latency_ms", "queue"]},
"Ready": {"type": "object", "properties": {"status": {"const": "ready"}}, "required": ["status"]},
"Info": {"type": "object", "properties": {
  "version": {"type": "string"}, "model": {"type": "string"}, "fingerprint": {"type": "string"},
  "device": {"type": "string"}, "threads": {"type": "integer"}, "weight_bytes": {"type": "integer"}, "kv": {"type": "string"},
  "vocabulary": {"type": "integer"}, "layers": {"type": "integer"},
  "limits": {"type": "object", "additionalProperties": {"type": "integer"}},
  "jobs": {"type": "boolean", "description": "whether jobs are kept here"}},
  "required": ["version", "model", "fingerprint", "device", "threads", "limits", "jobs"]},
"Version": {"type": "object", "properties": {
  "version": {"type": "string"}, "model": {"type": "string"}, "fingerprint": {"type": "string"}},
  "required": ["version"]},
"Model": {"type": "object", "properties": {"id": {"type": "string"}, "object": {"const": "model"},
  "created": {"type": "integer"}, "owned_by": {"type": "string"}}, "required": ["id", "object"]},
"Models": {"type": "object", "properties": {"object": {"const": "list"}, "data": {"type": "array", "items": {
  "$ref": "#/components/schemas/Model"}}}, "required": ["object", "data"]}
})json";

// OpenAI's shape: the one place where unknown fields are let pass.
constexpr const char* kOpenAi = R"json({
"CompletionRequest": {"type": "object", "properties": {
  "model": {"description": "there is one model; the name is not looked at"},
  "prompt": {"type": ["string", "array"], "items": {"type": "string", "minLength": 1}, "minLength": 1, "minItems": 1,
    "maxItems": 16},
  "max_tokens": {"type": ["integer", "null"], "minimum": 1, "maximum": 4096, "default": 16},
  "n": {"enum": [1, null], "description": "a prompt has one completion"},
  "best_of": {"enum": [1, null]},
  "stream": {"type": ["boolean", "null"], "default": false},
  "stream_options": {"type": ["object", "null"], "description": "with stream: true alone", "properties": {
    "include_usage": {"type": ["boolean", "null"], "default": false}}},
  "stop": {"type": ["string", "array", "null"], "items": {"type": "string"}}},
  "required": ["prompt"]},
"Completion": {"type": "object", "properties": {
  "id": {"type": "string"}, "object": {"const": "text_completion"}, "created": {"type": "integer"},
  "model": {"type": "string"}, "choices": {"type": "array", "items": {"type": "object", "properties": {
    "index": {"type": "integer"}, "text": {"type": "string"}, "finish_reason": {"type": ["string", "null"]}},
    "required": ["index", "text", "finish_reason"]}},
  "usage": {"type": "object"}},
  "required": ["id", "object", "created", "model", "choices", "usage"]}
})json";

}  // namespace

Json answer_schemas() {
  Json schemas = Json::object();
  for (const char* part : {kAnswers, kJobs, kOpenAi}) schemas.update(Json::parse(part));
  return schemas;
}

}  // namespace seqgpt
