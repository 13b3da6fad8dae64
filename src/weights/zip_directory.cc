// SPDX-License-Identifier: Apache-2.0
// The central directory of a zip file, every offset checked.
#include "weights/zip_directory.h"

#include <algorithm>
#include <optional>
#include <string>

#include "weights/printable.h"
#include "weights/tensor_table.h"

namespace seqgpt {
namespace {

using Bytes = std::span<const std::byte>;

constexpr uint32_t kLocalSignature = 0x04034B50;
constexpr uint32_t kCentralSignature = 0x02014B50;
constexpr uint32_t kEndSignature = 0x06054B50;
constexpr uint32_t kEnd64Signature = 0x06064B50;
constexpr uint32_t kLocator64Signature = 0x07064B50;
constexpr uint64_t kLocalBytes = 30;
constexpr uint64_t kCentralBytes = 46;
constexpr uint64_t kEndBytes = 22;
constexpr uint64_t kEnd64Bytes = 56;
constexpr uint64_t kLocator64Bytes = 20;
constexpr uint64_t kMaxCommentBytes = 0xFFFF;
constexpr uint16_t kZip64Extra = 1;
constexpr uint32_t kInExtra = 0xFFFFFFFF;  // a 32-bit field that sends to the zip64 extra

/// Where the central directory lies: [begin, begin + bytes) is inside the file.
struct Directory {
  uint64_t begin = 0;
  uint64_t bytes = 0;
  uint64_t entries = 0;
};

Error bad(std::string_view file, const std::string& why) {
  return Error{ErrorCode::kBadFile, std::string(file) + ": " + why};
}

bool fits(Bytes bytes, uint64_t at, uint64_t count) {
  return at <= bytes.size() && count <= bytes.size() - at;
}

/// The last end record whose comment reaches exactly to the end of the file.
std::optional<uint64_t> find_end(Bytes file) {
  if (file.size() < kEndBytes) return std::nullopt;
  const uint64_t last = file.size() - kEndBytes;
  const uint64_t first = last - std::min(last, kMaxCommentBytes);
  for (uint64_t at = last + 1; at-- > first;) {
    if (load_number<uint32_t>(file, at) == kEndSignature &&
        load_number<uint16_t>(file, at + 20) == last - at) {
      return at;
    }
  }
  return std::nullopt;
}

Result<Directory> read_end64(Bytes file, uint64_t locator, std::string_view name) {
  const auto at = load_number<uint64_t>(file, locator + 8);
  if (!fits(file.first(locator), at, kEnd64Bytes) ||
      load_number<uint32_t>(file, at) != kEnd64Signature) {
    return bad(name, "damaged zip: the zip64 end record is not where its locator says");
  }
  return Directory{load_number<uint64_t>(file, at + 48), load_number<uint64_t>(file, at + 40),
                   load_number<uint64_t>(file, at + 32)};
}

Result<Directory> find_directory(Bytes file, std::string_view name) {
  const auto end = find_end(file);
  if (!end) {
    return bad(name, "not a zip file, or a truncated one: its central directory is not found");
  }
  Directory directory{load_number<uint32_t>(file, *end + 16),
                      load_number<uint32_t>(file, *end + 12),
                      load_number<uint16_t>(file, *end + 10)};
  if (*end >= kLocator64Bytes &&
      load_number<uint32_t>(file, *end - kLocator64Bytes) == kLocator64Signature) {
    SEQGPT_ASSIGN(directory, read_end64(file, *end - kLocator64Bytes, name));
  }
  if (!fits(file.first(*end), directory.begin, directory.bytes)) {
    return bad(name, "damaged zip: its central directory lies beyond the end of the file");
  }
  return directory;
}

/// Takes the 64-bit values that the extra field holds in place of the saturated ones, in order.
bool read_extra64(Bytes extra, std::span<uint64_t* const> fields) {
  while (extra.size() >= 4) {
    const auto id = load_number<uint16_t>(extra, 0);
    const auto length = load_number<uint16_t>(extra, 2);
    if (!fits(extra, 4, length)) return false;
    Bytes body = extra.subspan(4, length);
    extra = extra.subspan(4 + length);
    if (id != kZip64Extra) continue;
    for (uint64_t* field : fields) {
      if (*field != kInExtra) continue;
      if (body.size() < 8) return false;
      *field = load_number<uint64_t>(body, 0);
      body = body.subspan(8);
    }
    return true;
  }
  return std::ranges::none_of(fields, [](const uint64_t* f) { return *f == kInExtra; });
}

/// The entry's data, found through its local header. `file` ends where the directory begins.
Result<Bytes> locate_data(Bytes file, const ZipEntry& entry, uint64_t size, std::string_view name) {
  const std::string who = "damaged zip: entry " + printable(entry.name) + " ";
  if (!fits(file, entry.header, kLocalBytes) ||
      load_number<uint32_t>(file, entry.header) != kLocalSignature) {
    return bad(name, who + "has no local header at its offset");
  }
  const uint64_t names = uint64_t{load_number<uint16_t>(file, entry.header + 26)} +
                         load_number<uint16_t>(file, entry.header + 28);
  const uint64_t begin = entry.header + kLocalBytes + names;
  if (!fits(file, begin, size)) return bad(name, who + "ends beyond the data part of the file");
  return file.subspan(begin, size);
}

/// One record of the directory; `record` begins with it and is cut to its end.
Result<ZipEntry> read_entry(Bytes file, Bytes record, uint64_t name_bytes, std::string_view name) {
  ZipEntry entry;
  entry.name = {reinterpret_cast<const char*>(record.data()) + kCentralBytes, name_bytes};
  entry.crc = load_number<uint32_t>(record, 16);
  const std::string who = "zip entry " + printable(entry.name) + " ";
  if (load_number<uint16_t>(record, 8) & 1) return bad(name, who + "is encrypted");
  if (const auto method = load_number<uint16_t>(record, 10); method != 0) {
    return bad(name, who + "is compressed (" +
                         (method == 8 ? "deflate" : "method " + std::to_string(method)) +
                         "); torch files are stored uncompressed: save it again with torch.save");
  }
  uint64_t size = load_number<uint32_t>(record, 24);
  uint64_t packed = load_number<uint32_t>(record, 20);
  entry.header = load_number<uint32_t>(record, 42);
  const auto extra_bytes = load_number<uint16_t>(record, 30);
  uint64_t* const fields[] = {&size, &packed, &entry.header};  // the order is the format's
  if (!read_extra64(record.subspan(kCentralBytes + name_bytes, extra_bytes), fields)) {
    return bad(name, "damaged " + who + ": its zip64 field is cut short");
  }
  if (size != packed) return bad(name, "damaged " + who + ": stored, but its two sizes differ");
  SEQGPT_ASSIGN(entry.data, locate_data(file, entry, size, name));
  return entry;
}

/// Two entries over the same bytes would let a small file cost much; torch never writes that.
Status check_overlap(std::vector<ZipEntry>& entries, Bytes file, std::string_view name) {
  std::ranges::sort(entries, {}, &ZipEntry::header);
  uint64_t end = 0;
  for (const ZipEntry& entry : entries) {
    if (entry.header < end) {
      return bad(name, "damaged zip: entry " + printable(entry.name) + " overlaps another");
    }
    end = static_cast<uint64_t>(entry.data.data() - file.data()) + entry.data.size();
  }
  return {};
}

}  // namespace

Result<std::vector<ZipEntry>> parse_zip_directory(Bytes file, std::string_view name) {
  SEQGPT_ASSIGN(const Directory directory, find_directory(file, name));
  Bytes rest = file.subspan(directory.begin, directory.bytes);
  const Bytes before = file.first(directory.begin);
  std::vector<ZipEntry> entries;
  while (entries.size() < directory.entries) {
    if (rest.size() < kCentralBytes || load_number<uint32_t>(rest, 0) != kCentralSignature) {
      return bad(name, "damaged zip: its central directory is cut short");
    }
    const uint64_t name_bytes = load_number<uint16_t>(rest, 28);
    const uint64_t length = kCentralBytes + name_bytes + load_number<uint16_t>(rest, 30) +
                            load_number<uint16_t>(rest, 32);
    if (length > rest.size()) return bad(name, "damaged zip: its central directory is cut short");
    SEQGPT_ASSIGN(ZipEntry entry, read_entry(before, rest.first(length), name_bytes, name));
    entries.push_back(entry);
    rest = rest.subspan(length);
  }
  SEQGPT_TRY(check_overlap(entries, file, name));
  std::ranges::sort(entries, {}, &ZipEntry::name);
  const auto twice = std::ranges::adjacent_find(entries, {}, &ZipEntry::name);
  if (twice != entries.end()) {
    return bad(name, "damaged zip: two entries are named " + printable(twice->name));
  }
  return entries;
}

}  // namespace seqgpt
