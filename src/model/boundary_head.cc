// SPDX-License-Identifier: Apache-2.0
// The boundary head's file, checked, and its two layers.
#include "model/boundary_head.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "base/mapped_file.h"
#include "weights/safetensors.h"

namespace seqgpt {
namespace {

constexpr size_t kMaxFileBytes = 1 << 20;  // 50,000 numbers and a header are far less
constexpr std::string_view kTensorNames[] = {"layer1.weight", "layer1.bias", "layer2.weight",
                                             "layer2.bias", "margin"};

Error bad(const std::string& why) {
  return {ErrorCode::kBadFile, std::string(kBoundaryHeadFile) + ": " + why +
                                   "; train it anew with training/boundary_head.py, or remove it"};
}

const TensorView* find(const TensorTable& table, std::string_view name) {
  const auto found = std::ranges::find(table.tensors, name, &NamedTensor::name);
  return found == table.tensors.end() ? nullptr : &found->view;
}

Result<std::vector<float>> read(const TensorTable& table, std::string_view name,
                                const Shape& shape) {
  const TensorView* view = find(table, name);
  if (view == nullptr) return bad("it lacks the float tensor " + std::string(name));
  if (view->shape != shape) {
    return bad(std::string(name) + " is " + shape_text(view->shape) + ", it must be " +
               shape_text(shape));
  }
  std::vector<float> values(static_cast<size_t>(view->elements()));
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = load_element(view->dtype, view->bytes.data(), i);
  if (std::ranges::all_of(values, [](float v) { return std::isfinite(v); })) return values;
  return bad(std::string(name) + " holds a number that is not finite");
}

Status check_names(const TensorTable& table) {
  for (const NamedTensor& tensor : table.tensors) {
    if (std::ranges::find(kTensorNames, tensor.name) == std::end(kTensorNames))
      return bad("it holds " + tensor.name + ", which is no part of a boundary head");
  }
  return {};
}

/// U, by the shape of the first layer, within what a head may have.
Result<int64_t> unit_count(const TensorTable& table, int64_t features) {
  const TensorView* weight = find(table, kTensorNames[0]);
  if (weight == nullptr) return bad("it lacks the float tensor layer1.weight");
  const int64_t most = (static_cast<int64_t>(BoundaryHead::kMaxParameters) - 1) / (features + 2);
  const bool good = weight->shape.size() == 2 && weight->shape[0] >= 1 &&
                    weight->shape[0] <= most && weight->shape[1] == features;
  if (good) return weight->shape[0];
  return bad("layer1.weight is " + shape_text(weight->shape) + ", it must be [U, " +
             std::to_string(features) + "] with U from 1 to " + std::to_string(most) +
             " for this model");
}

}  // namespace

Result<BoundaryHead> BoundaryHead::parse(std::span<const std::byte> file, int hidden) {
  if (file.size() > kMaxFileBytes)
    return bad("it is larger than " + std::to_string(kMaxFileBytes) + " bytes");
  SEQGPT_ASSIGN(const TensorTable table, parse_safetensors(file, kBoundaryHeadFile));
  SEQGPT_TRY(check_names(table));
  const int64_t features = int64_t{kSlots} * hidden + int64_t{kScalars};
  SEQGPT_ASSIGN(const int64_t units, unit_count(table, features));
  BoundaryHead head;
  head.hidden_ = static_cast<size_t>(hidden);
  SEQGPT_ASSIGN(head.weight1_, read(table, "layer1.weight", {units, features}));
  SEQGPT_ASSIGN(head.bias1_, read(table, "layer1.bias", {units}));
  SEQGPT_ASSIGN(head.weight2_, read(table, "layer2.weight", {1, units}));
  SEQGPT_ASSIGN(const std::vector<float> bias, read(table, "layer2.bias", {1}));
  SEQGPT_ASSIGN(const std::vector<float> margin, read(table, "margin", {1}));
  head.bias2_ = bias.front();
  head.margin_ = margin.front();
  if (head.margin_ < 0) return bad("margin is below 0");
  return head;
}

Result<std::optional<BoundaryHead>> BoundaryHead::load(const std::filesystem::path& directory,
                                                       int hidden) {
  const std::filesystem::path path = directory / kBoundaryHeadFile;
  if (!std::filesystem::exists(path)) return std::optional<BoundaryHead>();
  SEQGPT_ASSIGN(const MappedFile file, MappedFile::open(path));
  SEQGPT_ASSIGN(BoundaryHead head, parse(file.bytes(), hidden));
  return std::optional(std::move(head));
}

void BoundaryHead::project(size_t slot, std::span<const float> hidden,
                           std::span<float> units) const {
  const size_t features = kSlots * hidden_ + kScalars;
  for (size_t u = 0; u < units.size(); ++u) {
    const float* weights = weight1_.data() + u * features + slot * hidden_;
    float sum = 0;
    for (size_t i = 0; i < hidden_; ++i) sum += weights[i] * hidden[i];
    units[u] = sum;
  }
}

float BoundaryHead::score(const std::array<const float*, kSlots>& projected,
                          const std::array<float, kScalars>& scalars) const {
  const size_t features = kSlots * hidden_ + kScalars;
  float score = bias2_;
  for (size_t u = 0; u < units(); ++u) {
    const float* weights = weight1_.data() + u * features + kSlots * hidden_;
    float unit = bias1_[u];
    for (size_t i = 0; i < kScalars; ++i) unit += weights[i] * scalars[i];
    for (const float* slot : projected) unit += slot[u];
    score += weight2_[u] * std::max(unit, 0.0F);
  }
  return score;
}

}  // namespace seqgpt
