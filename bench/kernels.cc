// SPDX-License-Identifier: Apache-2.0
// Kernel figures: each operation of the 560M shape as a share of the ceilings measured in the same
// run.
//
// For whoever tunes a kernel; users have `seqgpt bench`. Not part of the build: link it with the
// libraries seqgpt_backend_cpu, seqgpt_tensor, seqgpt_base.
//
// kernels [isa] [threads] [bf16|f32] [all|gemm|decode|forward|logits] [wall|own]
// `own` takes the best of this thread's own time instead of the median of wall time: with one
// thread it is what a machine busy with other work leaves comparable.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <string>
#include <vector>

#include "backend/cpu/cpu_backend.h"

namespace seqgpt {
namespace {

constexpr int64_t kD = 1024;    // hidden size of the 560M shape
constexpr int64_t kV = 250880;  // its vocabulary
constexpr int kHeads = 16;
constexpr int kHeadSize = 64;
constexpr int kLayers = 24;

struct Options {
  std::string isa = "auto";
  int threads = 2;
  DType type = DType::kBf16;
  std::string what = "all";
  bool own_time = false;
};

class Bench {
 public:
  explicit Bench(const Options& options)
      : options_(options),
        backend_(std::move(make_cpu_backend({options.isa, options.threads})).value()) {
    ceilings_ = measure_ceilings(*backend_, 0.5);
    std::printf("%s, %d threads: f32 %.1f, bf16 %.1f GFLOP/s, read %.1f GB/s\n",
                backend_->name().c_str(), backend_->threads(), ceilings_.f32_gflops,
                ceilings_.bf16_gflops, ceilings_.read_gbps);
  }

  void linear(int64_t rows, int64_t k, int64_t n, int copies);
  void forward(int rows, int past);
  void logits(int requests);

 private:
  struct Layer {
    std::unique_ptr<PackedLinear> qkv, dense, up, down;
  };

  double now() const {
    timespec time;
    clock_gettime(options_.own_time ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
  }

  double seconds(int runs, const std::function<void()>& work) const {
    std::vector<double> times;
    work();
    for (int run = 0; run < runs; ++run) {
      const double start = now();
      work();
      times.push_back(now() - start);
    }
    std::sort(times.begin(), times.end());
    return times[options_.own_time ? 0 : times.size() / 2];
  }

  /// Reproducible numbers in -0.1 .. 0.1.
  std::unique_ptr<Buffer> filled(size_t count, DType dtype) {
    auto buffer = std::move(backend_->allocate(count * dtype_bits(dtype) / 8)).value();
    uint32_t seed = 1;
    for (size_t i = 0; i < count; ++i) {
      seed = seed * 1664525 + 1013904223;
      const float value = (static_cast<float>(seed >> 8) / 8388608.0F - 1) * 0.1F;
      if (dtype == DType::kF32) static_cast<float*>(buffer->data())[i] = value;
      if (dtype == DType::kBf16) static_cast<uint16_t*>(buffer->data())[i] = f32_to_bf16(value);
    }
    return buffer;
  }

  TensorView view(Buffer& buffer, int64_t n, int64_t k) const {
    return {options_.type, {n, k}, {static_cast<const std::byte*>(buffer.data()), buffer.bytes()}};
  }

  std::unique_ptr<PackedLinear> packed(Buffer& raw, int64_t n, int64_t k) {
    return std::move(backend_->pack_linear(view(raw, n, k), nullptr, options_.type)).value();
  }

  void check(Buffer& weights, Buffer& x, Buffer& y, int64_t rows, int64_t k, int64_t n) const;

  void print(double gflop, double gigabytes, double seconds) const {
    const double peak =
        options_.type == DType::kBf16 ? ceilings_.bf16_gflops : ceilings_.f32_gflops;
    std::printf("%9.3f ms %8.1f GFLOP/s %5.1f %% %7.1f GB/s %5.1f %%\n", seconds * 1e3,
                gflop / seconds, 100 * gflop / seconds / peak, gigabytes / seconds,
                100 * gigabytes / seconds / ceilings_.read_gbps);
  }

  Options options_;
  std::unique_ptr<Backend> backend_;
  Ceilings ceilings_;
};

/// The last element against the naive sum: a bench of wrong answers is worth nothing.
void Bench::check(Buffer& weights, Buffer& x, Buffer& y, int64_t rows, int64_t k, int64_t n) const {
  double sum = 0;
  for (int64_t i = 0; i < k; ++i) {
    sum += static_cast<double>(load_element(options_.type, x.data(), (rows - 1) * k + i)) *
           load_element(options_.type, weights.data(), (n - 1) * k + i);
  }
  if (std::abs(sum - static_cast<float*>(y.data())[rows * n - 1]) < 1e-4) return;
  std::fprintf(stderr, "wrong answer\n");
  std::exit(1);
}

void Bench::linear(int64_t rows, int64_t k, int64_t n, int copies) {
  auto raw = filled(n * k, options_.type);
  std::vector<std::unique_ptr<PackedLinear>> layers;
  for (int i = 0; i < copies; ++i) layers.push_back(packed(*raw, n, k));
  auto x = filled(rows * k, options_.type);
  auto y = filled(rows * n, DType::kF32);
  const double taken = seconds(15, [&] {
    for (const auto& one : layers) {
      backend_->linear({x->data(), rows, k, k, options_.type}, *one,
                       {y->data(), rows, n, n, DType::kF32});
    }
  });
  check(*raw, *x, *y, rows, k, n);
  std::printf("  linear %3d x %4d -> %4d:        ", static_cast<int>(rows), static_cast<int>(k),
              static_cast<int>(n));
  print(2e-9 * static_cast<double>(rows * k * n), 1e-9 * static_cast<double>(layers[0]->bytes()),
        taken / copies);
}

/// All layers over `rows` tokens after `past` others.
void Bench::forward(int rows, int past) {
  auto raw = filled(4 * kD * kD, options_.type);
  std::vector<Layer> layers;
  for (int i = 0; i < kLayers; ++i) {
    layers.push_back({packed(*raw, 3 * kD, kD), packed(*raw, kD, kD), packed(*raw, 4 * kD, kD),
                      packed(*raw, kD, 4 * kD)});
  }
  auto ones = filled(kD, DType::kF32);
  const TensorView gain = {
      DType::kF32, {kD}, {static_cast<const std::byte*>(ones->data()), ones->bytes()}};
  auto norm = std::move(backend_->pack_norm(gain, gain)).value();
  const int blocks = (rows + past + kKvBlockTokens - 1) / kKvBlockTokens;
  auto kv =
      std::move(backend_->allocate_kv({kLayers, kHeads, kHeadSize, options_.type}, blocks)).value();
  std::vector<int32_t> table(blocks);
  for (int i = 0; i < blocks; ++i) kv->clear(table[i] = i);
  const std::vector<AttentionSlice> slices = {{0, rows, past, table}};
  const std::vector<float> slopes(kHeads, 0.1F);
  auto hidden = filled(rows * kD, DType::kF32);
  auto normed = filled(rows * kD, options_.type);
  auto qkv = filled(rows * 3 * kD, DType::kF32);
  auto wide = filled(rows * 4 * kD, options_.type);
  const Rows h = {hidden->data(), rows, kD, kD, DType::kF32};
  const Rows n = {normed->data(), rows, kD, kD, options_.type};
  const Rows q = {qkv->data(), rows, 3 * kD, 3 * kD, DType::kF32};
  const Rows u = {wide->data(), rows, 4 * kD, 4 * kD, options_.type};
  const double taken = seconds(9, [&] {
    for (int i = 0; i < kLayers; ++i) {
      backend_->layer_norm(h, *norm, 1e-5F, n);
      backend_->linear(n, *layers[i].qkv, q);
      backend_->store_kv(q, slices, i, *kv);
      backend_->attention(q, slices, i, *kv, slopes, n);
      backend_->linear_add(n, *layers[i].dense, h);
      backend_->layer_norm(h, *norm, 1e-5F, n);
      backend_->linear_gelu(n, *layers[i].up, u);
      backend_->linear_add(u, *layers[i].down, h);
    }
  });
  const double weights = 12.0 * kD * kD * kLayers;
  const double attention = 4.0 * kD * kLayers * rows * (past + (rows + 1) / 2.0);
  std::printf("  forward %3d rows after %3d:          ", rows, past);
  print(1e-9 * (2 * rows * weights + attention), 1e-9 * weights * dtype_bits(options_.type) / 8,
        taken);
}

void Bench::logits(int requests) {
  auto raw = filled(kV * kD, options_.type);
  auto table = std::move(backend_->map_embedding(view(*raw, kV, kD), options_.type)).value();
  auto x = filled(requests * kD, options_.type);
  std::vector<float> out(requests * kV);
  std::vector<LogitsRequest> all;
  for (int i = 0; i < requests; ++i) all.push_back({i, {}, out.data() + i * kV});
  const double taken = seconds(
      7, [&] { backend_->logits({x->data(), requests, kD, kD, options_.type}, *table, all); });
  std::printf("  all logits of %d rows:                ", requests);
  print(2e-9 * kV * kD * requests, 1e-9 * kV * kD * dtype_bits(options_.type) / 8, taken);
}

void run(const Options& options) {
  Bench bench(options);
  const auto wanted = [&](const char* part) {
    return options.what == "all" || options.what == part;
  };
  if (wanted("gemm")) {
    bench.linear(256, kD, 3 * kD, 1);
    bench.linear(256, kD, kD, 1);
    bench.linear(256, kD, 4 * kD, 1);
    bench.linear(256, 4 * kD, kD, 1);
  }
  if (wanted("decode")) {
    for (const int64_t rows : {1, 2, 4, 8}) bench.linear(rows, kD, 4 * kD, kLayers);
    bench.linear(1, 4 * kD, kD, kLayers);
  }
  if (wanted("forward")) {
    bench.forward(256, 0);
    bench.forward(1, 256);
    bench.forward(8, 256);
  }
  if (wanted("logits")) {
    bench.logits(1);
    bench.logits(8);
  }
}

}  // namespace
}  // namespace seqgpt

int main(int argc, char** argv) {
  seqgpt::Options options;
  if (argc > 1) options.isa = argv[1];
  if (argc > 2) options.threads = std::atoi(argv[2]);
  if (argc > 3 && std::string(argv[3]) == "f32") options.type = seqgpt::DType::kF32;
  if (argc > 4) options.what = argv[4];
  if (argc > 5) options.own_time = std::string(argv[5]) == "own";
  seqgpt::run(options);
}
