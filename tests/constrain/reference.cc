// SPDX-License-Identifier: Apache-2.0
// The slow reference: quadratic over code points, strings and maps, no automaton.
#include "reference.h"

#include <gtest/gtest.h>
#include <utf8proc.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

namespace seqgpt::reference {
namespace {

struct Point {
  int32_t code = 0;
  size_t begin = 0;
  size_t end = 0;
  bool boundary = false;  // a character as a reader sees it begins here
};

// utf8proc's own marking of graphemes: a -1 before each.
std::vector<Point> points_of(std::string_view text) {
  std::vector<utf8proc_int32_t> marked(2 * text.size() + 2);
  const auto count =
      utf8proc_decompose(reinterpret_cast<const utf8proc_uint8_t*>(text.data()),
                         static_cast<utf8proc_ssize_t>(text.size()), marked.data(),
                         static_cast<utf8proc_ssize_t>(marked.size()), UTF8PROC_CHARBOUND);
  std::vector<Point> points;
  bool boundary = true;
  size_t at = 0;
  for (utf8proc_ssize_t i = 0; i < count; ++i) {
    if (marked[static_cast<size_t>(i)] < 0) {
      boundary = true;
      continue;
    }
    utf8proc_uint8_t bytes[4];
    const auto size =
        static_cast<size_t>(utf8proc_encode_char(marked[static_cast<size_t>(i)], bytes));
    points.push_back({marked[static_cast<size_t>(i)], at, at + size, boundary});
    at += size;
    boundary = false;
  }
  EXPECT_EQ(at, text.size());
  return points;
}

bool line_break(int32_t c) {
  return c == '\n' || c == '\r' || c == '\t';
}
bool removed(int32_t c) {
  return line_break(c) || c == 0;
}
bool digit(int32_t c) {
  return (c >= '0' && c <= '9') || (c >= 0xFF10 && c <= 0xFF19);
}
bool latin(int32_t c) {
  const bool narrow = utf8proc_tolower(c) >= 'a' && utf8proc_tolower(c) <= 'z' && c < 128;
  const bool wide = utf8proc_tolower(c) >= 0xFF41 && utf8proc_tolower(c) <= 0xFF5A;
  return narrow || wide ||
         (c >= 0xC0 && c <= 0x24F && utf8proc_category(c) != UTF8PROC_CATEGORY_SM);
}
bool cjk(int32_t c) {
  return (c >= 0x4E00 && c <= 0x9FFF) || c == 0x3001 || c == 0x3002 || c == 0xFF0C || c == 0xFF1A ||
         c == 0xFF08 || c == 0xFF09 || c == 0xFFE5 || (c >= 0x3040 && c <= 0x30FF) ||
         (c >= 0x20000 && c < 0x30000);
}
bool blank(int32_t c) {
  const auto category = utf8proc_category(c);
  return category == UTF8PROC_CATEGORY_ZS || category == UTF8PROC_CATEGORY_ZL ||
         category == UTF8PROC_CATEGORY_ZP || category == UTF8PROC_CATEGORY_CC || c == 0x200B ||
         c == 0xFEFF;
}
bool mark(int32_t c) {
  const auto category = utf8proc_category(c);
  return category == UTF8PROC_CATEGORY_MN || category == UTF8PROC_CATEGORY_MC ||
         category == UTF8PROC_CATEGORY_ME || c == 0x200D || (c >= 0x1F3FB && c <= 0x1F3FF);
}

using Slice = std::vector<int32_t>;

Slice say_without_breaks(const std::vector<Point>& points, size_t from, size_t to) {
  Slice said;
  bool broken = false;
  for (size_t i = from; i < to; ++i) {
    const int32_t c = points[i].code;
    if (removed(c)) {
      broken = broken || line_break(c);
      continue;
    }
    const bool word =
        !said.empty() && (latin(said.back()) || digit(said.back())) && (latin(c) || digit(c));
    if (broken && word) said.push_back(' ');
    broken = false;
    said.push_back(c);
  }
  return said;
}

Slice say_without_cjk_spaces(const Slice& slice) {
  Slice said;
  for (size_t i = 0; i < slice.size(); ++i) {
    const bool space = slice[i] == ' ' || slice[i] == 0x3000;
    if (space && i > 0 && i + 1 < slice.size() && cjk(slice[i - 1]) && cjk(slice[i + 1])) continue;
    said.push_back(slice[i]);
  }
  return said;
}

std::string to_bytes(const Slice& slice) {
  std::string bytes;
  for (const int32_t c : slice) {
    utf8proc_uint8_t buffer[4];
    bytes.append(reinterpret_cast<char*>(buffer),
                 static_cast<size_t>(utf8proc_encode_char(c, buffer)));
  }
  return bytes;
}

// Whether going from point i in direction `step` the next kept character, no break between, is of
// i's kind.
bool goes_on(const std::vector<Point>& points, size_t i, int step) {
  const int32_t own = points[i].code;
  for (auto at = static_cast<ptrdiff_t>(i) + step;
       at >= 0 && at < static_cast<ptrdiff_t>(points.size()); at += step) {
    const int32_t c = points[static_cast<size_t>(at)].code;
    if (line_break(c)) return false;
    if (!removed(c)) return (digit(c) && digit(own)) || (latin(c) && latin(own));
  }
  return false;
}

// GPT-2's printable stand-ins for the 256 bytes.
std::string stand_in(uint8_t byte) {
  int32_t next = 256;
  int32_t found = byte;
  for (int b = 0; b < 256; ++b) {
    const bool printable = (b >= 33 && b <= 126) || (b >= 161 && b <= 172) || b >= 174;
    const int32_t code = printable ? b : next++;
    if (b == byte) found = code;
  }
  return to_bytes({found});
}

std::string stand_in(std::string_view bytes) {
  std::string text;
  for (const char byte : bytes) text += stand_in(static_cast<uint8_t>(byte));
  return text;
}

nlohmann::json byte_tokenizer_json() {
  auto json = nlohmann::json::parse(R"({
    "version": "1.0", "truncation": null, "padding": null, "added_tokens": [], "normalizer": null,
    "pre_tokenizer": {"type": "Sequence", "pretokenizers": [
      {"type": "Split", "pattern": {"Regex": " ?[^(\\s|[.,!?…。，、।۔،])]+"}, "behavior": "Isolated", "invert": false},
      {"type": "ByteLevel", "add_prefix_space": false, "trim_offsets": true, "use_regex": false}]},
    "post_processor": {"type": "ByteLevel", "add_prefix_space": true, "trim_offsets": false, "use_regex": false},
    "decoder": {"type": "ByteLevel", "add_prefix_space": true, "trim_offsets": true, "use_regex": false},
    "model": {"type": "BPE", "dropout": null, "unk_token": null, "continuing_subword_prefix": null,
              "end_of_word_suffix": null, "fuse_unk": false, "vocab": {}, "merges": []}})");
  const char* added[] = {"<unk>", "<s>", "</s>", "<pad>"};
  for (int id = 0; id < 4; ++id) {
    json["added_tokens"].push_back({{"id", id},
                                    {"content", added[id]},
                                    {"single_word", false},
                                    {"lstrip", false},
                                    {"rstrip", false},
                                    {"normalized", false},
                                    {"special", true}});
    json["model"]["vocab"][added[id]] = id;
  }
  for (int byte = 0; byte < 256; ++byte) {
    json["model"]["vocab"][stand_in(static_cast<uint8_t>(byte))] = 4 + (byte * 7) % 256;
  }
  return json;
}

Tokenizer parsed(const nlohmann::json& json) {
  auto tokenizer = Tokenizer::parse(json.dump(), "test tokenizer");
  if (!tokenizer.ok()) throw std::runtime_error(tokenizer.error().message);
  return std::move(tokenizer).value();
}

std::string random_answer(std::mt19937& random) {
  std::string answer = "姓名:";
  do {
    answer += answer.back() == ':' ? " " : "\t";
    answer += random() % 4 == 0 ? "None" : random_text(random, 1 + static_cast<int>(random() % 3));
  } while (random() % 2 == 0);
  return answer + "\n";
}

}  // namespace

std::map<std::string, std::vector<Occurrence>> all_values(std::string_view text) {
  const std::vector<Point> points = points_of(text);
  std::map<std::string, std::vector<Occurrence>> values;
  for (size_t from = 0; from < points.size(); ++from) {
    if (!points[from].boundary || blank(points[from].code) || mark(points[from].code)) continue;
    for (size_t to = from + 1; to <= points.size(); ++to) {
      if (blank(points[to - 1].code) || (to < points.size() && !points[to].boundary)) continue;
      const Slice first = say_without_breaks(points, from, to);
      const Slice second = say_without_cjk_spaces(first);
      if (second.size() > kMaxValueCharacters) break;
      const Occurrence here{{points[from].begin, points[to - 1].end},
                            !goes_on(points, from, -1) && !goes_on(points, to - 1, 1)};
      if (first.size() <= kMaxValueCharacters) values[to_bytes(first)].push_back(here);
      if (second != first) values[to_bytes(second)].push_back(here);
    }
  }
  return values;
}

ByteSpan place_of(const std::vector<Occurrence>& occurrences) {
  const auto better = [](const Occurrence& a, const Occurrence& b) {
    if (a.alone != b.alone) return a.alone;
    return a.span.begin < b.span.begin;
  };
  return std::ranges::min_element(occurrences, better)->span;
}

Line::Line(const std::map<std::string, std::vector<Occurrence>>& values) {
  for (const auto& [value, places] : values) {
    if (value == "None") continue;
    values_[value] = true;
    for (size_t length = 0; length <= value.size(); ++length)
      ++beginnings_[value.substr(0, length)];
  }
}

bool Line::can_be_completed(std::string_view bytes) const {
  if (bytes.empty()) return true;
  if (bytes.front() != ' ') return false;
  bytes.remove_prefix(1);
  const size_t line_end = bytes.find('\n');
  const bool closed = line_end != std::string_view::npos;
  if (closed && line_end + 1 != bytes.size()) return false;
  if (closed) bytes.remove_suffix(1);
  std::vector<std::string_view> pieces;
  for (size_t at; (at = bytes.find('\t')) != std::string_view::npos; bytes.remove_prefix(at + 1)) {
    pieces.push_back(bytes.substr(0, at));
    if (!values_.contains(std::string(pieces.back()))) return false;
    if (std::ranges::count(pieces, pieces.back()) > 1) return false;
  }
  return pieces.size() < 64 && legal_last(bytes, pieces, closed);
}

bool Line::legal_last(std::string_view piece, const std::vector<std::string_view>& before,
                      bool closed) const {
  const std::string_view none = "None";
  const std::string key(piece);
  if (closed && piece == none) return before.empty();
  if (closed) return values_.contains(key) && std::ranges::count(before, piece) == 0;
  if (before.empty() && none.starts_with(piece)) return true;
  const auto found = beginnings_.find(key);
  const auto used =
      std::ranges::count_if(before, [&](std::string_view v) { return v.starts_with(piece); });
  return found != beginnings_.end() && found->second > used;
}

std::string random_text(std::mt19937& random, int pieces) {
  static const std::string kPieces[] = {"a",       "b",          "ab",     "1",
                                        "12",      "2",          "王",     "伟",
                                        "王伟",    "公",         "司",     "丰",
                                        "中",      "。",         "，",     "、",
                                        "：",      "(",          ")",      ".",
                                        ": ",      " ",          " ",      "  ",
                                        "\u3000",  "\u00A0",     "\n",     "\r\n",
                                        "\n\n",    "\t",         "\r",     std::string("\0", 1),
                                        "None",    "Non",        "N",      "None",
                                        "e\u0301", "é",          "\u0301", "👨\u200D👩\u200D👧",
                                        "👨",      "👍🏽",       "👍",     "🏽",
                                        "🇨🇳",      "🇨",          "🇳",      "❤\uFE0F",
                                        "❤",       "\uFE0F",     "\u200D", "Ａ",
                                        "１",      "\u200B",     "각",     "क्षि",
                                        "क",       "😀",         "[GEN]",  "</s>",
                                        "输入: ",  "\n抽取: ",   "输出:",  "カ",
                                        "\u3099",  "\U00020000", "\uFEFF"};
  std::string text;
  const size_t few = 1 + random() % std::size(kPieces);  // texts of few kinds repeat themselves
  const size_t from = random() % std::size(kPieces);
  for (int i = 0; i < pieces; ++i) text += kPieces[(from + random() % few) % std::size(kPieces)];
  return text;
}

Tokenizer byte_tokenizer() {
  return parsed(byte_tokenizer_json());
}

Tokenizer wild_tokenizer(unsigned seed, int merges) {
  std::mt19937 random(seed);
  auto json = byte_tokenizer_json();
  auto& vocab = json["model"]["vocab"];
  while (static_cast<int>(json["model"]["merges"].size()) < merges) {
    const std::string answer = random_answer(random);
    const size_t at = random() % answer.size();
    const std::string piece = answer.substr(at, 2 + random() % 5);
    for (size_t length = 2; length <= piece.size(); ++length) {
      const std::string whole = stand_in(piece.substr(0, length));
      if (vocab.contains(whole)) continue;
      vocab[whole] = vocab.size();
      json["model"]["merges"].push_back(stand_in(piece.substr(0, length - 1)) + " " +
                                        stand_in(piece.substr(length - 1, 1)));
    }
  }
  return parsed(json);
}

Tokenizer golden_tokenizer(std::string_view directory) {
  auto tokenizer = Tokenizer::load(std::string(SEQGPT_GOLDEN_DIR "/") + std::string(directory) +
                                   "/tokenizer.json");
  if (!tokenizer.ok()) throw std::runtime_error(tokenizer.error().message);
  return std::move(tokenizer).value();
}

}  // namespace seqgpt::reference
