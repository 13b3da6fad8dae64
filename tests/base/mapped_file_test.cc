// SPDX-License-Identifier: Apache-2.0
// What is mapped is what is on disk; what is not a file is refused.
#include "base/mapped_file.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <utility>

namespace seqgpt {
namespace {

class MappedFileTest : public ::testing::Test {
 protected:
  MappedFileTest() { std::filesystem::create_directories(directory_); }
  ~MappedFileTest() override { std::filesystem::remove_all(directory_); }

  std::filesystem::path write(const std::string& content) const {
    const auto path = directory_ / "file";
    std::ofstream(path, std::ios::binary) << content;
    return path;
  }

  const std::filesystem::path directory_ =
      std::filesystem::path(::testing::TempDir()) / ("mapped_file_" + std::to_string(getpid()));
};

std::string text(const MappedFile& file) {
  return {reinterpret_cast<const char*>(file.bytes().data()), file.bytes().size()};
}

TEST_F(MappedFileTest, ShowsTheBytes) {
  std::string content(10000, '\0');
  for (size_t i = 0; i < content.size(); ++i) content[i] = static_cast<char>(i * 7);
  auto file = MappedFile::open(write(content));
  ASSERT_TRUE(file.ok()) << file.error().message;
  EXPECT_EQ(text(*file), content);
  file->drop_pages(file->bytes());  // read again from the file when touched
  file->drop_pages(file->bytes().subspan(1, 5000));
  file->drop_pages({});
  EXPECT_EQ(text(*file), content);
}

TEST_F(MappedFileTest, MovesItsMapping) {
  auto opened = MappedFile::open(write("content"));
  ASSERT_TRUE(opened.ok());
  MappedFile moved = std::move(opened).value();
  MappedFile other;
  other = std::move(moved);
  EXPECT_EQ(text(other), "content");
  EXPECT_TRUE(MappedFile().bytes().empty());
}

TEST_F(MappedFileTest, EmptyFileIsAnEmptySpan) {
  const auto file = MappedFile::open(write(""));
  ASSERT_TRUE(file.ok());
  EXPECT_TRUE(file->bytes().empty());
}

TEST_F(MappedFileTest, RefusesWhatIsNoFile) {
  const auto missing = MappedFile::open(directory_ / "missing");
  ASSERT_FALSE(missing.ok());
  EXPECT_EQ(missing.error().code, ErrorCode::kNotFound);
  EXPECT_NE(missing.error().message.find("missing"), std::string::npos);
  const auto directory = MappedFile::open(directory_);
  ASSERT_FALSE(directory.ok());
  EXPECT_EQ(directory.error().code, ErrorCode::kIo);
}

}  // namespace
}  // namespace seqgpt
