// SPDX-License-Identifier: Apache-2.0
// The measurements of bench, and their report.
#include "tools/bench_tool.h"

#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <numeric>

#include "backend/cpu/cpu_backend.h"
#include "tokenizer/tokenizer.h"

namespace seqgpt {
namespace {

using Clock = std::chrono::steady_clock;
constexpr int kDecodeTokens = 24;
constexpr int kDecodePrompt = 256;

double seconds_of(const std::function<void()>& work) {
  const auto start = Clock::now();
  work();
  return std::chrono::duration<double>(Clock::now() - start).count();
}

double median(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

/// One sequence with blocks enough for `tokens`, fed with a fixed pseudo-random prompt.
class BenchSequence {
 public:
  static Result<BenchSequence> create(Model& model, int tokens) {
    BenchSequence sequence(model);
    const int blocks = (tokens + kKvBlockTokens - 1) / kKvBlockTokens;
    SEQGPT_ASSIGN(sequence.kv_, model.backend().allocate_kv(model.kv_shape(), blocks));
    sequence.blocks_.resize(static_cast<size_t>(blocks));
    std::iota(sequence.blocks_.begin(), sequence.blocks_.end(), 0);
    sequence.restart();
    return sequence;
  }

  void restart() {
    position_ = 0;
    for (const int32_t block : blocks_) kv_->clear(block);
  }

  /// Runs the next `tokens` tokens as one step; gives the logits of the last.
  Result<std::vector<float>> feed(int tokens) {
    Step step;
    for (int i = 0; i < tokens; ++i) step.tokens.push_back(token_at(position_ + i));
    step.slices.push_back({0, tokens, position_, blocks_});
    step.outputs.push_back({tokens - 1, {}, {}});
    SEQGPT_TRY(model_->forward(step, *kv_));
    position_ += tokens;
    return std::move(step.outputs.front().values);
  }

 private:
  explicit BenchSequence(Model& model) : model_(&model) {}

  int32_t token_at(int position) const {
    return static_cast<int32_t>((static_cast<uint64_t>(position) * 2654435761U + 12345U) %
                                static_cast<uint64_t>(model_->config().vocabulary));
  }

  Model* model_;
  std::unique_ptr<KvBlocks> kv_;
  std::vector<int32_t> blocks_;
  int position_ = 0;
};

Status check_answers(Model& model) {
  constexpr int kTokens = 40;
  SEQGPT_ASSIGN(BenchSequence sequence, BenchSequence::create(model, kTokens));
  SEQGPT_ASSIGN(const std::vector<float> whole, sequence.feed(kTokens));
  sequence.restart();
  for (int fed = 0; fed < kTokens - 1; fed += 13) {
    SEQGPT_TRY([&]() -> Status {
      SEQGPT_ASSIGN(const std::vector<float> unused, sequence.feed(13));
      return {};
    }());
  }
  SEQGPT_ASSIGN(const std::vector<float> last, sequence.feed(1));
  if (std::memcmp(whole.data(), last.data(), whole.size() * sizeof(float)) == 0) return {};
  return Error{ErrorCode::kInternal,
               "bench: a prompt in chunks gives other bits than in one piece; nothing was timed"};
}

/// Multiply-adds (two each) of a prompt's forward pass with the logits of its last token.
double prefill_flops(const ModelConfig& config, double tokens) {
  const double hidden = config.hidden;
  const double layer = 12 * hidden * hidden;  // 3 + 1 + 4 + 4 products of D x D a token
  const double attention =
      2 * hidden * tokens * (tokens + 1) / 2;  // q k and p v over the causal half
  return 2 * (config.layers * (layer * tokens + attention) + hidden * config.vocabulary);
}

struct PrefillFigure {
  int tokens = 0;
  double per_second = 0;
  double gflops = 0;
};

Result<PrefillFigure> measure_prefill(Model& model, int tokens, int repeats) {
  SEQGPT_ASSIGN(BenchSequence sequence, BenchSequence::create(model, tokens));
  std::vector<double> times;
  for (int i = 0; i < repeats + 1; ++i) {  // the first warms up
    sequence.restart();
    Status failed;
    const double time = seconds_of([&] {
      if (Result<std::vector<float>> fed = sequence.feed(tokens); !fed.ok()) failed = fed.error();
    });
    SEQGPT_TRY(failed);
    if (i > 0) times.push_back(time);
  }
  const double time = median(times);
  return PrefillFigure{tokens, tokens / time, prefill_flops(model.config(), tokens) / time / 1e9};
}

struct DecodeFigure {
  double per_second = 0;
  double gbps = 0;
};

Result<DecodeFigure> measure_decode(Model& model) {
  SEQGPT_ASSIGN(BenchSequence sequence,
                BenchSequence::create(model, kDecodePrompt + kDecodeTokens + 2));
  SEQGPT_ASSIGN(const std::vector<float> unused, sequence.feed(kDecodePrompt));
  std::vector<double> times;
  for (int i = 0; i < kDecodeTokens; ++i) {
    Status failed;
    const double time = seconds_of([&] {
      if (Result<std::vector<float>> fed = sequence.feed(1); !fed.ok()) failed = fed.error();
    });
    SEQGPT_TRY(failed);
    times.push_back(time);
  }
  const double time = median(times);
  return DecodeFigure{1 / time, static_cast<double>(model.weight_bytes()) / time / 1e9};
}

double peak_rss_mb() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

/// MB/s of encoding Chinese business prose, one thread.
double tokenizer_speed(const Tokenizer& tokenizer) {
  const std::string sentence =
      "本公司于2024年3月15日与上海云图数据科技有限公司签订采购合同，合同金额为人民币1,280,"
      "000元整，交货期限三十天。"
      "联系人王伟，现任技术总监，负责华东地区的项目实施与售后服务；如有变更，请于十个工作日内书面通"
      "知对方。\n";
  std::string text;
  while (text.size() < (size_t{1} << 20)) text += sentence;
  std::vector<double> times;
  size_t tokens = 0;
  for (int i = 0; i < 5; ++i)
    times.push_back(seconds_of([&] { tokens += tokenizer.encode(text).size(); }));
  return tokens == 0 ? 0 : static_cast<double>(text.size()) / 1e6 / median(times);
}

using Json = nlohmann::ordered_json;

double digits3(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.4g", value);
  return std::strtod(text, nullptr);
}

std::string line(const char* format, auto... values) {
  char text[160];
  std::snprintf(text, sizeof text, format, values...);
  return text;
}

/// Both renderings of the figures.
class ReportWriter {
 public:
  void head(const Backend& backend, DType weights, const Ceilings& ceilings, bool bf16,
            double load_s) {
    const std::string isa = backend.name().substr(backend.name().find('/') + 1);
    gflops_ = bf16 ? ceilings.bf16_gflops : ceilings.f32_gflops;
    gbps_ = ceilings.read_gbps;
    json_["isa"] = isa;
    json_["threads"] = backend.threads();
    json_["weights"] = dtype_name(weights);
    json_["compute"] = bf16 ? "bf16" : "f32";
    json_["ceiling"] = {{"gflops", digits3(gflops_)}, {"gbps", digits3(gbps_)}};
    json_["load_s"] = digits3(load_s);
    text_ += line("%s, %d threads, %s weights, %s arithmetic; loaded in %.2f s\n", isa.c_str(),
                  backend.threads(), std::string(dtype_name(weights)).c_str(),
                  bf16 ? "bf16" : "f32", load_s);
    text_ +=
        line("ceiling   %8.1f GFLOP/s   %6.1f GB/s   (measured in this run)\n", gflops_, gbps_);
  }
  void prefill(const PrefillFigure& figure) {
    const double share = figure.gflops / gflops_;
    json_["prefill"].push_back({{"tokens", figure.tokens},
                                {"tok_per_s", digits3(figure.per_second)},
                                {"share", digits3(share)}});
    text_ += line("prefill   %4d tokens     %8.1f tok/s   %5.1f %% of the arithmetic ceiling\n",
                  figure.tokens, figure.per_second, 100 * share);
  }
  void decode(const DecodeFigure& figure) {
    const double share = figure.gbps / gbps_;
    json_["decode"] = {{"tok_per_s", digits3(figure.per_second)},
                       {"gbps", digits3(figure.gbps)},
                       {"share", digits3(share)}};
    text_ +=
        line("decode    one sequence    %8.1f tok/s   %5.1f GB/s, %.1f %% of the memory ceiling\n",
             figure.per_second, figure.gbps, 100 * share);
  }
  void tokenizer(double mb_per_s) {
    json_["tokenizer"] = {{"mb_per_s", digits3(mb_per_s)}};
    text_ += line("tokenizer one thread      %8.1f MB/s of Chinese text\n", mb_per_s);
  }
  BenchReport finish() {
    json_["rss_mb"] = digits3(peak_rss_mb());
    text_ += line("memory    %.0f MB at the peak\n", peak_rss_mb());
    return {text_, json_.dump(2)};
  }

 private:
  Json json_;
  std::string text_;
  double gflops_ = 0;  // the ceilings
  double gbps_ = 0;
};

Ceilings better(const Ceilings& a, const Ceilings& b) {
  return {std::max(a.f32_gflops, b.f32_gflops), std::max(a.bf16_gflops, b.bf16_gflops),
          std::max(a.read_gbps, b.read_gbps)};
}

Result<std::unique_ptr<Model>> make_model(Backend& backend, const BenchOptions& options) {
  if (!options.model.empty()) return Model::load(options.model, backend, options.weights);
  SEQGPT_ASSIGN(const ModelConfig config, shape_by_name(options.shape));
  return Model::random(config, backend, options.weights, 1);
}

}  // namespace

Result<ModelConfig> shape_by_name(std::string_view name) {
  ModelConfig config;
  if (name == "seqgpt-560m") {
    config.layers = 24;
    config.hidden = 1024;
    config.heads = 16;
    config.vocabulary = 250880;
    return config;
  }
  if (name == "seqgpt-mini-12m") {
    config.layers = 8;
    config.hidden = 320;
    config.heads = 5;
    config.vocabulary = 6528;
    return config;
  }
  return Error{ErrorCode::kInvalidArgument,
               "unknown shape \"" + std::string(name) + "\"; known: seqgpt-560m, seqgpt-mini-12m",
               "shape"};
}

Result<BenchReport> run_bench(Backend& backend, const BenchOptions& options) {
  std::unique_ptr<Model> model;
  Status failed;
  const double load_s = seconds_of([&] {
    Result<std::unique_ptr<Model>> made = make_model(backend, options);
    if (made.ok())
      model = std::move(made).value();
    else
      failed = made.error();
  });
  SEQGPT_TRY(failed);
  SEQGPT_TRY(check_answers(*model));
  const bool bf16 = model->options().compute == ComputeType::kBf16;
  const Ceilings before = measure_ceilings(backend, options.ceiling_seconds);
  std::vector<PrefillFigure> prefill;
  for (const int tokens : options.prefill_tokens) {
    SEQGPT_ASSIGN(const PrefillFigure figure, measure_prefill(*model, tokens, options.repeats));
    prefill.push_back(figure);
  }
  SEQGPT_ASSIGN(const DecodeFigure decode, measure_decode(*model));
  const Ceilings ceilings = better(before, measure_ceilings(backend, options.ceiling_seconds));
  ReportWriter report;
  report.head(backend, *model->options().weights, ceilings, bf16, load_s);
  for (const PrefillFigure& figure : prefill) report.prefill(figure);
  report.decode(decode);
  if (!options.tokenizer.empty()) {
    SEQGPT_ASSIGN(const Tokenizer tokenizer, Tokenizer::load(options.tokenizer));
    report.tokenizer(tokenizer_speed(tokenizer));
  }
  return report.finish();
}

}  // namespace seqgpt
