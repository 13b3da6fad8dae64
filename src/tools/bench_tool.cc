// SPDX-License-Identifier: Apache-2.0
// The measurements of bench: the model's passes, the tokenizer, and all of them in order.
#include "tools/bench_tool.h"

#include <sys/resource.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <numeric>
#include <span>

#include "tokenizer/tokenizer.h"
#include "tools/bench_request.h"
#include "tools/bench_time.h"

namespace seqgpt {
namespace {

constexpr int kDecodeTokens = 24;
constexpr int kDecodePrompt = 256;
constexpr int kDecodeRows = 200;

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

  /// The next `tokens` tokens as one step; gives the logits of the last: of `rows`, or of all.
  Result<std::vector<float>> feed(int tokens, std::span<const int32_t> rows = {}) {
    Step step;
    for (int i = 0; i < tokens; ++i) step.tokens.push_back(token_at(position_ + i));
    step.slices.push_back({0, tokens, position_, blocks_, kv_.get()});
    step.outputs.push_back({tokens - 1, rows, {}});
    SEQGPT_TRY(model_->forward(step));
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

Result<double> time_feed(BenchSequence& sequence, int tokens, std::span<const int32_t> rows = {}) {
  return seconds_of([&]() -> Status {
    SEQGPT_ASSIGN(const std::vector<float> unused, sequence.feed(tokens, rows));
    return {};
  });
}

Result<PrefillFigure> measure_prefill(Model& model, int tokens, int repeats) {
  SEQGPT_ASSIGN(BenchSequence sequence, BenchSequence::create(model, tokens));
  std::vector<double> times;
  for (int i = 0; i < repeats + 1; ++i) {  // the first warms up
    sequence.restart();
    SEQGPT_ASSIGN(const double time, time_feed(sequence, tokens));
    if (i > 0) times.push_back(time);
  }
  const double time = median(times);
  return PrefillFigure{tokens, tokens / time, prefill_flops(model.config(), tokens) / time / 1e9};
}

/// With the logits of `rows`, or of all where there are none.
Result<DecodeFigure> measure_decode(Model& model, std::span<const int32_t> rows) {
  SEQGPT_ASSIGN(BenchSequence sequence,
                BenchSequence::create(model, kDecodePrompt + kDecodeTokens + 2));
  SEQGPT_ASSIGN(const std::vector<float> unused, sequence.feed(kDecodePrompt));
  std::vector<double> times;
  for (int i = 0; i < kDecodeTokens; ++i) {
    SEQGPT_ASSIGN(const double time, time_feed(sequence, 1, rows));
    times.push_back(time);
  }
  const double time = median(times);
  const auto table = static_cast<double>(model.weight_bytes() - model.layer_bytes());
  const int outputs = model.output_width();
  const int count = rows.empty() ? outputs : static_cast<int>(rows.size());
  const double bytes = static_cast<double>(model.layer_bytes()) + table * count / outputs;
  return DecodeFigure{count, 1 / time, bytes / time / 1e9};
}

/// As many rows as compete for a token of a value in a text of usual length, spread over the
/// vocabulary; ascending.
std::vector<int32_t> competing_rows(const Model& model) {
  const int count = std::min(kDecodeRows, model.output_width());
  std::vector<int32_t> rows;
  for (int i = 0; i < count; ++i)
    rows.push_back(static_cast<int32_t>(int64_t{i} * model.output_width() / count));
  return rows;
}

double peak_rss_mb() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

/// MB/s of encoding Chinese business prose, one thread.
Result<double> tokenizer_speed(const std::filesystem::path& file) {
  SEQGPT_ASSIGN(const Tokenizer tokenizer, Tokenizer::load(file));
  const std::string sentence =
      "本公司于2024年3月15日与上海云图数据科技有限公司签订采购合同，合同金额为人民币1,280,"
      "000元整，交货期限三十天。"
      "联系人王伟，现任技术总监，负责华东地区的项目实施与售后服务；如有变更，请于十个工作日内书面通"
      "知对方。\n";
  std::string text;
  while (text.size() < (size_t{1} << 20)) text += sentence;
  std::vector<double> times;
  size_t tokens = 0;
  for (int i = 0; i < 5; ++i) {
    const auto start = BenchClock::now();
    tokens += tokenizer.encode(text).size();
    times.push_back(seconds_since(start));
  }
  return tokens == 0 ? 0 : static_cast<double>(text.size()) / 1e6 / median(times);
}

Ceilings better(const Ceilings& a, const Ceilings& b) {
  return {std::max(a.f32_gflops, b.f32_gflops), std::max(a.bf16_gflops, b.bf16_gflops),
          std::max(a.read_gbps, b.read_gbps)};
}

Result<std::unique_ptr<Model>> make_model(Backend& backend, const BenchOptions& options) {
  if (!options.model.empty()) return Model::load(options.model, backend, options.weights);
  SEQGPT_ASSIGN(const ModelConfig config, shape_by_name(options.shape));
  return Model::random(config, backend, options.weights, 1);
}

Ceilings probe(Backend& backend, const BenchOptions& options) {
  return options.ceilings ? *options.ceilings : measure_ceilings(backend, options.ceiling_seconds);
}

Status measure_passes(Model& model, const BenchOptions& options, BenchFigures& figures) {
  const Ceilings before = probe(model.backend(), options);
  for (const int tokens : options.prefill_tokens) {
    SEQGPT_ASSIGN(const PrefillFigure figure, measure_prefill(model, tokens, options.repeats));
    figures.prefill.push_back(figure);
  }
  SEQGPT_ASSIGN(figures.decode, measure_decode(model, {}));
  if (model.config().head == Head::kCausalLm) {
    SEQGPT_ASSIGN(figures.decode_restricted, measure_decode(model, competing_rows(model)));
  }
  const Ceilings ceilings = better(before, probe(model.backend(), options));
  figures.gflops = figures.bf16 ? ceilings.bf16_gflops : ceilings.f32_gflops;
  figures.gbps = ceilings.read_gbps;
  return {};
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
  BenchFigures figures;
  std::unique_ptr<Model> model;
  SEQGPT_ASSIGN(figures.load_s, seconds_of([&]() -> Status {
                  SEQGPT_ASSIGN(model, make_model(backend, options));
                  return {};
                }));
  SEQGPT_TRY(check_answers(*model));
  figures.isa = backend.name().substr(backend.name().find('/') + 1);
  figures.threads = backend.threads();
  figures.weights = *model->options().weights;
  figures.bf16 = model->options().compute == ComputeType::kBf16;
  figures.kv = model->kv_name();
  figures.kv_bytes =
      static_cast<double>(backend.kv_block_bytes(model->kv_shape())) / kKvBlockTokens;
  if (model->config().head == Head::kCausalLm) {
    const RequestOptions requests{.repeats = options.repeats, .clients = options.clients};
    SEQGPT_ASSIGN(figures.requests, measure_requests(*model, requests));
  }
  figures.rss_mb = peak_rss_mb();  // here: the probe of the memory takes up to 2 GB of its own
  SEQGPT_TRY(measure_passes(*model, options, figures));
  if (!options.tokenizer.empty()) {
    SEQGPT_ASSIGN(figures.tokenizer_mb_per_s, tokenizer_speed(options.tokenizer));
  }
  return render(figures);
}

}  // namespace seqgpt
