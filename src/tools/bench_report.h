// SPDX-License-Identifier: Apache-2.0
// The figures of bench as plain data, and their two renderings.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tensor/dtype.h"

namespace seqgpt {

struct PrefillFigure {
  int tokens = 0;
  double per_second = 0;  // tokens
  double gflops = 0;      // 1e9 operations a second; a multiply-add is two
};

/// One token a pass, one sequence.
struct DecodeFigure {
  int rows = 0;  // vocabulary rows computed for each token
  double per_second = 0;
  double gbps = 0;  // weights read, 1e9 bytes a second
};

/// One request alone, from submission to its last token.
struct RequestFigure {
  double median_ms = 0;
  double p95_ms = 0;
  int prompt_tokens = 0;
  int answer_tokens = 0;
  int forward_passes = 0;
  int drafted_tokens = 0;
  int accepted_tokens = 0;
};

struct ThroughputFigure {
  int clients = 0;
  int requests = 0;       // that ended
  double per_second = 0;  // requests ended, from the first's submission to the last's end
  double p95_ms = 0;      // of a request, waiting included
};

/// What a model that generates does with whole requests.
struct RequestFigures {
  RequestFigure drafting;
  RequestFigure plain;  // nothing drafted
  std::vector<ThroughputFigure> throughput;
};

struct BenchFigures {
  std::string isa;
  int threads = 0;
  DType weights = DType::kF32;
  bool bf16 = false;    // arithmetic; else f32
  std::string kv;       // Model::kv_name()
  double kv_bytes = 0;  // of one position
  double gflops = 0;    // ceilings of this run
  double gbps = 0;
  double load_s = 0;
  double rss_mb = 0;  // at the peak of loading and of all requests
  std::vector<PrefillFigure> prefill;
  DecodeFigure decode;  // all rows
  std::optional<DecodeFigure> decode_restricted;
  std::optional<RequestFigures> requests;
  std::optional<double> tokenizer_mb_per_s;
};

struct BenchReport {
  std::string text;  // a table for people
  std::string json;  // the object of the contract
};

BenchReport render(const BenchFigures& figures);

}  // namespace seqgpt
