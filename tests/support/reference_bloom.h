// SPDX-License-Identifier: Apache-2.0
// ReferenceBloom: BLOOM in naive double precision, one loop after another, to judge the real one
// by.
#pragma once

#include <cmath>
#include <stdexcept>
#include <string>
#include <vector>

#include "model/config.h"
#include "weights/checkpoint.h"

namespace seqgpt::testing_support {

/// Written from the paper and HF's modeling_bloom.py, sharing nothing with src/model or
/// src/backend: no cache, no blocks, its own ALiBi slopes.
class ReferenceBloom {
 public:
  using Vector = std::vector<double>;

  ReferenceBloom(const Checkpoint& checkpoint, const ModelConfig& config)
      : checkpoint_(checkpoint), config_(config) {}

  /// Logits after every position: [position][V].
  std::vector<Vector> logits(const std::vector<int32_t>& ids) const {
    const Vector table = tensor("word_embeddings.weight");
    std::vector<Vector> rows = hidden(ids, table);
    const auto width = static_cast<size_t>(config_.hidden);
    for (Vector& row : rows) {
      Vector out(static_cast<size_t>(config_.vocabulary), 0.0);
      for (size_t v = 0; v < out.size(); ++v) {
        for (size_t k = 0; k < width; ++k) out[v] += table[v * width + k] * row[k];
      }
      row = out;
    }
    return rows;
  }

 private:
  Vector tensor(const std::string& name) const {
    const TensorView* view = checkpoint_.find(name);
    if (view == nullptr) throw std::runtime_error("no tensor " + name);
    Vector values(static_cast<size_t>(view->elements()));
    for (size_t i = 0; i < values.size(); ++i) {
      values[i] = load_element(view->dtype, view->bytes.data(), i);
    }
    return values;
  }

  Vector norm(const std::string& name, const Vector& x) const {
    const Vector gain = tensor(name + ".weight");
    const Vector bias = tensor(name + ".bias");
    double mean = 0;
    double variance = 0;
    for (const double value : x) mean += value / static_cast<double>(x.size());
    for (const double value : x) {
      variance += (value - mean) * (value - mean) / static_cast<double>(x.size());
    }
    Vector out(x.size());
    for (size_t i = 0; i < x.size(); ++i) {
      out[i] = (x[i] - mean) / std::sqrt(variance + config_.layer_norm_epsilon) * gain[i] + bias[i];
    }
    return out;
  }

  Vector linear(const std::string& name, const Vector& x) const {
    const Vector weight = tensor(name + ".weight");
    Vector out = tensor(name + ".bias");
    for (size_t n = 0; n < out.size(); ++n) {
      for (size_t k = 0; k < x.size(); ++k) out[n] += weight[n * x.size() + k] * x[k];
    }
    return out;
  }

  static double gelu(double v) {
    return v * 0.5 * (1 + std::tanh(0.79788456 * v * (1 + 0.044715 * v * v)));
  }

  /// Slope of a head: for the first 2^n heads powers of 2^(-8 / 2^n), for the rest the odd powers
  /// of the next finer base.
  double slope(int head) const {
    int power = 1;
    while (2 * power <= config_.heads) power *= 2;
    if (head < power) return std::pow(2.0, -8.0 * (head + 1) / power);
    return std::pow(2.0, -4.0 * (2 * (head - power) + 1) / power);
  }

  /// Attention of the last of `qkv` (the query) over all of them.
  Vector attend(const std::vector<Vector>& qkv, size_t query) const {
    const auto size = static_cast<size_t>(config_.head_size());
    Vector out(static_cast<size_t>(config_.hidden), 0.0);
    for (int head = 0; head < config_.heads; ++head) {
      const size_t base = static_cast<size_t>(head) * 3 * size;
      Vector weights(query + 1);
      double sum = 0;
      for (size_t key = 0; key <= query; ++key) {
        double dot = 0;
        for (size_t k = 0; k < size; ++k) dot += qkv[query][base + k] * qkv[key][base + size + k];
        const double distance = static_cast<double>(key) - static_cast<double>(query);
        const double bias = slope(head) * distance;
        weights[key] = std::exp(dot / std::sqrt(static_cast<double>(size)) + bias);
        sum += weights[key];
      }
      for (size_t key = 0; key <= query; ++key) {
        for (size_t k = 0; k < size; ++k) {
          out[static_cast<size_t>(head) * size + k] +=
              weights[key] / sum * qkv[key][base + 2 * size + k];
        }
      }
    }
    return out;
  }

  static void add(Vector& x, const Vector& y) {
    for (size_t i = 0; i < x.size(); ++i) x[i] += y[i];
  }

  void layer(const std::string& prefix, std::vector<Vector>& x) const {
    std::vector<Vector> qkv;
    std::vector<Vector> residual = x;
    for (size_t t = 0; t < x.size(); ++t) {
      const Vector normed = norm(prefix + "input_layernorm", x[t]);
      qkv.push_back(linear(prefix + "self_attention.query_key_value", normed));
      if (config_.residual_after_norm) residual[t] = normed;
    }
    for (size_t t = 0; t < x.size(); ++t) {
      x[t] = linear(prefix + "self_attention.dense", attend(qkv, t));
      add(x[t], residual[t]);
      const Vector normed = norm(prefix + "post_attention_layernorm", x[t]);
      const Vector second = config_.residual_after_norm ? normed : x[t];
      Vector inner = linear(prefix + "mlp.dense_h_to_4h", normed);
      for (double& value : inner) value = gelu(value);
      x[t] = linear(prefix + "mlp.dense_4h_to_h", inner);
      add(x[t], second);
    }
  }

  std::vector<Vector> hidden(const std::vector<int32_t>& ids, const Vector& table) const {
    const auto width = static_cast<size_t>(config_.hidden);
    std::vector<Vector> x;
    for (const int32_t id : ids) {
      const auto begin = table.begin() + static_cast<ptrdiff_t>(static_cast<size_t>(id) * width);
      x.push_back(norm("word_embeddings_layernorm", Vector(begin, begin + config_.hidden)));
    }
    for (int i = 0; i < config_.layers; ++i) layer("h." + std::to_string(i) + ".", x);
    for (Vector& row : x) row = norm("ln_f", row);
    return x;
  }

  const Checkpoint& checkpoint_;
  const ModelConfig& config_;
};

}  // namespace seqgpt::testing_support
