// SPDX-License-Identifier: Apache-2.0
// Which byte is which opcode of the pickle machine. Source: CPython's Lib/pickletools.py.
#include <utility>

#include "weights/pickle_machine.h"

namespace seqgpt {
namespace {

enum Opcode : uint8_t {
  kProto = 0x80,
  kFrame = 0x95,
  kStop = '.',
  kPop = '0',
  kPopMark = '1',
  kMark = '(',
  kNone = 'N',
  kNewTrue = 0x88,
  kNewFalse = 0x89,
  kBinInt = 'J',
  kBinInt1 = 'K',
  kBinInt2 = 'M',
  kLong1 = 0x8A,
  kBinFloat = 'G',
  kShortBinString = 'U',  // Python 2's str
  kBinString = 'T',
  kShortBinUnicode = 0x8C,
  kBinUnicode = 'X',
  kBinUnicode8 = 0x8D,
  kEmptyTuple = ')',
  kTuple1 = 0x85,
  kTuple2 = 0x86,
  kTuple3 = 0x87,
  kTuple = 't',
  kEmptyList = ']',
  kList = 'l',
  kAppend = 'a',
  kAppends = 'e',
  kEmptyDict = '}',
  kSetItem = 's',
  kSetItems = 'u',
  kBinPut = 'q',
  kLongBinPut = 'r',
  kMemoize = 0x94,
  kBinGet = 'h',
  kLongBinGet = 'j',
  kGlobal = 'c',
  kStackGlobal = 0x93,
  kInst = 'i',
  kBinPersId = 'Q',
  kReduce = 'R',
  kBuild = 'b',
};

constexpr uint64_t kNewestProtocol = 5;

}  // namespace

// Each group takes the opcodes it knows and hands the rest on; the last refuses.
void PickleMachine::step() {
  const auto opcode = static_cast<uint8_t>(take_number(1));
  switch (opcode) {
    case kProto:
      if (take_number(1) > kNewestProtocol) fail("is of a protocol newer than 5");
      return;
    case kFrame:
      take_number(8);  // a hint for buffered reading
      return;
    case kStop:
      stopped_ = true;
      return;
    case kPop:
      pop();
      return;
    case kPopMark:
      pop_to_mark();
      return;
    case kMark:
      return push_mark();
    default:
      return step_scalar(opcode);
  }
}

void PickleMachine::step_scalar(uint8_t opcode) {
  switch (opcode) {
    case kNone:
      return push({});
    case kNewTrue:
    case kNewFalse:
      return push({.kind = PickleKind::kBool, .number = opcode == kNewTrue});
    case kBinInt:
      return push_integer(static_cast<int32_t>(take_number(4)));
    case kBinInt1:
      return push_integer(static_cast<int64_t>(take_number(1)));
    case kBinInt2:
      return push_integer(static_cast<int64_t>(take_number(2)));
    case kLong1:
      return push_integer(take_long());
    case kBinFloat:
      take_number(8);  // no use for its value
      return push({.kind = PickleKind::kFloat});
    case kShortBinString:
    case kShortBinUnicode:
      return push_text(take_number(1));
    case kBinString:
    case kBinUnicode:
      return push_text(take_number(4));
    case kBinUnicode8:
      return push_text(take_number(8));
    default:
      return step_container(opcode);
  }
}

void PickleMachine::step_container(uint8_t opcode) {
  switch (opcode) {
    case kEmptyTuple:
      return push_tuple(0);
    case kTuple1:
    case kTuple2:
    case kTuple3:
      return push_tuple(size_t{1} + opcode - kTuple1);
    case kTuple:
      return push({.kind = PickleKind::kTuple, .items = pop_to_mark()});
    case kEmptyList:
      return push({.kind = PickleKind::kList});
    case kList:
      return push({.kind = PickleKind::kList, .items = pop_to_mark()});
    case kAppend:
      return extend(PickleKind::kList, pop_last(1));
    case kAppends:
      return extend(PickleKind::kList, pop_to_mark());
    case kEmptyDict:
      return push({.kind = PickleKind::kDict});
    case kSetItem:
      return extend(PickleKind::kDict, pop_last(2));
    case kSetItems:
      return extend(PickleKind::kDict, pop_to_mark());
    default:
      return step_memo(opcode);
  }
}

void PickleMachine::step_memo(uint8_t opcode) {
  switch (opcode) {
    case kBinPut:
      return put(take_number(1));
    case kLongBinPut:
      return put(take_number(4));
    case kMemoize:
      return put(memo_.size());
    case kBinGet:
      return get(take_number(1));
    case kLongBinGet:
      return get(take_number(4));
    default:
      return step_object(opcode);
  }
}

void PickleMachine::step_object(uint8_t opcode) {
  switch (opcode) {
    case kGlobal:
      return push_global_of_lines();
    case kInst:  // a global and a call in one, of Python 2: no allowed global comes this way
      push_global_of_lines();
      return fail("is refused: the opcode INST is not allowed");
    case kStackGlobal:
      return push_global_of_stack();
    case kBinPersId:
      return push_storage();
    case kReduce:
      return reduce();
    case kBuild:
      return build();
    default:
      return refuse_opcode(opcode);
  }
}

void PickleMachine::refuse_opcode(uint8_t opcode) {
  constexpr char kHex[] = "0123456789ABCDEF";
  fail(std::string("is refused: the opcode 0x") + kHex[opcode >> 4] + kHex[opcode & 15] +
       " is not one that a state dict needs");
}

}  // namespace seqgpt
