// SPDX-License-Identifier: Apache-2.0
// The block pool and sequences on it: order of hand-out, sharing, copy-on-write, clearing,
// reservations.
#include "engine/kv_pool.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

#include "engine/sequence.h"

namespace seqgpt {
namespace {

/// Blocks that hold nothing and write down what was done to them.
class RecordingBlocks final : public KvBlocks {
 public:
  RecordingBlocks(int count, std::string& record) : count_(count), record_(record) {}
  const KvShape& shape() const override { return shape_; }
  int count() const override { return count_; }
  size_t block_bytes() const override { return 1; }
  void clear(int block) override { record_ += " clear" + std::to_string(block); }
  void copy(int from, int to) override {
    record_ += " copy" + std::to_string(from) + ">" + std::to_string(to);
  }

 private:
  KvShape shape_;
  int count_;
  std::string& record_;
};

class KvPoolTest : public ::testing::Test {
 protected:
  std::string record_;
  KvPool pool_{std::make_unique<RecordingBlocks>(6, record_)};
};

TEST_F(KvPoolTest, HandsOutFromZeroThenTheLastReturned) {
  EXPECT_EQ(pool_.take(), 0);
  EXPECT_EQ(pool_.take(), 1);
  EXPECT_EQ(pool_.take(), 2);
  pool_.release(0);
  pool_.release(2);
  EXPECT_EQ(pool_.used(), 1);
  EXPECT_EQ(pool_.take(), 2);
  EXPECT_EQ(pool_.take(), 0);
  EXPECT_EQ(pool_.take(), 3);
  EXPECT_EQ(record_, " clear0 clear1 clear2 clear2 clear0 clear3");
}

TEST_F(KvPoolTest, ABlockIsFreeWhenTheLastReferenceGoes) {
  const int32_t block = pool_.take();
  pool_.retain(block);
  pool_.release(block);
  EXPECT_EQ(pool_.used(), 1);
  pool_.release(block);
  EXPECT_EQ(pool_.used(), 0);
}

TEST_F(KvPoolTest, MakeOwnCopiesOnlyWhatIsShared) {
  const int32_t block = pool_.take();
  EXPECT_EQ(pool_.make_own(block), block);
  pool_.retain(block);
  const int32_t copy = pool_.make_own(block);
  EXPECT_NE(copy, block);
  EXPECT_EQ(pool_.references(block), 1);
  EXPECT_EQ(pool_.references(copy), 1);
  EXPECT_EQ(pool_.make_own(block), block);
  EXPECT_EQ(record_, " clear0 copy0>1");
}

TEST_F(KvPoolTest, ReservationsAreBounded) {
  EXPECT_TRUE(pool_.reserve(4));
  EXPECT_FALSE(pool_.reserve(3));
  EXPECT_TRUE(pool_.reserve(2));
  pool_.unreserve(4);
  EXPECT_TRUE(pool_.reserve(4));
  EXPECT_FALSE(pool_.reserve(1));
}

TEST_F(KvPoolTest, SequencesTakeBlocksAsTheyGrow) {
  Sequence sequence;
  make_room(sequence, 1, pool_);
  EXPECT_EQ(sequence.blocks.size(), 1U);
  sequence.computed = 1;
  make_room(sequence, 32, pool_);
  EXPECT_EQ(sequence.blocks.size(), 1U);
  sequence.computed = 32;
  make_room(sequence, 33, pool_);
  EXPECT_EQ(sequence.blocks, (std::vector<int32_t>{0, 1}));
  make_room(sequence, 33, pool_);  // asked again after a failed step: nothing more
  EXPECT_EQ(pool_.used(), 2);
  drop_blocks(sequence, pool_);
  EXPECT_EQ(pool_.used(), 0);
  EXPECT_EQ(pool_.take(), 0);  // returned back to front, so the first comes first again
}

TEST_F(KvPoolTest, ForksShareWholeBlocksAndCopyThePartialOne) {
  Sequence first;
  first.tokens.resize(40);
  make_room(first, 40, pool_);
  first.computed = 40;
  Sequence second = fork(first, pool_);
  Sequence third = fork(first, pool_);
  EXPECT_EQ(pool_.used(), 2);
  make_room(second, 41, pool_);
  make_room(first, 41, pool_);
  make_room(third, 41, pool_);  // the last one left keeps the original
  EXPECT_EQ(first.blocks[0], second.blocks[0]);
  EXPECT_EQ(pool_.used(), 4);
  EXPECT_EQ(record_, " clear0 clear1 copy1>2 copy1>3");
  EXPECT_EQ(third.blocks[1], 1);
  drop_blocks(first, pool_);
  drop_blocks(second, pool_);
  drop_blocks(third, pool_);
  EXPECT_EQ(pool_.used(), 0);
}

TEST_F(KvPoolTest, ForksAtABlockBorderCopyNothing) {
  Sequence first;
  make_room(first, 64, pool_);
  first.computed = 64;
  Sequence second = fork(first, pool_);
  make_room(first, 65, pool_);
  make_room(second, 65, pool_);
  EXPECT_EQ(record_.find("copy"), std::string::npos);
  EXPECT_EQ(pool_.used(), 4);
  drop_blocks(first, pool_);
  drop_blocks(second, pool_);
}

/// Any mix of growing, forking and dropping: no block is ever written by two, none is lost.
TEST(KvPoolProperty, NobodyWritesIntoAnothersBlock) {
  std::mt19937 random(11);
  std::string record;
  KvPool pool(std::make_unique<RecordingBlocks>(400, record));
  std::vector<Sequence> alive(1);
  for (int round = 0; round < 2000; ++round) {
    const size_t who = random() % alive.size();
    const unsigned what = random() % 10;
    if (what == 0 && alive.size() < 12) {
      alive.push_back(fork(alive[who], pool));
    } else if (what == 1 && alive.size() > 1) {
      drop_blocks(alive[who], pool);
      alive.erase(alive.begin() + static_cast<ptrdiff_t>(who));
    } else if (alive[who].computed < 900) {
      Sequence& sequence = alive[who];
      const int end = sequence.computed + 1 + static_cast<int>(random() % 40);
      make_room(sequence, end, pool);
      for (int at = sequence.computed / kKvBlockTokens; at < kv_blocks_for(end); ++at) {
        ASSERT_EQ(pool.references(sequence.blocks[static_cast<size_t>(at)]), 1);
      }
      sequence.computed = end;
    }
    ASSERT_EQ(static_cast<int64_t>(alive[0].blocks.size()), kv_blocks_for(alive[0].computed));
  }
  for (Sequence& sequence : alive) drop_blocks(sequence, pool);
  EXPECT_EQ(pool.used(), 0);
}

}  // namespace
}  // namespace seqgpt
