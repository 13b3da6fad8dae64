// SPDX-License-Identifier: Apache-2.0
// parse_safetensors on files built here: what is right loads, what is wrong says why.
#include "weights/safetensors.h"

#include <gtest/gtest.h>

#include "weights/file_builders.h"
#include "weights/hostile.h"

namespace seqgpt {
namespace {

using namespace testing;

Result<TensorTable> parse(std::span<const std::byte> file) {
  return parse_safetensors(file, "model.safetensors");
}

std::string error_of(const std::string& header, const std::string& data) {
  const std::string file = safetensors(header, data);
  const auto table = parse(as_bytes(file));
  return table.ok() ? "" : table.error().message;
}

TEST(Safetensors, LoadsFloatsAndListsIntegersAsForeign) {
  const std::string file = good_safetensors();
  const auto table = parse(as_bytes(file));
  ASSERT_TRUE(table.ok()) << table.error().message;
  ASSERT_EQ(table->tensors.size(), 1U);
  const NamedTensor& a = table->tensors[0];
  EXPECT_EQ(a.name, "a");
  EXPECT_EQ(a.view.shape, (Shape{2, 1}));
  EXPECT_EQ(load_element(a.view.dtype, a.view.bytes.data(), 1), -2.0F);
  ASSERT_EQ(table->foreign.size(), 1U);
  EXPECT_EQ(table->foreign[0].name, "steps");
  EXPECT_EQ(table->foreign[0].why, explain_dtype("I64"));
}

TEST(Safetensors, OrderIsThatOfTheData) {
  const std::string file =
      safetensors(R"({"a":{"dtype":"F16","shape":[1],"data_offsets":[6,8]},)"
                  R"("b":{"dtype":"BF16","shape":[3],"data_offsets":[0,6]},)"
                  R"("none":{"dtype":"F32","shape":[0,5],"data_offsets":[6,6]}}   )",
                  std::string(8, '\0'));
  const auto table = parse(as_bytes(file));
  ASSERT_TRUE(table.ok()) << table.error().message;
  ASSERT_EQ(table->tensors.size(), 3U);
  EXPECT_EQ(table->tensors[0].name, "b");
  EXPECT_EQ(table->tensors[1].name, "none");
  EXPECT_EQ(table->tensors[2].name, "a");
}

TEST(Safetensors, AnEmptyHeaderIsAnEmptyTable) {
  const std::string file = safetensors("{}", "");
  const auto table = parse(as_bytes(file));
  ASSERT_TRUE(table.ok());
  EXPECT_TRUE(table->tensors.empty());
  EXPECT_NE(error_of("{}", "x").find("trailing"), std::string::npos);
}

struct Wrong {
  const char* info;  // of tensor "t"; the data has 8 bytes
  const char* word;  // that the message must have
};

class SafetensorsWrong : public ::testing::TestWithParam<Wrong> {};

TEST_P(SafetensorsWrong, SaysWhy) {
  const std::string message =
      error_of(std::string(R"({"t":)") + GetParam().info + "}", std::string(8, '\0'));
  EXPECT_NE(message.find(GetParam().word), std::string::npos) << message;
  EXPECT_NE(message.find("'t'"), std::string::npos) << message;
  EXPECT_TRUE(message.starts_with("model.safetensors")) << message;
}

INSTANTIATE_TEST_SUITE_P(
    Each, SafetensorsWrong,
    ::testing::Values(
        Wrong{R"([1])", "object"}, Wrong{R"({"shape":[2],"data_offsets":[0,8]})", "no dtype"},
        Wrong{R"({"dtype":5,"shape":[2],"data_offsets":[0,8]})", "no dtype"},
        Wrong{R"({"dtype":"F31","shape":[2],"data_offsets":[0,8]})", "unknown dtype 'F31'"},
        Wrong{R"({"dtype":"F32","data_offsets":[0,8]})", "no shape"},
        Wrong{R"({"dtype":"F32","shape":[1,1,1,1,1,1,1,1,2],"data_offsets":[0,8]})", "8 dim"},
        Wrong{R"({"dtype":"F32","shape":[-2],"data_offsets":[0,8]})", "negative"},
        Wrong{R"({"dtype":"F32","shape":[2.0],"data_offsets":[0,8]})", "integer"},
        Wrong{R"({"dtype":"F32","shape":[9223372036854775808],"data_offsets":[0,8]})", "63 bits"},
        Wrong{R"({"dtype":"F32","shape":[4611686018427387906],"data_offsets":[0,8]})", "overflow"},
        Wrong{R"({"dtype":"F32","shape":[4294967296,4294967296,2],"data_offsets":[0,8]})",
              "overflow"},
        Wrong{R"({"dtype":"F32","shape":[2]})", "data_offsets"},
        Wrong{R"({"dtype":"F32","shape":[2],"data_offsets":[0,8,8]})", "data_offsets"},
        Wrong{R"({"dtype":"F32","shape":[2],"data_offsets":[-8,0]})", "offset"},
        Wrong{R"({"dtype":"F32","shape":[2],"data_offsets":[0,8.0]})", "offset"},
        Wrong{R"({"dtype":"F32","shape":[2],"data_offsets":[8,0]})", "begin"},
        Wrong{R"({"dtype":"F32","shape":[2],"data_offsets":[0,18446744073709551615]})", "beyond"},
        Wrong{R"({"dtype":"F32","shape":[1],"data_offsets":[4,8]})", "hole"},
        Wrong{R"({"dtype":"F32","shape":[3],"data_offsets":[0,8]})", "mismatch"}));

TEST(Safetensors, RefusesBadHeaders) {
  const std::string good = R"({"dtype":"F32","shape":[],"data_offsets":[0,4]})";
  const std::string data(4, '\0');
  EXPECT_NE(error_of(R"({"a":)" + good + R"(,"a":)" + good + "}", data).find("duplicate key 'a'"),
            std::string::npos);
  EXPECT_NE(error_of(R"({"__metadata__":{"n":1},"a":)" + good + "}", data).find("__metadata__"),
            std::string::npos);
  EXPECT_NE(error_of("[" + good + "]", data).find("object"), std::string::npos);
  EXPECT_NE(error_of(R"({"a":)" + good + "} x", data).find("JSON"), std::string::npos);
  EXPECT_NE(error_of(R"({"a":)" + good + "}" + std::string(3, '\0'), data).find("NUL"),
            std::string::npos);
  EXPECT_NE(error_of("{\"\xC3\x28\":" + good + "}", data).find("UTF-8"), std::string::npos);
  EXPECT_NE(error_of("{\"a\":" + std::string(100000, '['), data).find("deeper"), std::string::npos);
}

TEST(Safetensors, ManyValuesAreRefusedBeforeTheyCostMuch) {
  std::string header = R"({"a":[0)";
  for (int i = 0; i < 1'000'001; ++i) header += ",0";
  EXPECT_NE(error_of(header + "]}", "").find("limit of 1000000"), std::string::npos);
}

TEST(Safetensors, NamesInMessagesAreMadeFit) {
  const std::string message = error_of("{\"\\u0007" + std::string(5000, 'x') + "\":1}", "");
  EXPECT_LT(message.size(), 300U);
  EXPECT_EQ(message.find('\a'), std::string::npos);
}

TEST(Safetensors, NoTruncationLoads) {
  expect_no_truncation_loads(parse, good_safetensors());
}

TEST(Safetensors, SurvivesChanges) {
  expect_survives_changes(parse, good_safetensors(), 5000);
}

}  // namespace
}  // namespace seqgpt
