// SPDX-License-Identifier: Apache-2.0
// Small safetensors and torch files, built byte by byte for the tests, right or wrong as asked.
#pragma once

#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace seqgpt::testing {

inline std::span<const std::byte> as_bytes(std::string_view text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

template <typename T>
std::string number(T value) {
  std::string bytes(sizeof value, '\0');
  std::memcpy(bytes.data(), &value, sizeof value);
  return bytes;
}

inline std::string floats(const std::vector<float>& values) {
  std::string bytes;
  for (const float value : values) bytes += number(value);
  return bytes;
}

inline std::string safetensors(std::string_view header, std::string_view data) {
  return number<uint64_t>(header.size()) + std::string(header) + std::string(data);
}

/// Two tensors, one of them a foreign I64, and metadata.
inline std::string good_safetensors() {
  return safetensors(R"({"__metadata__":{"format":"pt"},)"
                     R"("transformer.a":{"dtype":"F32","shape":[2,1],"data_offsets":[0,8]},)"
                     R"("steps":{"dtype":"I64","shape":[],"data_offsets":[8,16]}})",
                     floats({1.5F, -2.0F}) + number<int64_t>(7));
}

/// The textbook CRC-32, bit by bit.
inline uint32_t naive_crc(std::string_view data) {
  uint32_t crc = 0xFFFFFFFF;
  for (const char c : data) {
    crc ^= static_cast<uint8_t>(c);
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ (crc & 1 ? 0xEDB88320 : 0);
  }
  return ~crc;
}

struct ZipMember {
  std::string name;
  std::string data;
  uint16_t method = 0;
  uint16_t flags = 0;
};

/// A zip file of stored members; with `zip64`, every size and offset sits in the 64-bit fields.
inline std::string zip(const std::vector<ZipMember>& members, bool zip64 = false,
                       const std::string& comment = "") {
  const auto u16 = [](size_t n) { return number(static_cast<uint16_t>(n)); };
  const auto u32 = [](size_t n) { return number(static_cast<uint32_t>(n)); };
  const auto u64 = [](size_t n) { return number(static_cast<uint64_t>(n)); };
  const auto field = [&](size_t n) { return zip64 ? u32(0xFFFFFFFF) : u32(n); };
  std::string out;
  std::string directory;
  for (const ZipMember& member : members) {
    const size_t size = member.data.size();
    const std::string common = u16(20) + u16(member.flags) + u16(member.method) + u32(0) +
                               u32(naive_crc(member.data)) + field(size) + field(size) +
                               u16(member.name.size());
    const std::string extra =
        zip64 ? u16(1) + u16(24) + u64(size) + u64(size) + u64(out.size()) : "";
    directory += "PK\x01\x02" + u16(20) + common + u16(extra.size()) + u16(0) + u16(0) + u16(0) +
                 u32(0) + field(out.size()) + member.name + extra;
    const std::string padding = "FB" + u16(3) + "ZZZ";  // torch aligns its storages so
    out += "PK\x03\x04" + common + u16(padding.size()) + member.name + padding + member.data;
  }
  const size_t begin = out.size();
  out += directory;
  if (zip64) {
    const size_t end64 = out.size();
    out += "PK\x06\x06" + u64(44) + u16(45) + u16(45) + u32(0) + u32(0) + u64(members.size()) +
           u64(members.size()) + u64(directory.size()) + u64(begin);
    out += "PK\x06\x07" + u32(0) + u64(end64) + u32(1);
  }
  return out + "PK\x05\x06" + u16(0) + u16(0) + (zip64 ? u16(0xFFFF) : u16(members.size())) +
         (zip64 ? u16(0xFFFF) : u16(members.size())) + field(directory.size()) + field(begin) +
         u16(comment.size()) + comment;
}

/// The opcodes of a pickle, written as torch's pickler writes them (protocol 2).
namespace pkl {

inline std::string text(std::string_view value) {
  return "X" + number(static_cast<uint32_t>(value.size())) + std::string(value);
}
inline std::string integer(int64_t value) {
  if (value == static_cast<int32_t>(value)) return "J" + number(static_cast<int32_t>(value));
  return "\x8a\x08" + number(value);
}
inline std::string global(std::string_view module, std::string_view name) {
  return "c" + std::string(module) + "\n" + std::string(name) + "\n";
}
inline std::string tuple(const std::vector<int64_t>& values) {
  std::string out = "(";
  for (const int64_t value : values) out += integer(value);
  return out + "t";
}
inline std::string ordered_dict() {
  return global("collections", "OrderedDict") + ")R";
}

struct Tensor {
  std::string name;
  std::string type = "FloatStorage";
  std::string key = "0";
  int64_t elements = 0;
  int64_t offset = 0;
  std::vector<int64_t> shape;
  std::vector<int64_t> stride;
};

inline std::string value(const Tensor& tensor) {
  return global("torch._utils", "_rebuild_tensor_v2") + "((" + text("storage") +
         global("torch", tensor.type) + text(tensor.key) + text("cpu") + integer(tensor.elements) +
         "tQ" + integer(tensor.offset) + tuple(tensor.shape) + tuple(tensor.stride) + "\x89" +
         ordered_dict() + "tR";
}
inline std::string parameter(const Tensor& tensor) {
  return global("torch._utils", "_rebuild_parameter") + "(" + value(tensor) + "\x88" +
         ordered_dict() + "tR";
}
/// A whole pickle around `items` (key, value, key, value, …).
inline std::string dict(const std::string& items) {
  return "\x80\x02}(" + items + "u.";
}

inline std::string state_dict(const std::vector<Tensor>& tensors) {
  std::string items;
  for (const Tensor& tensor : tensors) items += text(tensor.name) + value(tensor);
  return dict(items);
}

}  // namespace pkl

inline std::string torch_file(const std::string& pickle, const std::vector<std::string>& storages,
                              bool zip64 = false) {
  std::vector<ZipMember> members = {{"archive/data.pkl", pickle}};
  for (size_t i = 0; i < storages.size(); ++i) {
    members.push_back({"archive/data/" + std::to_string(i), storages[i]});
  }
  members.push_back({"archive/version", "3\n"});
  return zip(members, zip64);
}

/// A matrix, a slice of its storage, a half tensor and an integer one.
inline std::string good_torch_file(bool zip64 = false) {
  return torch_file(pkl::state_dict({{"transformer.a", "FloatStorage", "0", 6, 0, {2, 3}, {3, 1}},
                                     {"b", "FloatStorage", "0", 6, 2, {4}, {1}},
                                     {"c", "HalfStorage", "1", 2, 0, {1, 2}, {9, 1}},
                                     {"steps", "LongStorage", "2", 1, 0, {}, {}}}),
                    {floats({1, 2, 3, 4, 5, 6}), number<uint32_t>(0x3C004000), number<int64_t>(7)},
                    zip64);
}

}  // namespace seqgpt::testing
