// SPDX-License-Identifier: Apache-2.0
// LayerNorm, lookup, logits and the finite check against naive references.
#include <numeric>

#include "backend/helpers.h"

namespace seqgpt::test {
namespace {

class RowOps : public testing::TestWithParam<Case> {};
INSTANTIATE_TEST_SUITE_P(All, RowOps, testing::ValuesIn(all_cases()), case_name);

double normalized(const Matrix& x, const Matrix& gain, const Matrix& bias, int64_t row,
                  int64_t col) {
  double mean = 0;
  double variance = 0;
  for (int64_t i = 0; i < x.col_count(); ++i) mean += x(row, i) / x.col_count();
  for (int64_t i = 0; i < x.col_count(); ++i) {
    variance += (x(row, i) - mean) * (x(row, i) - mean) / x.col_count();
  }
  return (x(row, col) - mean) / std::sqrt(variance + 1e-5) * gain(0, col) + bias(0, col);
}

TEST_P(RowOps, LayerNorm) {
  const auto backend = make_backend(GetParam().isa);
  for (const int64_t cols : {1, 7, 16, 63, 64, 72, 100, 1024}) {
    Matrix x(DType::kF32, 9, cols, Random(cols).normals(9 * cols, 3), 2);
    const Matrix gain(GetParam().w, 1, cols, Random(2).normals(cols));
    const Matrix bias(GetParam().w, 1, cols, Random(3).normals(cols));
    auto norm = backend->pack_norm(gain.flat(), bias.flat());
    ASSERT_TRUE(norm.ok());
    Matrix out(GetParam().x, 9, cols, 1);
    backend->layer_norm(x.rows(), **norm, 1e-5F, out.rows());
    expect_near(out, 2e-6 + rounding_of(GetParam().x),
                [&](auto row, auto col) { return normalized(x, gain, bias, row, col); });
  }
}

TEST_P(RowOps, LayerNormOfOneRowOrManyOrInPlace) {
  constexpr int64_t kCols = 1000;
  Matrix x(DType::kF32, 50, kCols, Random(1).normals(50 * kCols));
  const Matrix gain(DType::kF32, 1, kCols, Random(2).normals(kCols));
  const auto one = make_backend(GetParam().isa, 1);
  const auto three = make_backend(GetParam().isa, 3);
  auto norm = one->pack_norm(gain.flat(), gain.flat());
  Matrix whole(DType::kF32, 50, kCols);
  three->layer_norm(x.rows(), **norm, 1e-5F, whole.rows());
  Matrix single(DType::kF32, 50, kCols);
  for (int64_t row = 0; row < 50; ++row)
    one->layer_norm(x.rows(row, 1), **norm, 1e-5F, single.rows(row, 1));
  EXPECT_EQ(whole.bytes(), single.bytes());
  one->layer_norm(x.rows(), **norm, 1e-5F, x.rows());
  EXPECT_EQ(whole.bytes(), x.bytes());
}

TEST_P(RowOps, EmbedCopiesRows) {
  const auto backend = make_backend(GetParam().isa);
  for (const int64_t cols : {1, 16, 72, 100}) {
    const Matrix table(GetParam().w, 40, cols, Random(cols).normals(40 * cols));
    auto embedding = backend->map_embedding(table.view(), GetParam().w);
    ASSERT_TRUE(embedding.ok());
    EXPECT_EQ((*embedding)->rows(), 40);
    EXPECT_EQ((*embedding)->bytes(), 0U);
    const std::vector<int32_t> ids = {39, 0, 7, 7, 21};
    Matrix out(DType::kF32, 5, cols, 2);
    backend->embed(ids, **embedding, out.rows());
    expect_near(out, 0, [&](auto row, auto col) { return table(ids[row], col); });
  }
}

TEST_P(RowOps, EmbeddingOfAnotherTypeIsConverted) {
  const auto backend = make_backend(GetParam().isa);
  const DType other = GetParam().w == DType::kF32 ? DType::kBf16 : DType::kF32;
  const Matrix table(other, 8, 33, Random(4).normals(8 * 33));
  auto embedding = backend->map_embedding(table.view(), GetParam().w);
  ASSERT_TRUE(embedding.ok());
  EXPECT_EQ((*embedding)->bytes(), 8 * 33 * dtype_bits(GetParam().w) / 8);
  const std::vector<int32_t> ids = {3, 5};
  Matrix out(DType::kF32, 2, 33);
  backend->embed(ids, **embedding, out.rows());
  expect_near(out, rounding_of(GetParam().w),
              [&](auto row, auto col) { return table(ids[row], col); });
}

/// A table at an odd address, as in a mapped file.
struct Unaligned {
  explicit Unaligned(const Matrix& matrix) : bytes(matrix.bytes().size() + 1) {
    std::memcpy(bytes.data() + 1, matrix.bytes().data(), matrix.bytes().size());
    view = matrix.view();
    view.bytes = std::span(bytes).subspan(1);
  }
  std::vector<std::byte> bytes;
  TensorView view;
};

TEST_P(RowOps, LogitsMatchNaiveProducts) {
  const auto backend = make_backend(GetParam().isa);
  for (const int64_t cols : {1, 15, 16, 31, 33, 48, 64, 72, 100, 1024}) {
    constexpr int64_t kVocabulary = 301;
    const Matrix table(
        GetParam().w, kVocabulary, cols,
        Random(cols).normals(kVocabulary * cols, 1 / std::sqrt(static_cast<float>(cols))));
    const Unaligned mapped(table);
    auto embedding = backend->map_embedding(mapped.view, GetParam().w);
    Matrix x(GetParam().x, 3, cols, Random(6).normals(3 * cols), 1);
    Matrix out(DType::kF32, 3, kVocabulary);
    std::vector<LogitsRequest> requests;
    for (int row = 0; row < 3; ++row)
      requests.push_back({row, {}, out.floats() + row * kVocabulary});
    backend->logits(x.rows(), **embedding, requests);
    expect_near(out, 2e-6, [&](auto row, auto id) {
      double sum = 0;
      for (int64_t i = 0; i < cols; ++i) sum += x(row, i) * table(id, i);
      return sum;
    });
  }
}

TEST_P(RowOps, ChosenLogitsEqualThoseOfAll) {
  constexpr int kVocabulary = 1003;
  constexpr int64_t kCols = 77;
  const Matrix table(GetParam().w, kVocabulary, kCols, Random(5).normals(kVocabulary * kCols));
  const Unaligned mapped(table);
  Matrix x(GetParam().x, 9, kCols, Random(6).normals(9 * kCols));
  std::vector<float> whole;
  for (const int threads : {1, 2, 3}) {
    const auto backend = make_backend(GetParam().isa, threads);
    auto embedding = backend->map_embedding(mapped.view, GetParam().w);
    for (const int together : {1, 2, 3, 5, 9}) {  // requests for all rows that share a pass
      std::vector<float> all(9 * kVocabulary);
      for (int row = 0; row < 9; row += together) {
        std::vector<LogitsRequest> requests;
        for (int i = row; i < std::min(9, row + together); ++i) {
          requests.push_back({i, {}, all.data() + i * kVocabulary});
        }
        backend->logits(x.rows(), **embedding, requests);
      }
      if (whole.empty()) whole = all;
      ASSERT_EQ(std::memcmp(all.data(), whole.data(), all.size() * sizeof(float)), 0)
          << threads << " threads, " << together << " together";
    }
    Random random(threads);
    for (const int count : {1, 2, 3, 4, 33, 200}) {
      std::vector<int32_t> ids(count);
      for (int32_t& id : ids) id = random.below(kVocabulary);
      std::vector<float> some(count);
      const std::vector<LogitsRequest> requests = {{4, ids, some.data()}};
      backend->logits(x.rows(), **embedding, requests);
      for (int i = 0; i < count; ++i) {
        ASSERT_EQ(std::memcmp(&some[i], &whole[4 * kVocabulary + ids[i]], sizeof(float)), 0) << i;
      }
    }
  }
}

TEST_P(RowOps, FiniteCheckFindsOneBadElementAnywhere) {
  const auto backend = make_backend(GetParam().isa);
  for (const int64_t cols : {5, 16, 100}) {
    Matrix good(GetParam().x, 200, cols, Random(1).normals(200 * cols, 1e30F), 3);
    EXPECT_TRUE(backend->all_finite(good.rows()));
    for (const float bad : {NAN, INFINITY, -INFINITY}) {
      for (const int64_t at : {int64_t{0}, 77 * cols + cols - 1, 200 * cols - 1}) {
        std::vector<float> values = Random(1).normals(200 * cols);
        values[at] = bad;
        Matrix x(GetParam().x, 200, cols, values);
        EXPECT_FALSE(backend->all_finite(x.rows())) << bad << " at " << at;
      }
    }
  }
}

}  // namespace
}  // namespace seqgpt::test
