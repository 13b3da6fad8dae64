// SPDX-License-Identifier: Apache-2.0
// What the backend's tests share: the cases (instruction set x types), random data,
// double-precision references.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "backend/cpu/cpu_backend.h"

namespace seqgpt::test {

/// One instruction set with one pair of types.
struct Case {
  std::string isa;
  DType x = DType::kF32;
  DType w = DType::kF32;
};

inline std::string text_of(const Case& one) {
  return one.isa + "_" + std::string(dtype_name(one.x)) + "_" + std::string(dtype_name(one.w));
}

inline void PrintTo(const Case& one, std::ostream* out) {
  *out << text_of(one);
}

inline std::string case_name(const testing::TestParamInfo<Case>& info) {
  return text_of(info.param);
}

inline std::vector<Case> all_cases() {
  std::vector<Case> cases;
  for (const std::string& isa : supported_isa_names()) {
    cases.push_back({isa, DType::kF32, DType::kF32});
    cases.push_back({isa, DType::kF32, DType::kBf16});
    cases.push_back({isa, DType::kBf16, DType::kBf16});
    cases.push_back({isa, DType::kBf16, DType::kF32});
  }
  return cases;
}

/// The same with quantised weights, which linear layers alone have.
inline std::vector<Case> linear_cases() {
  std::vector<Case> cases = all_cases();
  for (const std::string& isa : supported_isa_names()) {
    for (const DType x : {DType::kF32, DType::kBf16}) {
      cases.push_back({isa, x, DType::kI8});
      cases.push_back({isa, x, DType::kI4});
    }
  }
  return cases;
}

/// x is the type of the KV cache; attention knows no weights.
inline std::vector<Case> kv_cases() {
  std::vector<Case> cases;
  for (const std::string& isa : supported_isa_names()) {
    for (const DType x : {DType::kF32, DType::kBf16, DType::kI8, DType::kI4})
      cases.push_back({isa, x, DType::kF32});
  }
  return cases;
}

inline bool is_integer(DType type) {
  return type == DType::kI8 || type == DType::kI4;
}

inline std::unique_ptr<Backend> make_backend(const std::string& isa, int threads = 2) {
  auto backend = make_cpu_backend({isa, threads});
  EXPECT_TRUE(backend.ok());
  return std::move(backend).value();
}

class Random {
 public:
  explicit Random(uint64_t seed) : engine_(seed) {}

  float normal() { return distribution_(engine_); }
  int below(int limit) { return static_cast<int>(engine_() % static_cast<uint64_t>(limit)); }
  std::vector<float> normals(size_t count, float scale = 1) {
    std::vector<float> values(count);
    for (float& value : values) value = normal() * scale;
    return values;
  }

 private:
  std::mt19937_64 engine_;
  std::normal_distribution<float> distribution_;
};

/// A row-major matrix of f32 or bf16 that knows its values exactly; rows may lie apart by `gap`
/// elements, and the gaps hold NaN, so that a kernel which reads them is found out.
class Matrix {
 public:
  Matrix(DType type, int64_t rows, int64_t cols, int64_t gap = 0)
      : type_(type),
        rows_(rows),
        cols_(cols),
        stride_(cols + gap),
        bytes_(rows * stride_ * element()) {
    for (int64_t i = 0; i < rows * stride_; ++i) put(i, NAN);
  }
  Matrix(DType type, int64_t rows, int64_t cols, const std::vector<float>& values, int64_t gap = 0)
      : Matrix(type, rows, cols, gap) {
    for (int64_t i = 0; i < rows * cols; ++i) put(i / cols * stride_ + i % cols, values[i]);
  }

  double operator()(int64_t row, int64_t col) const {
    return load_element(type_, bytes_.data(), row * stride_ + col);
  }
  Rows rows() { return rows(0, rows_); }
  Rows rows(int64_t first, int64_t count) {
    return {bytes_.data() + first * stride_ * element(), count, cols_, stride_, type_};
  }
  TensorView view() const { return {type_, {rows_, cols_}, bytes_}; }
  TensorView flat() const { return {type_, {rows_ * cols_}, bytes_}; }
  const std::vector<std::byte>& bytes() const { return bytes_; }
  float* floats() { return reinterpret_cast<float*>(bytes_.data()); }
  int64_t row_count() const { return rows_; }
  int64_t col_count() const { return cols_; }

 private:
  size_t element() const { return dtype_bits(type_) / 8; }
  void put(int64_t index, float value) {
    const uint16_t half = f32_to_bf16(value);
    const void* from = type_ == DType::kF32 ? static_cast<const void*>(&value) : &half;
    std::memcpy(bytes_.data() + index * element(), from, element());
  }

  DType type_;
  int64_t rows_, cols_, stride_;
  std::vector<std::byte> bytes_;
};

/// Every element within `tolerance` x (1 + |expected|) of expected(row, col).
template <typename Expected>
void expect_near(const Matrix& actual, double tolerance, const Expected& expected) {
  for (int64_t row = 0; row < actual.row_count(); ++row) {
    for (int64_t col = 0; col < actual.col_count(); ++col) {
      const double wanted = expected(row, col);
      ASSERT_NEAR(actual(row, col), wanted, tolerance * (1 + std::abs(wanted)))
          << "row " << row << " column " << col;
    }
  }
}

inline double gelu(double v) {
  return v / 2 * (1 + std::tanh(0.79788456 * v * (1 + 0.044715 * v * v)));
}

/// bf16 keeps 8 bits: half a unit in the last place, relative.
inline constexpr double kBf16Rounding = 1.0 / 256;

/// Rounding errors of k additions in f32, each at most 2^-24 of the sum so far, grow with the root
/// of k.
inline double sum_tolerance(int64_t k) {
  return 3e-7 * std::sqrt(static_cast<double>(k)) + 5e-7;
}

inline double rounding_of(DType type) {
  return type == DType::kBf16 ? kBf16Rounding : 0;
}

}  // namespace seqgpt::test
