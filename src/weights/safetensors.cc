// SPDX-License-Identifier: Apache-2.0
// The safetensors header: read, checked against the file, turned into views.
#include "weights/safetensors.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <tuple>
#include <utility>

#include "weights/json_checked.h"
#include "weights/packed_name.h"
#include "weights/printable.h"

namespace seqgpt {
namespace {

using nlohmann::json;

constexpr uint64_t kLengthBytes = 8;
constexpr uint64_t kMaxHeaderBytes = 100'000'000;  // as the reference implementation

struct StoredType {
  std::string_view name;
  uint64_t bytes;
  std::optional<DType> dtype;  // none: known, but not a weight we can read
};

constexpr StoredType kTypes[] = {
    {"F32", 4, DType::kF32}, {"F16", 2, DType::kF16}, {"BF16", 2, DType::kBf16},
    {"F64", 8, {}},          {"I64", 8, {}},          {"U64", 8, {}},
    {"I32", 4, {}},          {"U32", 4, {}},          {"I16", 2, {}},
    {"U16", 2, {}},          {"I8", 1, {}},           {"U8", 1, {}},
    {"BOOL", 1, {}},         {"F8_E4M3", 1, {}},      {"F8_E5M2", 1, {}},
    {"F8_E8M0", 1, {}},      {"C64", 8, {}},
};

struct Entry {
  std::string name;
  const StoredType* type = nullptr;
  Shape shape;
  uint64_t begin = 0;  // in the data part
  uint64_t end = 0;
};

Error bad(std::string_view file, const std::string& why) {
  return Error{ErrorCode::kBadFile, std::string(file) + ": " + why};
}

Result<std::string_view> header_text(std::span<const std::byte> file, std::string_view name) {
  if (file.size() < kLengthBytes) {
    return bad(name, "the file is too short for a safetensors header (" +
                         std::to_string(file.size()) + " bytes); it is empty or truncated");
  }
  const auto length = load_number<uint64_t>(file, 0);
  if (length > kMaxHeaderBytes) {
    return bad(name, "header length " + std::to_string(length) + " is above the limit of " +
                         std::to_string(kMaxHeaderBytes));
  }
  if (length > file.size() - kLengthBytes) {
    return bad(name, "header length " + std::to_string(length) +
                         " runs past the end of the file; it is truncated or no safetensors file");
  }
  const std::string_view text(reinterpret_cast<const char*>(file.data()) + kLengthBytes, length);
  if (!text.starts_with('{')) return bad(name, "the header is not a JSON object");
  return text;
}

/// A member of an entry, or nullptr.
const json* member(const json& object, const char* key) {
  const auto place = object.find(key);
  return place == object.end() ? nullptr : &*place;
}

/// What is wrong with the dtype; empty: nothing, and entry.type is set.
std::string read_type(const json& info, Entry& entry) {
  const json* dtype = member(info, "dtype");
  if (!dtype || !dtype->is_string()) return "has no dtype";
  const auto& text = dtype->get_ref<const std::string&>();
  const auto* type = std::ranges::find(kTypes, text, &StoredType::name);
  if (type == std::end(kTypes)) return "has the unknown dtype " + printable(text);
  entry.type = type;
  return {};
}

std::string read_shape(const json& info, Entry& entry) {
  const json* shape = member(info, "shape");
  if (!shape || !shape->is_array()) return "has no shape";
  if (shape->size() > kMaxRank) return "has a shape of more than 8 dimensions";
  for (const json& extent : *shape) {
    if (!extent.is_number_unsigned() || extent.get<uint64_t>() > INT64_MAX) {
      return "has a shape with a negative dimension, or one that is no integer of 63 bits";
    }
    entry.shape.push_back(extent.get<int64_t>());
  }
  return {};
}

std::string read_offsets(const json& info, Entry& entry) {
  const json* offsets = member(info, "data_offsets");
  if (!offsets || !offsets->is_array() || offsets->size() != 2) return "has no data_offsets";
  for (const json& offset : *offsets) {
    if (!offset.is_number_unsigned()) return "has an offset that is no non-negative integer";
  }
  entry.begin = (*offsets)[0].get<uint64_t>();
  entry.end = (*offsets)[1].get<uint64_t>();
  if (entry.begin > entry.end) return "has data_offsets whose begin lies after its end";
  return {};
}

/// Shape times dtype must be the span, and the span inside the data.
std::string check_span(const Entry& entry, uint64_t data_bytes) {
  if (entry.end > data_bytes) {
    return "ends at offset " + std::to_string(entry.end) + ", beyond the data's size of " +
           std::to_string(data_bytes) + " bytes; the file is truncated";
  }
  const auto bytes = checked_bytes(entry.shape, entry.type->bytes);
  if (!bytes) return "has a shape whose size overflows: " + shape_text(entry.shape);
  if (*bytes == entry.end - entry.begin) return {};
  return "has a size mismatch: shape " + shape_text(entry.shape) + " of dtype " +
         std::string(entry.type->name) + " needs " + std::to_string(*bytes) +
         " bytes, its data_offsets span " + std::to_string(entry.end - entry.begin);
}

Result<Entry> read_entry(const std::string& key, const json& info, uint64_t data_bytes,
                         std::string_view file) {
  Entry entry;
  entry.name = canonical_name(key);
  std::string why = info.is_object() ? "" : "is no JSON object in the header";
  if (why.empty()) why = read_type(info, entry);
  if (why.empty()) why = read_shape(info, entry);
  if (why.empty()) why = read_offsets(info, entry);
  if (why.empty()) why = check_span(entry, data_bytes);
  if (!why.empty()) return bad(file, "tensor " + printable(key) + " " + why);
  return entry;
}

Status check_metadata(const json& metadata, std::string_view file) {
  const bool good = metadata.is_object() &&
                    std::ranges::all_of(metadata, [](const json& v) { return v.is_string(); });
  if (!good) return bad(file, "the header's __metadata__ is no JSON object of strings");
  return {};
}

/// The spans must tile the data part: no overlap, no hole, nothing after the last.
Status check_tiling(const std::vector<Entry>& entries, uint64_t data_bytes, std::string_view file) {
  uint64_t at = 0;
  for (const Entry& entry : entries) {
    if (entry.begin != at) {
      return bad(file, "tensor " + printable(entry.name) + " begins at offset " +
                           std::to_string(entry.begin) + ", but the data before it ends at " +
                           std::to_string(at) + (entry.begin < at ? ": overlap" : ": a hole"));
    }
    at = entry.end;
  }
  if (at == data_bytes) return {};
  return bad(file, std::to_string(data_bytes - at) +
                       " trailing bytes after the last tensor, at offset " + std::to_string(at));
}

TensorTable make_table(std::vector<Entry> entries, std::span<const std::byte> data) {
  TensorTable table;
  for (Entry& entry : entries) {
    std::optional<DType> dtype = entry.type->dtype;
    if (entry.type->name == "U8" && parse_packed_name(entry.name)) dtype = DType::kI8;
    if (!dtype) {
      table.foreign.push_back({std::move(entry.name), explain_dtype(entry.type->name)});
      continue;
    }
    const auto bytes = data.subspan(entry.begin, entry.end - entry.begin);
    table.tensors.push_back(
        {std::move(entry.name), TensorView{*dtype, std::move(entry.shape), bytes}});
  }
  return table;
}

}  // namespace

Result<TensorTable> parse_safetensors(std::span<const std::byte> file, std::string_view name) {
  SEQGPT_ASSIGN(const std::string_view text, header_text(file, name));
  const std::string header_name = std::string(name) + ": the header";
  SEQGPT_ASSIGN(const json header, parse_json_checked(text, header_name, {.depth = 8}));
  const auto data = file.subspan(kLengthBytes + text.size());
  std::vector<Entry> entries;
  for (const auto& [key, info] : header.items()) {
    if (key == "__metadata__") {
      SEQGPT_TRY(check_metadata(info, name));
      continue;
    }
    SEQGPT_ASSIGN(Entry entry, read_entry(key, info, data.size(), name));
    entries.push_back(std::move(entry));
  }
  std::ranges::sort(entries, {}, [](const Entry& e) { return std::tie(e.begin, e.end, e.name); });
  SEQGPT_TRY(check_tiling(entries, data.size(), name));
  return make_table(std::move(entries), data);
}

}  // namespace seqgpt
