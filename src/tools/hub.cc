// SPDX-License-Identifier: Apache-2.0
// Reading and checking of a hub's list.
#include "tools/hub.h"

#include <algorithm>
#include <cctype>
#include <nlohmann/json.hpp>

#include "base/json_depth.h"
#include "base/utf8.h"

namespace seqgpt {
namespace {

using HubJson = nlohmann::json;

constexpr size_t kMaxFiles = 2000;
constexpr size_t kMaxPathBytes = 255;
constexpr uint64_t kMaxTextBytes = uint64_t{64} << 20;  // of a JSON or text file
constexpr std::string_view kWordCharacters =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";

bool is_word(std::string_view text) {
  return !text.empty() && text.size() <= 96 && text.front() != '.' && text.front() != '-' &&
         text.find_first_not_of(kWordCharacters) == std::string_view::npos &&
         text.find("..") == std::string_view::npos;
}

/// The path stays below the directory it is written to.
bool stays_inside(std::string_view path) {
  if (path.empty() || path.size() > kMaxPathBytes || path.front() == '/') return false;
  if (utf8_first_invalid(path)) return false;
  for (const char c : path) {
    if (static_cast<unsigned char>(c) < ' ' || c == '\x7f' || c == '\\' || c == ':') return false;
  }
  for (size_t begin = 0; begin <= path.size();) {
    const size_t end = std::min(path.find('/', begin), path.size());
    const std::string_view part = path.substr(begin, end - begin);
    if (part.empty() || part == "." || part == "..") return false;
    begin = end + 1;
  }
  return true;
}

/// For a path in a URL or a query: '/' stays.
std::string percent_encoded(std::string_view text) {
  constexpr char kHex[] = "0123456789ABCDEF";
  std::string escaped;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (std::isalnum(byte) != 0 || std::string_view("-._~/").find(c) != std::string_view::npos) {
      escaped += c;
    } else {
      escaped.append({'%', kHex[byte >> 4], kHex[byte & 15]});
    }
  }
  return escaped;
}

Error refused(const std::string& why) {
  return {ErrorCode::kUnsupported, "the hub's list is refused: " + why};
}

bool is_weight_file(std::string_view path) {
  return path.ends_with(".safetensors") ||
         (path.starts_with("pytorch_model") && path.ends_with(".bin"));
}

std::string hex_field(const HubJson& object, const char* name, size_t digits) {
  const auto found = object.find(name);
  if (found == object.end() || !found->is_string()) return {};
  const std::string& text = found->get_ref<const std::string&>();
  const bool hex =
      text.size() == digits && text.find_first_not_of("0123456789abcdef") == std::string::npos;
  return hex ? text : "";
}

Result<uint64_t> size_field(const HubJson& object, const char* name, const std::string& path) {
  const auto found = object.find(name);
  if (found == object.end() || !found->is_number_unsigned()) return refused(path + " has no size");
  const auto size = found->get<uint64_t>();
  const uint64_t limit = is_weight_file(path) ? kMaxModelBytes : kMaxTextBytes;
  // Other files are not fetched; their sizes do not matter.
  if (size > limit && (is_weight_file(path) || path.ends_with(".json")))
    return refused(path + " claims " + std::to_string(size) + " bytes, more than " +
                   std::to_string(limit));
  return size;
}

Result<std::string> path_field(const HubJson& object, const char* name) {
  const auto found = object.find(name);
  if (found == object.end() || !found->is_string()) return refused("a file has no path");
  const std::string& path = found->get_ref<const std::string&>();
  if (!stays_inside(path)) return refused("a file name would leave the model's directory");
  return path;
}

Result<HubFile> hugging_face_file(const HubJson& entry) {
  HubFile file;
  SEQGPT_ASSIGN(file.path, path_field(entry, "path"));
  const auto lfs = entry.find("lfs");
  const bool large = lfs != entry.end() && lfs->is_object();
  SEQGPT_ASSIGN(file.size, size_field(large ? *lfs : entry, "size", file.path));
  if (large) {
    file.sha256 = hex_field(*lfs, "oid", 64);
  } else {
    file.git_id = hex_field(entry, "oid", 40);
  }
  return file;
}

Result<HubFile> modelscope_file(const HubJson& entry) {
  HubFile file;
  SEQGPT_ASSIGN(file.path, path_field(entry, "Path"));
  SEQGPT_ASSIGN(file.size, size_field(entry, "Size", file.path));
  file.sha256 = hex_field(entry, "Sha256", 64);
  return file;
}

bool is_file(const HubJson& entry, HubLayout layout) {
  const bool face = layout == HubLayout::kHuggingFace;
  const auto type = entry.find(face ? "type" : "Type");
  return type != entry.end() && *type == (face ? "file" : "blob");
}

/// The array of entries, or null.
const HubJson* entries_of(const HubJson& answer, HubLayout layout) {
  if (layout == HubLayout::kHuggingFace) return answer.is_array() ? &answer : nullptr;
  const HubJson::json_pointer place("/Data/Files");
  return answer.is_object() && answer.contains(place) && answer[place].is_array() ? &answer[place]
                                                                                  : nullptr;
}

}  // namespace

Status check_repository(std::string_view repository) {
  const size_t slash = repository.find('/');
  if (slash != std::string_view::npos && is_word(repository.substr(0, slash)) &&
      is_word(repository.substr(slash + 1)))
    return {};
  return Error{ErrorCode::kInvalidArgument,
               "a model is named owner/name, for instance DAMO-NLP/SeqGPT-560M", "model"};
}

Status check_revision(std::string_view revision) {
  if (is_word(revision)) return {};
  return Error{ErrorCode::kInvalidArgument,
               "--revision must be a branch, a tag or a commit: letters, digits, . _ -",
               "revision"};
}

std::string list_url(HubLayout layout, const std::string& base, const std::string& repository,
                     const std::string& revision) {
  if (layout == HubLayout::kHuggingFace)
    return base + "/api/models/" + repository + "/tree/" + revision + "?recursive=true";
  return base + "/api/v1/models/" + repository + "/repo/files?Recursive=true&Revision=" + revision;
}

std::string file_url(HubLayout layout, const std::string& base, const std::string& repository,
                     const std::string& revision, const std::string& path) {
  const std::string escaped = percent_encoded(path);
  if (layout == HubLayout::kHuggingFace)
    return base + "/" + repository + "/resolve/" + revision + "/" + escaped;
  return base + "/api/v1/models/" + repository + "/repo?Revision=" + revision +
         "&FilePath=" + escaped;
}

Result<std::vector<HubFile>> parse_hub_list(HubLayout layout, std::string_view json) {
  const Error no_list{ErrorCode::kBadFile,
                      "the hub's answer is no list of files: is the mirror's address right, and "
                      "--layout hf or modelscope as it wants?"};
  if (json_deeper_than(json, kMaxRequestDepth)) return no_list;
  const HubJson answer = HubJson::parse(json, nullptr, false);
  const HubJson* entries = entries_of(answer, layout);
  if (!entries) return no_list;
  if (entries->size() > kMaxFiles)
    return refused("it has " + std::to_string(entries->size()) + " files, more than " +
                   std::to_string(kMaxFiles));
  std::vector<HubFile> files;
  for (const HubJson& entry : *entries) {
    if (!entry.is_object()) return no_list;
    if (!is_file(entry, layout)) continue;
    SEQGPT_ASSIGN(HubFile file, layout == HubLayout::kHuggingFace ? hugging_face_file(entry)
                                                                  : modelscope_file(entry));
    files.push_back(std::move(file));
  }
  return files;
}

Result<std::vector<HubFile>> model_files(const std::vector<HubFile>& all) {
  const auto top = [](const HubFile& file) { return file.path.find('/') == std::string::npos; };
  const bool safe = std::any_of(all.begin(), all.end(), [&](const HubFile& file) {
    return top(file) && file.path.ends_with(".safetensors");
  });
  std::vector<HubFile> wanted;
  bool config = false, tokenizer = false, weights = false;
  uint64_t bytes = 0;
  for (const HubFile& file : all) {
    if (!top(file)) continue;
    const bool torch = file.path.ends_with(".bin") || file.path.ends_with(".bin.index.json");
    const bool weight = is_weight_file(file.path) && !(safe && torch);
    if (!weight && (!file.path.ends_with(".json") || (safe && torch))) continue;
    config = config || file.path == "config.json";
    tokenizer = tokenizer || file.path == "tokenizer.json";
    weights = weights || weight;
    bytes += file.size;
    wanted.push_back(file);
  }
  const std::string missing = !config      ? "config.json"
                              : !weights   ? "weights (*.safetensors or pytorch_model*.bin)"
                              : !tokenizer ? "tokenizer.json"
                                           : "";
  if (!missing.empty())
    return Error{ErrorCode::kUnsupported,
                 "this is not a model that seqgpt can run: it has no " + missing};
  if (bytes > kMaxModelBytes) return refused("its files have more than 64 GiB together");
  return wanted;
}

}  // namespace seqgpt
