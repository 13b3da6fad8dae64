// SPDX-License-Identifier: Apache-2.0
// Writing safetensors: a header that names every tensor's place, then their bytes without a hole.
#include "tools/quantize_tool.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <system_error>
#include <vector>

#include "model/bloom.h"
#include "model/model.h"
#include "weights/packed_name.h"

namespace seqgpt {
namespace {

namespace fs = std::filesystem;

constexpr size_t kLine = 64;                // the data begins on a cache line
constexpr uintmax_t kSmallFile = 64 << 20;  // what is copied beside the weights
constexpr size_t kConvertElements = size_t{1} << 18;

/// A tensor to be written.
struct Part {
  std::string name;
  const char* dtype = "";
  Shape shape;
  std::span<const std::byte> bytes;  // as they will stand in the file, unless `convert`
  bool convert = false;              // to bf16
  DType from = DType::kBf16;

  size_t size() const { return convert ? bytes.size() * 16 / dtype_bits(from) : bytes.size(); }
};

const char* stored_name(DType type) {
  if (type == DType::kF32) return "F32";
  return type == DType::kF16 ? "F16" : "BF16";
}

bool is_table(const std::string& name) {
  return name == "word_embeddings.weight" || name == "lm_head.weight";
}

Part plain_part(const NamedTensor& tensor) {
  const bool convert = is_table(tensor.name) && tensor.view.dtype != DType::kBf16;
  return {tensor.name,       convert ? "BF16" : stored_name(tensor.view.dtype),
          tensor.view.shape, tensor.view.bytes,
          convert,           tensor.view.dtype};
}

/// The packed matrices first: their lines stay whole.
std::vector<Part> parts_of(const Model& model, const Checkpoint& checkpoint, DType type) {
  std::map<std::string_view, const PackedLinear*> packed;
  std::vector<Part> parts;
  const auto linears = model.linears();
  for (const Model::NamedLinear& named : linears) {
    const auto bytes = named.linear->packed();
    packed.emplace(named.name, named.linear);
    parts.push_back({packed_name({named.name, type, model.backend().packed_columns()}),
                     "U8",
                     {static_cast<int64_t>(bytes.size())},
                     bytes});
  }
  std::vector<std::string> wanted = {"lm_head.weight"};
  for (const ExpectedTensor& expected : expected_tensors(model.config()))
    wanted.push_back(expected.name);
  for (const NamedTensor& tensor : checkpoint.tensors()) {
    const bool tied = tensor.name == "lm_head.weight" && model.config().tied_embedding;
    if (packed.contains(tensor.name) || tied) continue;
    if (std::ranges::find(wanted, tensor.name) != wanted.end()) parts.push_back(plain_part(tensor));
  }
  std::ranges::stable_sort(parts, std::ranges::greater(),
                           [](const Part& part) { return std::string_view(part.dtype) == "U8"; });
  return parts;
}

std::string header_of(const std::vector<Part>& parts) {
  nlohmann::ordered_json header = {{"__metadata__", {{"format", "seqgpt packed"}}}};
  size_t at = 0;
  for (const Part& part : parts) {
    header[part.name] = {
        {"dtype", part.dtype}, {"shape", part.shape}, {"data_offsets", {at, at + part.size()}}};
    at += part.size();
  }
  std::string text = header.dump();
  text.append((kLine - (text.size() + sizeof(uint64_t)) % kLine) % kLine, ' ');
  return text;
}

void write_bytes(std::ofstream& file, const void* data, size_t size) {
  file.write(static_cast<const char*>(data), static_cast<std::streamsize>(size));
}

void write_as_bf16(std::ofstream& file, const Part& part) {
  const size_t count = part.size() / sizeof(uint16_t);
  std::vector<uint16_t> buffer;
  for (size_t begin = 0; begin < count; begin += kConvertElements) {
    buffer.resize(std::min(kConvertElements, count - begin));
    for (size_t i = 0; i < buffer.size(); ++i)
      buffer[i] = f32_to_bf16(load_element(part.from, part.bytes.data(), begin + i));
    write_bytes(file, buffer.data(), buffer.size() * sizeof(uint16_t));
  }
}

Status write_weights(const std::vector<Part>& parts, const Checkpoint& checkpoint,
                     const fs::path& path) {
  std::ofstream file(path, std::ios::binary);
  const std::string header = header_of(parts);
  const uint64_t length = header.size();
  write_bytes(file, &length, sizeof length);
  write_bytes(file, header.data(), header.size());
  for (const Part& part : parts) {
    if (part.convert) {
      write_as_bf16(file, part);
    } else {
      write_bytes(file, part.bytes.data(), part.bytes.size());
    }
    if (std::string_view(part.dtype) != "U8")
      checkpoint.drop_pages({part.from, part.shape, part.bytes});
  }
  file.close();
  if (file) return {};
  return Error{ErrorCode::kIo, "cannot write " + path.string() + ": " + std::strerror(errno)};
}

bool holds_weights(const std::string& name) {
  return name.ends_with(".safetensors") || name.ends_with(".bin") ||
         name.ends_with(".index.json") || name.ends_with(".gguf");
}

/// Everything small that is no weight.
Status copy_beside(const fs::path& from, const fs::path& to) {
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(from, error)) {
    const std::string name = entry.path().filename().string();
    if (!entry.is_regular_file() || holds_weights(name) || entry.file_size() > kSmallFile) continue;
    fs::copy_file(entry.path(), to / name, error);
    if (error) break;
  }
  if (!error) return {};
  return Error{ErrorCode::kIo, "cannot copy to " + to.string() + ": " + error.message()};
}

Status check_request(const Checkpoint& checkpoint, DType type, const fs::path& out) {
  if (type != DType::kBf16 && type != DType::kI8 && type != DType::kI4) {
    return Error{ErrorCode::kInvalidArgument, "quantize makes bf16, int8 or int4 weights",
                 "weights"};
  }
  for (const NamedTensor& tensor : checkpoint.tensors()) {
    if (parse_packed_name(tensor.name)) {
      return Error{ErrorCode::kInvalidArgument,
                   "the model is packed already: take the checkpoint that it was made from",
                   "model"};
    }
  }
  if (fs::exists(out)) {
    return Error{ErrorCode::kInvalidArgument,
                 out.string() + " exists already: name a directory that does not", "out"};
  }
  return {};
}

/// `text` like 123.4 MB.
std::string megabytes(size_t bytes) {
  const size_t tenths = bytes / 100'000;
  return std::to_string(tenths / 10) + "." + std::to_string(tenths % 10) + " MB";
}

}  // namespace

Result<std::string> quantize_model(const fs::path& directory, Backend& backend, DType type,
                                   const fs::path& out) {
  SEQGPT_ASSIGN(const Checkpoint checkpoint, Checkpoint::open(directory));
  SEQGPT_TRY(check_request(checkpoint, type, out));
  SEQGPT_ASSIGN(const auto model, Model::load(directory, backend, {.weights = type}));
  const std::vector<Part> parts = parts_of(*model, checkpoint, type);

  const fs::path unfinished = out.string() + ".part";
  std::error_code error;
  fs::remove_all(unfinished, error);
  fs::create_directories(unfinished, error);
  if (error) {
    return Error{ErrorCode::kIo, "cannot make " + unfinished.string() + ": " + error.message(),
                 "out"};
  }
  Status written = write_weights(parts, checkpoint, unfinished / "model.safetensors");
  if (written.ok()) written = copy_beside(directory, unfinished);
  if (written.ok()) {
    fs::rename(unfinished, out, error);
    if (error)
      written = Error{ErrorCode::kIo, "cannot name " + out.string() + ": " + error.message()};
  }
  if (!written.ok()) {
    fs::remove_all(unfinished, error);
    return written.error();
  }
  size_t bytes = 0;
  for (const Part& part : parts) bytes += part.size();
  return out.string() + ": " + megabytes(bytes) + " of " + std::string(dtype_name(type)) +
         " weights for " + backend.name() + ", mapped as they are";
}

}  // namespace seqgpt
