// SPDX-License-Identifier: Apache-2.0
// What the store takes from libsodium, in our words; crypto.cc alone includes its headers.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"

namespace seqgpt {

/// 32 secret bytes, wiped when they go.
class SecretKey {
 public:
  static constexpr size_t kBytes = 32;

  SecretKey() = default;
  SecretKey(const SecretKey&) = default;
  SecretKey& operator=(const SecretKey&) = default;
  ~SecretKey();

  static SecretKey random();
  /// A key of its own for each use, from one master. `context` has 8 characters.
  SecretKey derive(uint64_t number, const char (&context)[9]) const;

  uint8_t* data() { return bytes_.data(); }
  const uint8_t* data() const { return bytes_.data(); }

 private:
  std::array<uint8_t, kBytes> bytes_{};
};

/// `count` bytes from the system's random source.
std::string random_bytes(size_t count);

std::string to_hex(std::string_view bytes);
/// Errors: kInvalidArgument for an odd length or another character than 0-9 a-f A-F.
Result<std::string> from_hex(std::string_view hex);

/// XChaCha20-Poly1305: nonce (24 bytes), then the ciphertext with its tag. `associated` must be the
/// same at open(): it ties a blob to its place.
std::string seal(const SecretKey& key, std::string_view plain, std::string_view associated);
/// Errors: kBadFile when the blob, the key or `associated` is not the one of seal().
Result<std::string> open_sealed(const SecretKey& key, std::string_view sealed,
                                std::string_view associated);
inline constexpr size_t kSealOverhead = 24 + 16;  // bytes

/// BLAKE2b-256 (32 raw bytes), keyed.
std::string keyed_hash(const SecretKey& key, std::string_view text);
/// BLAKE2b-256 (32 raw bytes) under a public name for the use.
std::string public_hash(std::string_view use, std::string_view text);

/// In a time that depends on the lengths alone.
bool equal_in_constant_time(std::string_view a, std::string_view b);

/// SHA-256 of a stream of bytes, as Hugging Face and ModelScope name files.
class Sha256 {
 public:
  Sha256();
  ~Sha256();
  Sha256(const Sha256&) = delete;
  Sha256& operator=(const Sha256&) = delete;
  void add(std::string_view bytes);
  /// 64 hex digits; the stream ends here.
  std::string hex();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

inline constexpr size_t kStreamHeaderBytes = 24;
inline constexpr size_t kStreamOverhead = 17;  // bytes a message

/// Writes a secretstream (XChaCha20-Poly1305, messages in a fixed order, the last marked).
class SealedStreamWriter {
 public:
  explicit SealedStreamWriter(const SecretKey& key);
  ~SealedStreamWriter();
  SealedStreamWriter(const SealedStreamWriter&) = delete;
  SealedStreamWriter& operator=(const SealedStreamWriter&) = delete;
  /// kStreamHeaderBytes bytes that stand before the first message.
  const std::string& header() const { return header_; }
  std::string push(std::string_view message, bool last);

 private:
  struct State;
  std::unique_ptr<State> state_;
  std::string header_;
};

struct StreamMessage {
  std::string text;
  bool last = false;
};

/// Reads one back: a message that was changed, left out or moved is an error.
class SealedStreamReader {
 public:
  /// Errors: kBadFile when the header is not one.
  static Result<std::unique_ptr<SealedStreamReader>> open(const SecretKey& key,
                                                          std::string_view header);
  ~SealedStreamReader();
  SealedStreamReader(const SealedStreamReader&) = delete;
  SealedStreamReader& operator=(const SealedStreamReader&) = delete;
  Result<StreamMessage> pull(std::string_view sealed);

 private:
  SealedStreamReader();
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace seqgpt
