// SPDX-License-Identifier: Apache-2.0
// Binds the tensors that a torch file's pickle describes to the zip entries that hold their
// storages.
#include "weights/torch_file.h"

#include <zlib.h>

#include <algorithm>
#include <map>
#include <utility>

#include "weights/pickle.h"
#include "weights/printable.h"
#include "weights/zip_directory.h"

namespace seqgpt {
namespace {

using Bytes = std::span<const std::byte>;
using Reader = std::function<void(Bytes)>;

constexpr std::string_view kPickleName = "/data.pkl";
constexpr size_t kMaxKeyBytes = 255;
constexpr size_t kCrcPiece = 16 << 20;

/// The first pickle of the old format holds the number 0x1950A86A20F9469CFC6C and nothing else.
constexpr std::string_view kLegacyMagic =
    "\x80\x02\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19";

struct StorageType {
  std::string_view torch_name;
  std::string_view name;
  uint64_t bytes;
  std::optional<DType> dtype;  // none: known, but not a weight we can read
};

constexpr StorageType kStorageTypes[] = {
    {"FloatStorage", "F32", 4, DType::kF32},
    {"HalfStorage", "F16", 2, DType::kF16},
    {"BFloat16Storage", "BF16", 2, DType::kBf16},
    {"DoubleStorage", "F64", 8, {}},
    {"LongStorage", "I64", 8, {}},
    {"IntStorage", "I32", 4, {}},
    {"ShortStorage", "I16", 2, {}},
    {"CharStorage", "I8", 1, {}},
    {"ByteStorage", "U8", 1, {}},
    {"BoolStorage", "BOOL", 1, {}},
};

Error bad(std::string_view file, const std::string& why) {
  return Error{ErrorCode::kBadFile, std::string(file) + ": " + why};
}

Status refuse_legacy(Bytes file, std::string_view name) {
  const std::string_view text(reinterpret_cast<const char*>(file.data()), file.size());
  if (!text.starts_with(kLegacyMagic)) return {};
  const std::string where(name);
  return Error{ErrorCode::kUnsupported,
               where +
                   " is in torch's legacy format (before 1.6, not a zip file). Convert it once: "
                   "python3 -c \"import torch; f='" +
                   where +
                   "'; torch.save(torch.load(f, map_location='cpu', weights_only=True), f)\""};
}

/// The zip entries of one torch file, found by name and checked once.
class Archive {
 public:
  Archive(std::vector<ZipEntry> entries, std::string_view name, const Reader& read)
      : entries_(std::move(entries)), name_(name), read_(read) {}

  /// Every torch archive keeps its files in one folder; data.pkl tells which.
  Status find_root() {
    for (const ZipEntry& entry : entries_) {
      if (!entry.name.ends_with(kPickleName)) continue;
      const auto root = entry.name.substr(0, entry.name.size() - kPickleName.size());
      if (root.find('/') != std::string_view::npos) continue;
      if (!root_.empty()) return bad(name_, "more than one data.pkl (pickle) in the zip file");
      root_ = root;
    }
    if (root_.empty()) return bad(name_, "no data.pkl (pickle) in the zip file: no torch file");
    return {};
  }

  /// The bytes of an entry, its CRC checked; an error when it is not there.
  Result<Bytes> get(const std::string& path) {
    if (const auto known = checked_.find(path); known != checked_.end()) return known->second;
    const std::string full = root_ + "/" + path;
    const auto place = std::ranges::lower_bound(entries_, full, {}, &ZipEntry::name);
    if (place == entries_.end() || place->name != full) {
      return Error{ErrorCode::kNotFound,
                   std::string(name_) + ": " + printable(full) + " is missing in the zip file"};
    }
    if (checksum(place->data) != place->crc) {
      return bad(name_, "the checksum (CRC) of " + printable(full) +
                            " does not match: the file is damaged, or was saved with torch's CRC "
                            "option off; fetch it or save it again");
    }
    return checked_.emplace(path, place->data).first->second;
  }

 private:
  /// In pieces, so that no more than one of them need stay in memory.
  uint32_t checksum(Bytes data) const {
    uLong crc = 0;
    while (!data.empty()) {
      const Bytes piece = data.first(std::min(data.size(), kCrcPiece));
      crc = crc32_z(crc, reinterpret_cast<const Bytef*>(piece.data()), piece.size());
      if (read_) read_(piece);
      data = data.subspan(piece.size());
    }
    return static_cast<uint32_t>(crc);
  }

  std::vector<ZipEntry> entries_;  // sorted by name
  std::string_view name_;
  const Reader& read_;
  std::string root_;
  std::map<std::string, Bytes> checked_;
};

Status check_byteorder(Archive& archive, std::string_view name) {
  const Result<Bytes> order = archive.get("byteorder");
  if (!order.ok()) {  // absent before torch 2.1
    return order.error().code == ErrorCode::kNotFound ? Status() : Status(order.error());
  }
  const std::string_view text(reinterpret_cast<const char*>(order->data()), order->size());
  if (text == "little") return {};
  return Error{ErrorCode::kUnsupported, std::string(name) + " was saved with byte order " +
                                            printable(text) + "; only little can be read"};
}

/// Row-major without gaps; extents of 1 have no say, nor has a tensor without elements.
bool contiguous(const PickledTensor& tensor) {
  if (std::ranges::count(tensor.shape, 0) > 0) return true;
  int64_t expected = 1;
  for (size_t i = tensor.shape.size(); i-- > 0;) {
    if (tensor.shape[i] == 1) continue;
    if (tensor.stride[i] != expected) return false;
    if (__builtin_mul_overflow(expected, tensor.shape[i], &expected)) return false;
  }
  return true;
}

/// The tensor's part of its storage, or what is wrong in `why`.
Bytes slice_storage(const PickledTensor& tensor, const StorageType& type, Bytes storage,
                    std::string& why) {
  const uint64_t stored = storage.size() / type.bytes;
  if (tensor.storage_elements > stored) {
    why = "its storage is short: a size of " + std::to_string(tensor.storage_elements) +
          " elements is stated, the file holds " + std::to_string(stored);
    return {};
  }
  const auto bytes = checked_bytes(tensor.shape, type.bytes);
  if (!bytes || tensor.offset > tensor.storage_elements ||
      *bytes / type.bytes > tensor.storage_elements - tensor.offset) {
    why = "shape " + shape_text(tensor.shape) + " from offset " + std::to_string(tensor.offset) +
          " is beyond its storage's size of " + std::to_string(tensor.storage_elements) +
          " elements";
    return {};
  }
  if (!contiguous(tensor)) {
    why = "it is not contiguous (shape " + shape_text(tensor.shape) + ", strides " +
          shape_text(tensor.stride) + "): call .contiguous() before torch.save";
    return {};
  }
  return storage.subspan(tensor.offset * type.bytes, *bytes);
}

Status add_tensor(PickledTensor& tensor, Archive& archive, std::string_view file,
                  TensorTable& table) {
  const auto* type =
      std::ranges::find(kStorageTypes, tensor.storage_type, &StorageType::torch_name);
  const std::string who = "tensor " + printable(tensor.name) + ": ";
  if (type == std::end(kStorageTypes) || tensor.storage_key.size() > kMaxKeyBytes) {
    return bad(file, who + "its storage is of unknown type or name");
  }
  Result<Bytes> storage = archive.get("data/" + std::string(tensor.storage_key));
  if (!storage.ok()) {
    Error error = std::move(storage).error();
    error.code = ErrorCode::kBadFile;
    error.message += "; it is the storage of " + printable(tensor.name);
    return error;
  }
  std::string why;
  const Bytes bytes = slice_storage(tensor, *type, *storage, why);
  if (!why.empty()) return bad(file, who + why);
  std::string name = canonical_name(tensor.name);
  if (!type->dtype) {
    table.foreign.push_back({std::move(name), explain_dtype(type->name)});
  } else {
    table.tensors.push_back({std::move(name), {*type->dtype, std::move(tensor.shape), bytes}});
  }
  return {};
}

}  // namespace

Result<TensorTable> parse_torch_file(Bytes file, std::string_view name, const Reader& read) {
  SEQGPT_TRY(refuse_legacy(file, name));
  SEQGPT_ASSIGN(auto entries, parse_zip_directory(file, name));
  Archive archive(std::move(entries), name, read);
  SEQGPT_TRY(archive.find_root());
  SEQGPT_TRY(check_byteorder(archive, name));
  SEQGPT_ASSIGN(const Bytes pickle, archive.get("data.pkl"));
  SEQGPT_ASSIGN(StateDict dict, parse_state_dict(pickle, name));
  if (dict.tensors.empty() && !dict.not_tensors.empty()) {
    return bad(name, "the state dict holds no tensor, only such as " +
                         printable(dict.not_tensors[0]) + "; save the inner state dict alone");
  }
  TensorTable table;
  for (PickledTensor& tensor : dict.tensors) {
    SEQGPT_TRY(add_tensor(tensor, archive, name, table));
  }
  for (const std::string& key : dict.not_tensors) {
    table.foreign.push_back({canonical_name(key), "is there, but it is not a tensor"});
  }
  std::ranges::sort(table.tensors, {}, [](const NamedTensor& tensor) {
    return std::pair(tensor.view.bytes.data(), std::string_view(tensor.name));
  });
  return table;
}

}  // namespace seqgpt
