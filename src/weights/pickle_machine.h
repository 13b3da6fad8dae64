// SPDX-License-Identifier: Apache-2.0
// PickleMachine: the stack machine of Python's pickle format, reduced to building plain data.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace seqgpt {

enum class PickleKind : uint8_t {
  kNone,
  kBool,
  kInt,
  kFloat,
  kString,
  kTuple,
  kList,
  kDict,     // items: key, value, key, value, …
  kGlobal,   // number: a PickleGlobal; text: its last name
  kStorage,  // items: the five of torch's persistent id
  kTensor,   // items: the arguments of _rebuild_tensor_v2
};

enum class PickleGlobal : uint8_t { kOrderedDict, kRebuildTensor, kRebuildParameter, kStorageType };

/// Values name each other by their place in the machine's arena: no ownership, no recursion, cycles
/// do no harm.
using PickleRef = uint32_t;

struct PickleValue {
  PickleKind kind = PickleKind::kNone;
  int64_t number = 0;
  std::string_view text = {};  // into the pickle
  std::vector<PickleRef> items = {};
};

/// Runs once over one pickle. The first failure sticks: what follows it does nothing, and run()
/// returns it.
class PickleMachine {
 public:
  explicit PickleMachine(std::span<const std::byte> pickle) : bytes_(pickle) {}

  /// The value that STOP returns, or why not (in words that follow "pickle ").
  Result<PickleRef> run();
  const PickleValue& value(PickleRef ref) const { return values_[ref]; }

 private:
  void step();
  void step_scalar(uint8_t opcode);
  void step_container(uint8_t opcode);
  void step_memo(uint8_t opcode);
  void step_object(uint8_t opcode);
  void refuse_opcode(uint8_t opcode);

  void fail(std::string why);
  bool failed() const { return !why_.empty(); }

  uint64_t take_number(size_t bytes);
  std::string_view take_text(uint64_t bytes);
  std::string_view take_line();
  int64_t take_long();

  void push(PickleValue value);
  void push_ref(PickleRef ref);
  void push_integer(int64_t number) { push({.kind = PickleKind::kInt, .number = number}); }
  void push_text(uint64_t bytes) { push({.kind = PickleKind::kString, .text = take_text(bytes)}); }
  void push_mark();
  PickleRef pop();
  PickleValue& pop_value() { return values_[pop()]; }
  PickleValue& top();
  std::vector<PickleRef> pop_to_mark();
  std::vector<PickleRef> pop_last(size_t count);

  void push_tuple(size_t count) { push({.kind = PickleKind::kTuple, .items = pop_last(count)}); }
  void extend(PickleKind kind, std::vector<PickleRef> items);
  void put(uint64_t slot);
  void get(uint64_t slot);
  void push_global(std::string_view module, std::string_view name);
  void push_global_of_lines();
  void push_global_of_stack();
  void push_storage();
  void reduce();
  void build();

  std::span<const std::byte> bytes_;
  size_t at_ = 0;
  bool stopped_ = false;
  std::string why_;
  std::vector<PickleValue> values_ = {PickleValue{}};  // 0 is what a failed pop gives
  std::vector<PickleRef> stack_;
  std::vector<size_t> marks_;    // stack heights
  std::vector<PickleRef> memo_;  // kAbsent where nothing was put
};

}  // namespace seqgpt
