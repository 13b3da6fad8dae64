// SPDX-License-Identifier: Apache-2.0
// Linear layers with every epilogue against naive sums, and the same bits whatever rows and threads
// share.
#include "backend/helpers.h"

namespace seqgpt::test {
namespace {

class Linear : public testing::TestWithParam<Case> {};
INSTANTIATE_TEST_SUITE_P(All, Linear, testing::ValuesIn(linear_cases()), case_name);

/// The weights that a packed layer multiplies with: what it answers to each unit vector. Exact, as
/// an integer times a bf16 scale fits into f32.
Matrix stored_weights(Backend& backend, const PackedLinear& packed) {
  const int64_t n = packed.outputs();
  const int64_t k = packed.inputs();
  Matrix unit(DType::kF32, k, k, std::vector<float>(k * k, 0.0F));
  for (int64_t i = 0; i < k; ++i) unit.floats()[i * k + i] = 1;
  Matrix columns(DType::kF32, k, n);
  backend.linear(unit.rows(), packed, columns.rows());
  std::vector<float> values(n * k);
  for (int64_t i = 0; i < n * k; ++i) {
    values[i] = static_cast<float>(columns(i % k, i / k));
  }
  return Matrix(DType::kF32, n, k, values);
}

/// An input of a quantised layer: a multiple of 2^(e - 13), where 2^e is the power of two below the
/// largest of its group of 128.
double rounded(const Matrix& x, int64_t row, int64_t column) {
  const int64_t begin = column / 128 * 128;
  double largest = 0;
  for (int64_t i = begin; i < std::min(begin + 128, x.col_count()); ++i) {
    largest = std::max(largest, std::abs(x(row, i)));
  }
  if (largest == 0) return 0;
  const double unit = std::ldexp(1.0, std::ilogb(largest) - 13);
  return std::nearbyint(x(row, column) / unit) * unit;
}

/// A layer of random weights, its packed form and the values it stores.
struct Layer {
  Layer(Backend& backend, DType type, int64_t n, int64_t k, uint64_t seed)
      : rounds(is_integer(type)),
        weight(is_integer(type) ? DType::kF32 : type, n, k,
               Random(seed).normals(n * k, 1 / std::sqrt(static_cast<float>(k)))),
        bias(DType::kF32, 1, n, Random(seed + 1).normals(n)) {
    const TensorView view = bias.flat();
    auto result = backend.pack_linear(weight.view(), &view, type);
    EXPECT_TRUE(result.ok());
    packed = std::move(result).value();
    if (!is_integer(type)) return;
    auto bare = backend.pack_linear(weight.view(), nullptr, type);
    EXPECT_TRUE(bare.ok());
    weight = stored_weights(backend, **bare);
  }

  /// W x + b of a row, in double precision; quantised layers see x rounded.
  double output(const Matrix& x, int64_t row, int64_t n) const {
    double sum = bias(0, n);
    for (int64_t i = 0; i < weight.col_count(); ++i) {
      sum += (rounds ? rounded(x, row, i) : x(row, i)) * weight(n, i);
    }
    return sum;
  }

  bool rounds;
  Matrix weight;
  Matrix bias;
  std::unique_ptr<PackedLinear> packed;
};

struct Sizes {
  int64_t rows, n, k;
};

std::vector<Sizes> sizes() {
  std::vector<Sizes> all;
  for (int64_t rows = 1; rows <= 20; ++rows) all.push_back({rows, 70, 33});
  for (const Sizes& one :
       {Sizes{3, 1, 1}, Sizes{7, 13, 2}, Sizes{5, 16, 64}, Sizes{4, 64, 17}, Sizes{6, 65, 128},
        Sizes{2, 130, 31}, Sizes{9, 33, 2500}, Sizes{14, 20, 135}, Sizes{13, 17, 161},
        Sizes{2, 18, 639}, Sizes{70, 66, 200}}) {
    all.push_back(one);
  }
  return all;
}

TEST_P(Linear, MatchesNaiveSums) {
  const auto backend = make_backend(GetParam().isa);
  for (const Sizes& size : sizes()) {
    const Layer layer(*backend, GetParam().w, size.n, size.k, size.k);
    Matrix x(GetParam().x, size.rows, size.k, Random(7).normals(size.rows * size.k), 3);
    Matrix out(DType::kF32, size.rows, size.n, 5);
    backend->linear(x.rows(), *layer.packed, out.rows());
    expect_near(out, sum_tolerance(size.k),
                [&](auto row, auto n) { return layer.output(x, row, n); });
  }
}

TEST_P(Linear, AddsToTheResidual) {
  const auto backend = make_backend(GetParam().isa);
  for (const Sizes& size : sizes()) {
    const Layer layer(*backend, GetParam().w, size.n, size.k, size.k);
    Matrix x(GetParam().x, size.rows, size.k, Random(7).normals(size.rows * size.k), 1);
    const Matrix before(DType::kF32, size.rows, size.n, Random(8).normals(size.rows * size.n), 2);
    Matrix out = before;
    backend->linear_add(x.rows(), *layer.packed, out.rows());
    expect_near(out, sum_tolerance(size.k),
                [&](auto row, auto n) { return before(row, n) + layer.output(x, row, n); });
  }
}

TEST_P(Linear, GeluInBothOutputTypes) {
  const auto backend = make_backend(GetParam().isa);
  for (const DType type : {DType::kF32, DType::kBf16}) {
    for (const Sizes& size : sizes()) {
      const Layer layer(*backend, GetParam().w, size.n, size.k, size.k);
      Matrix x(GetParam().x, size.rows, size.k, Random(7).normals(size.rows * size.k, 2), 3);
      Matrix out(type, size.rows, size.n, 1);
      backend->linear_gelu(x.rows(), *layer.packed, out.rows());
      expect_near(out, 2 * sum_tolerance(size.k) + rounding_of(type),
                  [&](auto row, auto n) { return gelu(layer.output(x, row, n)); });
    }
  }
}

TEST_P(Linear, WithoutBias) {
  const auto backend = make_backend(GetParam().isa);
  const DType exact = is_integer(GetParam().w) ? DType::kF32 : GetParam().w;
  Matrix weight(exact, 5, 3, Random(1).normals(15));
  auto packed = backend->pack_linear(weight.view(), nullptr, GetParam().w);
  ASSERT_TRUE(packed.ok());
  EXPECT_EQ((*packed)->inputs(), 3);
  EXPECT_EQ((*packed)->outputs(), 5);
  if (is_integer(GetParam().w)) weight = stored_weights(*backend, **packed);
  Matrix x(GetParam().x, 1, 3, {1, 0, 0});
  Matrix out(DType::kF32, 1, 5);
  backend->linear(x.rows(), **packed, out.rows());
  expect_near(out, 0, [&](auto, auto n) { return weight(n, 0); });
}

/// Output of `rows` rows taken `step` at a time.
Matrix in_steps(Backend& backend, const Layer& layer, Matrix& x, int64_t step) {
  Matrix out(DType::kF32, x.row_count(), layer.packed->outputs());
  for (int64_t row = 0; row < x.row_count(); row += step) {
    const int64_t count = std::min(step, x.row_count() - row);
    backend.linear(x.rows(row, count), *layer.packed, out.rows(row, count));
  }
  return out;
}

TEST_P(Linear, SameBitsForAnyRowsAndThreads) {
  constexpr int64_t kRows = 515;  // more than a kernel holds sums for
  const auto first = make_backend(GetParam().isa, 1);
  Matrix x(GetParam().x, kRows, 301, Random(9).normals(kRows * 301));
  const Layer layer(*first, GetParam().w, 150, 301, 10);
  const Matrix whole = in_steps(*first, layer, x, kRows);
  for (const int threads : {1, 2, 3}) {
    const auto backend = make_backend(GetParam().isa, threads);
    const Layer again(*backend, GetParam().w, 150, 301, 10);
    for (const int64_t step : {int64_t{1}, int64_t{2}, int64_t{5}, int64_t{64}, kRows}) {
      EXPECT_EQ(in_steps(*backend, again, x, step).bytes(), whole.bytes())
          << threads << " " << step;
    }
  }
}

TEST_P(Linear, SameBitsOverManyBlocksOfK) {
  const auto backend = make_backend(GetParam().isa, 2);
  Matrix x(GetParam().x, 13, 4099, Random(9).normals(13 * 4099));
  const Layer layer(*backend, GetParam().w, 40, 4099, 10);
  const Matrix whole = in_steps(*backend, layer, x, 13);
  EXPECT_EQ(in_steps(*backend, layer, x, 1).bytes(), whole.bytes());
  EXPECT_EQ(in_steps(*backend, layer, x, 4).bytes(), whole.bytes());
}

TEST_P(Linear, OneLargeInputCoarsensItsGroupAlone) {
  const auto backend = make_backend(GetParam().isa);
  const Layer layer(*backend, GetParam().w, 20, 300, 10);
  std::vector<float> values = Random(7).normals(2 * 300, 0.01F);
  values[130] = 3e4F;
  values[300 + 299] = 1e-30F;
  Matrix x(GetParam().x, 2, 300, values, 3);
  Matrix out(DType::kF32, 2, 20);
  backend->linear(x.rows(), *layer.packed, out.rows());
  expect_near(out, sum_tolerance(300), [&](auto row, auto n) { return layer.output(x, row, n); });
}

TEST_P(Linear, TheLargestSumsFit) {
  const auto backend = make_backend(GetParam().isa);
  const bool rounds = is_integer(GetParam().w);
  std::vector<float> values(20 * 256);
  for (int64_t i = 0; i < 20 * 256; ++i) values[i] = i / 256 % 2 == 0 ? 1.0F : -1.0F;
  Matrix weight(rounds ? DType::kF32 : GetParam().w, 20, 256, values);
  auto packed = backend->pack_linear(weight.view(), nullptr, GetParam().w);
  ASSERT_TRUE(packed.ok());
  if (rounds) weight = stored_weights(*backend, **packed);
  for (const int64_t rows : {1, 2, 4, 6, 70}) {
    for (const float x : {1.99F, -1.99F, 1.9999999F}) {
      Matrix in(GetParam().x, rows, 256, std::vector<float>(rows * 256, x));
      Matrix out(DType::kF32, rows, 20);
      backend->linear(in.rows(), **packed, out.rows());
      expect_near(out, sum_tolerance(256) * 512, [&](auto row, auto n) {
        return 256 * (rounds ? rounded(in, row, 0) : in(row, 0)) * weight(n, 0);
      });
    }
  }
}

TEST_P(Linear, WhatIsNotFiniteStaysSo) {
  const auto backend = make_backend(GetParam().isa);
  const Layer layer(*backend, GetParam().w, 20, 300, 10);
  for (const float damage : {NAN, INFINITY, -INFINITY}) {
    for (const int64_t place : {int64_t{0}, int64_t{127}, int64_t{128}, int64_t{299}}) {
      std::vector<float> values = Random(7).normals(3 * 300);
      values[300 + place] = damage;
      Matrix x(GetParam().x, 3, 300, values);
      Matrix out(DType::kF32, 3, 20);
      backend->linear(x.rows(), *layer.packed, out.rows());
      EXPECT_TRUE(backend->all_finite(out.rows(0, 1)));
      EXPECT_FALSE(backend->all_finite(out.rows(1, 1))) << damage << " at " << place;
      EXPECT_TRUE(backend->all_finite(out.rows(2, 1)));
    }
  }
}

TEST(Packing, ConvertsEveryFloatType) {
  const auto backend = make_backend("auto");
  const uint16_t halves[] = {0x3C00, 0xC000, 0x3555, 0x0001};  // 1, -2, 0.333, the least subnormal
  const TensorView f16 = {DType::kF16, {2, 2}, std::as_bytes(std::span(halves))};
  for (const DType type : {DType::kF32, DType::kBf16}) {
    auto packed = backend->pack_linear(f16, nullptr, type);
    ASSERT_TRUE(packed.ok());
    Matrix x(DType::kF32, 2, 2, {1, 0, 0, 1});
    Matrix out(DType::kF32, 2, 2);
    backend->linear(x.rows(), **packed, out.rows());
    expect_near(out, 0, [&](auto row, auto n) {
      const float exact = f16_to_f32(halves[n * 2 + row]);
      return type == DType::kF32 ? exact : bf16_to_f32(f32_to_bf16(exact));
    });
  }
}

TEST(Packing, WidensEveryHalf) {
  constexpr int64_t kCount = 65536;
  std::vector<uint16_t> halves(kCount);
  for (int64_t i = 0; i < kCount; ++i) halves[i] = static_cast<uint16_t>(i);
  const TensorView view = {DType::kF16, {kCount, 1}, std::as_bytes(std::span(halves))};
  const auto backend = make_backend("auto");
  auto table = backend->map_embedding(view, DType::kF32);
  ASSERT_TRUE(table.ok());
  std::vector<int32_t> ids(kCount);
  for (int64_t i = 0; i < kCount; ++i) ids[i] = static_cast<int32_t>(i);
  Matrix out(DType::kF32, kCount, 1);
  backend->embed(ids, **table, out.rows());
  for (int64_t i = 0; i < kCount; ++i) {
    const float wanted = f16_to_f32(halves[i]);
    ASSERT_EQ(std::memcmp(out.floats() + i, &wanted, sizeof wanted), 0) << i;
  }
}

TEST(Packing, RefusesWhatItCannotStore) {
  const auto backend = make_backend("auto");
  const Matrix weight(DType::kF32, 4, 4, Random(1).normals(16));
  for (const DType type : {DType::kI8, DType::kI4, DType::kF16}) {
    const auto table = backend->map_embedding(weight.view(), type);
    ASSERT_FALSE(table.ok());
    EXPECT_EQ(table.error().code, ErrorCode::kUnsupported);
  }
  EXPECT_FALSE(backend->pack_linear(weight.view(), nullptr, DType::kF16).ok());
  TensorView cut = weight.view();
  cut.bytes = cut.bytes.first(63);
  EXPECT_FALSE(backend->pack_linear(cut, nullptr, DType::kF32).ok());
  EXPECT_FALSE(backend->pack_linear(cut, nullptr, DType::kI4).ok());
  EXPECT_FALSE(backend->map_embedding(cut, DType::kF32).ok());
}

TEST(Memory, TooMuchIsAnError) {
  const auto backend = make_backend("auto");
  for (const size_t bytes : {size_t{1} << 45, size_t{1} << 60, ~size_t{0}}) {
    const auto buffer = backend->allocate(bytes);
    ASSERT_FALSE(buffer.ok());
    EXPECT_EQ(buffer.error().code, ErrorCode::kTooLarge);
  }
  EXPECT_FALSE(backend->allocate_kv({1000, 1024, 64, DType::kF32}, 1 << 30).ok());
}

TEST(Memory, IsAligned) {
  const auto backend = make_backend("auto");
  for (const size_t bytes :
       {size_t{0}, size_t{1}, size_t{65}, size_t{1} << 22, (size_t{1} << 23) + 1}) {
    auto buffer = backend->allocate(bytes);
    ASSERT_TRUE(buffer.ok());
    EXPECT_EQ(reinterpret_cast<uintptr_t>((*buffer)->data()) % 64, 0U);
    EXPECT_EQ((*buffer)->bytes(), bytes);
    std::memset((*buffer)->data(), 1, bytes);
  }
}

}  // namespace
}  // namespace seqgpt::test
