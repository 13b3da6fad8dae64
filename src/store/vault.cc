// SPDX-License-Identifier: Apache-2.0
// The key file: read with its mode checked, or made.
#include "store/vault.h"

#include "store/private_file.h"

namespace seqgpt {
namespace {

constexpr unsigned kOthers = 077;  // no bit for group and others: 0600 or narrower
constexpr size_t kKeyFileLimit = 256;

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r' || text.back() == ' '))
    text.remove_suffix(1);
  return text;
}

Result<SecretKey> parse_key(std::string_view content, const std::filesystem::path& path) {
  const Result<std::string> bytes = from_hex(trimmed(content));
  if (!bytes.ok() || bytes->size() != SecretKey::kBytes)
    return Error{ErrorCode::kInvalidArgument,
                 "key file " + path.string() +
                     " must hold 64 hex digits; restore it from a copy (a new key cannot read what "
                     "the old one wrote)"};
  SecretKey key;
  std::copy(bytes->begin(), bytes->end(), reinterpret_cast<char*>(key.data()));
  return key;
}

}  // namespace

Vault::Vault(const SecretKey& master)
    : jobs_(master.derive(1, "sgptjobs")),
      audit_(master.derive(2, "sgptaudt")),
      hashes_(master.derive(3, "sgpthash")) {}

Result<Vault> Vault::open_existing(const std::filesystem::path& key_file) {
  SEQGPT_ASSIGN(const std::string content,
                read_private_file(key_file, kKeyFileLimit, kOthers, "key file"));
  SEQGPT_ASSIGN(const SecretKey master, parse_key(content, key_file));
  return Vault(master);
}

Result<Vault> Vault::open(const std::filesystem::path& key_file) {
  std::error_code error;
  if (!std::filesystem::exists(std::filesystem::symlink_status(key_file, error))) {
    const SecretKey fresh = SecretKey::random();
    const std::string_view bytes(reinterpret_cast<const char*>(fresh.data()), SecretKey::kBytes);
    if (key_file.has_parent_path()) SEQGPT_TRY(make_private_directory(key_file.parent_path()));
    SEQGPT_ASSIGN(const bool made, make_private_file(key_file, to_hex(bytes) + "\n"));
    (void)made;  // where another process was first, its key is the one to read
  }
  return open_existing(key_file);
}

std::string Vault::seal(std::string_view plain, std::string_view associated) const {
  return seqgpt::seal(jobs_, plain, associated);
}

Result<std::string> Vault::open_blob(std::string_view sealed, std::string_view associated) const {
  return open_sealed(jobs_, sealed, associated);
}

std::string Vault::text_hash(std::string_view text) const {
  return to_hex(keyed_hash(hashes_, text));
}

/// Over two hashes, whose length is fixed: no text can pass for the end of another.
std::string Vault::text_hash(std::string_view text, std::string_view before) const {
  const std::string own = text_hash(text);
  return before.empty() ? own : text_hash(std::string(before) + own);
}

}  // namespace seqgpt
