// SPDX-License-Identifier: Apache-2.0
// The key file's lines, the look-up, and the making of a key.
#include "store/keys.h"

#include <algorithm>
#include <charconv>

#include "store/crypto.h"
#include "store/private_file.h"

namespace seqgpt {
namespace {

constexpr size_t kKeysFileLimit = size_t{1} << 20;
constexpr size_t kMaxIdCharacters = 64;
constexpr size_t kKeyBytes = 32;           // 256 random bits: nothing to guess, so no slow hash
constexpr unsigned kOthersMayWrite = 022;  // hashes of such keys tell nothing; a written line does
constexpr std::string_view kPrefix = "sgk_";  // lets secret scanners know one

std::string hash_key(std::string_view key) {
  return public_hash("seqgpt bearer key v1", key);
}

bool is_id(std::string_view id) {
  constexpr std::string_view kFine =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";
  return !id.empty() && id.size() <= kMaxIdCharacters &&
         id.find_first_not_of(kFine) == std::string_view::npos;
}

std::string_view without_comment(std::string_view line) {
  line = line.substr(0, line.find('#'));
  while (!line.empty() && (line.back() == ' ' || line.back() == '\t' || line.back() == '\r'))
    line.remove_suffix(1);
  while (!line.empty() && (line.front() == ' ' || line.front() == '\t')) line.remove_prefix(1);
  return line;
}

std::optional<uint32_t> parse_rate(std::string_view text) {
  uint32_t rate = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), rate);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return rate;
}

Result<KeyEntry> parse_line(std::string_view line, const std::string& where) {
  const auto refuse = [&](const std::string& why) {
    return Error{ErrorCode::kInvalidArgument, where + ": " + why, "keys"};
  };
  const size_t first = line.find(':');
  if (first == std::string_view::npos) return refuse("expected id:hash or id:hash:rate");
  KeyEntry entry;
  entry.id = line.substr(0, first);
  if (!is_id(entry.id)) return refuse("an id has 1 to 64 of letters, digits, . _ -");
  const std::string_view rest = line.substr(first + 1);
  const size_t second = rest.find(':');
  Result<std::string> hash = from_hex(rest.substr(0, second));
  if (!hash.ok() || hash->size() != kKeyBytes)
    return refuse("the hash must be 64 hex digits, as `seqgpt keys add` writes it (never the key)");
  entry.hash = std::move(*hash);
  if (second == std::string_view::npos) return entry;
  entry.rate_per_minute = parse_rate(rest.substr(second + 1));
  if (!entry.rate_per_minute) return refuse("the rate must be requests a minute, a whole number");
  return entry;
}

}  // namespace

Result<KeyRing> KeyRing::parse(std::string_view text, const std::string& name) {
  KeyRing ring;
  for (size_t number = 1; !text.empty(); ++number) {
    const size_t end = text.find('\n');
    const std::string_view line = without_comment(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (line.empty()) continue;
    const std::string where = name + " line " + std::to_string(number);
    SEQGPT_ASSIGN(KeyEntry entry, parse_line(line, where));
    const auto same = [&](const KeyEntry& other) { return other.id == entry.id; };
    if (std::any_of(ring.entries_.begin(), ring.entries_.end(), same))
      return Error{ErrorCode::kInvalidArgument, where + ": the id " + entry.id + " stands twice",
                   "keys"};
    ring.entries_.push_back(std::move(entry));
  }
  return ring;
}

Result<KeyRing> KeyRing::load(const std::filesystem::path& path) {
  SEQGPT_ASSIGN(const std::string text,
                read_private_file(path, kKeysFileLimit, kOthersMayWrite, "keys file"));
  return parse(text, path.string());
}

const KeyEntry* KeyRing::find(std::string_view key) const {
  const std::string hash = hash_key(key);
  const KeyEntry* found = nullptr;
  for (const KeyEntry& entry : entries_) {  // all of them, whichever fits
    if (equal_in_constant_time(entry.hash, hash)) found = &entry;
  }
  return found;
}

Result<std::string> add_key(const std::filesystem::path& path, const std::string& id,
                            std::optional<uint32_t> rate_per_minute) {
  if (!is_id(id))
    return Error{ErrorCode::kInvalidArgument, "an id has 1 to 64 of letters, digits, . _ -",
                 "name"};
  std::string before;
  Result<std::string> text = read_private_file(path, kKeysFileLimit, kOthersMayWrite, "keys file");
  if (!text.ok() && text.error().code != ErrorCode::kNotFound) return std::move(text).error();
  if (text.ok()) before = std::move(*text);
  SEQGPT_ASSIGN(const KeyRing ring, KeyRing::parse(before, path.string()));
  for (const KeyEntry& entry : ring.entries()) {
    if (entry.id == id)
      return Error{ErrorCode::kInvalidArgument,
                   path.string() + " has a key named " + id + " already; remove its line first",
                   "name"};
  }
  const std::string key = std::string(kPrefix) + to_hex(random_bytes(kKeyBytes));
  std::string line = before.empty() || before.back() == '\n' ? "" : "\n";
  line += id + ":" + to_hex(hash_key(key));
  if (rate_per_minute) line += ":" + std::to_string(*rate_per_minute);
  SEQGPT_TRY(append_private_file(path, line + "\n"));
  return key;
}

}  // namespace seqgpt
