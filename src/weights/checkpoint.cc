// SPDX-License-Identifier: Apache-2.0
// Which weight files a directory holds, and how their tensors become one table.
#include "weights/checkpoint.h"

#include <algorithm>
#include <map>
#include <set>
#include <system_error>
#include <utility>

#include "base/load_watch.h"
#include "base/mapped_file.h"
#include "weights/printable.h"
#include "weights/safetensors.h"
#include "weights/shard_index.h"
#include "weights/torch_file.h"

namespace seqgpt {
namespace {

namespace fs = std::filesystem;

constexpr size_t kMaxIndexBytes = 100'000'000;

struct Layout {
  const char* file;
  bool is_index;
  const char* format;
};

constexpr const char* kSafetensors = "safetensors";
constexpr const char* kTorchZip = "torch zip";

// In order of preference.
constexpr Layout kLayouts[] = {
    {"model.safetensors", false, kSafetensors},
    {"model.safetensors.index.json", true, kSafetensors},
    {"pytorch_model.bin", false, kTorchZip},
    {"pytorch_model.bin.index.json", true, kTorchZip},
};

bool present(const fs::path& path) {
  std::error_code ignored;
  return fs::exists(path, ignored);
}

Result<TensorTable> parse_file(const MappedFile& file, const std::string& path,
                               std::string_view format) {
  if (format == kSafetensors) return parse_safetensors(file.bytes(), path);
  return parse_torch_file(file.bytes(), path,
                          [&](std::span<const std::byte> read) { file.drop_pages(read); });
}

Result<ShardIndex> load_index(const fs::path& path) {
  SEQGPT_ASSIGN(const MappedFile file, MappedFile::open(path));
  if (file.bytes().size() > kMaxIndexBytes) {
    return Error{ErrorCode::kTooLarge, path.string() + ": the index is larger than 100 MB"};
  }
  return parse_shard_index(
      {reinterpret_cast<const char*>(file.bytes().data()), file.bytes().size()}, path.string());
}

}  // namespace

struct Checkpoint::Impl {
  std::vector<MappedFile> mappings;
  std::vector<WeightFile> files;
  std::vector<NamedTensor> tensors;
  std::map<std::string, std::string, std::less<>> foreign;  // name -> why
  std::map<std::string_view, const TensorView*> by_name;    // made last: points into tensors

  Status open(const fs::path& directory, const Layout& layout);
  Result<TensorTable> open_file(const fs::path& directory, const std::string& file,
                                std::string_view format);
  Status open_shards(const fs::path& directory, const Layout& layout);
  Status make_index();
};

Result<TensorTable> Checkpoint::Impl::open_file(const fs::path& directory, const std::string& file,
                                                std::string_view format) {
  const fs::path path = directory / file;
  SEQGPT_ASSIGN(MappedFile mapping, MappedFile::open(path));
  Result<TensorTable> table = parse_file(mapping, path.string(), format);
  files.push_back({file, std::string(format), mapping.bytes().size()});
  mappings.push_back(std::move(mapping));
  return table;
}

Status Checkpoint::Impl::open(const fs::path& directory, const Layout& layout) {
  if (layout.is_index) {
    SEQGPT_TRY(open_shards(directory, layout));
    return make_index();
  }
  SEQGPT_ASSIGN(TensorTable table, open_file(directory, layout.file, layout.format));
  tensors = std::move(table.tensors);
  for (ForeignTensor& tensor : table.foreign) foreign.emplace(tensor.name, tensor.why);
  return make_index();
}

/// The index decides: what a shard holds although the index sends it elsewhere is left out, as
/// loading shard after shard by the index would; what the index does not know is kept.
Status Checkpoint::Impl::open_shards(const fs::path& directory, const Layout& layout) {
  SEQGPT_ASSIGN(const ShardIndex index, load_index(directory / layout.file));
  const auto elsewhere = [&](const std::string& tensor, const std::string& shard) {
    const auto place = index.find(tensor);
    return place != index.end() && place->second != shard;
  };
  std::set<std::string> shards;
  for (const auto& [tensor, shard] : index) shards.insert(shard);
  std::set<std::string> held;  // tensors found where the index sends them
  for (const std::string& shard : shards) {
    if (!present(directory / shard)) {
      return Error{ErrorCode::kNotFound, (directory / layout.file).string() + " names the shard " +
                                             printable(shard) + ", which is missing"};
    }
    SEQGPT_ASSIGN(TensorTable table, open_file(directory, shard, layout.format));
    for (NamedTensor& tensor : table.tensors) {
      if (elsewhere(tensor.name, shard)) continue;
      held.insert(tensor.name);
      tensors.push_back(std::move(tensor));
    }
    for (ForeignTensor& tensor : table.foreign) {
      if (elsewhere(tensor.name, shard)) continue;
      held.insert(tensor.name);
      foreign.emplace(tensor.name, tensor.why);
    }
  }
  for (const auto& [tensor, shard] : index) {
    if (held.contains(tensor)) continue;
    return Error{ErrorCode::kBadFile, (directory / layout.file).string() + ": the index sends " +
                                          printable(tensor) + " to the shard " + printable(shard) +
                                          ", where it is missing"};
  }
  return {};
}

Status Checkpoint::Impl::make_index() {
  for (const NamedTensor& tensor : tensors) {
    if (!by_name.emplace(tensor.name, &tensor.view).second) {
      return Error{ErrorCode::kBadFile, "the checkpoint holds " + printable(tensor.name) +
                                            " twice; names with and without 'transformer.' are "
                                            "the same tensor"};
    }
  }
  return {};
}

Checkpoint::Checkpoint(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Checkpoint::Checkpoint(Checkpoint&&) noexcept = default;
Checkpoint& Checkpoint::operator=(Checkpoint&&) noexcept = default;
Checkpoint::~Checkpoint() = default;

Result<Checkpoint> Checkpoint::open(const fs::path& directory) {
  for (const Layout& layout : kLayouts) {
    if (!present(directory / layout.file)) continue;
    auto impl = std::make_unique<Impl>();
    SEQGPT_TRY(impl->open(directory, layout));
    return Checkpoint(std::move(impl));
  }
  std::string message = "no weights in " + directory.string() + "; looked for";
  for (const Layout& layout : kLayouts) message += std::string(" ") + layout.file;
  return Error{ErrorCode::kNotFound, message};
}

const TensorView* Checkpoint::find(std::string_view canonical_name) const {
  const auto place = impl_->by_name.find(canonical_name);
  return place == impl_->by_name.end() ? nullptr : place->second;
}

std::string Checkpoint::explain_missing(std::string_view canonical_name) const {
  const auto place = impl_->foreign.find(canonical_name);
  return place == impl_->foreign.end() ? "is missing from the checkpoint" : place->second;
}

const std::vector<NamedTensor>& Checkpoint::tensors() const {
  return impl_->tensors;
}

const std::vector<WeightFile>& Checkpoint::files() const {
  return impl_->files;
}

void Checkpoint::drop_pages(const TensorView& view) const {
  LoadWatch::add(view.bytes.size());
  const std::less_equal<const std::byte*> before;
  for (const MappedFile& mapping : impl_->mappings) {
    const auto whole = mapping.bytes();
    if (before(whole.data(), view.bytes.data()) &&
        before(view.bytes.data() + view.bytes.size(), whole.data() + whole.size())) {
      return mapping.drop_pages(view.bytes);
    }
  }
}

}  // namespace seqgpt
