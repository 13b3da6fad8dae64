// SPDX-License-Identifier: Apache-2.0
// Sources: archives whole, joined, cut and damaged; encodings from a head; lines of bounded size.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "records/archives.h"
#include "records/decompress.h"
#include "records/input_file.h"
#include "records/lines.h"
#include "records/output_file.h"
#include "records/utf8_source.h"

namespace seqgpt {
namespace {

struct Drained {
  std::string text;
  std::optional<Error> error;
};

Drained drain(ByteSource& source, size_t room = 100) {
  Drained drained;
  std::string buffer(room, '\0');
  for (;;) {
    const Result<size_t> count = source.read(buffer);
    if (!count.ok()) drained.error = count.error();
    if (!count.ok() || *count == 0) return drained;
    drained.text.append(buffer, 0, *count);
  }
}

Drained unpack(const std::string& archive, size_t piece = 1 << 16) {
  const Compression compression = compression_of(archive);
  auto source = decompress(std::make_unique<PiecewiseSource>(archive, piece), compression, "a.x");
  return drain(*source);
}

std::string long_text() {
  std::string text;
  for (int i = 0; i < 20000; ++i) text += "第" + std::to_string(i * 7919) + "行：王伟任CTO\n";
  return text;
}

struct Format {
  const char* name;
  std::string (*pack)(const std::string&);
};
const Format kFormats[] = {{"gzip", gzip}, {"zstd", zstd}, {"xz", xz}};

TEST(Decompress, GivesTheContentOfWholeAndJoinedArchives) {
  const std::string text = long_text();
  for (const Format& format : kFormats) {
    for (const size_t piece : {size_t{1}, size_t{1000}, size_t{1} << 20}) {
      const Drained one = unpack(format.pack(text), piece);
      EXPECT_FALSE(one.error) << format.name;
      EXPECT_EQ(one.text, text) << format.name;
    }
    const Drained joined = unpack(format.pack("a\n") + format.pack("") + format.pack(text), 3);
    EXPECT_FALSE(joined.error) << format.name << joined.error->message;
    EXPECT_EQ(joined.text, "a\n" + text) << format.name;
    EXPECT_EQ(unpack(format.pack("")).text, "");
  }
}

TEST(Decompress, CutAndDamagedArchivesGiveWhatIsGoodThenAnError) {
  const std::string text = long_text();
  for (const Format& format : kFormats) {
    const std::string archive = format.pack(text);
    for (const size_t kept : {archive.size() - 1, archive.size() / 2, size_t{7}}) {
      const Drained cut = unpack(archive.substr(0, kept));
      ASSERT_TRUE(cut.error) << format.name << " cut to " << kept;
      EXPECT_EQ(cut.error->code, ErrorCode::kBadFile);
      EXPECT_NE(cut.error->message.find("a.x is cut short"), std::string::npos)
          << cut.error->message;
      EXPECT_TRUE(text.starts_with(cut.text)) << format.name;
    }
    std::string damaged = archive;
    for (size_t i = archive.size() / 2; i < archive.size() / 2 + 40; ++i) damaged[i] = '\x5A';
    EXPECT_TRUE(unpack(damaged).error) << format.name;
    EXPECT_TRUE(unpack(archive + "garbage behind the end").error) << format.name;
  }
}

std::string read_as(const std::string& bytes, const std::string& encoding, std::string* name) {
  Result<Utf8Stream> stream = open_utf8(std::make_unique<TextSource>(bytes), encoding);
  EXPECT_TRUE(stream.ok()) << stream.error().message;
  if (name) *name = stream->encoding;
  return drain(*stream->bytes, 5).text;
}

TEST(Utf8Source, DetectsByTheHeadAndStreams) {
  const std::string gb = "\xCD\xF5\xCE\xB0\xC8\xCE\x43\x54\x4F\n";               // 王伟任CTO
  const std::string little("\xFF\xFE\x8B\x73\x1F\x4F\x3D\xD8\x00\xDE\n\0", 12);  // 王伟😀
  std::string name;
  EXPECT_EQ(read_as(gb, "auto", &name), "王伟任CTO\n");
  EXPECT_EQ(name, "gb18030");
  EXPECT_EQ(read_as(little, "auto", &name), "王伟😀\n");
  EXPECT_EQ(name, "utf-16le");
  EXPECT_EQ(read_as("\xEF\xBB\xBF王", "auto", &name), "王");
  EXPECT_EQ(name, "utf-8");
  EXPECT_EQ(read_as(std::string("\xFE\xFF\x73\x8B", 4), "utf-16", &name), "王");
  std::string many;
  for (int i = 0; i < 30000; ++i) many += gb;
  std::string expected;
  for (int i = 0; i < 30000; ++i) expected += "王伟任CTO\n";
  EXPECT_EQ(read_as(many, "auto", &name), expected);
  EXPECT_EQ(name, "gb18030");
}

TEST(Utf8Source, ADamagedByteSpoilsItsLineOnly) {
  std::string name;
  std::string text;
  for (int i = 0; i < 100; ++i) text += "王伟任CTO\n";
  EXPECT_EQ(read_as(text + "\xFF\n" + text, "auto", &name), text + "\xFF\n" + text);
  EXPECT_EQ(name, "utf-8");
  EXPECT_EQ(read_as("\xCD\xF5\x80\n\xCD\xF5\n", "gb18030", &name), "王\xFF\n王\n");
  EXPECT_EQ(read_as(std::string("\x8B\x73\x00\xDC\x0A\x00\x8B", 7), "utf-16le", &name),
            "王\xFF\n\xFF");
  EXPECT_FALSE(open_utf8(std::make_unique<TextSource>("x"), "ebcdic").ok());
}

TEST(LineReader, CutsLinesAndSkipsWhatIsTooLong) {
  PiecewiseSource source("a\r\n\n" + std::string(100, 'x') + "\nb\nlast", 3);
  LineReader reader(source, 50);
  std::vector<Line> lines;
  while (true) {
    Result<std::optional<Line>> line = reader.next();
    ASSERT_TRUE(line.ok());
    if (!line->has_value()) break;
    lines.push_back(**line);
  }
  ASSERT_EQ(lines.size(), 5U);
  EXPECT_EQ(lines[0].text, "a");
  EXPECT_EQ(lines[1].text, "");
  EXPECT_TRUE(lines[2].too_long);
  EXPECT_TRUE(lines[2].text.empty());
  EXPECT_EQ(lines[3].text, "b");
  EXPECT_EQ(lines[4].text, "last");
  EXPECT_FALSE(lines[4].terminated);
  EXPECT_TRUE(lines[3].terminated);
}

class Files : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = testing::TempDir() + "seqgpt-records-XXXXXX";
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    directory_ = pattern;
  }
  void TearDown() override { std::filesystem::remove_all(directory_); }
  std::string path(const std::string& name) const { return directory_ + "/" + name; }
  std::string write(const std::string& name, const std::string& content) const {
    std::ofstream(path(name), std::ios::binary) << content;
    return path(name);
  }
  static std::string read(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }

 private:
  std::string directory_;
};

TEST_F(Files, InputIsKnownByItsBytesNotItsName) {
  const std::string gb = "\xCD\xF5\xCE\xB0\n";
  for (const Format& format : kFormats) {
    Result<InputFile> input = InputFile::open(write("misnamed.txt", format.pack(gb)), "auto");
    ASSERT_TRUE(input.ok());
    EXPECT_EQ(input->encoding(), "gb18030");
    EXPECT_EQ(drain(input->text()).text, "王伟\n") << format.name;
    EXPECT_EQ(input->bytes_read(), *input->size());
  }
  const std::string first = InputFile::open(write("a", "abc"), "auto")->identity();
  EXPECT_NE(first, InputFile::open(write("b", "abd"), "auto")->identity());
  EXPECT_EQ(first, InputFile::open(write("c", "abc"), "auto")->identity());
  EXPECT_FALSE(InputFile::open(path("none"), "auto").ok());
  EXPECT_FALSE(InputFile::open(testing::TempDir(), "auto").ok());
  EXPECT_EQ(record_extension("x/in.CSV.gz"), ".csv");
  EXPECT_EQ(record_extension("x.d/in"), "");
  EXPECT_EQ(record_extension("in.jsonl"), ".jsonl");
}

TEST_F(Files, OutputIsCutAppendedAndLocked) {
  const std::string file = write("out", "one\ntwo\nto");
  {
    auto out = OutputFile::open(file);
    ASSERT_TRUE(out.ok());
    EXPECT_FALSE(OutputFile::open(file).ok()) << "a second writer must be refused";
    ASSERT_TRUE((*out)->cut(8).ok());
    ASSERT_TRUE((*out)->write("three\n").ok());
    EXPECT_EQ((*out)->size(), 14U);
    ASSERT_TRUE((*out)->sync().ok());
  }
  EXPECT_EQ(read(file), "one\ntwo\nthree\n");
  ASSERT_TRUE(replace_file(file, "new").ok());
  EXPECT_EQ(read(file), "new");
  EXPECT_FALSE(replace_file(path("none/file"), "x").ok());
  EXPECT_FALSE(OutputFile::open(path("none/file")).ok());
}

TEST_F(Files, AFullDiskIsAnError) {
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP();
  auto out = OutputFile::open("/dev/full");
  ASSERT_TRUE(out.ok());
  ASSERT_TRUE((*out)->write("x").ok());
  EXPECT_FALSE((*out)->flush().ok());
}

}  // namespace
}  // namespace seqgpt
