// SPDX-License-Identifier: Apache-2.0
// seqgpt serve: the composition root of the server: settings, parts, signals, and their ending.
#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <map>
#include <memory>
#include <thread>

#include "base/load_watch.h"
#include "base/thread_pool.h"
#include "base/version.h"
#include "cli/commands.h"
#include "cli/common.h"
#include "cli/serve_options.h"
#include "server/app.h"
#include "server/gpu_monitor.h"
#include "server/http_server.h"
#include "server/job_runner.h"
#include "server/notify.h"
#include "server/service.h"
#include "server/settings.h"
#include "store/private_file.h"

namespace seqgpt::cli {
namespace {

using std::chrono::milliseconds;

constexpr std::chrono::seconds kStuck{60};  // an engine silent for longer gets no more watchdogs
/// A step of this many tokens is as efficient as a larger one, and whoever writes waits less for
/// those who read.
constexpr int kChunkTokens = 128;
constexpr milliseconds kLook{200};        // the main thread's turn
constexpr milliseconds kLastWords{2000};  // for answers that are written when the end has come

std::optional<std::string> environment(const std::string& name) {
  const char* value = std::getenv(name.c_str());
  return value ? std::optional<std::string>(value) : std::nullopt;
}

/// A pipeline on the CPU, as the service wants it.
class PipelineModel final : public ServedModel {
 public:
  PipelineModel(OpenPipeline open, int threads)
      : open_(std::move(open)), answerer_(make_answerer(*open_.pipeline)), threads_(threads) {}

  LiveAnswerer& answerer() override { return *answerer_; }
  ModelFigures figures() const override {
    const auto& counters = open_.pipeline->engine().counters();
    return {.steps = counters.steps,
            .prompt_tokens = counters.prompt_tokens,
            .decoded_tokens = counters.decoded_tokens,
            .forced_tokens = counters.forced_tokens,
            .scored_tokens = counters.scored_tokens,
            .running_sequences = counters.running,
            .waiting_sequences = counters.waiting,
            .kv_blocks_used = counters.kv_blocks_used,
            .kv_blocks_total = counters.kv_blocks_total,
            .kv_bytes_used = counters.kv_bytes_used,
            .kv_bytes_total = counters.kv_bytes_total,
            .drafted_tokens = counters.drafted_tokens,
            .accepted_tokens = counters.accepted_tokens};
  }
  ModelFacts facts() const override {
    const auto& model = open_.pipeline->model();
    ModelFacts facts;
    facts.name = open_.pipeline->model_name();
    facts.fingerprint = open_.pipeline->fingerprint();
    facts.device = open_.backend->name();
    facts.weight_bytes = model.weight_bytes();
    facts.kv = model.kv_name();
    facts.threads = threads_;
    facts.vocabulary = model.config().vocabulary;
    facts.layers = model.config().layers;
    return facts;
  }

 private:
  OpenPipeline open_;
  std::unique_ptr<LiveAnswerer> answerer_;
  int threads_;
};

/// How far the model is on its way into memory.
struct LoadProgress {
  std::atomic<uint64_t> done{0};
  std::atomic<uint64_t> total{0};

  double share() const {
    const auto all = static_cast<double>(total.load());
    return all > 0 ? std::min(1.0, static_cast<double>(done.load()) / all) : 0.0;
  }
};

/// Of a directory's weight files.
uint64_t weight_file_bytes(const std::string& directory) {
  uint64_t bytes = 0;
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(directory, ignored)) {
    const std::string extension = entry.path().extension().string();
    if (extension == ".safetensors" || extension == ".bin") bytes += entry.file_size(ignored);
  }
  return bytes;
}

Result<std::unique_ptr<ServedModel>> load_model(const Settings& settings, LoadProgress& progress) {
  ModelFlags flags;
  flags.model = settings.text("model");
  flags.isa = settings.text("isa");
  flags.threads = static_cast<int>(settings.number("threads"));
  flags.weights = settings.text("weights");
  flags.compute = settings.text("compute");
  flags.kv = settings.text("kv");
  SEQGPT_ASSIGN(const std::string directory, model_directory(flags));
  progress.total = 2 * weight_file_bytes(directory);  // packed, then hashed
  const LoadWatch watch(progress.done);
  SEQGPT_ASSIGN(OpenPipeline open, open_pipeline(flags, kChunkTokens));
  const int threads = flags.threads > 0 ? flags.threads : usable_threads();
  return std::unique_ptr<ServedModel>(std::make_unique<PipelineModel>(std::move(open), threads));
}

/// Everything that runs, in the order it is made; end() takes it apart.
class Running {
 public:
  explicit Running(const Settings& settings) : settings_(settings) {}
  ~Running() { end(); }
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;

  Status begin() {
    SEQGPT_TRY(open_log());
    SEQGPT_TRY(open_store());
    SEQGPT_ASSIGN(AppSecrets secrets, read_secrets(settings_));
    has_keys_ = secrets.keys != nullptr;
    warn_of_no_keys(secrets);
    // The port first: a second instance must not load a model before it says so.
    SEQGPT_ASSIGN(http_,
                  HttpServer::listen(http_options(settings_), [this](auto request, auto reply) {
                    app_->handle(std::move(request), std::move(reply));
                  }));
    service_ = std::make_unique<Service>(service_options(settings_),
                                         [this] { return load_model(settings_, loading_); });
    gpus_ = GpuMonitor::open();
    AppParts parts{service_.get(),
                   log_.get(),
                   audit_.get(),
                   vault_ ? &*vault_ : nullptr,
                   nullptr,
                   gpus_.get(),
                   [this] { return loading_.share(); }};
    app_ = std::make_unique<App>(app_options(settings_), parts);
    app_->set_secrets(std::move(secrets));
    app_->set_http(http_.get());
    if (queue_) {
      JobRunnerOptions options;
      options.most_in_flight = static_cast<size_t>(settings_.number("job_items"));
      options.ended = [app = app_.get()](const JobView& job, const std::string& trace_id) {
        app->note_job_end(job, trace_id);
      };
      jobs_ = std::make_unique<JobRunner>(options, *queue_, *service_, *log_,
                                          [app = app_.get()] { return app->fields(); });
      app_->set_jobs(jobs_.get());
    }
    http_->start();
    return {};
  }

  /// Work is refused, answers under way end, then all is closed.
  void drain(milliseconds patience) {
    log_->info("draining");
    app_->set_draining();
    if (jobs_) jobs_->pause();
    const auto end = std::chrono::steady_clock::now() + patience;
    const auto busy = [this] {
      const ServiceStats stats = service_->stats();
      return stats.queued + stats.running > 0;
    };
    while (busy() && std::chrono::steady_clock::now() < end) std::this_thread::sleep_for(kLook / 4);
    http_->drain(kLastWords);
  }

  void reload() {
    const Status opened = log_->reopen();
    Result<AppSecrets> secrets = read_secrets(settings_);
    if (!secrets.ok() || !opened.ok()) {
      const Error& error = secrets.ok() ? opened.error() : secrets.error();
      std::cerr << "seqgpt: nothing was reloaded: " << error.message << "\n";
      log_->error("reload_failed", {{"error", log_word(error.code)}});
      return;
    }
    warn_of_no_keys(*secrets);
    app_->set_secrets(*std::move(secrets));
    log_->info("reloaded");
  }

  /// A key file that lost its last key must not open the service, nor close it without a word.
  void warn_of_no_keys(const AppSecrets& secrets) {
    if (!secrets.keys || !secrets.keys->empty()) return;
    std::cerr << "seqgpt: warning: " << settings_.text("keys")
              << " holds no key: nobody is let in (seqgpt keys add makes one)\n";
    log_->warning("keys_file_is_empty");
  }

  Service& service() { return *service_; }
  Log& log() { return *log_; }
  bool has_keys() const { return has_keys_; }
  uint16_t port() const { return http_->port(); }

 private:
  Status open_log() {
    LogOptions options;
    options.file = settings_.text("log_file");
    SEQGPT_ASSIGN(options.level, parse_log_level(settings_.text("log_level")));
    SEQGPT_ASSIGN(log_, Log::open(options));
    return {};
  }

  Status open_store() {
    const std::string& directory = settings_.text("data_dir");
    const std::string& audit = settings_.text("audit_dir");
    const std::string& shared = settings_.text("queue");
    if (directory.empty() && audit.empty() && shared.empty()) return {};
    std::string key_file = settings_.text("key_file");
    if (key_file.empty() && directory.empty()) {
      return Error{ErrorCode::kInvalidArgument,
                   "--audit-dir and --queue need a key: give --key-file or --data-dir", "key_file"};
    }
    if (!directory.empty()) SEQGPT_TRY(make_private_directory(directory));
    if (key_file.empty()) key_file = directory + "/secret.key";
    SEQGPT_ASSIGN(vault_, Vault::open(key_file));
    if (!audit.empty()) {
      SEQGPT_ASSIGN(audit_, AuditLog::open(audit, *vault_, {}));
    }
    if (!directory.empty() || !shared.empty()) {
      SEQGPT_ASSIGN(queue_, open_job_queue(shared.empty() ? directory : shared, *vault_, {}));
    }
    return {};
  }

  /// First the threads, then what they used.
  void end() {
    if (http_) http_->stop();
    if (service_) service_->stop();
    jobs_.reset();
    http_.reset();
    app_.reset();
    service_.reset();
    if (audit_) (void)audit_->close();
    if (log_) log_->info("ended");
  }

  const Settings& settings_;
  std::unique_ptr<Log> log_;
  std::optional<Vault> vault_;
  std::unique_ptr<AuditLog> audit_;
  std::unique_ptr<JobQueue> queue_;
  LoadProgress loading_;
  std::unique_ptr<GpuMonitor> gpus_;
  std::unique_ptr<Service> service_;
  std::unique_ptr<App> app_;
  std::unique_ptr<JobRunner> jobs_;
  std::unique_ptr<HttpServer> http_;
  bool has_keys_ = false;
};

bool is_loopback(const std::string& host) {
  return host == "localhost" || host == "::1" || host.starts_with("127.");
}

void say_ready(const Settings& settings, Running& running) {
  const std::string& host = settings.text("host");
  const bool any = host == "0.0.0.0" || host == "::";
  const std::string url = std::string(settings.text("tls_cert").empty() ? "http" : "https") +
                          "://" + (any ? "127.0.0.1" : host) + ":" +
                          std::to_string(running.port()) + settings.text("root_path");
  const ModelFacts facts = running.service().facts();
  std::cerr << "seqgpt " << kVersion << ": " << url << "  服务已就绪 / ready (" << facts.name
            << ", " << facts.device << ", " << facts.threads << " threads)\n";
  running.log().info("ready", {{"port", running.port()},
                               {"model", LogIdentifier(facts.name)},
                               {"device", LogIdentifier(facts.device)}});
}

/// Until a signal ends it. All signals of ours are blocked in every thread.
Status wait_for_end(const Settings& settings, Running& running, const sigset_t& signals) {
  const std::string manager = environment("NOTIFY_SOCKET").value_or("");
  bool ready = false;
  for (;;) {
    const timespec turn{0, kLook.count() * 1'000'000};
    const int signal = sigtimedwait(&signals, nullptr, &turn);
    if (signal == SIGHUP) running.reload();
    if (signal == SIGTERM || signal == SIGINT) break;
    const ServiceState state = running.service().state();
    if (state == ServiceState::kFailed) return running.service().wait_until_loaded();
    if (state != ServiceState::kReady) continue;
    if (!ready) {
      ready = true;
      say_ready(settings, running);
      notify_manager(manager, "READY=1");
    }
    if (running.service().silence() < kStuck) notify_manager(manager, "WATCHDOG=1");
  }
  notify_manager(manager, "STOPPING=1");
  running.drain(milliseconds(static_cast<int64_t>(settings.number("drain_ms"))));
  return {};
}

Status serve(const Settings& settings) {
  if (!settings.text("gpus").empty()) {
    return Error{ErrorCode::kInvalidArgument,
                 "--gpus: this build computes on the CPU alone; leave it out, or build for GPUs",
                 "gpus"};
  }
  sigset_t signals;
  sigemptyset(&signals);
  for (const int signal : {SIGTERM, SIGINT, SIGHUP}) sigaddset(&signals, signal);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  std::signal(SIGPIPE, SIG_IGN);
  Running running(settings);
  SEQGPT_TRY(running.begin());
  if (!is_loopback(settings.text("host")) && !running.has_keys()) {
    std::cerr << "seqgpt: warning: " << settings.text("host")
              << " can be reached from other machines and no --keys are set: anybody may ask\n";
    running.log().warning("open_without_keys");
  }
  return wait_for_end(settings, running, signals);
}

struct ServeFlags {
  std::map<std::string, std::vector<std::string>> given;  // by setting
  std::string config;
  bool print_config = false;
};

Result<Settings> read_settings(const ServeFlags& flags) {
  Settings settings;
  std::string config = flags.config;
  if (config.empty()) config = environment("SEQGPT_CONFIG").value_or("");
  if (!config.empty()) {
    SEQGPT_ASSIGN(const std::string text, read_small_file(config));
    SEQGPT_TRY(settings.read_file(text, config));
  }
  SEQGPT_TRY(settings.read_environment(environment));
  for (const auto& [name, values] : flags.given) {
    std::string joined;
    for (const std::string& value : values) joined += (joined.empty() ? "" : ",") + value;
    std::string flag = "--" + name;
    std::ranges::replace(flag, '_', '-');
    if (!values.empty()) SEQGPT_TRY(settings.set(name, joined, flag));
  }
  return settings;
}

}  // namespace

void add_serve(CLI::App& app, Chosen& chosen) {
  CLI::App* command = app.add_subcommand("serve", "answer over HTTP, with a page for people");
  auto flags = std::make_shared<ServeFlags>();
  for (const SettingRow& row : setting_rows()) {
    std::string flag = "--" + std::string(row.name);
    std::ranges::replace(flag, '_', '-');
    const std::string initial = row.initial.empty() ? "" : " [" + std::string(row.initial) + "]";
    command->add_option(flag, flags->given[std::string(row.name)], std::string(row.help) + initial)
        ->allow_extra_args(false)
        ->multi_option_policy(row.kind == SettingKind::kList || row.kind == SettingKind::kAddresses
                                  ? CLI::MultiOptionPolicy::TakeAll
                                  : CLI::MultiOptionPolicy::TakeLast);
  }
  command->add_option("--config", flags->config,
                      "file of name = value lines; the environment (SEQGPT_NAME) and flags win");
  command->add_flag("--print-config", flags->print_config,
                    "print every setting with where it comes from, and end");
  command->footer(
      "Examples:\n"
      "  seqgpt serve\n"
      "  seqgpt serve --host 0.0.0.0 --keys keys.txt --data-dir /var/lib/seqgpt\n"
      "  SEQGPT_PORT=9000 seqgpt serve --print-config");
  command->callback([flags, &chosen] {
    chosen = [flags] {
      const Result<Settings> settings = read_settings(*flags);
      if (!settings.ok()) return fail(settings.error());
      if (flags->print_config) {
        std::cout << settings->print();
        return kOk;
      }
      const Status status = serve(*settings);
      return status.ok() ? kOk : fail(status.error());
    };
  });
}

}  // namespace seqgpt::cli
