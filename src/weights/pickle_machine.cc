// SPDX-License-Identifier: Apache-2.0
// What the opcodes do: the stack, the memo, the few globals, and every limit.
#include "weights/pickle_machine.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "weights/printable.h"
#include "weights/tensor_table.h"

namespace seqgpt {
namespace {

constexpr size_t kMaxValues = 1'000'000;  // some 60 bytes each; a 176B model's pickle needs 20,000
constexpr size_t kMaxStack = 100'000;     // picklers write dicts in batches of 1000
constexpr PickleRef kAbsent = UINT32_MAX;

struct AllowedGlobal {
  std::string_view module;
  std::string_view name;
  PickleGlobal meaning;
};

constexpr AllowedGlobal kAllowed[] = {
    {"collections", "OrderedDict", PickleGlobal::kOrderedDict},
    {"torch._utils", "_rebuild_tensor_v2", PickleGlobal::kRebuildTensor},
    {"torch._utils", "_rebuild_parameter", PickleGlobal::kRebuildParameter},
    {"torch", "FloatStorage", PickleGlobal::kStorageType},
    {"torch", "HalfStorage", PickleGlobal::kStorageType},
    {"torch", "BFloat16Storage", PickleGlobal::kStorageType},
    {"torch", "DoubleStorage", PickleGlobal::kStorageType},
    {"torch", "LongStorage", PickleGlobal::kStorageType},
    {"torch", "IntStorage", PickleGlobal::kStorageType},
    {"torch", "ShortStorage", PickleGlobal::kStorageType},
    {"torch", "CharStorage", PickleGlobal::kStorageType},
    {"torch", "ByteStorage", PickleGlobal::kStorageType},
    {"torch", "BoolStorage", PickleGlobal::kStorageType},
};

}  // namespace

Result<PickleRef> PickleMachine::run() {
  while (!stopped_ && !failed()) step();
  const PickleRef result = pop();
  if (!failed() && (!stack_.empty() || !marks_.empty())) fail("ends with values left on its stack");
  if (!failed() && at_ != bytes_.size()) fail("goes on after its end");
  if (failed()) return Error{ErrorCode::kBadFile, why_};
  return result;
}

void PickleMachine::fail(std::string why) {
  if (!failed()) why_ = std::move(why);
}

std::string_view PickleMachine::take_text(uint64_t bytes) {
  if (bytes > bytes_.size() - at_) {
    fail("is truncated: a length of " + std::to_string(bytes) + " runs past its end");
    at_ = bytes_.size();
    return {};
  }
  const std::string_view text(reinterpret_cast<const char*>(bytes_.data()) + at_, bytes);
  at_ += bytes;
  return text;
}

/// Unsigned, little-endian; 0 after a failure.
uint64_t PickleMachine::take_number(size_t bytes) {
  uint64_t number = 0;
  const std::string_view text = take_text(bytes);
  for (size_t i = 0; i < text.size(); ++i) {
    number |= uint64_t{static_cast<uint8_t>(text[i])} << (8 * i);
  }
  return number;
}

std::string_view PickleMachine::take_line() {
  const std::string_view rest(reinterpret_cast<const char*>(bytes_.data()) + at_,
                              bytes_.size() - at_);
  const std::string_view line = take_text(std::min(rest.find('\n'), rest.size()));
  take_text(1);
  return line;
}

/// LONG1: a length, then two's complement.
int64_t PickleMachine::take_long() {
  const size_t bytes = take_number(1);
  if (bytes > 8) {
    fail("holds an integer of more than 64 bits");
    return 0;
  }
  if (bytes == 0) return 0;
  const unsigned unused = 64 - 8 * static_cast<unsigned>(bytes);
  return static_cast<int64_t>(take_number(bytes) << unused) >> unused;
}

void PickleMachine::push(PickleValue value) {
  if (values_.size() >= kMaxValues) {
    return fail("holds more than the limit of " + std::to_string(kMaxValues) + " values");
  }
  values_.push_back(std::move(value));
  push_ref(static_cast<PickleRef>(values_.size() - 1));
}

void PickleMachine::push_ref(PickleRef ref) {
  if (stack_.size() >= kMaxStack) {
    return fail("nests deeper than its stack limit of " + std::to_string(kMaxStack));
  }
  stack_.push_back(ref);
}

void PickleMachine::push_mark() {
  if (marks_.size() >= kMaxStack) {
    return fail("nests deeper than its stack limit of " + std::to_string(kMaxStack));
  }
  marks_.push_back(stack_.size());
}

/// Values below the last mark are out of reach, as in Python.
PickleRef PickleMachine::pop() {
  const size_t floor = marks_.empty() ? 0 : marks_.back();
  if (stack_.size() <= floor) {
    fail("takes a value from an empty stack");
    return 0;
  }
  const PickleRef ref = stack_.back();
  stack_.pop_back();
  return ref;
}

PickleValue& PickleMachine::top() {
  const PickleRef ref = pop();
  if (!failed()) stack_.push_back(ref);
  return values_[ref];
}

std::vector<PickleRef> PickleMachine::pop_to_mark() {
  if (marks_.empty()) {
    fail("looks for a mark that is not on its stack");
    return {};
  }
  std::vector<PickleRef> items(stack_.begin() + static_cast<ptrdiff_t>(marks_.back()),
                               stack_.end());
  stack_.resize(marks_.back());
  marks_.pop_back();
  return items;
}

std::vector<PickleRef> PickleMachine::pop_last(size_t count) {
  std::vector<PickleRef> items(count);
  for (size_t i = count; i-- > 0;) items[i] = pop();
  return items;
}

void PickleMachine::extend(PickleKind kind, std::vector<PickleRef> items) {
  PickleValue& container = top();
  if (failed()) return;
  if (container.kind != kind) return fail("adds items to what is neither list nor dict");
  if (kind == PickleKind::kDict && items.size() % 2 != 0) return fail("sets a key without a value");
  container.items.insert(container.items.end(), items.begin(), items.end());
}

void PickleMachine::put(uint64_t slot) {
  if (slot >= kMaxValues) return fail("writes a memo entry beyond the limit");
  const PickleRef ref = pop();
  if (failed()) return;
  stack_.push_back(ref);
  if (slot >= memo_.size()) memo_.resize(slot + 1, kAbsent);
  memo_[slot] = ref;
}

void PickleMachine::get(uint64_t slot) {
  if (slot >= memo_.size() || memo_[slot] == kAbsent) {
    return fail("reads the memo entry " + std::to_string(slot) + ", which is absent");
  }
  push_ref(memo_[slot]);
}

void PickleMachine::push_global(std::string_view module, std::string_view name) {
  for (const AllowedGlobal& allowed : kAllowed) {
    if (module != allowed.module || name != allowed.name) continue;
    return push({.kind = PickleKind::kGlobal,
                 .number = static_cast<int64_t>(allowed.meaning),
                 .text = allowed.name});
  }
  const std::string full =
      std::string(module.substr(0, 100)) + "." + std::string(name.substr(0, 100));
  fail("is refused: the global " + printable(full) + " is not allowed; nothing was run");
}

void PickleMachine::push_global_of_lines() {
  const std::string_view module = take_line();
  push_global(module, take_line());
}

void PickleMachine::push_global_of_stack() {
  const PickleValue& name = pop_value();
  const PickleValue& module = pop_value();
  if (failed()) return;
  if (name.kind != PickleKind::kString || module.kind != PickleKind::kString) {
    return fail("names a global by what is no string");
  }
  push_global(module.text, name.text);
}

/// From torch's persistent id: ('storage', type, key, location, elements).
void PickleMachine::push_storage() {
  constexpr size_t kParts = 5;
  constexpr PickleKind kKinds[kParts] = {PickleKind::kString, PickleKind::kGlobal,
                                         PickleKind::kString, PickleKind::kString,
                                         PickleKind::kInt};
  const PickleValue& id = pop_value();
  if (failed()) return;
  bool good = id.kind == PickleKind::kTuple && id.items.size() == kParts;
  for (size_t i = 0; good && i < kParts; ++i) good = value(id.items[i]).kind == kKinds[i];
  good = good && value(id.items[0]).text == "storage" &&
         value(id.items[1]).number == static_cast<int64_t>(PickleGlobal::kStorageType);
  if (!good) return fail("has a persistent id that is not ('storage', type, key, place, elements)");
  push({.kind = PickleKind::kStorage, .items = id.items});
}

// Argument counts are checked before anything is copied: a long memoised tuple must not be copied
// often.
void PickleMachine::reduce() {
  const PickleValue& arguments = pop_value();
  const PickleValue& callee = pop_value();
  if (failed()) return;
  if (callee.kind != PickleKind::kGlobal || arguments.kind != PickleKind::kTuple) {
    return fail("is refused: calls what is no allowed global");
  }
  const std::vector<PickleRef>& items = arguments.items;
  switch (static_cast<PickleGlobal>(callee.number)) {
    case PickleGlobal::kOrderedDict:
      if (items.empty()) return push({.kind = PickleKind::kDict});
      break;
    case PickleGlobal::kRebuildTensor:  // storage, offset, size, stride, requires_grad, hooks[,
                                        // metadata]
      if (items.size() == 6 || items.size() == 7) {
        return push({.kind = PickleKind::kTensor, .items = items});
      }
      break;
    case PickleGlobal::kRebuildParameter:  // data, requires_grad, hooks
      if (items.size() == 3) return push_ref(items[0]);
      break;
    case PickleGlobal::kStorageType:
      break;
  }
  fail("is refused: calls " + std::string(callee.text) + " with arguments that no state dict has");
}

/// An OrderedDict's attributes (_metadata): of no use here.
void PickleMachine::build() {
  pop();
  if (top().kind != PickleKind::kDict) fail("is refused: sets the state of what is no dict");
}

}  // namespace seqgpt
