// SPDX-License-Identifier: Apache-2.0
// libsodium behind crypto.h.
#include "store/crypto.h"

#include <sodium.h>

#include <cstdlib>

namespace seqgpt {
namespace {

static_assert(SecretKey::kBytes == crypto_aead_xchacha20poly1305_ietf_KEYBYTES);
static_assert(SecretKey::kBytes == crypto_secretstream_xchacha20poly1305_KEYBYTES);
static_assert(SecretKey::kBytes == crypto_kdf_KEYBYTES);
static_assert(kStreamHeaderBytes == crypto_secretstream_xchacha20poly1305_HEADERBYTES);
static_assert(kStreamOverhead == crypto_secretstream_xchacha20poly1305_ABYTES);
constexpr size_t kNonceBytes = crypto_aead_xchacha20poly1305_ietf_NPUBBYTES;
constexpr size_t kTagBytes = crypto_aead_xchacha20poly1305_ietf_ABYTES;
static_assert(kSealOverhead == kNonceBytes + kTagBytes);
constexpr size_t kHashBytes = 32;

// Once, thread-safe. It fails only where the system has no random source, and then nothing of ours
// may go on: libsodium itself aborts in randombytes_buf.
void ready() {
  static const int state = sodium_init();
  (void)state;
}

const unsigned char* raw(std::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}

unsigned char* raw(std::string& text) {
  return reinterpret_cast<unsigned char*>(text.data());
}

std::string blake2b(std::string_view text, const unsigned char* key, size_t key_bytes) {
  ready();
  std::string hash(kHashBytes, '\0');
  crypto_generichash(raw(hash), hash.size(), raw(text), text.size(), key, key_bytes);
  return hash;
}

}  // namespace

SecretKey::~SecretKey() {
  sodium_memzero(bytes_.data(), bytes_.size());
}

SecretKey SecretKey::random() {
  ready();
  SecretKey key;
  randombytes_buf(key.data(), kBytes);
  return key;
}

SecretKey SecretKey::derive(uint64_t number, const char (&context)[9]) const {
  ready();
  SecretKey key;
  crypto_kdf_derive_from_key(key.data(), kBytes, number, context, data());
  return key;
}

std::string random_bytes(size_t count) {
  ready();
  std::string bytes(count, '\0');
  randombytes_buf(bytes.data(), bytes.size());
  return bytes;
}

std::string to_hex(std::string_view bytes) {
  std::string hex(bytes.size() * 2 + 1, '\0');
  sodium_bin2hex(hex.data(), hex.size(), raw(bytes), bytes.size());
  hex.pop_back();
  return hex;
}

Result<std::string> from_hex(std::string_view hex) {
  std::string bytes(hex.size() / 2, '\0');
  size_t length = 0;
  const int bad =
      sodium_hex2bin(raw(bytes), bytes.size(), hex.data(), hex.size(), nullptr, &length, nullptr);
  if (bad != 0 || length * 2 != hex.size())
    return Error{ErrorCode::kInvalidArgument, "not an even number of hex digits"};
  return bytes;
}

std::string seal(const SecretKey& key, std::string_view plain, std::string_view associated) {
  std::string sealed = random_bytes(kNonceBytes);
  sealed.resize(kNonceBytes + plain.size() + kTagBytes);
  crypto_aead_xchacha20poly1305_ietf_encrypt(raw(sealed) + kNonceBytes, nullptr, raw(plain),
                                             plain.size(), raw(associated), associated.size(),
                                             nullptr, raw(sealed), key.data());
  return sealed;
}

Result<std::string> open_sealed(const SecretKey& key, std::string_view sealed,
                                std::string_view associated) {
  ready();
  const Error wrong{ErrorCode::kBadFile,
                    "an encrypted blob does not open: it was changed, or the key file is another"};
  if (sealed.size() < kSealOverhead) return wrong;
  std::string plain(sealed.size() - kSealOverhead, '\0');
  const int bad = crypto_aead_xchacha20poly1305_ietf_decrypt(
      raw(plain), nullptr, nullptr, raw(sealed) + kNonceBytes, sealed.size() - kNonceBytes,
      raw(associated), associated.size(), raw(sealed), key.data());
  if (bad != 0) return wrong;
  return plain;
}

std::string keyed_hash(const SecretKey& key, std::string_view text) {
  return blake2b(text, key.data(), SecretKey::kBytes);
}

std::string public_hash(std::string_view use, std::string_view text) {
  const std::string key = blake2b(use, nullptr, 0);
  return blake2b(text, raw(key), key.size());
}

bool equal_in_constant_time(std::string_view a, std::string_view b) {
  return a.size() == b.size() && sodium_memcmp(a.data(), b.data(), a.size()) == 0;
}

struct Sha256::State {
  crypto_hash_sha256_state hash;
};

Sha256::Sha256() : state_(std::make_unique<State>()) {
  crypto_hash_sha256_init(&state_->hash);
}
Sha256::~Sha256() = default;

void Sha256::add(std::string_view bytes) {
  crypto_hash_sha256_update(&state_->hash, raw(bytes), bytes.size());
}

std::string Sha256::hex() {
  std::string digest(crypto_hash_sha256_BYTES, '\0');
  crypto_hash_sha256_final(&state_->hash, raw(digest));
  return to_hex(digest);
}

struct SealedStreamWriter::State {
  crypto_secretstream_xchacha20poly1305_state stream;
};

SealedStreamWriter::SealedStreamWriter(const SecretKey& key)
    : state_(std::make_unique<State>()), header_(kStreamHeaderBytes, '\0') {
  ready();
  crypto_secretstream_xchacha20poly1305_init_push(&state_->stream, raw(header_), key.data());
}

SealedStreamWriter::~SealedStreamWriter() {
  sodium_memzero(state_.get(), sizeof *state_);
}

std::string SealedStreamWriter::push(std::string_view message, bool last) {
  std::string sealed(message.size() + kStreamOverhead, '\0');
  const unsigned char tag = last ? crypto_secretstream_xchacha20poly1305_TAG_FINAL
                                 : crypto_secretstream_xchacha20poly1305_TAG_MESSAGE;
  crypto_secretstream_xchacha20poly1305_push(&state_->stream, raw(sealed), nullptr, raw(message),
                                             message.size(), nullptr, 0, tag);
  return sealed;
}

struct SealedStreamReader::State {
  crypto_secretstream_xchacha20poly1305_state stream;
};

SealedStreamReader::SealedStreamReader() : state_(std::make_unique<State>()) {}
SealedStreamReader::~SealedStreamReader() {
  sodium_memzero(state_.get(), sizeof *state_);
}

Result<std::unique_ptr<SealedStreamReader>> SealedStreamReader::open(const SecretKey& key,
                                                                     std::string_view header) {
  ready();
  std::unique_ptr<SealedStreamReader> reader(new SealedStreamReader());
  if (header.size() != kStreamHeaderBytes ||
      crypto_secretstream_xchacha20poly1305_init_pull(&reader->state_->stream, raw(header),
                                                      key.data()) != 0)
    return Error{ErrorCode::kBadFile, "this is not the beginning of an encrypted stream"};
  return reader;
}

Result<StreamMessage> SealedStreamReader::pull(std::string_view sealed) {
  const Error wrong{ErrorCode::kBadFile,
                    "a record does not open: it was changed or moved, or the key file is another"};
  if (sealed.size() < kStreamOverhead) return wrong;
  StreamMessage message;
  message.text.resize(sealed.size() - kStreamOverhead);
  unsigned char tag = 0;
  if (crypto_secretstream_xchacha20poly1305_pull(&state_->stream, raw(message.text), nullptr, &tag,
                                                 raw(sealed), sealed.size(), nullptr, 0) != 0)
    return wrong;
  message.last = tag == crypto_secretstream_xchacha20poly1305_TAG_FINAL;
  return message;
}

}  // namespace seqgpt
