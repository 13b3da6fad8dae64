// SPDX-License-Identifier: Apache-2.0
// Bearer keys: a file of hashed keys, looked up in constant time, with a rate for each.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace seqgpt {

/// A line of the file: `id:hash[:rate]`; blank lines and lines from # on are skipped.
struct KeyEntry {
  std::string id;                           // letters, digits, . _ -; at most 64
  std::string hash;                         // 32 raw bytes: BLAKE2b-256 of the key
  std::optional<uint32_t> rate_per_minute;  // none: unlimited
};

/// Immutable: to reload, load again and swap a shared_ptr.
class KeyRing {
 public:
  /// Errors: kNotFound, kIo; kInvalidArgument naming the line: not id:hash[:rate], an id twice, a
  /// file that others may write.
  static Result<KeyRing> load(const std::filesystem::path& path);
  static Result<KeyRing> parse(std::string_view text, const std::string& name);

  /// The entry of a bearer key, or null. Takes as long whichever entry it is, or none.
  const KeyEntry* find(std::string_view key) const;
  bool empty() const { return entries_.empty(); }
  const std::vector<KeyEntry>& entries() const { return entries_; }

 private:
  std::vector<KeyEntry> entries_;
};

/// Makes a key of 256 random bits, appends its hash to the file (made with mode 0600) and gives
/// the key, which is stored nowhere. Errors: kInvalidArgument (bad or taken id), kIo.
Result<std::string> add_key(const std::filesystem::path& path, const std::string& id,
                            std::optional<uint32_t> rate_per_minute);

}  // namespace seqgpt
