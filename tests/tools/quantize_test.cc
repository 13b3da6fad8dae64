// SPDX-License-Identifier: Apache-2.0
// A packed checkpoint answers bit for bit as one quantised at load, and says what it cannot do.
#include "tools/quantize_tool.h"

#include <gtest/gtest.h>

#include <cstring>
#include <fstream>

#include "support/models.h"
#include "support/step_runner.h"
#include "tools/inspect_tool.h"
#include "weights/packed_name.h"

namespace seqgpt::testing_support {
namespace {

/// Its tables are f32 and become bf16.
const std::filesystem::path kModel = kGolden / "models" / "bloom-odd";

const Ids kPrompt = {5, 17, 3, 99, 42, 8};

std::string bytes_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// A packed copy of the model, in a directory of its own.
class Packed {
 public:
  explicit Packed(DType type, const std::string& isa = "auto") {
    const auto backend = cpu(isa);
    const auto made = quantize_model(kModel, *backend, type, path());
    if (!made.ok()) throw std::runtime_error(made.error().message);
  }
  std::filesystem::path path() const { return directory_.path() / "packed"; }
  std::filesystem::path weights() const { return path() / "model.safetensors"; }

 private:
  TempDirectory directory_;
};

TEST(Quantize, AnswersAsWhenQuantisedAtLoad) {
  for (const DType type : {DType::kBf16, DType::kI8, DType::kI4}) {
    for (const ComputeType compute : {ComputeType::kF32, ComputeType::kBf16}) {
      const Packed packed(type);
      const LoadedModel at_load = load_model(kModel, cpu(), compute, type);
      const LoadedModel mapped = load_model(packed.path(), cpu(), compute);
      EXPECT_EQ(*mapped.model->options().weights, type);
      EXPECT_EQ(mapped.model->layer_bytes(), at_load.model->layer_bytes());
      EXPECT_EQ(outputs_of(*mapped.model, kPrompt), outputs_of(*at_load.model, kPrompt))
          << dtype_name(type);
    }
  }
}

TEST(Quantize, TwiceGivesTheSameBytes) {
  EXPECT_EQ(bytes_of(Packed(DType::kI4).weights()), bytes_of(Packed(DType::kI4).weights()));
}

TEST(Quantize, InspectFindsTheModelWhole) {
  const Packed packed(DType::kI8);
  const auto before = inspect_model(kModel);
  const auto after = inspect_model(packed.path());
  ASSERT_TRUE(before.ok() && after.ok());
  EXPECT_EQ(before->whole, after->whole) << after->text;
  EXPECT_NE(after->json.find("\"int8\""), std::string::npos) << after->json;
}

TEST(Quantize, RefusesWhatItCannotDo) {
  const Packed packed(DType::kI8);
  const auto backend = cpu();
  const auto error = [&](const std::filesystem::path& from, DType type,
                         const std::filesystem::path& out) {
    const auto made = quantize_model(from, *backend, type, out);
    return made.ok() ? "" : made.error().message;
  };
  const auto fresh = packed.path().parent_path() / "other";
  EXPECT_NE(error(kModel, DType::kI8, packed.path()).find("exists already"), std::string::npos);
  EXPECT_NE(error(packed.path(), DType::kI4, fresh).find("packed already"), std::string::npos);
  EXPECT_NE(error(kModel, DType::kF32, fresh).find("bf16, int8 or int4"), std::string::npos);
  EXPECT_FALSE(std::filesystem::exists(fresh));
  EXPECT_FALSE(std::filesystem::exists(fresh.string() + ".part"));
}

std::string load_error(const std::filesystem::path& path, const std::string& isa,
                       std::optional<DType> weights) {
  const auto backend = cpu(isa);
  const auto model = Model::load(path, *backend, {.weights = weights});
  return model.ok() ? "" : model.error().message;
}

TEST(PackedCheckpoint, SaysWhatDoesNotGoWithIt) {
  const Packed packed(DType::kI8, "portable");
  EXPECT_EQ(load_error(packed.path(), "portable", DType::kI8), "");
  EXPECT_NE(load_error(packed.path(), "portable", DType::kBf16).find("packed as int8"),
            std::string::npos);
  const auto other = cpu();
  if (other->packed_columns() != cpu("portable")->packed_columns()) {
    EXPECT_NE(load_error(packed.path(), "auto", {}).find("another instruction set"),
              std::string::npos);
  }
}

TEST(PackedCheckpoint, OfAWrongSizeOrDamagedIsRefused) {
  const Packed packed(DType::kI8);
  const std::string good = bytes_of(packed.weights());
  const auto replace = [&](const std::string& from, const std::string& to) {
    std::string bytes = good;
    const size_t at = bytes.find(from);
    ASSERT_NE(at, std::string::npos) << from;
    bytes.replace(at, from.size(), to);
    std::ofstream(packed.weights(), std::ios::binary) << bytes;
  };
  replace("h.0.mlp.dense_h_to_4h.weight.int8p", "h.0.mlp.dense_h_to_4h.weighs.int8p");
  EXPECT_NE(load_error(packed.path(), "auto", {}).find("dense_h_to_4h.weight"), std::string::npos);
  replace("h.0.self_attention.dense.weight.int8p", "h.0.self_attention.dense.weight.int4q");
  EXPECT_NE(load_error(packed.path(), "auto", {}), "");

  std::string bytes = good;  // the first scale of the first matrix becomes a NaN
  uint64_t header = 0;
  std::memcpy(&header, bytes.data(), sizeof header);
  bytes[8 + header] = '\xFF';
  bytes[9 + header] = '\x7F';
  std::ofstream(packed.weights(), std::ios::binary) << bytes;
  const LoadedModel damaged = load_model(packed.path(), cpu());
  const auto ran = run_steps(*damaged.model, {kPrompt}, 512);
  ASSERT_FALSE(ran.ok());
  EXPECT_EQ(ran.error().code, ErrorCode::kNonFinite);
}

TEST(PackedName, IsReadAsItIsWritten) {
  const auto name = parse_packed_name("h.0.mlp.dense_4h_to_h.weight.int4q32");
  ASSERT_TRUE(name.has_value());
  EXPECT_EQ(name->weight, "h.0.mlp.dense_4h_to_h.weight");
  EXPECT_EQ(name->type, DType::kI4);
  EXPECT_EQ(name->columns, 32);
  EXPECT_EQ(packed_name(*name), "h.0.mlp.dense_4h_to_h.weight.int4q32");
  for (const std::string_view other :
       {"", ".", "weight.int8p64", "a.weight", "a.weight.", "a.weight.int8", "a.weight.int8p",
        "a.weight.int8p0", "a.weight.int8p-1", "a.weight.int8p64 ", "a.weight.int8p9999999999",
        "a.weight.f32p64", "a.bias.int8p64", "a.weight.int8x64", "a.weight.int4p64",
        "a.weight.int8q64"})
    EXPECT_FALSE(parse_packed_name(other).has_value()) << other;
}

}  // namespace
}  // namespace seqgpt::testing_support
