// SPDX-License-Identifier: Apache-2.0
// The bodies of each endpoint, one row each, with examples that tests send to a real server.
#include "api/openapi.h"
#include "api/openapi_parts.h"

namespace seqgpt {
namespace {

constexpr std::string_view kExtractExamples = R"json([
{"text": "王伟，现任上海云图数据科技有限公司CTO，2022年3月加入，年薪120万元。",
 "labels": ["姓名", "公司", "职位", "入职时间", {"name": "薪资", "alias": "annual_salary"}]},
{"text": "甲方：北京远山贸易有限公司；合同编号HT-2024-018，签订日期为上周三。", "labels": ["甲方",
  {"name": "合同编号", "pattern": "HT-[0-9]{4}-[0-9]{3}"}, "签订日期"],
 "reference_time": "2024-05-15", "values": "list", "offsets": "utf16"}])json";
constexpr std::string_view kClassifyExamples = R"json([
{"text": "央行宣布下调存款准备金率0.5个百分点", "labels": ["财经", "科技", "体育"]},
{"text": "手机屏幕碎了，客服也不理人", "labels": ["投诉", "咨询", "报修"], "multi": true, "threshold": 0.3}])json";
constexpr std::string_view kGenerateExamples = R"json([
{"text": "输入: 王伟任CTO\n抽取: 姓名\n输出: ", "max_new_tokens": 16},
{"text": "王伟任CTO", "task_word": "抽取", "labels": ["姓名"], "copy_only": true, "max_new_tokens": 16}])json";
constexpr std::string_view kExtractManyExamples = R"json([
{"items": [{"id": "a", "text": "王伟任CTO。"}, {"id": "b", "text": "李娜，电话13800138000。", "labels": ["姓名", "电话"]}],
 "labels": ["姓名", "职位"]}])json";
constexpr std::string_view kClassifyManyExamples = R"json([
{"items": [{"text": "央行下调存款准备金率"}, {"text": "国足客场一比零取胜"}], "labels": ["财经", "体育"]}])json";
constexpr std::string_view kCompletionExamples = R"json([
{"model": "seqgpt-mini", "prompt": "输入: 王伟任CTO\n抽取: 姓名\n输出: ", "max_tokens": 16}])json";

const EndpointShape shapes[] = {
    {.name = "extract",
     .tag = "work",
     .request = "ExtractRequest",
     .answer = "Extraction",
     .examples = kExtractExamples},
    {.name = "classify",
     .tag = "work",
     .request = "ClassifyRequest",
     .answer = "Classification",
     .examples = kClassifyExamples},
    {.name = "generate",
     .tag = "work",
     .request = "GenerateRequest",
     .answer = "Generation",
     .examples = kGenerateExamples},
    {.name = "extract_batch",
     .tag = "work",
     .request = "ExtractBatch",
     .answer = "ExtractResults",
     .examples = kExtractManyExamples},
    {.name = "classify_batch",
     .tag = "work",
     .request = "ClassifyBatch",
     .answer = "ClassifyResults",
     .examples = kClassifyManyExamples},
    {.name = "extract_async",
     .tag = "jobs",
     .request = "ExtractJob",
     .answer = "JobAccepted",
     .status = 202,
     .idempotent = true,
     .examples = kExtractManyExamples},
    {.name = "classify_async",
     .tag = "jobs",
     .request = "ClassifyJob",
     .answer = "JobAccepted",
     .status = 202,
     .idempotent = true,
     .examples = kClassifyManyExamples},
    {.name = "jobs", .tag = "jobs", .answer = "Jobs", .cursor = "string", .most = 500},
    {.name = "job", .tag = "jobs", .answer = "Job"},
    {.name = "job_delete", .tag = "jobs", .answer = "Job"},
    {.name = "job_results",
     .tag = "jobs",
     .media = "application/x-ndjson",
     .cursor = "integer",
     .most = 1000},
    {.name = "completions",
     .tag = "openai",
     .request = "CompletionRequest",
     .answer = "Completion",
     .events = true,
     .examples = kCompletionExamples},
    {.name = "models", .tag = "openai", .answer = "Models"},
    {.name = "model", .tag = "openai", .answer = "Model"},
    {.name = "health", .tag = "operation", .answer = "Health"},
    {.name = "ready", .tag = "operation", .answer = "Ready"},
    {.name = "metrics", .tag = "operation", .media = "text/plain"},
    {.name = "info", .tag = "operation", .answer = "Info"},
    {.name = "version", .tag = "operation", .answer = "Version"},
    {.name = "openapi", .tag = "operation"},
    {.name = "docs", .tag = "operation", .media = "text/html"},
};

}  // namespace

const EndpointShape* find_endpoint_shape(std::string_view name) {
  for (const EndpointShape& shape : shapes)
    if (shape.name == name) return &shape;
  return nullptr;
}

bool describes_endpoint(std::string_view name) {
  return find_endpoint_shape(name) != nullptr;
}

}  // namespace seqgpt
