// SPDX-License-Identifier: Apache-2.0
// Quantised weights: how near they are, odd contents, damaged contents, and how much room they
// take.
#include "backend/helpers.h"

namespace seqgpt::test {
namespace {

struct Kind {
  DType type;
  int group;    // k that share a scale, or in int4 a multiplier of the scale
  float range;  // integers reach from -range to range - 1
  int bits;     // of 128 weights, scales included
};

void PrintTo(const Kind& kind, std::ostream* out) {
  *out << dtype_name(kind.type);
}

class Quantised : public testing::TestWithParam<Kind> {
 protected:
  /// `values` [n, k] as they come back from the packed layer, seen through unit vectors.
  Matrix round_trip(const std::vector<float>& values, int64_t n, int64_t k) {
    const Matrix weight(DType::kF32, n, k, values);
    auto packed = backend_->pack_linear(weight.view(), nullptr, GetParam().type);
    EXPECT_TRUE(packed.ok());
    Matrix unit(DType::kF32, k, k, std::vector<float>(k * k, 0.0F));
    for (int64_t i = 0; i < k; ++i) unit.floats()[i * k + i] = 1;
    Matrix out(DType::kF32, k, n);
    backend_->linear(unit.rows(), **packed, out.rows());
    return out;  // [k, n]
  }

  std::unique_ptr<Backend> backend_ = make_backend("auto");
};

INSTANTIATE_TEST_SUITE_P(All, Quantised,
                         testing::Values(Kind{DType::kI8, 128, 128, 128 * 8 + 16},
                                         Kind{DType::kI4, 32, 8, 128 * 4 + 4 * 8 + 16}),
                         [](const auto& info) { return std::string(dtype_name(info.param.type)); });

/// Squared error of rounding to the nearest multiple of largest / (range - 1): what the search for
/// a scale must not fall behind.
double plain_error(const std::vector<float>& values, int64_t begin, int64_t end, float range) {
  float largest = 0;
  for (int64_t i = begin; i < end; ++i) largest = std::max(largest, std::abs(values[i]));
  const double scale = largest / (range - 1);
  double error = 0;
  for (int64_t i = begin; i < end; ++i) {
    error += std::pow(values[i] - scale * std::nearbyint(values[i] / scale), 2);
  }
  return error;
}

TEST_P(Quantised, EveryGroupIsNearerThanPlainRounding) {
  constexpr int64_t kRows = 9;
  constexpr int64_t kColumns = 300;  // the last scale group is cut
  const std::vector<float> values = Random(3).normals(kRows * kColumns, 0.02F);
  const Matrix stored = round_trip(values, kRows, kColumns);
  double found = 0;
  double plain = 0;
  for (int64_t row = 0; row < kRows; ++row) {
    for (int64_t begin = 0; begin < kColumns; begin += GetParam().group) {
      const int64_t end = std::min<int64_t>(begin + GetParam().group, kColumns);
      double error = 0;
      for (int64_t i = begin; i < end; ++i) {
        error += std::pow(values[row * kColumns + i] - stored(i, row), 2);
      }
      const double of_group =
          plain_error(values, row * kColumns + begin, row * kColumns + end, GetParam().range);
      EXPECT_LE(error, of_group * 1.1) << row << " " << begin;
      found += error;
      plain += of_group;
    }
  }
  EXPECT_LT(found, plain);
}

TEST_P(Quantised, NoWeightIsFartherThanAStep) {
  const std::vector<float> values = Random(4).normals(64 * 256);
  const Matrix stored = round_trip(values, 64, 256);
  for (int64_t row = 0; row < 64; ++row) {
    for (int64_t i = 0; i < 256; ++i) {
      const int64_t begin = row * 256 + i / GetParam().group * GetParam().group;
      float largest = 0;
      for (int64_t k = begin; k < begin + GetParam().group; ++k) {
        largest = std::max(largest, std::abs(values[k]));
      }
      // Half a step for most; the largest may be cut off by as much as the search allows.
      EXPECT_NEAR(stored(i, row), values[row * 256 + i], 2.0 * largest / GetParam().range);
    }
  }
}

TEST_P(Quantised, OneLargeWeightSpoilsThoseThatShareItsScaleAlone) {
  constexpr int64_t kScaleGroup = 128;
  std::vector<float> values = Random(5).normals(2 * kScaleGroup, 0.01F);
  values[1] = 100;
  const Matrix stored = round_trip(values, 1, 2 * kScaleGroup);
  EXPECT_NEAR(stored(1, 0), 100, 100.0 / GetParam().range);
  for (int64_t i = kScaleGroup; i < 2 * kScaleGroup; ++i) {
    EXPECT_NEAR(stored(i, 0), values[i], 0.04 * 2 / GetParam().range);
  }
}

TEST(QuantisedInt4, ASmallSubgroupBesideALargeOneKeepsItsShape) {
  std::vector<float> values = Random(5).normals(128, 0.1F);
  values[1] = 100;
  const auto backend = make_backend("auto");
  const Matrix weight(DType::kF32, 1, 128, values);
  auto packed = backend->pack_linear(weight.view(), nullptr, DType::kI4);
  ASSERT_TRUE(packed.ok());
  Matrix unit(DType::kF32, 128, 128, std::vector<float>(128 * 128, 0.0F));
  for (int64_t i = 0; i < 128; ++i) unit.floats()[i * 128 + i] = 1;
  Matrix stored(DType::kF32, 128, 1);
  backend->linear(unit.rows(), **packed, stored.rows());
  double error = 0;
  double energy = 0;
  for (int64_t i = 32; i < 128; ++i) {
    EXPECT_NEAR(stored(i, 0), values[i], 100.0 / 6.4 / 127 / 2) << i;  // half of the smallest step
    error += std::pow(stored(i, 0) - values[i], 2);
    energy += std::pow(values[i], 2);
  }
  EXPECT_LT(error, energy / 4);
}

TEST_P(Quantised, ZerosAndExtremesStayWhatTheyAre) {
  const float huge = 1e30F;  // dot products of integers take 2^28 of f32's range
  const std::vector<float> values = {0, 0, 0, 1e-38F, -1e-38F, 1e-40F, huge, -huge, 0, -1, -1, -1};
  const Matrix stored = round_trip(values, 4, 3);
  for (int64_t row = 0; row < 4; ++row) {
    for (int64_t i = 0; i < 3; ++i) {
      const double wanted = values[row * 3 + i];
      EXPECT_NEAR(stored(i, row), wanted, std::abs(wanted) / GetParam().range + 1e-37);
    }
  }
}

TEST_P(Quantised, DamagedWeightsAreNamed) {
  for (const float damage : {NAN, INFINITY, -INFINITY}) {
    std::vector<float> values = Random(6).normals(100 * 70);
    values[53 * 70 + 69] = damage;
    values[99 * 70] = damage;
    const Matrix weight(DType::kF32, 100, 70, values);
    const auto packed = backend_->pack_linear(weight.view(), nullptr, GetParam().type);
    ASSERT_FALSE(packed.ok());
    EXPECT_EQ(packed.error().code, ErrorCode::kNonFinite);
    EXPECT_NE(packed.error().message.find("row 53 "), std::string::npos) << packed.error().message;
  }
}

TEST_P(Quantised, FromEveryFloatType) {
  const std::vector<float> values = Random(7).normals(40 * 64);
  const Matrix bf16(DType::kBf16, 40, 64, values);
  std::vector<float> widened(values.size());
  for (int64_t i = 0; i < 40 * 64; ++i) widened[i] = static_cast<float>(bf16(i / 64, i % 64));
  auto packed = backend_->pack_linear(bf16.view(), nullptr, GetParam().type);
  ASSERT_TRUE(packed.ok());
  Matrix x(DType::kF32, 3, 64, Random(8).normals(3 * 64));
  Matrix out(DType::kF32, 3, 40);
  backend_->linear(x.rows(), **packed, out.rows());
  const Matrix f32(DType::kF32, 40, 64, widened);
  auto again = backend_->pack_linear(f32.view(), nullptr, GetParam().type);
  ASSERT_TRUE(again.ok());
  Matrix same(DType::kF32, 3, 40);
  backend_->linear(x.rows(), **again, same.rows());
  EXPECT_EQ(out.bytes(), same.bytes());
}

TEST_P(Quantised, TakesTheRoomItPromises) {
  const Matrix weight(DType::kF32, 128, 512, Random(9).normals(128 * 512));
  auto packed = backend_->pack_linear(weight.view(), nullptr, GetParam().type);
  ASSERT_TRUE(packed.ok());
  const size_t weights = 128 * 512 / 128 * GetParam().bits / 8;
  const size_t bias = 128 * sizeof(float);
  EXPECT_EQ((*packed)->bytes(), weights + bias);
}

}  // namespace
}  // namespace seqgpt::test
