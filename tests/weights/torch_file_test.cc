// SPDX-License-Identifier: Apache-2.0
// parse_torch_file on files built here: zip, zip64, pickle and storages, right and wrong.
#include "weights/torch_file.h"

#include <gtest/gtest.h>

#include "weights/file_builders.h"
#include "weights/hostile.h"

namespace seqgpt {
namespace {

using namespace testing;

Result<TensorTable> parse(std::span<const std::byte> file) {
  return parse_torch_file(file, "pytorch_model.bin");
}

std::string error_of(const std::string& file) {
  const auto table = parse(as_bytes(file));
  return table.ok() ? "" : table.error().message;
}

/// The error for one float tensor "t" over a storage "0" of six floats.
std::string error_of(const pkl::Tensor& tensor) {
  return error_of(torch_file(pkl::state_dict({tensor}), {floats({1, 2, 3, 4, 5, 6})}));
}

std::vector<float> values(const NamedTensor& tensor) {
  std::vector<float> out;
  for (int64_t i = 0; i < tensor.view.elements(); ++i) {
    out.push_back(
        load_element(tensor.view.dtype, tensor.view.bytes.data(), static_cast<size_t>(i)));
  }
  return out;
}

class TorchFileGood : public ::testing::TestWithParam<bool> {};

TEST_P(TorchFileGood, Loads) {
  const std::string file = good_torch_file(GetParam());
  const auto table = parse(as_bytes(file));
  ASSERT_TRUE(table.ok()) << table.error().message;
  ASSERT_EQ(table->tensors.size(), 3U);
  EXPECT_EQ(table->tensors[0].name, "a");
  EXPECT_EQ(table->tensors[0].view.shape, (Shape{2, 3}));
  EXPECT_EQ(values(table->tensors[0]), (std::vector<float>{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(table->tensors[1].name, "b");
  EXPECT_EQ(values(table->tensors[1]), (std::vector<float>{3, 4, 5, 6}));
  EXPECT_EQ(table->tensors[2].view.dtype, DType::kF16);
  EXPECT_EQ(values(table->tensors[2]), (std::vector<float>{2, 1}));
  ASSERT_EQ(table->foreign.size(), 1U);
  EXPECT_EQ(table->foreign[0].why, explain_dtype("I64"));
}

TEST_P(TorchFileGood, NoTruncationLoads) {
  expect_no_truncation_loads(parse, good_torch_file(GetParam()));
}

TEST_P(TorchFileGood, SurvivesChanges) {
  expect_survives_changes(parse, good_torch_file(GetParam()), 3000);
}

INSTANTIATE_TEST_SUITE_P(Zip, TorchFileGood, ::testing::Values(false, true),
                         [](const auto& info) { return info.param ? "zip64" : "zip32"; });

TEST(TorchFile, TellsWhatHasBeenRead) {
  const std::string file = good_torch_file();
  size_t read = 0;
  ASSERT_TRUE(parse_torch_file(as_bytes(file), "f", [&](auto part) { read += part.size(); }).ok());
  EXPECT_GT(read, 24U + 4U + 8U);  // each storage once, and the pickle
  EXPECT_LT(read, file.size());
}

TEST(TorchFile, LoadsParametersAndMetadata) {
  const pkl::Tensor tensor{"t", "BFloat16Storage", "0", 2, 0, {2}, {1}};
  const std::string pickle = "\x80\x02" + pkl::ordered_dict() + "q\x01(" + pkl::text("t") +
                             pkl::parameter(tensor) + pkl::text("epoch") + pkl::integer(3) + "u}" +
                             pkl::text("_metadata") + "h\x01sb.";
  const std::string file = torch_file(pickle, {number<uint32_t>(0x40003F80)});
  const auto table = parse(as_bytes(file));
  ASSERT_TRUE(table.ok()) << table.error().message;
  ASSERT_EQ(table->tensors.size(), 1U);
  EXPECT_EQ(values(table->tensors[0]), (std::vector<float>{1, 2}));
  ASSERT_EQ(table->foreign.size(), 1U);
  EXPECT_EQ(table->foreign[0].why, "is there, but it is not a tensor");
}

TEST(TorchFile, LoadsProtocol4) {
  const auto short_text = [](const std::string& s) {
    return "\x8c" + std::string(1, static_cast<char>(s.size())) + s + "\x94";
  };
  std::string value = pkl::value({"t", "FloatStorage", "0", 1, 0, {1}, {1}});
  const std::string global = pkl::global("torch._utils", "_rebuild_tensor_v2");
  value = short_text("torch._utils") + short_text("_rebuild_tensor_v2") + "\x93\x94" +
          value.substr(global.size());
  const std::string pickle =
      "\x80\x04\x95" + number<uint64_t>(99) + "}\x94" + short_text("t") + value + "s.";
  const std::string file = torch_file(pickle, {floats({4})});
  const auto table = parse(as_bytes(file));
  ASSERT_TRUE(table.ok()) << table.error().message;
  EXPECT_EQ(values(table->tensors.at(0)), std::vector<float>{4});
}

struct WrongTensor {
  pkl::Tensor tensor;
  const char* word;
};

class TorchFileWrong : public ::testing::TestWithParam<WrongTensor> {};

TEST_P(TorchFileWrong, SaysWhy) {
  const std::string message = error_of(GetParam().tensor);
  EXPECT_NE(message.find(GetParam().word), std::string::npos) << message;
  EXPECT_NE(message.find("'t'"), std::string::npos) << message;
}

constexpr int64_t kHuge = INT64_MAX;

INSTANTIATE_TEST_SUITE_P(
    Each, TorchFileWrong,
    ::testing::Values(WrongTensor{{"t", "FloatStorage", "0", 7, 0, {6}, {1}}, "short"},
                      WrongTensor{{"t", "DoubleStorage", "0", 6, 0, {6}, {1}}, "short"},
                      WrongTensor{{"t", "FloatStorage", "0", kHuge, 0, {6}, {1}}, "short"},
                      WrongTensor{{"t", "FloatStorage", "0", 6, 0, {7}, {1}}, "beyond"},
                      WrongTensor{{"t", "FloatStorage", "0", 6, 1, {6}, {1}}, "beyond"},
                      WrongTensor{{"t", "FloatStorage", "0", 6, 7, {0}, {1}}, "beyond"},
                      WrongTensor{{"t", "FloatStorage", "0", 6, kHuge, {1}, {1}}, "beyond"},
                      WrongTensor{{"t", "FloatStorage", "0", 6, 0, {kHuge, 2}, {2, 1}}, "beyond"},
                      WrongTensor{{"t", "FloatStorage", "0", 6, 0, {2, 3}, {1, 2}}, "contiguous"},
                      WrongTensor{{"t", "FloatStorage", "0", 6, 0, {6}, {0}}, "contiguous"},
                      WrongTensor{{"t", "FloatStorage", "0", 6, 0, {-1}, {1}}, "shape"},
                      WrongTensor{{"t", "FloatStorage", "0", 6, 0, {2, 3}, {1}}, "shape"},
                      WrongTensor{{"t",
                                   "FloatStorage",
                                   "0",
                                   6,
                                   0,
                                   {1, 1, 1, 1, 1, 1, 1, 1, 1},
                                   {1, 1, 1, 1, 1, 1, 1, 1, 1}},
                                  "shape"},
                      WrongTensor{{"t", "FloatStorage", "0", 6, -1, {6}, {1}}, "offset"},
                      WrongTensor{{"t", "FloatStorage", "0", -6, 0, {6}, {1}}, "size"},
                      WrongTensor{{"t", "FloatStorage", "9", 6, 0, {6}, {1}}, "missing"},
                      WrongTensor{{"t", "FloatStorage", "../data.pkl", 6, 0, {6}, {1}}, "missing"},
                      WrongTensor{{"t", "FloatStorage", std::string(300, '0'), 6, 0, {6}, {1}},
                                  "unknown"}));

TEST(TorchFile, StridesOfSingleRowsDoNotCount) {
  EXPECT_EQ(error_of(pkl::Tensor{"t", "FloatStorage", "0", 6, 0, {1, 6, 1}, {99, 1, 7}}), "");
  EXPECT_EQ(error_of(pkl::Tensor{"t", "FloatStorage", "0", 6, 6, {0, 6}, {5, 5}}), "");
}

std::string error_of_pickle(const std::string& pickle) {
  return error_of(torch_file(pickle, {floats({1, 2, 3, 4, 5, 6})}));
}

TEST(TorchFile, RefusesEveryOtherGlobalByName) {
  for (const auto& [module, name] :
       std::vector<std::pair<std::string, std::string>>{{"os", "system"},
                                                        {"torch", "load"},
                                                        {"torch", "OrderedDict"},
                                                        {"torch.hub", "load"},
                                                        {"collections", "defaultdict"},
                                                        {"torch", "FloatStorage2"},
                                                        {"", ""}}) {
    const std::string message = error_of_pickle(
        pkl::dict(pkl::text("t") + pkl::global(module, name) + pkl::tuple({1}) + "R"));
    EXPECT_NE(message.find("refused"), std::string::npos) << message;
    EXPECT_NE(message.find("'" + module + "." + name + "'"), std::string::npos) << message;
  }
}

TEST(TorchFile, RefusesEveryOtherOpcode) {
  const std::string known =
      "\x80\x95.01(NJKMGUTX)t]lae}suqrhjcQRb\x88\x89\x8a\x8c\x8d\x85\x86\x87\x94\x93";
  for (int opcode = 0; opcode < 256; ++opcode) {
    if (known.find(static_cast<char>(opcode)) != std::string::npos) continue;
    const std::string message =
        error_of_pickle(std::string("\x80\x02}") + static_cast<char>(opcode) + "os\nsystem\n.");
    EXPECT_NE(message.find("refused"), std::string::npos) << opcode << ": " << message;
  }
}

TEST(TorchFile, RefusesMisuseOfAllowedGlobals) {
  const std::string od = pkl::global("collections", "OrderedDict");
  const std::string storage = pkl::global("torch", "FloatStorage");
  for (const std::string& body :
       {od + pkl::tuple({1}) + "R.", storage + ")R.", storage + pkl::tuple({1000000000}) + "R.",
        od + "]R.", std::string("})R."), std::string("]}b."),
        pkl::global("torch._utils", "_rebuild_tensor_v2") + ")R."}) {
    const std::string message = error_of_pickle("\x80\x02" + body);
    EXPECT_NE(message.find("refused"), std::string::npos) << message;
  }
}

struct WrongPickle {
  std::string body;
  const char* word;
};

TEST(TorchFile, RefusesBrokenPickles) {
  for (const WrongPickle& wrong :
       std::vector<WrongPickle>{{"", "trunc"},
                                {"}", "trunc"},
                                {".", "stack"},
                                {"0.", "stack"},
                                {"}s.", "stack"},
                                {"}(0.", "empty stack"},
                                {"}(0t.", "empty stack"},  // below the mark
                                {"u.", "mark"},
                                {"1.", "mark"},
                                {"}}.", "left"},
                                {"}.}", "after its end"},
                                {"(}.", "stack"},
                                {"].", "expected"},
                                {"N.", "expected"},
                                {"}(Nu.", "key without a value"},
                                {"]K\x01K\x02s.", "neither list nor dict"},
                                {"}K\x01K\x02s.", "no string"},
                                {"h\x05.", "memo"},
                                {std::string("r\xFF\xFF\xFF\x7F", 5), "memo"},
                                {"X\xFF\xFF\xFF\xFFx", "length"},
                                {"\x8d\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFFx", "length"},
                                {"\x8a\x09"
                                 "123456789.",
                                 "64 bits"},
                                {"NQ.", "persistent id"},
                                {"NNR.", "refused"},
                                {"NN\x93.", "no string"},
                                {"\x80\x09.", "protocol"},
                                {"}" + pkl::text("\xC3\x28") + "Ns.", "UTF-8"},
                                {"}" + pkl::text(std::string(1025, 'x')) + "Ns.", "1024"}}) {
    const std::string message = error_of_pickle("\x80\x02" + wrong.body);
    EXPECT_NE(message.find(wrong.word), std::string::npos) << wrong.body << ": " << message;
  }
}

TEST(TorchFile, DepthAndCountAreBounded) {
  EXPECT_NE(error_of_pickle("\x80\x02" + std::string(200'000, ']')).find("deeper"),
            std::string::npos);
  EXPECT_NE(error_of_pickle("\x80\x02" + std::string(200'000, '(')).find("deeper"),
            std::string::npos);
  std::string many = "\x80\x02";
  for (int i = 0; i < 1'000'001; ++i) many += "N0";
  EXPECT_NE(error_of_pickle(many).find("limit of 1000000"), std::string::npos);
  std::string entries =
      "\x80\x02}Nq\x01"
      "0";
  for (int i = 0; i < 100'001; ++i) entries += "h\x01h\x01s";
  EXPECT_NE(error_of_pickle(entries + ".").find("limit of 100000"), std::string::npos);
}

TEST(TorchFile, ADictInsideItselfDoesNoHarm) {
  const std::string message = error_of_pickle("\x80\x02}q\x01" + pkl::text("model") + "h\x01s.");
  EXPECT_NE(message.find("no tensor, only such as 'model'"), std::string::npos) << message;
}

TEST(TorchFile, NamesTheLegacyFormatAndTheWayOut) {
  const std::string message =
      error_of(std::string("\x80\x02\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19.") + "rest");
  EXPECT_NE(message.find("legacy"), std::string::npos);
  EXPECT_NE(message.find("torch.save"), std::string::npos);
}

TEST(TorchFile, RefusesBadArchives) {
  const std::string pickle = pkl::dict("");
  const auto expect = [](const std::string& file, const char* word) {
    const std::string message = error_of(file);
    EXPECT_NE(message.find(word), std::string::npos) << message;
  };
  expect("not a zip file at all, but longer than an end record", "zip");
  expect(zip({}), "data.pkl");
  expect(zip({{"a/b/data.pkl", pickle}}), "data.pkl");
  expect(zip({{"a/data.pkl", pickle}, {"b/data.pkl", pickle}}), "more than one");
  expect(zip({{"a/data.pkl", pickle}, {"a/data.pkl", pickle}}), "two entries");
  expect(zip({{"a/data.pkl", pickle, 8}}), "deflate");
  expect(zip({{"a/data.pkl", pickle, 12}}), "method 12");
  expect(zip({{"a/data.pkl", pickle, 0, 1}}), "encrypted");
  expect(zip({{"a/data.pkl", pickle}, {"a/byteorder", "big"}}), "byte order");
  EXPECT_EQ(error_of(zip({{"a/data.pkl", pickle}, {"a/byteorder", "little"}})), "");
  EXPECT_EQ(error_of(zip({{"a/data.pkl", pickle}}, true, "a comment")), "");
  // An end record inside the comment of the true one is not taken for it.
  const std::string false_end = "PK\x05\x06" + std::string(16, '\0') + "\xFF\xFF";
  EXPECT_EQ(error_of(zip({{"a/data.pkl", pickle}}, false, false_end)), "");
}

TEST(TorchFile, RefusesOverlappingEntries) {
  // Both records of the directory point at the first local header.
  std::string file = zip({{"a/data.pkl", pkl::dict("")}, {"a/data/pkl", pkl::dict("")}});
  const size_t second = file.rfind("PK\x01\x02");
  file.replace(second + 42, 4, number<uint32_t>(0));
  EXPECT_NE(error_of(file).find("overlaps"), std::string::npos) << error_of(file);
}

TEST(TorchFile, SeesEveryFlippedBitOfAStorage) {
  const std::string good = good_torch_file();
  const size_t at = good.find(floats({1, 2, 3, 4, 5, 6}));
  for (size_t bit = 0; bit < 24 * 8; ++bit) {
    std::string file = good;
    file[at + bit / 8] = static_cast<char>(file[at + bit / 8] ^ (1 << bit % 8));
    EXPECT_NE(error_of(file).find("CRC"), std::string::npos);
  }
}

}  // namespace
}  // namespace seqgpt
