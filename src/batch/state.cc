// SPDX-License-Identifier: Apache-2.0
// The state file: a small JSON object with a hash over its settings.
#include "batch/state.h"

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "records/byte_source.h"
#include "records/input_file.h"
#include "records/output_file.h"

namespace seqgpt {
namespace {

using Json = nlohmann::ordered_json;

constexpr size_t kMaxStateBytes = size_t{16} << 20;  // a thousand labels take less than one
constexpr int kVersion = 1;

std::string settings_text(const BatchSettings& settings) {
  Json object = Json::object();
  for (const auto& [name, value] : settings) object[name] = value;
  return object.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Result<std::string> read_small_file(const std::string& path) {
  SEQGPT_ASSIGN(const std::unique_ptr<FileSource> file, FileSource::open(path));
  std::string text(kMaxStateBytes + 1, '\0');
  size_t size = 0;
  while (size < text.size()) {
    SEQGPT_ASSIGN(const size_t count, file->read(std::span(text).subspan(size)));
    if (count == 0) break;
    size += count;
  }
  text.resize(size);
  return text;
}

bool is_state(const Json& json) {
  const auto count = [](const Json& value) { return value.is_number_unsigned(); };
  return json.is_object() && json.value("version", Json()) == kVersion &&
         json.value("hash", Json()).is_string() && json.value("settings", Json()).is_object() &&
         count(json.value("items", Json())) && count(json.value("failed", Json())) &&
         count(json.value("bytes", Json()));
}

/// A long value cut for a message, at a character's edge.
std::string shortened(const std::string& value) {
  size_t end = std::min<size_t>(value.size(), 200);
  while (end < value.size() && (static_cast<uint8_t>(value[end]) & 0xC0) == 0x80) --end;
  return "\"" + value.substr(0, end) + (end < value.size() ? "…" : "") + "\"";
}

}  // namespace

Result<std::optional<BatchState>> read_state(const std::string& path) {
  if (!std::filesystem::exists(path)) return std::optional<BatchState>();
  SEQGPT_ASSIGN(const std::string text, read_small_file(path));
  const Json json = text.size() > kMaxStateBytes ? Json() : Json::parse(text, nullptr, false);
  const Error damaged{ErrorCode::kBadFile,
                      path + " is no state of a batch, or damaged; --restart starts anew"};
  if (!is_state(json)) return damaged;
  BatchState state;
  for (const auto& [name, value] : json["settings"].items()) {
    if (!value.is_string()) return damaged;
    state.settings.emplace_back(name, value.get<std::string>());
  }
  if (json["hash"] != content_hash(settings_text(state.settings))) return damaged;
  state.progress = {json["items"].get<uint64_t>(), json["failed"].get<uint64_t>(),
                    json["bytes"].get<uint64_t>()};
  return std::optional<BatchState>(std::move(state));
}

Status write_state(const std::string& path, const BatchState& state) {
  const std::string settings = settings_text(state.settings);
  const Json json = {{"version", kVersion},
                     {"hash", content_hash(settings)},
                     {"settings", Json::parse(settings)},
                     {"items", state.progress.items},
                     {"failed", state.progress.failed},
                     {"bytes", state.progress.bytes}};
  return replace_file(path, json.dump(1) + "\n");
}

std::string setting(const BatchSettings& settings, const std::string& name) {
  const auto found = std::ranges::find(settings, name, &BatchSettings::value_type::first);
  return found == settings.end() ? "" : found->second;
}

Status check_same(const BatchSettings& before, const BatchSettings& now,
                  const std::string& output) {
  std::string different;
  for (const auto& [name, value] : now) {
    const std::string old = setting(before, name);
    if (old == value) continue;
    different += (different.empty() ? "" : "; ") + name + " was " + shortened(old) +
                 " and is now " + shortened(value);
  }
  if (different.empty()) return {};
  return Error{ErrorCode::kInvalidArgument,
               output + " was begun by another batch: " + different +
                   ". Give the same options to go on, --restart to throw its answers away, or "
                   "another --output",
               "output"};
}

}  // namespace seqgpt
