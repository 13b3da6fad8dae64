// SPDX-License-Identifier: Apache-2.0
// Vault: the operator's key file and the keys derived from it: one for jobs, one for the audit log,
// one for hashes of texts.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "base/result.h"
#include "store/crypto.h"

namespace seqgpt {

/// Copyable; const members may be called from many threads.
class Vault {
 public:
  /// Reads the key file (64 hex digits), or makes it with mode 0600 where it is absent.
  /// Errors: kInvalidArgument for a mode wider than 0600, another owner or another content; kIo.
  static Result<Vault> open(const std::filesystem::path& key_file);
  /// As open(), but an absent file is kNotFound: for commands that only read.
  static Result<Vault> open_existing(const std::filesystem::path& key_file);
  explicit Vault(const SecretKey& master);

  /// One blob, tied to its place by `associated` (a job's id, say).
  std::string seal(std::string_view plain, std::string_view associated) const;
  Result<std::string> open_blob(std::string_view sealed, std::string_view associated) const;

  /// 64 hex digits that tell equal texts, and tell nothing to who lacks the key.
  std::string text_hash(std::string_view text) const;
  /// The same of several texts, in order: `before` is the hash of those before; empty: none.
  std::string text_hash(std::string_view text, std::string_view before) const;

  const SecretKey& audit_key() const { return audit_; }

 private:
  SecretKey jobs_;
  SecretKey audit_;
  SecretKey hashes_;
};

}  // namespace seqgpt
