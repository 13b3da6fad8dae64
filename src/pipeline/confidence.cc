// SPDX-License-Identifier: Apache-2.0
// The logistic model: its use, its file, and its fit by Newton's method.
#include "pipeline/confidence.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>
#include <numeric>
#include <sstream>

namespace seqgpt {
namespace {

constexpr size_t kFeatures = 5;
using Vector = std::array<double, kFeatures>;

constexpr double kLeastLogprob = -30;  // what is less probable than e^-30 counts as e^-30
constexpr double kRidge = 1e-2;        // the pull towards zero, in examples
constexpr size_t kLeastExamples = 50;

double bounded(double logprob) {
  return std::clamp(logprob, kLeastLogprob, 0.0);
}

double sigmoid(double x) {
  return 1 / (1 + std::exp(-x));
}

/// log(p / (1 - p)) of p = exp(logprob), kept within ± 30.
double logit_of(double logprob) {
  const double rest = -std::expm1(logprob);  // 1 - p
  return std::clamp(logprob - std::log(std::max(rest, 1e-13)), kLeastLogprob, -kLeastLogprob);
}

Vector features(const Evidence& evidence) {
  const double sum = bounded(evidence.first + evidence.inner + evidence.stop);
  return {1, logit_of(sum), bounded(evidence.first), bounded(evidence.inner),
          bounded(evidence.stop)};
}

double dot(const Vector& a, const Vector& b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

/// Solves A x = b by Gaussian elimination with pivots; A is positive definite here.
Vector solve(std::array<Vector, kFeatures> a, Vector b) {
  for (size_t k = 0; k < kFeatures; ++k) {
    size_t pivot = k;
    for (size_t i = k + 1; i < kFeatures; ++i) {
      if (std::abs(a[i][k]) > std::abs(a[pivot][k])) pivot = i;
    }
    std::swap(a[k], a[pivot]);
    std::swap(b[k], b[pivot]);
    for (size_t i = k + 1; i < kFeatures; ++i) {
      const double factor = a[i][k] / a[k][k];
      for (size_t j = k; j < kFeatures; ++j) a[i][j] -= factor * a[k][j];
      b[i] -= factor * b[k];
    }
  }
  for (size_t k = kFeatures; k-- > 0;) {
    for (size_t j = k + 1; j < kFeatures; ++j) b[k] -= a[k][j] * b[j];
    b[k] /= a[k][k];
  }
  return b;
}

/// One step of Newton's method on the penalised log-likelihood.
Vector newton_step(const std::vector<Judged>& values, const Vector& weights) {
  Vector gradient{};
  std::array<Vector, kFeatures> hessian{};
  for (size_t i = 0; i < kFeatures; ++i) {
    gradient[i] = -kRidge * weights[i];
    hessian[i][i] = kRidge;
  }
  for (const Judged& value : values) {
    const Vector x = features(value.evidence);
    const double p = sigmoid(dot(weights, x));
    for (size_t i = 0; i < kFeatures; ++i) {
      gradient[i] += ((value.right ? 1 : 0) - p) * x[i];
      for (size_t j = 0; j < kFeatures; ++j) hessian[i][j] += p * (1 - p) * x[i] * x[j];
    }
  }
  return solve(hessian, gradient);
}

double mean_log_loss(const std::vector<std::vector<double>>& distributions,
                     const std::vector<size_t>& right, double temperature) {
  Calibration calibration;
  calibration.temperature = temperature;
  double loss = 0;
  for (size_t i = 0; i < right.size(); ++i) {
    std::vector<double> probabilities = distributions[i];
    calibration.classes(probabilities);
    loss -= std::log(std::max(probabilities[right[i]], 1e-13));
  }
  return loss / static_cast<double>(right.size());
}

Error bad_file(const std::string& what) {
  return {ErrorCode::kBadFile, std::string(kCalibrationFile) + " " + what +
                                   "; write it anew with seqgpt calibrate, or remove it"};
}

}  // namespace

Evidence evidence_of(const ExtractedValue& value, const std::vector<TokenChoice>& choices) {
  Evidence evidence;
  const auto stop = static_cast<size_t>(value.stop_token);
  bool met = false;
  for (auto i = static_cast<size_t>(value.first_token); i < choices.size() && i <= stop; ++i) {
    if (!choices[i].chosen) continue;
    double& part = !met ? evidence.first : i == stop ? evidence.stop : evidence.inner;
    part += choices[i].logprob;
    met = true;
  }
  return evidence;
}

double Calibration::value(const Evidence& evidence) const {
  return sigmoid(dot({bias, product, first, inner, stop}, features(evidence)));
}

void Calibration::classes(std::vector<double>& probabilities) const {
  if (temperature == 1) return;
  double sum = 0;
  for (double& p : probabilities) sum += p = std::pow(p, 1 / temperature);
  for (double& p : probabilities) p /= sum;
}

Result<Calibration> load_calibration(const std::filesystem::path& directory) {
  const std::filesystem::path path = directory / kCalibrationFile;
  std::error_code ignored;
  const auto size = std::filesystem::file_size(path, ignored);
  if (ignored) return Calibration{};
  if (size > 4096) return bad_file("is larger than 4096 bytes");
  std::ifstream in(path, std::ios::binary);
  std::stringstream bytes;
  bytes << in.rdbuf();
  const auto json = nlohmann::json::parse(bytes.str(), nullptr, false);
  if (!json.is_object()) return bad_file("is no JSON object");
  Calibration calibration;
  const std::pair<const char*, double*> fields[] = {
      {"bias", &calibration.bias},   {"product", &calibration.product},
      {"first", &calibration.first}, {"inner", &calibration.inner},
      {"stop", &calibration.stop},   {"temperature", &calibration.temperature}};
  for (const auto& [name, field] : fields) {
    const auto found = json.find(name);
    if (found == json.end() || !found->is_number())
      return bad_file("lacks the number \"" + std::string(name) + "\"");
    *field = found->get<double>();
    if (!std::isfinite(*field))
      return bad_file("has a \"" + std::string(name) + "\" that is not finite");
  }
  if (calibration.temperature <= 0) return bad_file("has a temperature that is not above 0");
  if (const auto least = json.find("least"); least != json.end()) {  // older files have none
    if (!least->is_number()) return bad_file("has a \"least\" that is no number");
    calibration.least = least->get<double>();
    if (!(calibration.least >= 0 && calibration.least <= 1))
      return bad_file("has a \"least\" that is not from 0 to 1");
  }
  return calibration;
}

Result<Calibration> fit_calibration(const std::vector<Judged>& values) {
  const auto right = static_cast<size_t>(std::ranges::count(values, true, &Judged::right));
  if (values.size() < kLeastExamples || right == 0 || right == values.size()) {
    return Error{ErrorCode::kInvalidArgument,
                 "calibration needs at least " + std::to_string(kLeastExamples) +
                     " values, right and wrong ones; there are " + std::to_string(values.size()) +
                     ", " + std::to_string(right) + " of them right"};
  }
  Vector weights{0, 1, 0, 0, 0};
  for (int i = 0; i < 30; ++i) {
    const Vector step = newton_step(values, weights);
    // A whole step overshoots where the start is far off; the second derivative is flat there.
    const double size = std::sqrt(dot(step, step));
    const double factor = size > 1 ? 1 / size : 1;
    for (size_t k = 0; k < kFeatures; ++k) weights[k] += factor * step[k];
    if (size < 1e-9) break;
  }
  return Calibration{weights[0], weights[1], weights[2], weights[3], weights[4], 1, 0};
}

double mean_f1(const Calibration& calibration, double least, const std::vector<JudgedFile>& files) {
  double sum = 0;
  size_t count = 0;
  for (const JudgedFile& file : files) {
    size_t given = 0;
    size_t right = 0;
    for (const Judged& value : file.values) {
      if (calibration.value(value.evidence) < least) continue;
      ++given;
      right += value.right ? 1 : 0;
    }
    if (given + file.gold == 0) continue;
    sum += 2 * static_cast<double>(right) / static_cast<double>(given + file.gold);
    ++count;
  }
  return count == 0 ? 0 : sum / static_cast<double>(count);
}

double fit_least(const Calibration& calibration, const std::vector<JudgedFile>& files) {
  double best = 0;
  for (int step = 1; step <= 10; ++step) {
    const double least = step / 20.0;
    if (mean_f1(calibration, least, files) > mean_f1(calibration, best, files)) best = least;
  }
  return best;
}

double fit_temperature(const std::vector<std::vector<double>>& distributions,
                       const std::vector<size_t>& right) {
  constexpr double kGolden = 0.6180339887498949;
  double low = std::log(0.1);
  double high = std::log(10.0);
  const auto loss = [&](double log_temperature) {
    return mean_log_loss(distributions, right, std::exp(log_temperature));
  };
  for (int i = 0; i < 40; ++i) {
    const double a = high - kGolden * (high - low);
    const double b = low + kGolden * (high - low);
    (loss(a) < loss(b) ? high : low) = loss(a) < loss(b) ? b : a;
  }
  return std::exp((low + high) / 2);
}

std::string calibration_json(const Calibration& calibration) {
  const nlohmann::ordered_json json = {
      {"bias", calibration.bias},   {"product", calibration.product},
      {"first", calibration.first}, {"inner", calibration.inner},
      {"stop", calibration.stop},   {"temperature", calibration.temperature},
      {"least", calibration.least}};
  return json.dump(2) + "\n";
}

}  // namespace seqgpt
