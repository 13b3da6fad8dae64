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

Result<std::unique_ptr<CpuKvBlocks>> CpuKvBlocks::make(const KvShape& shape, int blocks) {
  const bool f32 = shape.dtype == DType::kF32;
  if (!f32 && shape.dtype != DType::kBf16) {
    return Error{ErrorCode::kUnsupported,
                 "a KV cache holds f32 or bf16, not " + std::string(dtype_name(shape.dtype))};
  }
  assert(shape.layers > 0 && shape.heads > 0 && shape.head_size > 0 && blocks >= 0);
  auto kv = std::make_unique<CpuKvBlocks>();
  const size_t size = shape.head_size;
  const size_t padded = (size + kLanes - 1) / kLanes * kLanes;
  const size_t element = f32 ? sizeof(float) : sizeof(uint16_t);
  kv->shape_ = shape;
  kv->count_ = blocks;
  kv->key_bytes_ = (f32 ? size : (size + 1) / 2 * 2) * kKvBlockTokens * element;
  kv->head_bytes_ = kv->key_bytes_ + padded * kKvBlockTokens * element;
  kv->block_bytes_ = capped_product(kv->head_bytes_ * shape.heads, shape.layers);
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
          .type = shape_.dtype,
          .head_size = shape_.head_size,
          .blocks = blocks.data()};
}

}  // namespace seqgpt::cpu
