// SPDX-License-Identifier: Apache-2.0
// Every token by id and by content, with the bytes it stands for.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace seqgpt {

/// A part of an arena of text.
struct Slice {
  uint32_t begin = 0;
  uint32_t size = 0;

  std::string_view of(std::string_view arena) const { return arena.substr(begin, size); }
};

/// Built once, then read by any number of threads.
class TokenTable {
 public:
  /// What stood in the way of add().
  enum class Added { kYes, kSameId, kSameContent, kTooManyCollisions };

  /// Room for ids below `size` and for `tokens` tokens. Contents lie in `arena`, which may still
  /// grow.
  TokenTable(int32_t size, size_t tokens, std::string arena);

  /// Adds a token; `content` is a slice of the arena, not empty.
  Added add(int32_t id, Slice content);
  /// The same for a content that is not in the arena yet.
  Added add(int32_t id, std::string_view content);
  /// Marks an existing token as added (and special).
  void mark_added(int32_t id, bool special);
  /// To be called once after the last add(): works out the bytes of every token.
  void finish();

  int32_t size() const { return static_cast<int32_t>(contents_.size()); }
  std::optional<int32_t> find(std::string_view content) const;
  /// Views of tokens; empty, and false, for ids without one, in range or not.
  std::string_view content(int32_t id) const {
    return known(id) ? contents_[id].of(arena_) : std::string_view();
  }
  std::string_view bytes(int32_t id) const {
    return known(id) ? bytes_[id].of(byte_arena_) : std::string_view();
  }
  bool is_added(int32_t id) const { return known(id) && (flags_[id] & kAddedFlag) != 0; }
  bool is_special(int32_t id) const { return known(id) && (flags_[id] & kSpecialFlag) != 0; }
  std::string_view arena() const { return arena_; }

 private:
  static constexpr uint8_t kAddedFlag = 1;
  static constexpr uint8_t kSpecialFlag = 2;
  static constexpr int32_t kFree = -1;

  bool known(int32_t id) const { return id >= 0 && id < size(); }
  /// The slot that holds `content` or the free one where it belongs; npos after too many probes.
  size_t slot_of(std::string_view content) const;

  std::string arena_;
  std::string byte_arena_;
  std::vector<Slice> contents_;  // by id; an empty one: no such token
  std::vector<Slice> bytes_;     // by id
  std::vector<uint8_t> flags_;   // by id
  std::vector<int32_t> slots_;   // open addressing on the hash of the content: ids
};

}  // namespace seqgpt
