// SPDX-License-Identifier: Apache-2.0
// A whole server in this process on a port of its own, over a fake model.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>

#include "server/app.h"
#include "server/fake_model.h"
#include "server/http_server.h"
#include "server/job_runner.h"
#include "server/raw_client.h"
#include "temporary_directory.h"

namespace seqgpt {

using Json = nlohmann::json;

class AppTest : public testing::Test {
 protected:
  void start(AppOptions options = {}, ServiceOptions service = {}, AppSecrets secrets = {}) {
    LogOptions log;
    log.file = path("log");
    log.level = LogLevel::kDebug;
    log_ = std::move(Log::open(log).value());
    vault_.emplace(SecretKey::random());
    audit_ = std::move(AuditLog::open(path("audit"), *vault_, {}).value());
    service_ = std::make_unique<Service>(service, [this] { return open_model(); });
    app_ = std::make_unique<App>(options, AppParts{service_.get(), log_.get(), audit_.get(),
                                                   &*vault_, nullptr, gpus_, load_progress_});
    app_->set_secrets(std::move(secrets));
    HttpServerOptions http;
    http.port = 0;
    http_ = std::move(HttpServer::listen(http, [this](HttpRequest request, auto reply) {
                        app_->handle(std::move(request), std::move(reply));
                      }).value());
    app_->set_http(http_.get());
    http_->start();
    if (!wait_for_model_) return;
    ASSERT_TRUE(service_->wait_until_loaded().ok());
  }
  void start_jobs(const QueueOptions& queue = {}) { start_jobs(path("jobs"), queue); }
  void start_jobs(const std::string& where, const QueueOptions& queue) {
    start_jobs(std::move(open_job_queue(where, *vault_, queue).value()));
  }
  void start_jobs(std::unique_ptr<JobQueue> queue) {
    queue_ = std::move(queue);
    JobRunnerOptions options;
    options.look_every = std::chrono::milliseconds(20);
    options.back_off = std::chrono::milliseconds(100);
    options.ended = [this](const JobView& job, const std::string& trace_id) {
      app_->note_job_end(job, trace_id);
    };
    jobs_ = std::make_unique<JobRunner>(options, *queue_, *service_, *log_,
                                        [] { return FieldTable::standard(); });
    app_->set_jobs(jobs_.get());
  }
  void stop() {
    if (http_) http_->stop();
    if (service_) service_->stop();
    jobs_.reset();
    queue_.reset();
    http_.reset();
    app_.reset();
    service_.reset();
    if (audit_) (void)audit_->close();
    audit_.reset();
    log_.reset();
  }
  void TearDown() override { stop(); }

  Result<std::unique_ptr<ServedModel>> open_model() {
    while (control_.is_held("load")) std::this_thread::sleep_for(std::chrono::milliseconds(2));
    return std::unique_ptr<ServedModel>(std::make_unique<FakeModel>(control_));
  }

  std::string path(const std::string& name) const { return directory_.file(name); }
  std::string read(const std::string& name) const { return read_file(path(name)); }
  RawResponse post(std::string_view where, const Json& body, std::string_view headers = "") {
    return ask(http_->port(), post_request(where, body.dump(), headers));
  }
  RawResponse post_text(std::string_view where, std::string_view body) {
    return ask(http_->port(), post_request(where, body));
  }
  RawResponse get(std::string_view where, std::string_view headers = "") {
    return ask(http_->port(), get_request(where, headers));
  }
  static Json error_of(const RawResponse& response) {
    return Json::parse(response.body, nullptr, false).value("error", Json::object());
  }

  /// What the audit log has of the server's life, which ends.
  std::vector<AuditRecord> audited() {
    stop();
    std::vector<AuditRecord> records;
    const auto report = read_audit(path("audit"), *vault_, {},
                                   [&](const AuditRecord& record) { records.push_back(record); });
    EXPECT_TRUE(report.ok()) << report.error().message;
    return records;
  }

  bool wait_for_model_ = true;
  const GpuMonitor* gpus_ = nullptr;
  std::function<double()> load_progress_;
  TemporaryDirectory directory_;
  FakeControl control_;
  std::unique_ptr<Log> log_;
  std::optional<Vault> vault_;
  std::unique_ptr<AuditLog> audit_;
  std::unique_ptr<JobQueue> queue_;
  std::unique_ptr<Service> service_;
  std::unique_ptr<App> app_;
  std::unique_ptr<JobRunner> jobs_;
  std::unique_ptr<HttpServer> http_;
};

}  // namespace seqgpt
