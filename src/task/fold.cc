// SPDX-License-Identifier: Apache-2.0
// Folding by utf8proc's maps, and a small table of traditional characters.
#include "task/fold.h"

#include <utf8proc.h>

#include <cstdlib>
#include <map>
#include <memory>

#include "base/utf8.h"
#include "task/characters.h"

namespace seqgpt {
namespace {

// Traditional, simplified, and so on: the characters of field names and of the prompt's own words.
constexpr std::u32string_view kTraditional =
    U"聯联絡络貨货險险門门學学開开戶户資资標标組组織织機机構构貫贯點点職职時时間间簽签訂订單单發发"
    U"額额違违約约價价總总"
    U"營营業业淨净潤润預预費费貸贷齡龄數数稅税長长號号電电話话郵邮證证統统會会碼码編编銀银賬账帳账"
    U"運运車车別别歷历"
    U"專专稱称產产問问題题類类現现訴诉輪轮項项診诊斷断藥药條条幣币買买賣卖應应採采購购員员國国務务"
    U"錢钱歲岁畢毕處处"
    U"辦办當当實实際际經经驗验執执關关係系繫系傳传網网認认師师醫医療疗狀状輸输責责場场區区縣县鄉乡"
    U"據据對对屆届啟启"
    U"廠厂貿贸極极導导級级軟软體体個个協协議议劃划納纳識识別别紅红與与為为無无從从讓让將将獲获積积"
    U"質质壽寿償偿還还"
    U"揹背賠赔債债權权擔担銷销餘余內内後后齊齐齡龄檢检測测療疗癥症療疗術术農农曆历節节週周鍾钟鐘钟"
    U"兩两萬万億亿";

const std::map<char32_t, char32_t>& simplified() {
  static const auto table = [] {
    std::map<char32_t, char32_t> made;
    for (size_t i = 0; i + 1 < kTraditional.size(); i += 2)
      made.emplace(kTraditional[i], kTraditional[i + 1]);
    return made;
  }();
  return table;
}

std::string mapped(std::string_view name, int options) {
  utf8proc_uint8_t* made = nullptr;
  const utf8proc_ssize_t size = utf8proc_map(reinterpret_cast<const utf8proc_uint8_t*>(name.data()),
                                             static_cast<utf8proc_ssize_t>(name.size()), &made,
                                             static_cast<utf8proc_option_t>(options));
  const std::unique_ptr<utf8proc_uint8_t, decltype(&std::free)> owner(made, &std::free);
  if (size < 0) return std::string(name);  // not valid UTF-8; the callers refuse that
  return std::string(reinterpret_cast<const char*>(made), static_cast<size_t>(size));
}

}  // namespace

std::string fold_name(std::string_view name) {
  const std::string folded = mapped(name, UTF8PROC_STABLE | UTF8PROC_COMPOSE | UTF8PROC_COMPAT |
                                              UTF8PROC_CASEFOLD | UTF8PROC_IGNORE);
  std::string out;
  for (size_t at = 0; at < folded.size();) {
    const Decoded c = utf8_decode(folded, at);
    at += c.bytes;
    if (is_white_space(c.code_point) || c.code_point == U'_' || c.code_point == U'-') continue;
    const auto found = simplified().find(c.code_point);
    utf8_append(out, found == simplified().end() ? c.code_point : found->second);
  }
  return out;
}

std::string fold_case(std::string_view name) {
  return mapped(name, UTF8PROC_STABLE | UTF8PROC_COMPOSE | UTF8PROC_CASEFOLD | UTF8PROC_IGNORE);
}

}  // namespace seqgpt
