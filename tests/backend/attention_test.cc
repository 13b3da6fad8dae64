// SPDX-License-Identifier: Apache-2.0
// Attention over shuffled KV blocks against the naive softmax, and the same bits in any chunks and
// threads.
#include <algorithm>
#include <numeric>

#include "backend/helpers.h"

namespace seqgpt::test {
namespace {

class Attention : public testing::TestWithParam<Case> {};
INSTANTIATE_TEST_SUITE_P(All, Attention, testing::ValuesIn(all_cases()), case_name);

struct Heads {
  int heads, size;
};

/// Some sequences with random q, k, v for all their positions, and a cache with shuffled blocks.
class World {
 public:
  World(Case which, Heads heads, std::vector<int> lengths, int threads = 2)
      : which_(which),
        heads_(heads),
        lengths_(std::move(lengths)),
        backend_(make_backend(which.isa, threads)) {
    const int total = std::accumulate(lengths_.begin(), lengths_.end(), 0);
    qkv_ = std::make_unique<Matrix>(DType::kF32, total, width() * 3,
                                    Random(5).normals(total * width() * 3), 2);
    for (int head = 0; head < heads_.heads; ++head)
      slopes_.push_back(0.5F / static_cast<float>(1 + head));
    deal_blocks();
  }

  /// All sequences in chunks of `chunk` rows, one step after another.
  Matrix run(int chunk, DType out_type = DType::kF32) {
    Matrix out(out_type, qkv_->row_count(), width(), 1);
    const int longest = *std::max_element(lengths_.begin(), lengths_.end());
    for (int position = 0; position < longest; position += chunk) step(position, chunk, out);
    return out;
  }

  double expected(int64_t row, int64_t col) const {
    int sequence = 0;
    int first = 0;
    while (row >= first + lengths_[sequence]) first += lengths_[sequence++];
    const int head = static_cast<int>(col) / heads_.size;
    const int last = static_cast<int>(row) - first;
    double sum = 0;
    double value = 0;
    for (int position = 0; position <= last; ++position) {
      double dot = 0;
      for (int i = 0; i < heads_.size; ++i)
        dot += part(row, head, 0, i) * part(first + position, head, 1, i);
      const double score = dot / std::sqrt(heads_.size) + slopes_[head] * (position - last);
      sum += std::exp(score);
      value +=
          std::exp(score) * part(first + position, head, 2, static_cast<int>(col) % heads_.size);
    }
    return value / sum;
  }

  int width() const { return heads_.heads * heads_.size; }
  KvBlocks& kv() { return *kv_; }

 private:
  void deal_blocks() {
    int count = 2;
    for (const int length : lengths_) count += (length + kKvBlockTokens - 1) / kKvBlockTokens;
    auto kv = backend_->allocate_kv({2, heads_.heads, heads_.size, which_.x}, count);
    ASSERT_TRUE(kv.ok());
    kv_ = std::move(kv).value();
    std::vector<int32_t> order(count);
    std::iota(order.begin(), order.end(), 0);
    std::shuffle(order.begin(), order.end(), std::mt19937(3));
    for (const int length : lengths_) {
      blocks_.emplace_back();
      for (int i = 0; i * kKvBlockTokens < length; ++i) {
        kv_->clear(order.back());
        blocks_.back().push_back(order.back());
        order.pop_back();
      }
    }
  }

  void step(int position, int chunk, Matrix& out) {
    std::vector<AttentionSlice> slices;
    int first = 0;
    for (size_t i = 0; i < lengths_.size(); ++i) {
      const int rows = std::min(chunk, lengths_[i] - position);
      if (rows > 0) slices.push_back({first + position, rows, position, blocks_[i]});
      first += lengths_[i];
    }
    backend_->store_kv(qkv_->rows(), slices, 1, *kv_);
    backend_->attention(qkv_->rows(), slices, 1, *kv_, slopes_, out.rows());
  }

  /// q, k or v (0, 1, 2) as the backend stores it.
  double part(int64_t row, int head, int which, int i) const {
    const double exact = (*qkv_)(row, (head * 3 + which) * heads_.size + i);
    if (which_.x == DType::kF32) return exact;
    return bf16_to_f32(f32_to_bf16(static_cast<float>(exact)));
  }

  Case which_;
  Heads heads_;
  std::vector<int> lengths_;
  std::unique_ptr<Backend> backend_;
  std::unique_ptr<Matrix> qkv_;
  std::vector<float> slopes_;
  std::unique_ptr<KvBlocks> kv_;
  std::vector<std::vector<int32_t>> blocks_;
};

const std::vector<Heads> kHeads = {{3, 64}, {6, 12}, {2, 16}, {2, 7}, {1, 1}, {2, 80}, {1, 130}};

TEST_P(Attention, MatchesNaiveSoftmax) {
  for (const Heads& heads : kHeads) {
    World world(GetParam(), heads, {1, 5, 32, 33, 70});
    const Matrix out = world.run(1000);
    // bf16: each probability rounds once, by at most 1/256 of itself.
    expect_near(out, 4e-6 + rounding_of(GetParam().x),
                [&](auto row, auto col) { return world.expected(row, col); });
  }
}

TEST_P(Attention, RoundsItsOutput) {
  World world(GetParam(), {2, 20}, {40, 3});
  const Matrix exact = world.run(1000);
  const Matrix rounded = world.run(1000, DType::kBf16);
  expect_near(rounded, 0, [&](auto row, auto col) {
    return bf16_to_f32(f32_to_bf16(static_cast<float>(exact(row, col))));
  });
}

TEST_P(Attention, SameBitsInAnyChunksAndThreads) {
  for (const Heads& heads : {Heads{3, 64}, Heads{2, 7}}) {
    const std::vector<int> lengths = {100, 1, 47, 64};
    const Matrix whole = World(GetParam(), heads, lengths, 1).run(1000);
    for (const int threads : {1, 2, 3}) {
      for (const int chunk : {1, 7, 32, 50}) {
        World world(GetParam(), heads, lengths, threads);
        EXPECT_EQ(world.run(chunk).bytes(), whole.bytes())
            << threads << " threads, chunks of " << chunk;
      }
    }
  }
}

TEST_P(Attention, SameBitsAloneAndTogether) {
  const Matrix together = World(GetParam(), {2, 20}, {45, 80}).run(1000);
  const Matrix alone = World(GetParam(), {2, 20}, {45}).run(1000);
  ASSERT_LE(alone.bytes().size(), together.bytes().size());
  EXPECT_EQ(std::memcmp(alone.bytes().data(), together.bytes().data(), alone.bytes().size()), 0);
}

TEST_P(Attention, LayersAndBlocksDoNotMix) {
  World world(GetParam(), {2, 20}, {33});
  const Matrix before = world.run(1000);
  world.kv().copy(0, 0);
  const Matrix after = world.run(1000);
  EXPECT_EQ(before.bytes(), after.bytes());
}

TEST_P(Attention, CopiedBlockServesAsWell) {
  const auto backend = make_backend(GetParam().isa);
  auto kv = backend->allocate_kv({1, 2, 10, GetParam().x}, 3);
  ASSERT_TRUE(kv.ok());
  Matrix qkv(DType::kF32, 8, 60, Random(1).normals(480));
  const std::vector<float> slopes = {0.1F, 0.2F};
  const std::vector<int32_t> first = {2};
  const std::vector<int32_t> second = {0};
  (*kv)->clear(2);
  const std::vector<AttentionSlice> store = {{0, 8, 0, first}};
  backend->store_kv(qkv.rows(), store, 0, **kv);
  Matrix before(DType::kF32, 8, 20);
  backend->attention(qkv.rows(), store, 0, **kv, slopes, before.rows());
  (*kv)->copy(2, 0);
  (*kv)->clear(2);
  const std::vector<AttentionSlice> read = {{0, 8, 0, second}};
  Matrix after(DType::kF32, 8, 20);
  backend->attention(qkv.rows(), read, 0, **kv, slopes, after.rows());
  EXPECT_EQ(before.bytes(), after.bytes());
}

TEST_P(Attention, StaleSlotsDoNotLeak) {
  const auto backend = make_backend(GetParam().isa);
  auto kv = backend->allocate_kv({1, 1, 9, GetParam().x}, 1);
  ASSERT_TRUE(kv.ok());
  const std::vector<float> slopes = {0.25F};
  const std::vector<int32_t> blocks = {0};
  Matrix qkv(DType::kF32, 5, 27, Random(2).normals(5 * 27));
  Matrix big(DType::kF32, 32, 27, Random(3).normals(32 * 27, 1e15F));
  const std::vector<AttentionSlice> few = {{0, 5, 0, blocks}};
  const std::vector<AttentionSlice> all = {{0, 32, 0, blocks}};
  (*kv)->clear(0);
  backend->store_kv(qkv.rows(), few, 0, **kv);
  Matrix clean(DType::kF32, 5, 9);
  backend->attention(qkv.rows(), few, 0, **kv, slopes, clean.rows());
  backend->store_kv(big.rows(), all, 0, **kv);  // somebody's drafts, dropped again
  backend->store_kv(qkv.rows(), few, 0, **kv);
  Matrix stale(DType::kF32, 5, 9);
  backend->attention(qkv.rows(), few, 0, **kv, slopes, stale.rows());
  EXPECT_EQ(clean.bytes(), stale.bytes());
}

TEST(Kv, RefusesOtherTypes) {
  const auto backend = make_backend("auto");
  const auto kv = backend->allocate_kv({1, 1, 8, DType::kI8}, 1);
  ASSERT_FALSE(kv.ok());
  EXPECT_EQ(kv.error().code, ErrorCode::kUnsupported);
}

TEST(Kv, TellsItsShape) {
  const auto backend = make_backend("auto");
  auto kv = backend->allocate_kv({3, 2, 12, DType::kBf16}, 7);
  ASSERT_TRUE(kv.ok());
  EXPECT_EQ((*kv)->count(), 7);
  EXPECT_EQ((*kv)->shape().head_size, 12);
  EXPECT_EQ((*kv)->block_bytes(), size_t{3} * 2 * 32 * (12 + 16) * 2);
}

}  // namespace
}  // namespace seqgpt::test
