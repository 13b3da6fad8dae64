// SPDX-License-Identifier: Apache-2.0
// Hashing a model directory at memory speed: four independent multiply-and-rotate lanes of 8 bytes.
#include "pipeline/fingerprint.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <vector>

#include "base/load_watch.h"
#include "base/mapped_file.h"
#include "base/version.h"
#include "pipeline/confidence.h"
#include "pipeline/label_map.h"

namespace seqgpt {
namespace {

constexpr uint64_t kMultiplier = 0x9FB21C651E98DF25ULL;  // odd, of good avalanche (as in rrmxmx)

constexpr size_t kTold = size_t{8} << 20;  // bytes between two words to who watches

uint64_t mix(uint64_t hash, uint64_t word) {
  return std::rotl((hash ^ word) * kMultiplier, 29);
}

/// Not cryptographic: it tells model files apart, it does not prove where they come from.
uint64_t hash_bytes(std::span<const std::byte> bytes, uint64_t seed) {
  std::array<uint64_t, 4> lanes = {seed, seed + 1, seed + 2, seed + 3};
  size_t at = 0;
  for (; at + sizeof lanes <= bytes.size(); at += sizeof lanes) {
    if (at % kTold == 0) LoadWatch::add(std::min(kTold, bytes.size() - at));
    std::array<uint64_t, 4> words{};
    std::memcpy(words.data(), bytes.data() + at, sizeof words);
    for (size_t lane = 0; lane < lanes.size(); ++lane) lanes[lane] = mix(lanes[lane], words[lane]);
  }
  uint64_t hash = mix(seed, bytes.size());
  for (const uint64_t lane : lanes) hash = mix(hash, lane);
  for (; at < bytes.size(); ++at) hash = mix(hash, static_cast<uint64_t>(bytes[at]));
  return mix(hash, hash >> 32);
}

uint64_t hash_text(std::string_view text, uint64_t seed) {
  return hash_bytes(std::as_bytes(std::span(text)), seed);
}

/// Files whose bytes shape an answer, by name so that the order is the same everywhere.
std::vector<std::filesystem::path> relevant_files(const std::filesystem::path& directory) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(directory)) {
    const std::string name = entry.path().filename().string();
    const bool weights = name.ends_with(".safetensors") || name.ends_with(".bin");
    const bool settings = name == "config.json" || name == "tokenizer.json" ||
                          name == kCalibrationFile || name == kLabelMapFile;
    if (weights || settings) files.push_back(entry.path());
  }
  std::ranges::sort(files);
  return files;
}

}  // namespace

Result<std::string> model_fingerprint(const std::filesystem::path& directory, const Model& model) {
  uint64_t hash = hash_text(kVersion, 0);
  for (const std::filesystem::path& path : relevant_files(directory)) {
    SEQGPT_ASSIGN(const MappedFile file, MappedFile::open(path));
    hash = hash_bytes(file.bytes(), hash_text(path.filename().string(), hash));
    file.drop_pages(file.bytes());
  }
  hash = hash_text(dtype_name(*model.options().weights), hash);
  hash = hash_text(model.options().compute == ComputeType::kBf16 ? "bf16" : "f32", hash);
  hash = hash_text(model.kv_name(), hash);
  hash = hash_text(model.backend().name(), hash);
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  for (int shift = 60; shift >= 0; shift -= 4) text += kDigits[(hash >> shift) & 15];
  return text;
}

}  // namespace seqgpt
