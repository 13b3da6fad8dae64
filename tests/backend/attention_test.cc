// SPDX-License-Identifier: Apache-2.0
// Attention over shuffled KV blocks against the naive softmax, and the same bits in any chunks and
// threads.
#include <algorithm>
#include <numeric>

#include "backend/helpers.h"

namespace seqgpt::test {
namespace {

class Attention : public testing::TestWithParam<Case> {};
INSTANTIATE_TEST_SUITE_P(All, Attention, testing::ValuesIn(kv_cases()), [](const auto& info) {
  return info.param.isa + "_" + std::string(dtype_name(info.param.x));
});

struct Heads {
  int heads, size;
};

/// What rounds once to bf16 on the way: probabilities and, before integers, queries.
bool rounds_inputs(const Case& which) {
  return which.x == DType::kBf16 || (is_integer(which.x) && isa_has_bf16(which.isa));
}

/// A position's numbers as a quantised cache keeps them: integers times a scale in bf16.
std::vector<double> as_stored(const std::vector<float>& exact, DType type) {
  const size_t group = type == DType::kI8 ? exact.size() : 32;
  const float most_integer = type == DType::kI8 ? 127 : 7;
  std::vector<double> stored;
  for (size_t first = 0; first < exact.size(); first += group) {
    const size_t end = std::min(first + group, exact.size());
    float most = 0;
    for (size_t i = first; i < end; ++i) most = std::max(most, std::abs(exact[i]));
    const float scale = bf16_to_f32(f32_to_bf16(most / most_integer));
    for (size_t i = first; i < end; ++i)
      stored.push_back(static_cast<double>(std::nearbyint(exact[i] * (1 / scale))) * scale);
  }
  return stored;
}

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

  /// For expected(): all of q, k and v as the backend takes them.
  void note_parts() {
    for (int64_t row = 0; row < qkv_->row_count(); ++row) {
      for (int vector = 0; vector < heads_.heads * 3; ++vector) {
        std::vector<float> exact;
        for (int i = 0; i < heads_.size; ++i)
          exact.push_back(static_cast<float>((*qkv_)(row, int64_t{vector} * heads_.size + i)));
        for (const double number : as_taken(exact, vector % 3 == 0)) parts_.push_back(number);
      }
    }
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
      if (rows > 0) slices.push_back({first + position, rows, position, blocks_[i], kv_.get()});
      first += lengths_[i];
    }
    backend_->store_kv(qkv_->rows(), slices, 1);
    backend_->attention(qkv_->rows(), slices, 1, slopes_, out.rows());
  }

  std::vector<double> as_taken(const std::vector<float>& exact, bool query) const {
    if (!query && is_integer(which_.x)) return as_stored(exact, which_.x);
    std::vector<double> taken;
    for (const float number : exact)
      taken.push_back(rounds_inputs(which_) ? bf16_to_f32(f32_to_bf16(number)) : number);
    return taken;
  }

  /// q, k or v (0, 1, 2).
  double part(int64_t row, int head, int which, int i) const {
    return parts_[(row * heads_.heads * 3 + head * 3 + which) * heads_.size + i];
  }

  Case which_;
  Heads heads_;
  std::vector<int> lengths_;
  std::unique_ptr<Backend> backend_;
  std::unique_ptr<Matrix> qkv_;
  std::vector<float> slopes_;
  std::unique_ptr<KvBlocks> kv_;
  std::vector<std::vector<int32_t>> blocks_;
  std::vector<double> parts_;  // [row][head][q, k, v][number]
};

const std::vector<Heads> kHeads = {{3, 64}, {6, 12}, {2, 16}, {2, 7}, {1, 1}, {2, 80}, {1, 130}};

TEST_P(Attention, MatchesNaiveSoftmax) {
  for (const Heads& heads : kHeads) {
    World world(GetParam(), heads, {1, 5, 32, 33, 70});
    const Matrix out = world.run(1000);
    world.note_parts();
    // bf16: each probability rounds once, by at most 1/256 of itself.
    expect_near(out, 4e-6 + (rounds_inputs(GetParam()) ? kBf16Rounding : 0),
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
  const std::vector<AttentionSlice> store = {{0, 8, 0, first, kv->get()}};
  backend->store_kv(qkv.rows(), store, 0);
  Matrix before(DType::kF32, 8, 20);
  backend->attention(qkv.rows(), store, 0, slopes, before.rows());
  (*kv)->copy(2, 0);
  (*kv)->clear(2);
  const std::vector<AttentionSlice> read = {{0, 8, 0, second, kv->get()}};
  Matrix after(DType::kF32, 8, 20);
  backend->attention(qkv.rows(), read, 0, slopes, after.rows());
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
  const std::vector<AttentionSlice> few = {{0, 5, 0, blocks, kv->get()}};
  const std::vector<AttentionSlice> all = {{0, 32, 0, blocks, kv->get()}};
  (*kv)->clear(0);
  backend->store_kv(qkv.rows(), few, 0);
  Matrix clean(DType::kF32, 5, 9);
  backend->attention(qkv.rows(), few, 0, slopes, clean.rows());
  backend->store_kv(big.rows(), all, 0);  // somebody's drafts, dropped again
  backend->store_kv(qkv.rows(), few, 0);
  Matrix stale(DType::kF32, 5, 9);
  backend->attention(qkv.rows(), few, 0, slopes, stale.rows());
  EXPECT_EQ(clean.bytes(), stale.bytes());
}

TEST_P(Attention, DamagedNumbersAreSeen) {
  const auto backend = make_backend(GetParam().isa);
  auto kv = backend->allocate_kv({1, 1, 40, GetParam().x}, 1);
  ASSERT_TRUE(kv.ok());
  const std::vector<float> slopes = {0.25F};
  const std::vector<int32_t> blocks = {0};
  const std::vector<AttentionSlice> slices = {{0, 4, 0, blocks, kv->get()}};
  for (const int64_t part : {1, 2}) {  // a key, a value
    for (const float damage : {NAN, INFINITY, -INFINITY}) {
      if (!is_integer(GetParam().x) && damage == -INFINITY) continue;  // a score that none sees
      std::vector<float> numbers = Random(4).normals(4 * 120);
      numbers[3 * 120 + part * 40 + 37] = damage;
      Matrix qkv(DType::kF32, 4, 120, numbers);
      (*kv)->clear(0);
      backend->store_kv(qkv.rows(), slices, 0);
      Matrix out(DType::kF32, 4, 40);
      backend->attention(qkv.rows(), slices, 0, slopes, out.rows());
      EXPECT_FALSE(backend->all_finite(out.rows(3, 1))) << damage << " in part " << part;
    }
  }
}

/// Numbers far from one, none at all, and ones too small for a scale.
TEST_P(Attention, AnyMagnitudeIsFinite) {
  for (const float magnitude : {0.0F, 1e-38F, 1e-30F, 1e18F}) {
    const auto backend = make_backend(GetParam().isa);
    auto kv = backend->allocate_kv({1, 1, 40, GetParam().x}, 1);
    ASSERT_TRUE(kv.ok());
    const std::vector<float> slopes = {0.25F};
    const std::vector<int32_t> blocks = {0};
    const std::vector<AttentionSlice> slices = {{0, 4, 0, blocks, kv->get()}};
    Matrix qkv(DType::kF32, 4, 120, Random(4).normals(4 * 120, magnitude));
    (*kv)->clear(0);
    backend->store_kv(qkv.rows(), slices, 0);
    Matrix out(DType::kF32, 4, 40);
    backend->attention(qkv.rows(), slices, 0, slopes, out.rows());
    EXPECT_TRUE(backend->all_finite(out.rows())) << magnitude;
  }
}

/// Slices of one step may lie in caches of different types: each has the bits that it has alone.
TEST(Kv, TypesShareAStep) {
  for (const std::string& isa : supported_isa_names()) {
    const auto backend = make_backend(isa);
    const std::vector<float> slopes = {0.1F, 0.2F};
    const std::vector<int32_t> blocks = {0};
    Matrix qkv(DType::kF32, 40, 6 * 20, Random(6).normals(40 * 6 * 20));
    std::vector<std::unique_ptr<KvBlocks>> caches;
    std::vector<AttentionSlice> slices;
    for (const DType type : {DType::kF32, DType::kBf16, DType::kI8, DType::kI4}) {
      caches.push_back(backend->allocate_kv({1, 2, 20, type}, 1).value());
      caches.back()->clear(0);
      slices.push_back({static_cast<int>(slices.size()) * 10, 10, 0, blocks, caches.back().get()});
    }
    const auto run = [&](std::span<const AttentionSlice> some) {
      Matrix out(DType::kF32, 40, 40, std::vector<float>(1600));
      backend->store_kv(qkv.rows(), some, 0);
      backend->attention(qkv.rows(), some, 0, slopes, out.rows());
      return out;
    };
    const Matrix together = run(slices);
    for (const AttentionSlice& slice : slices) {
      const Matrix alone = run({&slice, 1});
      for (int row = slice.first_row; row < slice.first_row + 10; ++row) {
        for (int col = 0; col < 40; ++col) ASSERT_EQ(alone(row, col), together(row, col)) << isa;
      }
    }
  }
}

TEST(Kv, RefusesOtherTypes) {
  const auto backend = make_backend("auto");
  const auto kv = backend->allocate_kv({1, 1, 8, DType::kF16}, 1);
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

TEST(Kv, QuantisedBlocksAreSmaller) {
  const auto backend = make_backend("auto");
  const auto bytes = [&](DType type) { return backend->kv_block_bytes({24, 16, 64, type}); };
  const size_t numbers = size_t{24} * 16 * 32 * 64 * 2;
  const size_t scales = size_t{24} * 16 * 32 * 2 * 2;  // one in bf16 for each key and value
  EXPECT_EQ(bytes(DType::kBf16), 2 * numbers);
  EXPECT_EQ(bytes(DType::kI8), numbers + scales);
  EXPECT_EQ(bytes(DType::kI4), numbers / 2 + 2 * scales);
  EXPECT_EQ(backend->allocate_kv({24, 16, 64, DType::kI4}, 1).value()->block_bytes(),
            bytes(DType::kI4));
}

}  // namespace
}  // namespace seqgpt::test
