// SPDX-License-Identifier: Apache-2.0
// The tables and passes of folding.
#include "normalize/fold.h"

#include <algorithm>
#include <array>

#include "base/utf8.h"
#include "normalize/numerals.h"

namespace seqgpt {
namespace {

// Traditional and simplified side by side: only characters that the grammars' words are made of.
constexpr std::u32string_view kScriptPairs =
    U"個个點点萬万億亿兩两倆俩貳贰貮贰參叁叄叁陸陆負负後后禮礼週周鐘钟鍾钟時时號号對对雙双錢钱幣币"
    U"紀纪間间內内從从過过現现這这還还歲岁"
    U"歐欧鎊镑韓韩盧卢馬马來来亞亚臺台圓圆圜圆塊块餘余幾几數数約约於于將将滿满達达總总計计額额開开"
    U"當当屆届領领學学農农曆历歷历閏闰節节國国"
    U"慶庆勞劳動动兒儿誕诞婦妇與与並并為为轉转電电話话機机傳传郵邮編编碼码東东單单價价條条項项戶户"
    U"輛辆張张隻只噸吨頁页冊册棟栋蘇苏雲云遼辽"
    U"贛赣魯鲁閩闽粵粤瓊琼滬沪陝陕隴陇寧宁晝昼無无陰阴陽阳廠厂純纯華华業业龍龙湯汤漢汉薩萨蘭兰羅罗"
    U"瑪玛緬缅縣县區区號号際际"
    U"穀谷驚惊蟄蛰處处產产權权護护師师聖圣復复發发";

struct Pair {
  char32_t from;
  char32_t to;
};

constexpr auto make_script_table() {
  std::array<Pair, kScriptPairs.size() / 2> table{};
  for (size_t i = 0; i < table.size(); ++i)
    table[i] = {kScriptPairs[2 * i], kScriptPairs[2 * i + 1]};
  std::sort(table.begin(), table.end(), [](Pair a, Pair b) { return a.from < b.from; });
  return table;
}
constexpr auto kScriptTable = make_script_table();

char32_t simplified(char32_t c) {
  const auto found = std::lower_bound(kScriptTable.begin(), kScriptTable.end(), c,
                                      [](Pair pair, char32_t key) { return pair.from < key; });
  return found != kScriptTable.end() && found->from == c ? found->to : c;
}

bool is_space(char32_t c) {
  return c == U' ' || c == U'\t' || c == U'\u00A0' || c == U'\u1680' || c == U'\u202F' ||
         c == U'\u205F' || c == U'\u3000' || (c >= U'\u2000' && c <= U'\u200A');
}

bool is_invisible(char32_t c) {
  return c < U' ' || (c >= U'\u007F' && c < U'\u00A0') || c == U'\u00AD' || c == U'\uFEFF' ||
         (c >= U'\u200B' && c <= U'\u200F') || (c >= U'\u2028' && c <= U'\u202E') ||
         (c >= U'\u2060' && c <= U'\u206F') || (c >= U'\uFE00' && c <= U'\uFE0F');
}

char32_t narrow(char32_t c) {
  if (c >= U'！' && c <= U'～') return c - U'！' + U'!';
  if (c == U'￥') return U'¥';
  if (c == U'￡') return U'£';
  if (c == U'￦') return U'₩';
  return c;
}

char32_t one_spelling(char32_t c) {
  if (c < 0x80) return c;
  switch (c) {
    case U'‐':
    case U'‑':
    case U'‒':
    case U'–':
    case U'—':
    case U'―':
    case U'−':
    case U'─':
    case U'﹣':
    case U'－':
      return U'-';
    case U'〜':
    case U'∼':
    case U'˜':
    case U'⁓':
      return U'~';
    case U'〇':
    case U'○':
    case U'◯':
      return U'零';
    case U'•':
    case U'・':
    case U'●':
    case U'．':
      return U'·';
    case U'〔':
    case U'【':
    case U'﹝':
      return U'(';
    case U'〕':
    case U'】':
    case U'﹞':
      return U')';
    default:
      return simplified(c);
  }
}

/// Whether ` d d d` begins at `at`: single digits with single spaces between them, as OCR spreads
/// them; `end` is behind the last.
bool spread_digits(Folded text, size_t at, size_t& end) {
  if (at > 0 && (is_ascii_digit(text[at - 1]) || text[at - 1] == U' ')) return false;
  const auto alone = [text](size_t i) {
    return i < text.size() && is_ascii_digit(text[i]) &&
           (i + 1 == text.size() || !is_ascii_digit(text[i + 1]));
  };
  if (!alone(at)) return false;
  end = at + 1;
  while (end < text.size() && text[end] == U' ') {
    const size_t next = text.find_first_not_of(U' ', end);
    if (next == Folded::npos || !is_ascii_digit(text[next])) break;
    if (!alone(next)) return false;
    end = next + 1;
  }
  // 2022/3/1 9:30 is no spread number
  const auto joins = [text](size_t i) {
    return i < text.size() && Folded(U"/-:.").find(text[i]) != Folded::npos;
  };
  return !joins(end) && (at == 0 || !joins(at - 1));
}

/// 二0二二, 二O二二: a zero or an O among Chinese digits is 零.
void mend_zeros(std::u32string& text) {
  for (size_t i = 1; i < text.size(); ++i) {
    const bool round = text[i] == U'0' || text[i] == U'O' || text[i] == U'o';
    const char32_t next = i + 1 < text.size() ? text[i + 1] : U'\0';
    if (round && chinese_digit(text[i - 1]) >= 0 && !(next >= U'1' && next <= U'9'))
      text[i] = U'零';
  }
}

/// Spaces stay only between two digits, and there only when the digits are no spread single ones.
std::u32string tight(Folded text) {
  std::u32string out;
  out.reserve(text.size());
  size_t spread_end = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    if (i >= spread_end && is_ascii_digit(text[i])) {
      size_t end = 0;
      if (spread_digits(text, i, end)) spread_end = end;
    }
    if (text[i] != U' ') {
      out.push_back(text[i]);
      continue;
    }
    const size_t next = text.find_first_not_of(U' ', i);
    if (next == Folded::npos) break;
    const bool between = !out.empty() && is_ascii_digit(out.back()) && is_ascii_digit(text[next]);
    if (between && i >= spread_end) out.push_back(U' ');
    i = next - 1;
  }
  return out;
}

/// The place behind a label such as 邮编: or Tel:, else 0. A label holds no digit and does not end
/// with a numeral or a unit of time.
size_t after_label(Folded text) {
  constexpr size_t kLongestLabel = 12;
  const size_t colon = text.find(U':');
  if (colon == Folded::npos || colon == 0 || colon > kLongestLabel || colon + 1 == text.size())
    return 0;
  for (const char32_t c : text.substr(0, colon)) {
    const bool word = is_ascii_letter(c) || (c >= U'一' && c <= U'龥') || c == U'(' || c == U')';
    if (!word) return 0;
  }
  const char32_t last = text[colon - 1];
  const bool figure = chinese_digit(last) >= 0 || unit_exponent(last) > 0 ||
                      Folded(U"点时分年月日").find(last) != Folded::npos;
  return figure ? 0 : colon + 1;
}

/// （500元）: brackets around all of the value. Figures alone keep theirs: in accounts (500.00) is
/// negative.
bool in_brackets(Folded text) {
  if (text.size() < 3 || text.front() != U'(' || text.find(U')') != text.size() - 1) return false;
  return std::any_of(text.begin(), text.end(), [](char32_t c) { return c >= U'一' && c <= U'龥'; });
}

bool frames(char32_t c) {
  return Folded(U"。;:,、!?\"'“”‘’《》「」[]{}").find(c) != Folded::npos || c == U' ';
}

}  // namespace

char32_t upper(char32_t c) {
  return c >= U'a' && c <= U'z' ? c - U'a' + U'A' : c;
}

std::u32string fold_width(std::string_view text) {
  std::u32string out;
  out.reserve(text.size());
  for (size_t at = 0; at < text.size();) {
    const Decoded decoded = utf8_decode(text, at);
    at += decoded.bytes;
    const char32_t c = narrow(decoded.code_point);
    if (is_space(c)) {
      out.push_back(U' ');
    } else if (!is_invisible(c)) {
      out.push_back(c);
    }
  }
  return out;
}

std::u32string fold_chinese(std::string_view text) {
  std::u32string wide = fold_width(text);
  for (char32_t& c : wide) c = one_spelling(c);
  std::u32string whole = tight(wide);
  mend_zeros(whole);
  Folded value = whole;
  const auto cut = [&value] {
    while (!value.empty() && frames(value.front())) value.remove_prefix(1);
    while (!value.empty() && (frames(value.back()) || value.back() == U'.')) value.remove_suffix(1);
  };
  cut();
  value.remove_prefix(after_label(value));
  cut();
  if (in_brackets(value)) {
    value = value.substr(1, value.size() - 2);
    cut();
  }
  return std::u32string(value);
}

std::u32string without_remarks(Folded text) {
  std::u32string out;
  for (size_t i = 0; i < text.size(); ++i) {
    const size_t close = text[i] == U'(' ? text.find(U')', i) : Folded::npos;
    const Folded inside = close == Folded::npos ? Folded() : text.substr(i + 1, close - i - 1);
    const bool remark =
        close != Folded::npos && std::none_of(inside.begin(), inside.end(), [](char32_t c) {
          return is_ascii_digit(c) || chinese_digit(c) >= 0 || unit_exponent(c) > 0 || c == U'*';
        });
    if (remark) {
      i = close;
    } else {
      out.push_back(text[i]);
    }
  }
  return out;
}

std::string to_utf8(Folded text) {
  std::string out;
  for (const char32_t c : text) utf8_append(out, c);
  return out;
}

}  // namespace seqgpt
