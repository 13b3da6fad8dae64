// SPDX-License-Identifier: Apache-2.0
// Options, inputs and endings of the commands.
#include "cli/common.h"

#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <random>

#include "api/label_options.h"
#include "backend/cpu/cpu_backend.h"
#include "base/encoding.h"

namespace seqgpt::cli {
namespace {

constexpr const char* kBundledModel = "seqgpt-mini";
constexpr size_t kMaxTextFileBytes = size_t{64} << 20;
constexpr size_t kKvBytes =
    size_t{1} << 30;  // the 560M shape takes 96 KiB a token in bf16; untouched pages cost nothing

std::optional<DType> type_named(const std::string& name) {
  for (const DType type : {DType::kF32, DType::kBf16, DType::kI8, DType::kI4}) {
    if (name == dtype_name(type)) return type;
  }
  return std::nullopt;
}

Error no_such_type(const std::string& option, const std::string& types, const std::string& name) {
  return {ErrorCode::kInvalidArgument,
          "--" + option + " must be " + types + ", not \"" + name + "\"", option};
}

Status set_types(const ModelFlags& flags, ModelOptions& options) {
  options.weights = type_named(flags.weights);
  if (!options.weights && !flags.weights.empty())
    return no_such_type("weights", "f32, bf16, int8 or int4", flags.weights);
  options.kv = type_named(flags.kv);
  if (flags.kv == "auto") {
    options.long_kv = DType::kI8;
  } else if (!options.kv && !flags.kv.empty()) {
    return no_such_type("kv", "auto, f32, bf16, int8 or int4", flags.kv);
  }
  return {};
}

Result<std::string> read_all(std::istream& in, const std::string& name) {
  std::string bytes;
  std::vector<char> chunk(size_t{1} << 16);
  while (in.read(chunk.data(), static_cast<std::streamsize>(chunk.size())) || in.gcount() > 0) {
    bytes.append(chunk.data(), static_cast<size_t>(in.gcount()));
    if (bytes.size() > kMaxTextFileBytes)
      return Error{ErrorCode::kTooLarge, name + " is larger than 64 MiB"};
  }
  return bytes;
}

Result<std::string> read_source(const std::string& file) {
  if (file == "-") return read_all(std::cin, "standard input");
  if (std::filesystem::is_directory(file))
    return Error{ErrorCode::kIo, file + " is a directory, not a text file"};
  std::ifstream in(file, std::ios::binary);
  if (!in) return Error{ErrorCode::kNotFound, "cannot open " + file};
  return read_all(in, file);
}

}  // namespace

void ModelFlags::add_to(CLI::App& command) {
  command.add_option(
      "--model", model,
      "directory of a BLOOM checkpoint in Hugging Face layout (default: the bundled model)");
  command
      .add_option("--isa", isa,
                  "instruction set: auto, portable, avx2, avx512, avx512vnni or avx512bf16")
      ->capture_default_str();
  command.add_option("--threads", threads,
                     "compute threads (default: the cores this process may use)");
  command.add_option(
      "--weights", weights,
      "weights in memory: f32, bf16, int8 or int4 (default: as the arithmetic wants)");
  command.add_option("--compute", compute, "arithmetic: f32 or bf16");
  command.add_option("--kv", kv,
                     "keys and values in memory: f32, bf16, int8, int4, or auto: int8 for long "
                     "prompts alone (default: as the arithmetic)");
}

Result<std::unique_ptr<Backend>> open_backend(const ModelFlags& flags) {
  return make_cpu_backend(CpuOptions{flags.isa, flags.threads});
}

Result<ModelOptions> model_options(const ModelFlags& flags, const Backend& backend,
                                   Arithmetic arithmetic) {
  ModelOptions options;
  SEQGPT_TRY(set_types(flags, options));
  if (flags.compute == "bf16") {
    options.compute = ComputeType::kBf16;
  } else if (flags.compute.empty()) {
    const std::string name = backend.name();
    const bool fast =
        arithmetic == Arithmetic::kFastest && isa_has_bf16(name.substr(name.find('/') + 1));
    options.compute =
        fast && options.weights != DType::kF32 ? ComputeType::kBf16 : ComputeType::kF32;
  } else if (flags.compute != "f32") {
    return Error{ErrorCode::kInvalidArgument,
                 "--compute must be f32 or bf16, not \"" + flags.compute + "\"", "compute"};
  }
  return options;
}

Result<std::string> model_directory(const ModelFlags& flags) {
  if (!flags.model.empty()) return flags.model;
  std::error_code ignored;
  const std::filesystem::path binary =
      std::filesystem::read_symlink("/proc/self/exe", ignored).parent_path();
  const std::filesystem::path candidates[] = {binary / "models", binary / "../../models",
                                              binary / "../share/seqgpt/models",
                                              "/usr/share/seqgpt/models"};
  for (const std::filesystem::path& candidate : candidates) {
    const std::filesystem::path directory = candidate / kBundledModel;
    if (std::filesystem::exists(directory / "config.json", ignored))
      return directory.lexically_normal().string();
  }
  return Error{ErrorCode::kNotFound,
               "the bundled model is not beside the program; name one with --model DIR", "model"};
}

Result<OpenPipeline> open_pipeline(const ModelFlags& flags, int chunk_tokens) {
  OpenPipeline open;
  SEQGPT_ASSIGN(open.backend, open_backend(flags));
  PipelineOptions options;
  SEQGPT_ASSIGN(options.model, model_directory(flags));
  SEQGPT_ASSIGN(options.weights, model_options(flags, *open.backend, Arithmetic::kFastest));
  options.engine.kv_bytes = kKvBytes;
  if (chunk_tokens > 0) options.engine.chunk_tokens = chunk_tokens;
  SEQGPT_ASSIGN(open.pipeline, Pipeline::load(*open.backend, options));
  return open;
}

void TextFlags::add_to(CLI::App& command) {
  command.add_option("TEXT", text, "the text; - reads standard input");
  command.add_option("--file", file, "read the text from this file (- for standard input)");
  command
      .add_option("--encoding", encoding,
                  "of the file: auto, utf-8, utf-16, utf-16le, utf-16be or gb18030")
      ->capture_default_str();
}

Result<std::string> TextFlags::read() const {
  if (!text.empty() && !file.empty()) {
    return Error{ErrorCode::kInvalidArgument, "give the text once: as an argument or with --file",
                 "text"};
  }
  if (file.empty() && text != "-") return text;
  SEQGPT_ASSIGN(const std::string bytes, read_source(file.empty() ? text : file));
  SEQGPT_ASSIGN(DecodedText decoded, decode_text(bytes, encoding));
  if (decoded.encoding != "utf-8") std::cerr << "seqgpt: read as " << decoded.encoding << "\n";
  return std::move(decoded.text);
}

void LabelFlags::add_to(CLI::App& command) {
  command
      .add_option("-l,--labels", lists, "labels, split on , ， or 、; each is name[:type][=alias]")
      ->take_all()
      ->allow_extra_args(false);
  command.add_option("--label", single, "one label taken whole, commas included (repeatable)")
      ->take_all()
      ->allow_extra_args(false);
}

void LabelFlags::add_fields_to(CLI::App& command) {
  command.add_option("--fields", fields,
                     "JSON file of your own fields: {type: [name or {name, synonyms, kind, "
                     "description, pattern, one_of, mentions}]}");
}

Status LabelFlags::read_fields(LabelRules& rules) const {
  if (fields.empty()) return {};
  SEQGPT_ASSIGN(const std::string text, read_source(fields));
  SEQGPT_ASSIGN(rules.fields, fields_from_json(text, fields));
  return {};
}

std::vector<Label> LabelFlags::labels() const {
  std::vector<Label> all;
  for (const std::string& list : lists) {
    for (Label& label : parse_label_list(list)) all.push_back(std::move(label));
  }
  for (const std::string& label : single) all.push_back(parse_label(label));
  return all;
}

int fail(const Error& error) {
  std::cerr << "seqgpt: " << error.message << "\n";
  return error.code == ErrorCode::kInvalidArgument ? kUsage : kFailed;
}

Result<std::vector<int32_t>> parse_ids(const std::string& text, const std::string& option) {
  std::vector<int32_t> ids;
  for (const std::string& part : CLI::detail::split(text, ',')) {
    int64_t id = 0;
    if (!CLI::detail::lexical_cast(CLI::detail::trim_copy(part), id) || id < 0 || id > INT32_MAX) {
      return Error{ErrorCode::kInvalidArgument,
                   option + " must be token ids such as 1,2,3; \"" + part + "\" is none", option};
    }
    ids.push_back(static_cast<int32_t>(id));
  }
  return ids;
}

std::string make_trace_id() {
  std::random_device source;
  std::string id;
  char part[9];
  for (int i = 0; i < 4; ++i) {
    std::snprintf(part, sizeof part, "%08x", source());
    id += part;
  }
  return id;
}

}  // namespace seqgpt::cli
