// SPDX-License-Identifier: Apache-2.0
// Kernel figures: each operation of the 560M shape as a share of the ceilings measured in the same run.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <functional>
#include <string>
#include <vector>

#include "backend/cpu/cpu_backend.h"

namespace seqgpt {
namespace {

/// Wall time, or with CPUTIME set this thread's own time: what a busy machine leaves comparable on one thread.
double now() {
  timespec time;
  clock_gettime(std::getenv("CPUTIME") != nullptr ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

double median_seconds(int runs, const std::function<void()>& work) {
  std::vector<double> times;
  work();
  for (int run = 0; run < runs; ++run) {
    const double start = now();
    work();
    times.push_back(now() - start);
  }
  std::sort(times.begin(), times.end());
  if (std::getenv("BEST")) return times[0];
  return times[times.size() / 2];
}

struct Bench {
  Bench(const std::string& isa, int threads, bool bf16)
      : backend(std::move(make_cpu_backend({isa, threads})).value()),
        type(bf16 ? DType::kBf16 : DType::kF32) {}

  std::unique_ptr<Buffer> filled(size_t count, DType dtype) {
    auto buffer = std::move(backend->allocate(count * dtype_bits(dtype) / 8)).value();
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
    return {type, {n, k}, {static_cast<const std::byte*>(buffer.data()), buffer.bytes()}};
  }

  std::unique_ptr<Backend> backend;
  DType type;
};

void gemm(Bench& bench, int64_t rows, int64_t k, int64_t n, const Ceilings& ceilings, int copies, int kind) {
  auto raw = bench.filled(n * k, bench.type);
  std::vector<std::unique_ptr<PackedLinear>> layers;
  for (int i = 0; i < copies; ++i) {
    layers.push_back(std::move(bench.backend->pack_linear(bench.view(*raw, n, k), nullptr, bench.type)).value());
  }
  auto x = bench.filled(rows * k, bench.type);
  auto y = bench.filled(rows * n, DType::kF32);
  const Rows in = {x->data(), rows, k, k, bench.type};
  const Rows out = {y->data(), rows, n, n, DType::kF32};
  Rows narrow = out;
  narrow.dtype = bench.type;
  const double seconds = median_seconds(rows > 32 ? 9 : 15, [&] {
    for (const auto& layer : layers) {
      if (kind == 0) bench.backend->linear(in, *layer, out);
      if (kind == 1) bench.backend->linear_add(in, *layer, out);
      if (kind == 2) bench.backend->linear_gelu(in, *layer, narrow);
    }
  }) / copies;
  const double gflops = 2e-9 * rows * k * n / seconds;
  const double gbps = 1e-9 * layers[0]->bytes() / seconds;
  const double peak = bench.type == DType::kBf16 ? ceilings.bf16_gflops : ceilings.f32_gflops;
  std::printf("  linear%s %4ld x %4ld -> %4ld: %8.1f GFLOP/s %5.1f %%   %6.1f GB/s %5.1f %%\n",
              kind == 0 ? "     " : kind == 1 ? "_add " : "_gelu", rows, k, n, gflops, 100 * gflops / peak, gbps,
              100 * gbps / ceilings.read_gbps);
}

/// A whole forward pass of `layers` layers, D = 1024, 16 heads, over `rows` tokens after `past`.
void forward(Bench& bench, int rows, int past, int layers, const Ceilings& ceilings) {
  constexpr int64_t kD = 1024;
  auto& backend = *bench.backend;
  auto raw = bench.filled(4 * kD * kD, bench.type);
  struct Layer {
    std::unique_ptr<PackedLinear> qkv, dense, up, down;
  };
  std::vector<Layer> weights;
  const auto pack = [&](int64_t n, int64_t k) {
    return std::move(backend.pack_linear(bench.view(*raw, n, k), nullptr, bench.type)).value();
  };
  for (int i = 0; i < layers; ++i) {
    weights.push_back({pack(3 * kD, kD), pack(kD, kD), pack(4 * kD, kD), pack(kD, 4 * kD)});
  }
  auto ones = bench.filled(kD, DType::kF32);
  const TensorView gain = {DType::kF32, {kD}, {static_cast<const std::byte*>(ones->data()), ones->bytes()}};
  auto norm = std::move(backend.pack_norm(gain, gain)).value();
  const int blocks = (rows + past + 31) / 32;
  auto kv = std::move(backend.allocate_kv({layers, 16, 64, bench.type}, blocks)).value();
  std::vector<int32_t> table(blocks);
  for (int i = 0; i < blocks; ++i) kv->clear(table[i] = i);
  const std::vector<AttentionSlice> slices = {{0, rows, past, table}};
  std::vector<float> slopes(16, 0.1F);
  auto hidden = bench.filled(rows * kD, DType::kF32);
  auto normed = bench.filled(rows * kD, bench.type);
  auto qkv = bench.filled(rows * 3 * kD, DType::kF32);
  auto wide = bench.filled(rows * 4 * kD, bench.type);
  const auto matrix = [&](Buffer& buffer, int64_t cols, DType type) {
    return Rows{buffer.data(), rows, cols, cols, type};
  };
  double parts[7] = {};
  const auto timed = [&](int part, const std::function<void()>& work) {
    const double start = now();
    work();
    parts[part] += now() - start;
  };
  int runs = 0;
  const double seconds = median_seconds(7, [&] {
    ++runs;
    const Rows h = matrix(*hidden, kD, DType::kF32);
    const Rows n = matrix(*normed, kD, bench.type);
    const Rows q = matrix(*qkv, 3 * kD, DType::kF32);
    const Rows u = matrix(*wide, 4 * kD, bench.type);
    for (int i = 0; i < layers; ++i) {
      timed(0, [&] { backend.layer_norm(h, *norm, 1e-5F, n); });
      timed(1, [&] { backend.linear(n, *weights[i].qkv, q); });
      timed(2, [&] { backend.store_kv(q, slices, i, *kv); });
      timed(3, [&] { backend.attention(q, slices, i, *kv, slopes, n); });
      timed(4, [&] { backend.linear_add(n, *weights[i].dense, h); });
      timed(0, [&] { backend.layer_norm(h, *norm, 1e-5F, n); });
      timed(5, [&] { backend.linear_gelu(n, *weights[i].up, u); });
      timed(6, [&] { backend.linear_add(u, *weights[i].down, h); });
    }
  });
  const double attention_flops = 4.0 * kD * rows * (past + (rows + 1) / 2.0);
  const double gflops = 1e-9 * layers * (2.0 * rows * 12 * kD * kD + attention_flops) / seconds;
  const double gbps = 1e-9 * layers * 12 * kD * kD * dtype_bits(bench.type) / 8 / seconds;
  const double peak = bench.type == DType::kBf16 ? ceilings.bf16_gflops : ceilings.f32_gflops;
  std::printf("  forward %d rows after %d, %d layers: %.2f ms, %.1f GFLOP/s %.1f %%, %.1f GB/s %.1f %%\n", rows, past,
              layers, seconds * 1e3, gflops, 100 * gflops / peak, gbps, 100 * gbps / ceilings.read_gbps);
  const char* names[] = {"norm", "qkv", "store", "attention", "dense", "up", "down"};
  std::printf("   ");
  for (int i = 0; i < 7; ++i) std::printf(" %s %.2f", names[i], parts[i] / runs * 1e3);
  std::printf(" ms\n");
}

void logits(Bench& bench, int requests, const Ceilings& ceilings) {
  constexpr int64_t kD = 1024;
  constexpr int64_t kV = 250880;
  auto raw = bench.filled(kV * kD, bench.type);
  auto table = std::move(bench.backend->map_embedding(bench.view(*raw, kV, kD), bench.type)).value();
  auto x = bench.filled(requests * kD, bench.type);
  std::vector<float> out(requests * (kV + 1024));
  std::vector<LogitsRequest> all;
  for (int i = 0; i < requests; ++i) all.push_back({i, {}, out.data() + i * (kV)});
  const double seconds =
      median_seconds(5, [&] { bench.backend->logits({x->data(), requests, kD, kD, bench.type}, *table, all); });
  const double gbps = 1e-9 * kV * kD * dtype_bits(bench.type) / 8 / seconds;
  const double gflops = 2e-9 * kV * kD * requests / seconds;
  std::printf("  logits of %d: %.2f ms, %.1f GB/s %.1f %%, %.1f GFLOP/s\n", requests, seconds * 1e3, gbps,
              100 * gbps / ceilings.read_gbps, gflops);
}

int run(const std::string& isa, int threads, bool bf16, const std::string& what) {
  Bench bench(isa, threads, bf16);
  Ceilings ceilings = measure_ceilings(*bench.backend, 0.5);
  std::printf("%s, %d threads: f32 %.1f, bf16 %.1f GFLOP/s, read %.1f GB/s\n", bench.backend->name().c_str(), threads,
              ceilings.f32_gflops, ceilings.bf16_gflops, ceilings.read_gbps);
  if (what == "all" || what == "gemm") {
    gemm(bench, 256, 1024, 3072, ceilings, 1, 0);
    gemm(bench, 256, 1024, 1024, ceilings, 1, 1);
    gemm(bench, 256, 1024, 4096, ceilings, 1, 2);
    gemm(bench, 256, 4096, 1024, ceilings, 1, 1);
  }
  if (what == "all" || what == "decode") {
    for (const int64_t rows : {1, 2, 4, 8}) gemm(bench, rows, 1024, 4096, ceilings, 24, 0);
    gemm(bench, 1, 4096, 1024, ceilings, 24, 1);
  }
  if (what == "all" || what == "forward") {
    forward(bench, 256, 0, 24, ceilings);
    forward(bench, 1, 256, 24, ceilings);
    forward(bench, 8, 256, 24, ceilings);
  }
  if (what == "all" || what == "logits") {
    logits(bench, 1, ceilings);
    logits(bench, 8, ceilings);
  }
  return 0;
}

}  // namespace
}  // namespace seqgpt

int main(int argc, char** argv) {
  const std::string isa = argc > 1 ? argv[1] : "auto";
  const int threads = argc > 2 ? std::atoi(argv[2]) : 2;
  const bool bf16 = argc <= 3 || std::strcmp(argv[3], "f32") != 0;
  return seqgpt::run(isa, threads, bf16, argc > 4 ? argv[4] : "all");
}
