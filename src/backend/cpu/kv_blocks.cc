// SPDX-License-Identifier: Apache-2.0
// KV blocks: sizes, addresses, clearing and copying.
#include <cassert>
#include <cstring>

#include "backend/cpu/weights.h"

namespace seqgpt::cpu {
namespace {

constexpr size_t kMaxBytes = size_t{1} << 46;

/// a * b, or kMaxBytes when that is more.
size_t capped_product(size_t a, size_t b) {
  return b != 0 && a > kMaxBytes / b ? kMaxBytes : a * b;
}

}  // namespace

size_t CpuKvBlocks::bytes_of_one(const KvShape& shape) {
  const auto head = static_cast<size_t>(kv_key_bytes(shape.dtype, shape.head_size) +
                                        kv_value_bytes(shape.dtype, shape.head_size));
  return capped_product(head * shape.heads, shape.layers);
}

Result<std::unique_ptr<CpuKvBlocks>> CpuKvBlocks::make(const KvShape& shape, int blocks) {
  if (shape.dtype == DType::kF16) {
    return Error{ErrorCode::kUnsupported, "a KV cache holds f32, bf16, int8 or int4, not f16"};
  }
  assert(shape.layers > 0 && shape.heads > 0 && shape.head_size > 0 && blocks >= 0);
  auto kv = std::make_unique<CpuKvBlocks>();
  static_assert(kKvPositions == kKvBlockTokens);
  kv->shape_ = shape;
  kv->count_ = blocks;
  kv->key_bytes_ = kv_key_bytes(shape.dtype, shape.head_size);
  kv->head_bytes_ = kv->key_bytes_ + kv_value_bytes(shape.dtype, shape.head_size);
  kv->block_bytes_ = bytes_of_one(shape);
  SEQGPT_ASSIGN(kv->memory_, AlignedMemory::allocate(
                                 capped_product(kv->block_bytes_, blocks) + (blocks == 0 ? 1 : 0),
                                 "the KV cache"));
  return kv;
}

void CpuKvBlocks::clear(int block) {
  assert(block >= 0 && block < count_);
  std::memset(memory_.data() + block * block_bytes_, 0, block_bytes_);
}

void CpuKvBlocks::copy(int from, int to) {
  assert(from >= 0 && from < count_ && to >= 0 && to < count_);
  if (from == to) return;
  std::memcpy(memory_.data() + to * block_bytes_, memory_.data() + from * block_bytes_,
              block_bytes_);
}

HeadKv CpuKvBlocks::head(int layer, int head, std::span<const int32_t> blocks) const {
  const size_t index = static_cast<size_t>(layer) * shape_.heads + head;
  return {.first = memory_.data() + index * head_bytes_,
          .block_bytes = static_cast<int64_t>(block_bytes_),
          .value_offset = static_cast<int64_t>(key_bytes_),
          .bytes = static_cast<int64_t>(head_bytes_),
          .scale_bytes = kv_scale_bytes(shape_.dtype, shape_.head_size),
          .scale_group = kv_scale_group(shape_.dtype, shape_.head_size),
          .type = shape_.dtype,
          .head_size = shape_.head_size,
          .blocks = blocks.data()};
}

}  // namespace seqgpt::cpu
