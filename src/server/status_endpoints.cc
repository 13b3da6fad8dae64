// SPDX-License-Identifier: Apache-2.0
// Health, readiness, metrics and what the server is.
#include <cmath>
#include <ctime>
#include <nlohmann/json.hpp>

#include "base/version.h"
#include "server/app.h"

namespace seqgpt {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::chrono::milliseconds kSilent{30'000};  // an engine quiet for longer is stuck

double rounded(double ms) {
  return std::round(ms * 10) / 10;
}

Json percentiles_json(const Percentiles& percentiles) {
  return {{"count", percentiles.count},
          {"p50", rounded(percentiles.p50)},
          {"p95", rounded(percentiles.p95)},
          {"p99", rounded(percentiles.p99)}};
}

std::string_view status_word(bool draining, const Service& service, const ServiceStats& stats) {
  if (draining) return "draining";
  if (service.state() == ServiceState::kLoading) return "loading";
  const bool bad = service.state() == ServiceState::kFailed || service.silence() > kSilent;
  return bad || stats.browned_out ? "degraded" : "ready";
}

Json gpu_json(const GpuFigures& gpu) {
  Json json = {{"name", gpu.name}};
  if (gpu.utilization) json["utilization"] = *gpu.utilization;
  if (gpu.memory_used_bytes) json["memory_used_bytes"] = *gpu.memory_used_bytes;
  if (gpu.memory_total_bytes) json["memory_total_bytes"] = *gpu.memory_total_bytes;
  if (gpu.temperature_c) json["temperature_c"] = *gpu.temperature_c;
  return json;
}

void write_gpus(std::string& out, const std::vector<GpuFigures>& gpus) {
  using Samples = std::vector<std::pair<std::string, double>>;
  Samples busy;
  Samples used;
  Samples total;
  Samples warm;
  const auto put = [](Samples& samples, const std::string& labels, const auto& value, double unit) {
    if (value) samples.emplace_back(labels, static_cast<double>(*value) * unit);
  };
  for (size_t i = 0; i < gpus.size(); ++i) {
    const std::string labels =
        metric_label("gpu", std::to_string(i)) + "," + metric_label("name", gpus[i].name);
    put(busy, labels, gpus[i].utilization, 0.01);
    put(used, labels, gpus[i].memory_used_bytes, 1);
    put(total, labels, gpus[i].memory_total_bytes, 1);
    put(warm, labels, gpus[i].temperature_c, 1);
  }
  write_samples(out, "seqgpt_gpu_utilization_ratio", "gauge", "Share of time the GPU worked.",
                busy);
  write_samples(out, "seqgpt_gpu_memory_used_bytes", "gauge", "GPU memory in use.", used);
  write_samples(out, "seqgpt_gpu_memory_bytes", "gauge", "GPU memory in all.", total);
  write_samples(out, "seqgpt_gpu_temperature_celsius", "gauge", "Temperature of the GPU.", warm);
}

}  // namespace

void App::health(const CallPtr& call) {
  const ServiceStats stats = parts_.service->stats();
  const ModelFacts facts = parts_.service->facts();
  const ProcessFigures process = process_figures();
  const std::chrono::duration<double> up = std::chrono::steady_clock::now() - started_;
  Json body = {{"status", status_word(draining_, *parts_.service, stats)},
               {"model", facts.name},
               {"version", kVersion},
               {"uptime_s", rounded(up.count())},
               {"device", facts.device},
               {"memory",
                {{"rss_bytes", process.resident_bytes},
                 {"kv_bytes_used", stats.model.kv_bytes_used},
                 {"kv_bytes", stats.model.kv_bytes_total}}},
               {"cpu", {{"seconds", process.cpu_seconds}}},
               {"latency_ms",
                {{"last_10", percentiles_json(metrics_.last_ten())},
                 {"overall", percentiles_json(metrics_.overall())}}},
               {"queue",
                {{"waiting", stats.queued},
                 {"running", stats.running},
                 {"oldest_ms", rounded(stats.oldest_queued_ms)},
                 {"browned_out", stats.browned_out}}}};
  if (parts_.load_progress && parts_.service->state() == ServiceState::kLoading)
    body["load_progress"] = std::round(parts_.load_progress() * 1000) / 1000;
  if (parts_.gpus) {
    for (const GpuFigures& gpu : parts_.gpus->figures()) body["gpus"].push_back(gpu_json(gpu));
  }
  finish_json(call, body.dump());
}

void App::ready(const CallPtr& call) {
  if (!ready_for_work(call)) return;
  finish_json(call, R"({"status":"ready"})");
}

void App::write_metrics(const CallPtr& call) {
  std::string out;
  metrics_.write(out);
  const ServiceStats stats = parts_.service->stats();
  const ProcessFigures process = process_figures();
  const auto gauge = [&](const char* name, const char* help, auto value) {
    write_metric(out, name, "gauge", help, static_cast<double>(value));
  };
  const auto counter = [&](const char* name, const char* help, auto value) {
    write_metric(out, name, "counter", help, static_cast<double>(value));
  };
  gauge("seqgpt_ready", "1 when the model is warm and the server is not draining.",
        parts_.service->state() == ServiceState::kReady && !draining_);
  gauge("seqgpt_queue_length", "Computations that wait.", stats.queued);
  gauge("seqgpt_queue_oldest_seconds", "How long the oldest of them has waited.",
        stats.oldest_queued_ms / 1000);
  gauge("seqgpt_running", "Computations under way.", stats.running);
  gauge("seqgpt_brown_out", "1 while optional work is dropped.", stats.browned_out);
  counter("seqgpt_brown_outs_total", "Times that brown-out began.", stats.brown_outs);
  counter("seqgpt_computations_total", "Computations that ended.", stats.computed);
  counter("seqgpt_shared_total", "Requests that joined an equal one under way.", stats.shared);
  counter("seqgpt_rejected_total", "Requests refused because the queue was full.", stats.rejected);
  counter("seqgpt_timeouts_total", "Requests whose deadline passed.", stats.timed_out);
  counter("seqgpt_cancelled_total", "Requests whose client left.", stats.cancelled);
  counter("seqgpt_engine_steps_total", "Forward passes.", stats.model.steps);
  counter("seqgpt_prompt_tokens_total", "Tokens read.", stats.model.prompt_tokens);
  counter("seqgpt_decoded_tokens_total", "Tokens chosen.", stats.model.decoded_tokens);
  counter("seqgpt_forced_tokens_total", "Tokens appended without a choice.",
          stats.model.forced_tokens);
  counter("seqgpt_scored_tokens_total", "Tokens of scored continuations.",
          stats.model.scored_tokens);
  gauge("seqgpt_batch_sequences", "Sequences that share the next step.",
        stats.model.running_sequences);
  gauge("seqgpt_waiting_sequences", "Sequences that wait for blocks.",
        stats.model.waiting_sequences);
  gauge("seqgpt_kv_blocks_used", "KV blocks in use.", stats.model.kv_blocks_used);
  gauge("seqgpt_kv_blocks", "KV blocks in all.", stats.model.kv_blocks_total);
  gauge("seqgpt_kv_used_bytes", "KV memory in use, as stored.", stats.model.kv_bytes_used);
  gauge("seqgpt_kv_bytes", "KV memory in all.", stats.model.kv_bytes_total);
  counter("seqgpt_drafted_tokens_total", "Guesses that the model checked.",
          stats.model.drafted_tokens);
  counter("seqgpt_accepted_tokens_total", "Guesses that were right.", stats.model.accepted_tokens);
  if (const HttpServer* http = http_.load()) {
    const HttpCounters connections = http->counters();
    gauge("seqgpt_connections", "Open connections.", connections.open);
    counter("seqgpt_connections_total", "Connections accepted.", connections.accepted);
    counter("seqgpt_connections_refused_total", "Connections over a limit.", connections.refused);
  }
  counter("seqgpt_log_lines_lost_total", "Log lines that could not be written.",
          parts_.log->lost());
  counter("seqgpt_audit_failures_total", "Audit records that could not be written.",
          audit_failures_.load());
  if (parts_.gpus) write_gpus(out, parts_.gpus->figures());
  gauge("process_resident_memory_bytes", "Resident memory.", process.resident_bytes);
  gauge("process_virtual_memory_bytes", "Virtual memory.", process.virtual_bytes);
  counter("process_cpu_seconds_total", "User and system time.", process.cpu_seconds);
  gauge("process_open_fds", "Open descriptors.", process.open_files);
  gauge("process_max_fds", "Limit of open descriptors.", process.max_open_files);
  finish(call, {200, "text/plain; version=0.0.4; charset=utf-8", std::move(out), {}});
}

void App::info(const CallPtr& call) {
  const ModelFacts facts = parts_.service->facts();
  Json body = {{"version", kVersion},
               {"model", facts.name},
               {"fingerprint", facts.fingerprint},
               {"device", facts.device},
               {"threads", facts.threads},
               {"weight_bytes", facts.weight_bytes},
               {"kv", facts.kv},
               {"vocabulary", facts.vocabulary},
               {"layers", facts.layers},
               {"limits",
                {{"text_characters", kMaxRequestCharacters},
                 {"batch_items", kMaxBatchItems},
                 {"labels", kMaxLabels},
                 {"timeout_ms", options_.timeout_ms}}},
               {"jobs", parts_.jobs != nullptr}};
  finish_json(call, body.dump());
}

void App::version(const CallPtr& call) {
  const ModelFacts facts = parts_.service->facts();
  Json body = {{"version", kVersion}, {"model", facts.name}, {"fingerprint", facts.fingerprint}};
  finish_json(call, body.dump());
}

namespace {

Json model_json(const std::string& name) {
  return {{"id", name}, {"object", "model"}, {"created", 0}, {"owned_by", "local"}};
}

}  // namespace

void App::models(const CallPtr& call) {
  const Json model = model_json(parts_.service->facts().name);
  Json body = {{"object", "list"}, {"data", Json::array({model})}};
  finish_json(call, body.dump());
}

void App::model(const CallPtr& call) {
  const std::string name = parts_.service->facts().name;
  if (!name.empty() && call->id == name) return finish_json(call, model_json(name).dump());
  fail(call, {ErrorCode::kNotFound,
              "there is no model of this name; /v1/models lists what there is", "model"});
}

}  // namespace seqgpt
