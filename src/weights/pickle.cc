// SPDX-License-Identifier: Apache-2.0
// From the values of a pickle to the tensors of a state dict.
#include "weights/pickle.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/utf8.h"
#include "weights/pickle_machine.h"
#include "weights/printable.h"
#include "weights/tensor_table.h"

namespace seqgpt {
namespace {

constexpr size_t kMaxPickleBytes = 64 << 20;
constexpr size_t kMaxEntries = 100'000;
constexpr size_t kMaxNameBytes = 1024;  // names are copied, and a memoised one may be used often

/// A tuple of non-negative integers, at most kMaxRank of them.
std::optional<Shape> read_shape(const PickleMachine& machine, const PickleValue& tuple) {
  if (tuple.kind != PickleKind::kTuple || tuple.items.size() > kMaxRank) return std::nullopt;
  Shape shape;
  for (const PickleRef ref : tuple.items) {
    const PickleValue& extent = machine.value(ref);
    if (extent.kind != PickleKind::kInt || extent.number < 0) return std::nullopt;
    shape.push_back(extent.number);
  }
  return shape;
}

/// Fills `tensor` from the arguments of _rebuild_tensor_v2; what is wrong, or empty.
std::string read_tensor(const PickleMachine& machine, const PickleValue& value,
                        PickledTensor& tensor) {
  const auto argument = [&](size_t i) -> const PickleValue& {
    return machine.value(value.items[i]);
  };
  const PickleValue& storage = argument(0);
  if (storage.kind != PickleKind::kStorage) return "has no storage";
  const PickleValue& elements = machine.value(storage.items[4]);
  const PickleValue& offset = argument(1);
  if (offset.kind != PickleKind::kInt || offset.number < 0 || elements.number < 0) {
    return "has a storage offset or size that is no non-negative integer";
  }
  auto shape = read_shape(machine, argument(2));
  auto stride = read_shape(machine, argument(3));
  if (!shape || !stride || shape->size() != stride->size()) {
    return "has a shape or strides that are not tuples of up to 8 non-negative integers";
  }
  tensor.storage_type = machine.value(storage.items[1]).text;
  tensor.storage_key = machine.value(storage.items[2]).text;
  tensor.storage_elements = static_cast<uint64_t>(elements.number);
  tensor.offset = static_cast<uint64_t>(offset.number);
  tensor.shape = *std::move(shape);
  tensor.stride = *std::move(stride);
  return {};
}

/// One entry of the state dict; what is wrong, or empty.
std::string read_entry(const PickleMachine& machine, const PickleValue& key,
                       const PickleValue& value, StateDict& dict) {
  if (key.kind != PickleKind::kString) return "has a key that is no string in its state dict";
  if (key.text.size() > kMaxNameBytes || utf8_first_invalid(key.text)) {
    return "has a tensor name that is longer than 1024 bytes or no UTF-8: " + printable(key.text);
  }
  if (value.kind != PickleKind::kTensor) {
    dict.not_tensors.emplace_back(key.text);
    return {};
  }
  PickledTensor tensor;
  tensor.name = key.text;
  const std::string why = read_tensor(machine, value, tensor);
  if (!why.empty()) return "describes a tensor, " + printable(key.text) + ", that " + why;
  dict.tensors.push_back(std::move(tensor));
  return {};
}

}  // namespace

Result<StateDict> parse_state_dict(std::span<const std::byte> pickle, std::string_view name) {
  const auto bad = [&](const std::string& why) {
    return Error{ErrorCode::kBadFile, std::string(name) + ": the pickle " + why};
  };
  if (pickle.size() > kMaxPickleBytes) return bad("is larger than the limit of 64 MiB");
  PickleMachine machine(pickle);
  const Result<PickleRef> root = machine.run();
  if (!root.ok()) return bad(root.error().message);
  const PickleValue& top = machine.value(*root);
  if (top.kind != PickleKind::kDict)
    return bad("holds no state dict; a dict of tensors is expected");
  if (top.items.size() / 2 > kMaxEntries) return bad("has more entries than the limit of 100000");
  StateDict dict;
  for (size_t i = 0; i < top.items.size(); i += 2) {
    const std::string why =
        read_entry(machine, machine.value(top.items[i]), machine.value(top.items[i + 1]), dict);
    if (!why.empty()) return bad(why);
  }
  return dict;
}

}  // namespace seqgpt
