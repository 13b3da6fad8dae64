// SPDX-License-Identifier: Apache-2.0
// A line and a JSON member for each figure.
#include "tools/bench_report.h"

#include <cstdio>
#include <cstdlib>
#include <nlohmann/json.hpp>

namespace seqgpt {
namespace {

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

class ReportWriter {
 public:
  explicit ReportWriter(const BenchFigures& figures) : figures_(figures) {}

  BenchReport write() {
    head();
    for (const PrefillFigure& figure : figures_.prefill) prefill(figure);
    decode("decode", figures_.decode);
    if (figures_.decode_restricted) decode("decode_restricted", *figures_.decode_restricted);
    if (figures_.requests) requests(*figures_.requests);
    if (figures_.tokenizer_mb_per_s) tokenizer(*figures_.tokenizer_mb_per_s);
    json_["rss_mb"] = digits3(figures_.rss_mb);
    text_ += line("memory    %.0f MB at the peak\n", figures_.rss_mb);
    return {text_, json_.dump(2)};
  }

 private:
  void head() {
    const std::string weights(dtype_name(figures_.weights));
    const char* compute = figures_.bf16 ? "bf16" : "f32";
    json_["isa"] = figures_.isa;
    json_["threads"] = figures_.threads;
    json_["weights"] = weights;
    json_["compute"] = compute;
    json_["kv"] = {{"type", figures_.kv}, {"bytes_per_token", digits3(figures_.kv_bytes)}};
    json_["ceiling"] = {{"gflops", digits3(figures_.gflops)}, {"gbps", digits3(figures_.gbps)}};
    json_["load_s"] = digits3(figures_.load_s);
    text_ +=
        line("%s, %d threads, %s weights, %s arithmetic; loaded in %.2f s\n", figures_.isa.c_str(),
             figures_.threads, weights.c_str(), compute, figures_.load_s);
    text_ += line("keys, values  %s, %.0f bytes a token\n", figures_.kv.c_str(), figures_.kv_bytes);
    text_ += line("ceiling   %8.1f GFLOP/s   %6.1f GB/s   (measured in this run)\n",
                  figures_.gflops, figures_.gbps);
  }

  void prefill(const PrefillFigure& figure) {
    const double share = figure.gflops / figures_.gflops;
    json_["prefill"].push_back({{"tokens", figure.tokens},
                                {"tok_per_s", digits3(figure.per_second)},
                                {"share", digits3(share)}});
    text_ += line("prefill   %4d tokens     %8.1f tok/s   %5.1f %% of the arithmetic ceiling\n",
                  figure.tokens, figure.per_second, 100 * share);
  }

  void decode(const char* name, const DecodeFigure& figure) {
    const double share = figure.gbps / figures_.gbps;
    json_[name] = {{"tok_per_s", digits3(figure.per_second)},
                   {"gbps", digits3(figure.gbps)},
                   {"share", digits3(share)},
                   {"rows", figure.rows}};
    text_ +=
        line("decode    %6d rows     %8.1f tok/s   %5.1f GB/s, %.1f %% of the memory ceiling\n",
             figure.rows, figure.per_second, figure.gbps, 100 * share);
  }

  static Json request_json(const RequestFigure& figure) {
    return {{"median_ms", digits3(figure.median_ms)},   {"p95_ms", digits3(figure.p95_ms)},
            {"prompt_tokens", figure.prompt_tokens},    {"answer_tokens", figure.answer_tokens},
            {"forward_passes", figure.forward_passes},  {"drafted_tokens", figure.drafted_tokens},
            {"accepted_tokens", figure.accepted_tokens}};
  }

  void requests(const RequestFigures& figures) {
    json_["request"] = request_json(figures.drafting);
    json_["request_without_drafts"] = request_json(figures.plain);
    for (const RequestFigure& figure : {figures.drafting, figures.plain}) {
      text_ += line("request   %4d + %-3d tokens %7.1f ms      95 %% in %.1f ms; %d passes, ",
                    figure.prompt_tokens, figure.answer_tokens, figure.median_ms, figure.p95_ms,
                    figure.forward_passes);
      text_ += figure.drafted_tokens == 0 ? "nothing drafted\n"
                                          : line("%d of %d guesses right\n", figure.accepted_tokens,
                                                 figure.drafted_tokens);
    }
    for (const ThroughputFigure& figure : figures.throughput) throughput(figure);
  }

  void throughput(const ThroughputFigure& figure) {
    json_["throughput"].push_back({{"clients", figure.clients},
                                   {"requests", figure.requests},
                                   {"req_per_s", digits3(figure.per_second)},
                                   {"p95_ms", digits3(figure.p95_ms)}});
    text_ += line("clients   %4d at once    %8.2f req/s   95 %% in %.1f ms\n", figure.clients,
                  figure.per_second, figure.p95_ms);
  }

  void tokenizer(double mb_per_s) {
    json_["tokenizer"] = {{"mb_per_s", digits3(mb_per_s)}};
    text_ += line("tokenizer one thread      %8.1f MB/s of Chinese text\n", mb_per_s);
  }

  const BenchFigures& figures_;
  Json json_;
  std::string text_;
};

}  // namespace

BenchReport render(const BenchFigures& figures) {
  return ReportWriter(figures).write();
}

}  // namespace seqgpt
