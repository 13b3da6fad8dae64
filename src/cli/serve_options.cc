// SPDX-License-Identifier: Apache-2.0
// Settings by name to options by type.
#include "cli/serve_options.h"

#include <fstream>
#include <iterator>

#include "api/label_options.h"

namespace seqgpt::cli {
namespace {

using std::chrono::milliseconds;

milliseconds ms(const Settings& settings, std::string_view name) {
  return milliseconds(static_cast<int64_t>(settings.number(name)));
}
size_t count(const Settings& settings, std::string_view name) {
  return static_cast<size_t>(settings.number(name));
}

}  // namespace

Result<std::string> read_small_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) return Error{ErrorCode::kNotFound, "cannot open " + path};
  std::string text(std::istreambuf_iterator<char>(in), {});
  if (text.size() > kMaxFieldsFileBytes)
    return Error{ErrorCode::kTooLarge, path + " is larger than 1 MiB"};
  return text;
}

HttpServerOptions http_options(const Settings& settings) {
  HttpServerOptions options;
  options.host = settings.text("host");
  options.port = static_cast<uint16_t>(settings.number("port"));
  options.workers = static_cast<int>(settings.number("workers"));
  options.tls_cert = settings.text("tls_cert");
  options.tls_key = settings.text("tls_key");
  options.trusted_proxies = settings.list("trusted_proxy");
  HttpLimits& limits = options.limits;
  limits.head_bytes = count(settings, "head_bytes");
  limits.body_bytes = count(settings, "body_bytes");
  limits.head_time = ms(settings, "head_ms");
  limits.body_time = ms(settings, "body_ms");
  limits.idle_time = ms(settings, "idle_ms");
  limits.write_time = ms(settings, "write_ms");
  limits.connections_per_address = count(settings, "connections_per_address");
  limits.connections = raise_open_files(count(settings, "connections"));
  return options;
}

ServiceOptions service_options(const Settings& settings) {
  ServiceOptions options;
  options.max_queued = count(settings, "max_queued");
  options.max_running = count(settings, "max_running");
  options.brown_out = {ms(settings, "brown_out_start_ms"), ms(settings, "brown_out_start_after_ms"),
                       ms(settings, "brown_out_end_ms"), ms(settings, "brown_out_end_after_ms")};
  return options;
}

AppOptions app_options(const Settings& settings) {
  AppOptions options;
  options.root_path = settings.text("root_path");
  options.trusted_proxies = settings.list("trusted_proxy");
  options.cors_origins = settings.list("cors_origin");
  options.timeout_ms = static_cast<int>(settings.number("timeout_ms"));
  options.keep_jobs = std::chrono::seconds(static_cast<int64_t>(settings.number("job_keep_s")));
  return options;
}

Result<AppSecrets> read_secrets(const Settings& settings) {
  AppSecrets secrets;
  if (const std::string& file = settings.text("fields"); !file.empty()) {
    SEQGPT_ASSIGN(const std::string text, read_small_file(file));
    SEQGPT_ASSIGN(secrets.fields, fields_from_json(text, file));
  }
  if (const std::string& file = settings.text("keys"); !file.empty()) {
    SEQGPT_ASSIGN(KeyRing keys, KeyRing::load(file));
    secrets.keys = std::make_shared<const KeyRing>(std::move(keys));
  }
  return secrets;
}

}  // namespace seqgpt::cli
