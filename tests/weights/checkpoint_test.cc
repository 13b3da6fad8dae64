// SPDX-License-Identifier: Apache-2.0
// Checkpoint on the golden models: every layout opens, and the same weights are the same bytes.
#include "weights/checkpoint.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <fstream>

#include "model/config.h"
#include "weights/file_builders.h"
#include "weights/shard_index.h"

namespace seqgpt {
namespace {

namespace fs = std::filesystem;

fs::path model(const char* name) {
  return fs::path(SEQGPT_GOLDEN_DIR) / "models" / name;
}

Checkpoint open(const char* name) {
  auto checkpoint = Checkpoint::open(model(name));
  EXPECT_TRUE(checkpoint.ok()) << checkpoint.error().message;
  return std::move(checkpoint).value();
}

struct Expected {
  const char* directory;
  DType dtype;
  size_t tensors;
  const char* format;
};

class Golden : public ::testing::TestWithParam<Expected> {};

TEST_P(Golden, OpensWithNamesTypesAndShapes) {
  const Checkpoint checkpoint = open(GetParam().directory);
  const auto config = load_config(model(GetParam().directory) / "config.json");
  ASSERT_TRUE(config.ok()) << config.error().message;
  EXPECT_EQ(checkpoint.tensors().size(), GetParam().tensors);
  for (const NamedTensor& tensor : checkpoint.tensors()) {
    EXPECT_EQ(tensor.view.dtype, GetParam().dtype) << tensor.name;
    EXPECT_FALSE(tensor.name.starts_with("transformer."));
  }
  const int64_t hidden = config->hidden;
  const auto expect_shape = [&](const std::string& name, const Shape& shape) {
    const TensorView* view = checkpoint.find(name);
    ASSERT_NE(view, nullptr) << name;
    EXPECT_EQ(view->shape, shape) << name;
  };
  expect_shape("word_embeddings.weight", {config->vocabulary, hidden});
  for (int layer = 0; layer < config->layers; ++layer) {
    const std::string h = "h." + std::to_string(layer) + ".";
    expect_shape(h + "self_attention.query_key_value.weight", {3 * hidden, hidden});
    expect_shape(h + "mlp.dense_h_to_4h.weight", {config->ffn(), hidden});
    expect_shape(h + "mlp.dense_4h_to_h.weight", {hidden, config->ffn()});
    expect_shape(h + "mlp.dense_4h_to_h.bias", {hidden});
  }
  expect_shape("ln_f.bias", {hidden});
}

TEST_P(Golden, ListsItsFiles) {
  const Checkpoint checkpoint = open(GetParam().directory);
  ASSERT_FALSE(checkpoint.files().empty());
  for (const WeightFile& file : checkpoint.files()) {
    EXPECT_EQ(file.format, GetParam().format);
    EXPECT_EQ(file.bytes, fs::file_size(model(GetParam().directory) / file.name));
  }
}

INSTANTIATE_TEST_SUITE_P(
    Models, Golden,
    ::testing::Values(Expected{"bloom-tiny", DType::kF32, 29, "safetensors"},
                      Expected{"bloom-tiny-fp16", DType::kF16, 29, "safetensors"},
                      Expected{"bloom-tiny-bf16", DType::kBf16, 29, "safetensors"},
                      Expected{"bloom-tiny-sharded", DType::kF32, 29, "safetensors"},
                      Expected{"bloom-tiny-bin", DType::kF32, 30, "torch zip"},
                      Expected{"bloom-tiny-bin-noprefix", DType::kF32, 29, "torch zip"},
                      Expected{"bloom-tiny-bin-fp16", DType::kF16, 30, "torch zip"},
                      Expected{"bloom-odd", DType::kF32, 41, "safetensors"},
                      Expected{"bloom-tokcls", DType::kF32, 31, "safetensors"},
                      Expected{"bloom-seqcls", DType::kF32, 30, "safetensors"}),
    [](const auto& info) {
      std::string name = info.param.directory;
      std::ranges::replace(name, '-', '_');
      return name;
    });

void expect_same_values(const Checkpoint& one, const Checkpoint& other) {
  for (const NamedTensor& tensor : one.tensors()) {
    const TensorView* view = other.find(tensor.name);
    ASSERT_NE(view, nullptr) << tensor.name;
    EXPECT_EQ(view->shape, tensor.view.shape) << tensor.name;
    EXPECT_TRUE(std::ranges::equal(view->bytes, tensor.view.bytes)) << tensor.name;
  }
}

TEST(Checkpoint, EveryLayoutOfTheSameWeightsHasTheSameBytes) {
  const Checkpoint tiny = open("bloom-tiny");
  for (const char* same : {"bloom-tiny-sharded", "bloom-tiny-bin", "bloom-tiny-bin-noprefix"}) {
    SCOPED_TRACE(same);
    expect_same_values(tiny, open(same));
  }
  expect_same_values(open("bloom-tiny-fp16"), open("bloom-tiny-bin-fp16"));
}

TEST(Checkpoint, ATiedHeadIsAViewOfTheEmbedding) {
  const Checkpoint checkpoint = open("bloom-tiny-bin");
  const TensorView* head = checkpoint.find("lm_head.weight");
  const TensorView* embedding = checkpoint.find("word_embeddings.weight");
  ASSERT_TRUE(head && embedding);
  EXPECT_EQ(head->bytes.data(), embedding->bytes.data());
}

TEST(Checkpoint, ShardsComeInOrder) {
  const Checkpoint checkpoint = open("bloom-tiny-sharded");
  ASSERT_EQ(checkpoint.files().size(), 2U);
  EXPECT_EQ(checkpoint.files()[0].name, "model-00001-of-00002.safetensors");
  EXPECT_EQ(checkpoint.files()[1].name, "model-00002-of-00002.safetensors");
}

TEST(Checkpoint, DroppedPagesComeBack) {
  const Checkpoint checkpoint = open("bloom-tiny");
  const TensorView* view = checkpoint.find("word_embeddings.weight");
  ASSERT_NE(view, nullptr);
  const std::vector<std::byte> before(view->bytes.begin(), view->bytes.end());
  checkpoint.drop_pages(*view);
  EXPECT_TRUE(std::ranges::equal(before, view->bytes));
  const std::string elsewhere(8, 'x');
  checkpoint.drop_pages({DType::kF32, {2}, testing::as_bytes(elsewhere)});
  EXPECT_EQ(elsewhere, std::string(8, 'x'));
}

TEST(Checkpoint, TheLegacyFormatIsNamed) {
  const auto checkpoint = Checkpoint::open(model("bloom-tiny-bin-legacy"));
  ASSERT_FALSE(checkpoint.ok());
  EXPECT_EQ(checkpoint.error().code, ErrorCode::kUnsupported);
  EXPECT_NE(checkpoint.error().message.find("legacy"), std::string::npos);
}

/// A directory of files made for one test, removed at its end.
class Directory {
 public:
  Directory() {
    const auto* info = ::testing::UnitTest::GetInstance()->current_test_info();
    path_ = fs::temp_directory_path() /
            ("seqgpt-" + std::string(info->name()) + "-" + std::to_string(getpid()));
    fs::create_directory(path_);
  }
  ~Directory() { fs::remove_all(path_); }
  Directory(const Directory&) = delete;
  Directory& operator=(const Directory&) = delete;

  void write(const std::string& name, const std::string& content) const {
    std::ofstream(path_ / name, std::ios::binary) << content;
  }
  const fs::path& path() const { return path_; }
  std::string error() const {
    const auto checkpoint = Checkpoint::open(path_);
    return checkpoint.ok() ? "" : checkpoint.error().message;
  }

 private:
  fs::path path_;
};

std::string one_float(const std::string& name, float value) {
  return testing::safetensors(
      R"({")" + name + R"(":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}})",
      testing::floats({value}));
}

TEST(Checkpoint, NoWeightsSaysWhatItLookedFor) {
  const Directory directory;
  EXPECT_NE(directory.error().find("pytorch_model.bin"), std::string::npos);
  EXPECT_EQ(Checkpoint::open(directory.path()).error().code, ErrorCode::kNotFound);
  EXPECT_EQ(Checkpoint::open(directory.path() / "absent").error().code, ErrorCode::kNotFound);
}

TEST(Checkpoint, PrefersSafetensors) {
  const Directory directory;
  directory.write("pytorch_model.bin", "rubbish");
  EXPECT_NE(directory.error(), "");
  directory.write("model.safetensors", one_float("a", 1));
  EXPECT_EQ(directory.error(), "");
}

TEST(Checkpoint, OneTensorUnderBothNamesIsRefused) {
  const Directory directory;
  directory.write(
      "model.safetensors",
      testing::safetensors(R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},)"
                           R"("transformer.a":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}})",
                           testing::floats({1, 2})));
  EXPECT_NE(directory.error().find("'a' twice"), std::string::npos) << directory.error();
}

TEST(Checkpoint, TheIndexDecidesBetweenShards) {
  const Directory directory;
  directory.write("one.safetensors", one_float("a", 1));
  directory.write("two.safetensors",
                  testing::safetensors(R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},)"
                                       R"("b":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}})",
                                       testing::floats({2, 3})));
  const auto value_of_a = [&](const char* map) {
    directory.write("model.safetensors.index.json", std::string(R"({"weight_map":)") + map + "}");
    const auto checkpoint = Checkpoint::open(directory.path());
    return checkpoint.ok() ? load_element(DType::kF32, checkpoint->find("a")->bytes.data(), 0)
                           : NAN;
  };
  EXPECT_EQ(value_of_a(R"({"a":"one.safetensors","b":"two.safetensors"})"), 1.0F);
  EXPECT_EQ(value_of_a(R"({"a":"two.safetensors","b":"two.safetensors"})"), 2.0F);
  EXPECT_TRUE(std::isnan(value_of_a(R"({"a":"one.safetensors","b":"one.safetensors"})")));
  EXPECT_NE(directory.error().find("'b'"), std::string::npos);
  EXPECT_NE(directory.error().find("'one.safetensors'"), std::string::npos);
}

TEST(Checkpoint, LoadsTorchShards) {
  const Directory directory;
  using testing::pkl::Tensor;
  directory.write(
      "x-1.bin",
      testing::torch_file(testing::pkl::state_dict({{"a", "FloatStorage", "0", 1, 0, {1}, {1}}}),
                          {testing::floats({1})}));
  directory.write(
      "x-2.bin",
      testing::torch_file(testing::pkl::state_dict({{"b", "FloatStorage", "0", 1, 0, {1}, {1}}}),
                          {testing::floats({2})}));
  directory.write("pytorch_model.bin.index.json",
                  R"({"metadata":{"total_size":8},"weight_map":{"a":"x-1.bin","b":"x-2.bin"}})");
  const auto checkpoint = Checkpoint::open(directory.path());
  ASSERT_TRUE(checkpoint.ok()) << checkpoint.error().message;
  EXPECT_EQ(load_element(DType::kF32, checkpoint->find("b")->bytes.data(), 0), 2.0F);
}

TEST(ShardIndex, RefusesWhatIsNoPlainFileName) {
  for (const char* file : {"../x", "a/b", "/etc/passwd", "..", ".", "", "a\\\\b", "a\\u0000b"}) {
    const auto index =
        parse_shard_index(std::string(R"({"weight_map":{"t":")") + file + R"("}})", "index.json");
    ASSERT_FALSE(index.ok()) << file;
    EXPECT_NE(index.error().message.find("path"), std::string::npos) << index.error().message;
  }
  for (const char* map : {"{}", "[]", "null", R"({"t":1})", R"({"t":"a","transformer.t":"b"})"}) {
    EXPECT_FALSE(parse_shard_index(std::string(R"({"weight_map":)") + map + "}", "i").ok()) << map;
  }
}

}  // namespace
}  // namespace seqgpt
