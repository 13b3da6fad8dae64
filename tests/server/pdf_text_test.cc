// SPDX-License-Identifier: Apache-2.0
// PdfReader with the installed pdftotext (skipped without it) and with programs that misbehave.
#include "server/pdf_text.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace seqgpt {
namespace {

/// A PDF of one page with this content stream; its cross-reference table is right.
std::string pdf_of(const std::string& content) {
  const std::string objects[] = {
      "<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Kids[3 0 R]/Count 1>>",
      "<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 200]/Contents 4 0 R"
      "/Resources<</Font<</F1 5 0 R>>>>>>",
      "<</Length " + std::to_string(content.size()) + ">>stream\n" + content + "\nendstream",
      "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>"};
  std::string pdf = "%PDF-1.4\n";
  std::string table = "xref\n0 6\n0000000000 65535 f \n";
  for (int i = 0; i < 5; ++i) {
    char row[24];
    std::snprintf(row, sizeof row, "%010zu 00000 n \n", pdf.size());
    table += row;
    pdf += std::to_string(i + 1) + " 0 obj" + objects[i] + "endobj\n";
  }
  const size_t at = pdf.size();
  return pdf + table + "trailer<</Size 6/Root 1 0 R>>\nstartxref\n" + std::to_string(at) +
         "\n%%EOF\n";
}

const std::string kWords = "BT /F1 18 Tf 20 100 Td (Contract 007 of Yuntu) Tj ET";

class PdfTextTest : public testing::Test {
 protected:
  void SetUp() override {
    if (access("/usr/bin/pdftotext", X_OK) != 0)
      FAIL() << "no pdftotext here: scripts/setup.sh test installs it";
  }
};

TEST_F(PdfTextTest, WordsOfAPage) {
  const auto read = PdfReader().read(pdf_of(kWords));
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_NE(read->text.find("Contract 007 of Yuntu"), std::string::npos) << read->text;
  EXPECT_EQ(read->pages, 1);
}

TEST_F(PdfTextTest, AScanHasPagesAndNoWords) {
  const auto read = PdfReader().read(pdf_of("0 0 100 100 re f"));
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_EQ(read->text.find_first_not_of(" \n"), std::string::npos);
  EXPECT_EQ(read->pages, 1);
}

TEST_F(PdfTextTest, DamagedOnesAreErrors) {
  const auto junk = PdfReader().read("%PDF-1.4\n" + std::string(1000, 'x'));
  ASSERT_FALSE(junk.ok());
  EXPECT_EQ(junk.error().code, ErrorCode::kBadFile);
  const auto text = PdfReader().read("hello");
  ASSERT_FALSE(text.ok());
  EXPECT_EQ(text.error().code, ErrorCode::kBadFile);
}

/// A shell script in place of pdftotext.
std::filesystem::path program(const std::string& name, const std::string& script) {
  const auto path = std::filesystem::path(testing::TempDir()) / (name + std::to_string(getpid()));
  std::ofstream(path) << "#!/bin/sh\n" << script;
  std::filesystem::permissions(path, std::filesystem::perms::owner_all);
  return path;
}

TEST(PdfReader, WithoutTheProgramItSaysSo) {
  const auto none = PdfReader(std::filesystem::path(), {}).read("%PDF-1.4");
  ASSERT_FALSE(none.ok());
  EXPECT_EQ(none.error().code, ErrorCode::kUnsupported);
  const auto gone = PdfReader("/nowhere/pdftotext", {}).read("%PDF-1.4");
  ASSERT_FALSE(gone.ok());
  EXPECT_EQ(gone.error().code, ErrorCode::kUnsupported);
}

TEST(PdfReader, EndlessOutputAndEndlessTimeEnd) {
  PdfLimits limits;
  limits.text_bytes = 1 << 20;
  limits.time = std::chrono::seconds(2);
  const auto flood = PdfReader(program("flood", "exec yes"), limits).read("%PDF-1.4");
  ASSERT_FALSE(flood.ok());
  EXPECT_EQ(flood.error().code, ErrorCode::kTooLarge);
  const auto silent = PdfReader(program("silent", "exec sleep 60 >&-"), limits).read("%PDF-1.4");
  EXPECT_FALSE(silent.ok());
  const auto sleeper = PdfReader(program("sleeper", "exec sleep 60"), limits).read("%PDF-1.4");
  ASSERT_FALSE(sleeper.ok());
  EXPECT_EQ(sleeper.error().code, ErrorCode::kTooLarge);
}

TEST(PdfReader, TheChildHasNothing) {
  setenv("SEQGPT_SECRET", "hidden", 1);
  const auto read = PdfReader(program("report", "env; pwd"), {}).read("%PDF-1.4");
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_EQ(read->text.find("hidden"), std::string::npos);
  EXPECT_NE(read->text.find("\n/\n"), std::string::npos) << read->text;
  const auto writing = PdfReader(program("writing", "trap '' XFSZ; echo x > " + testing::TempDir() +
                                                        "/pdf_wrote; exit 9"),
                                 {})
                           .read("%PDF-1.4");
  EXPECT_FALSE(writing.ok());
  std::error_code none;
  const auto size = std::filesystem::file_size(testing::TempDir() + "/pdf_wrote", none);
  EXPECT_TRUE(none || size == 0);
}

}  // namespace
}  // namespace seqgpt
