// SPDX-License-Identifier: Apache-2.0
// The vault's key file, bearer keys and their rates.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "store/keys.h"
#include "store/rate_limiter.h"
#include "store/vault.h"
#include "temporary_directory.h"

namespace seqgpt {
namespace {

unsigned mode_of(const std::string& path) {
  struct stat facts{};
  return stat(path.c_str(), &facts) == 0 ? facts.st_mode & 0777U : 0;
}

TEST(Vault, MakesItsKeyFileOnceAndReadsItAgain) {
  const TemporaryDirectory directory;
  const std::string path = directory.file("sub/secret.key");
  const Result<Vault> first = Vault::open(path);
  ASSERT_TRUE(first.ok()) << first.error().message;
  EXPECT_EQ(mode_of(path), 0600U);
  const std::string sealed = first->seal("王伟", "job 1");
  const Result<Vault> second = Vault::open(path);
  EXPECT_EQ(*second->open_blob(sealed, "job 1"), "王伟");
  EXPECT_FALSE(second->open_blob(sealed, "job 2").ok());
  EXPECT_NE(first->seal("王伟", "job 1"), sealed);
  EXPECT_EQ(first->text_hash("王伟"), second->text_hash("王伟"));
  EXPECT_NE(first->text_hash("王伟"), Vault(SecretKey::random()).text_hash("王伟"));
  const std::string one = first->text_hash("王伟");
  EXPECT_EQ(first->text_hash("王伟", ""), one);
  const std::string two = first->text_hash("李娜", one);
  EXPECT_EQ(two.size(), 64U);
  EXPECT_EQ(two, second->text_hash("李娜", one));
  EXPECT_NE(two, first->text_hash("王伟", first->text_hash("李娜")));
  EXPECT_NE(two, first->text_hash("王伟李娜"));
}

TEST(Vault, AnyChangedBitIsNoticed) {
  const Vault vault(SecretKey::random());
  const std::string sealed = vault.seal("年薪120万元", "x");
  for (size_t i = 0; i < sealed.size(); ++i) {
    std::string changed = sealed;
    changed[i] = static_cast<char>(changed[i] ^ 1);
    EXPECT_FALSE(vault.open_blob(changed, "x").ok()) << i;
    EXPECT_FALSE(vault.open_blob(sealed.substr(0, i), "x").ok()) << i;
  }
}

TEST(Vault, RefusesAKeyFileThatOthersCanRead) {
  const TemporaryDirectory directory;
  const std::string path = directory.file("k");
  ASSERT_TRUE(Vault::open(path).ok());
  for (const unsigned mode : {0640U, 0604U, 0620U, 0666U, 0610U}) {
    chmod(path.c_str(), mode);
    const Result<Vault> refused = Vault::open(path);
    ASSERT_FALSE(refused.ok()) << mode;
    EXPECT_EQ(refused.error().code, ErrorCode::kInvalidArgument);
    EXPECT_NE(refused.error().message.find("chmod 0600"), std::string::npos);
  }
  chmod(path.c_str(), 0400);
  EXPECT_TRUE(Vault::open(path).ok());
}

TEST(Vault, RefusesAnotherContent) {
  const TemporaryDirectory directory;
  for (const std::string& content :
       {std::string(), std::string("hello"), std::string(63, 'a'), std::string(66, 'a'),
        std::string(64, 'g'), std::string(1000, 'a')}) {
    const std::string path = directory.write("k", content);
    chmod(path.c_str(), 0600);
    EXPECT_FALSE(Vault::open(path).ok()) << content.size();
    EXPECT_EQ(read_file(path), content);  // never written over
  }
  EXPECT_FALSE(Vault::open(directory.file("")).ok());
  EXPECT_EQ(Vault::open_existing(directory.file("none")).error().code, ErrorCode::kNotFound);
}

TEST(Keys, AreMadeOnceAndFound) {
  const TemporaryDirectory directory;
  const std::string path = directory.file("keys");
  const Result<std::string> alice = add_key(path, "alice", std::nullopt);
  ASSERT_TRUE(alice.ok()) << alice.error().message;
  const Result<std::string> bob = add_key(path, "bob", 60);
  EXPECT_EQ(mode_of(path), 0600U);
  EXPECT_EQ(read_file(path).find(*alice), std::string::npos);
  const Result<KeyRing> ring = KeyRing::load(path);
  ASSERT_TRUE(ring.ok()) << ring.error().message;
  ASSERT_EQ(ring->entries().size(), 2U);
  EXPECT_EQ(ring->find(*alice)->id, "alice");
  EXPECT_EQ(ring->find(*bob)->rate_per_minute, 60U);
  EXPECT_FALSE(ring->find(*alice)->rate_per_minute.has_value());
  for (const std::string& wrong :
       {std::string(), *alice + "x", alice->substr(1), std::string("alice")})
    EXPECT_EQ(ring->find(wrong), nullptr);
  EXPECT_EQ(add_key(path, "alice", std::nullopt).error().param, "name");
  EXPECT_EQ(add_key(path, "a:b", std::nullopt).error().param, "name");
}

TEST(Keys, FilesAreReadStrictly) {
  const std::string hash(64, 'a');
  const Result<KeyRing> fine =
      KeyRing::parse("# staff\n\n  alice:" + hash + ":60  # since May\r\nbob:" + hash, "keys");
  ASSERT_TRUE(fine.ok()) << fine.error().message;
  EXPECT_EQ(fine->entries().size(), 2U);
  for (const std::string& bad : std::vector<std::string>{
           "alice", "alice:", "alice:12", ":" + hash, "al ice:" + hash, "a:" + hash + ":x",
           "a:" + hash + ":-1", "a:" + hash + ":99999999999", "a:" + hash + "\na:" + hash,
           "a:" + hash + ":1:2"}) {
    const Result<KeyRing> refused = KeyRing::parse("\n" + bad, "keys");
    ASSERT_FALSE(refused.ok()) << bad;
    EXPECT_NE(refused.error().message.find("keys line "), std::string::npos);
  }
}

TEST(Keys, AFileThatOthersMayWriteIsRefused) {
  const TemporaryDirectory directory;
  const std::string path = directory.file("keys");
  ASSERT_TRUE(add_key(path, "a", std::nullopt).ok());
  chmod(path.c_str(), 0664);
  EXPECT_FALSE(KeyRing::load(path).ok());
  chmod(path.c_str(), 0644);
  EXPECT_TRUE(KeyRing::load(path).ok());
}

TEST(RateLimiter, FillsEvenlyAndTellsWhenToComeBack) {
  std::chrono::steady_clock::time_point now{};
  RateLimiter limiter([&] { return now; });
  for (int i = 0; i < 6; ++i) EXPECT_FALSE(limiter.take("a", 6).has_value());
  EXPECT_EQ(limiter.take("a", 6), std::chrono::milliseconds(10'000));
  EXPECT_FALSE(limiter.take("b", 6).has_value());  // buckets are apart
  now += std::chrono::seconds(4);
  EXPECT_EQ(limiter.take("a", 6), std::chrono::milliseconds(6'000));
  now += std::chrono::seconds(6);
  EXPECT_FALSE(limiter.take("a", 6).has_value());
  EXPECT_TRUE(limiter.take("a", 6).has_value());
  now += std::chrono::hours(5);  // a bucket holds a minute's worth, however long it stood
  for (int i = 0; i < 6; ++i) EXPECT_FALSE(limiter.take("a", 6).has_value());
  EXPECT_TRUE(limiter.take("a", 6).has_value());
  limiter.tidy();
  EXPECT_TRUE(limiter.take("a", 6).has_value());
  EXPECT_TRUE(limiter.take("z", 0).has_value());
}

TEST(Crypto, Sha256IsTheStandards) {
  Sha256 hash;
  hash.add("a");
  hash.add("bc");
  EXPECT_EQ(hash.hex(), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

}  // namespace
}  // namespace seqgpt
