// SPDX-License-Identifier: Apache-2.0
// The table of currencies (ISO 4217, 2024), longer names before their beginnings.
#include "normalize/currency.h"

#include <string>

namespace seqgpt {
namespace {

struct Name {
  Folded word;
  std::string_view code;
};

constexpr Name kNames[] = {
    {U"人民币", "CNY"},
    {U"美元", "USD"},
    {U"美圆", "USD"},
    {U"美金", "USD"},
    {U"美刀", "USD"},
    {U"港元", "HKD"},
    {U"港币", "HKD"},
    {U"港圆", "HKD"},
    {U"港纸", "HKD"},
    {U"欧元", "EUR"},
    {U"欧圆", "EUR"},
    {U"英镑", "GBP"},
    {U"日元", "JPY"},
    {U"日圆", "JPY"},
    {U"日币", "JPY"},
    {U"韩元", "KRW"},
    {U"韩圆", "KRW"},
    {U"韩币", "KRW"},
    {U"韩国元", "KRW"},
    {U"新台币", "TWD"},
    {U"台币", "TWD"},
    {U"新台幣", "TWD"},
    {U"台湾元", "TWD"},
    {U"澳门元", "MOP"},
    {U"澳门币", "MOP"},
    {U"澳大利亚元", "AUD"},
    {U"澳元", "AUD"},
    {U"澳币", "AUD"},
    {U"加拿大元", "CAD"},
    {U"加元", "CAD"},
    {U"加币", "CAD"},
    {U"新西兰元", "NZD"},
    {U"纽元", "NZD"},
    {U"新加坡元", "SGD"},
    {U"新加坡币", "SGD"},
    {U"新元", "SGD"},
    {U"坡币", "SGD"},
    {U"新币", "SGD"},
    {U"瑞士法郎", "CHF"},
    {U"瑞郎", "CHF"},
    {U"印度卢比", "INR"},
    {U"印度卢布", "INR"},
    {U"巴基斯坦卢比", "PKR"},
    {U"斯里兰卡卢比", "LKR"},
    {U"尼泊尔卢比", "NPR"},
    {U"毛里求斯卢比", "MUR"},
    {U"印尼盾", "IDR"},
    {U"印尼卢比", "IDR"},
    {U"印度尼西亚盾", "IDR"},
    {U"印度尼西亚卢比", "IDR"},
    {U"卢比", "INR"},
    {U"俄罗斯卢布", "RUB"},
    {U"白俄罗斯卢布", "BYN"},
    {U"卢布", "RUB"},
    {U"泰国铢", "THB"},
    {U"泰铢", "THB"},
    {U"泰珠", "THB"},
    {U"越南盾", "VND"},
    {U"马来西亚林吉特", "MYR"},
    {U"马来西亚令吉", "MYR"},
    {U"马来西亚元", "MYR"},
    {U"林吉特", "MYR"},
    {U"令吉", "MYR"},
    {U"马币", "MYR"},
    {U"菲律宾比索", "PHP"},
    {U"墨西哥比索", "MXN"},
    {U"阿根廷比索", "ARS"},
    {U"智利比索", "CLP"},
    {U"哥伦比亚比索", "COP"},
    {U"古巴比索", "CUP"},
    {U"乌拉圭比索", "UYU"},
    {U"丹麦克朗", "DKK"},
    {U"瑞典克朗", "SEK"},
    {U"挪威克朗", "NOK"},
    {U"冰岛克朗", "ISK"},
    {U"捷克克朗", "CZK"},
    {U"波兰兹罗提", "PLN"},
    {U"兹罗提", "PLN"},
    {U"匈牙利福林", "HUF"},
    {U"福林", "HUF"},
    {U"罗马尼亚列伊", "RON"},
    {U"保加利亚列弗", "BGN"},
    {U"南非兰特", "ZAR"},
    {U"兰特", "ZAR"},
    {U"巴西雷亚尔", "BRL"},
    {U"雷亚尔", "BRL"},
    {U"土耳其里拉", "TRY"},
    {U"里拉", "TRY"},
    {U"阿联酋迪拉姆", "AED"},
    {U"迪拉姆", "AED"},
    {U"沙特里亚尔", "SAR"},
    {U"卡塔尔里亚尔", "QAR"},
    {U"伊朗里亚尔", "IRR"},
    {U"科威特第纳尔", "KWD"},
    {U"伊拉克第纳尔", "IQD"},
    {U"约旦第纳尔", "JOD"},
    {U"巴林第纳尔", "BHD"},
    {U"以色列新谢克尔", "ILS"},
    {U"新谢克尔", "ILS"},
    {U"谢克尔", "ILS"},
    {U"埃及镑", "EGP"},
    {U"尼日利亚奈拉", "NGN"},
    {U"奈拉", "NGN"},
    {U"肯尼亚先令", "KES"},
    {U"哈萨克斯坦坚戈", "KZT"},
    {U"坚戈", "KZT"},
    {U"乌克兰格里夫纳", "UAH"},
    {U"蒙古图格里克", "MNT"},
    {U"图格里克", "MNT"},
    {U"缅甸元", "MMK"},
    {U"缅元", "MMK"},
    {U"柬埔寨瑞尔", "KHR"},
    {U"瑞尔", "KHR"},
    {U"老挝基普", "LAK"},
    {U"基普", "LAK"},
    {U"孟加拉塔卡", "BDT"},
    {U"塔卡", "BDT"},
    {U"文莱元", "BND"},
    {U"秘鲁索尔", "PEN"},
    {U"朝鲜元", "KPW"},
    {U"英磅", "GBP"},
    {U"円", "JPY"},
    {U"欧", "EUR"},
    {U"镑", "GBP"},
    {U"澳圆", "AUD"},
    {U"加圆", "CAD"},
    {U"HK$", "HKD"},
    {U"NT$", "TWD"},
    {U"US$", "USD"},
    {U"A$", "AUD"},
    {U"AU$", "AUD"},
    {U"C$", "CAD"},
    {U"CA$", "CAD"},
    {U"S$", "SGD"},
    {U"NZ$", "NZD"},
    {U"MOP$", "MOP"},
    {U"R$", "BRL"},
    {U"CN¥", "CNY"},
    {U"JP¥", "JPY"},
    {U"RMB", "CNY"},
    {U"rmb", "CNY"},
    {U"$", "USD"},
    {U"¥", "CNY"},
    {U"€", "EUR"},
    {U"£", "GBP"},
    {U"₩", "KRW"},
    {U"₹", "INR"},
    {U"₽", "RUB"},
    {U"฿", "THB"},
    {U"₫", "VND"},
    {U"₱", "PHP"},
    {U"₺", "TRY"},
    {U"₪", "ILS"},
    {U"₴", "UAH"},
    {U"₦", "NGN"},
    {U"₸", "KZT"},
};

// Three letters each, in order.
constexpr std::string_view kCodes =
    "AED AFN ALL AMD ANG AOA ARS AUD AWG AZN BAM BBD BDT BGN BHD BIF BMD BND BOB BRL BSD BTN BWP "
    "BYN BZD CAD CDF CHF CLP CNH CNY COP CRC CUP CVE CZK DJF DKK DOP DZD EGP ERN ETB EUR FJD FKP "
    "GBP GEL GHS GIP GMD GNF GTQ GYD HKD HNL HTG HUF IDR ILS INR IQD IRR ISK JMD JOD JPY KES KGS "
    "KHR KMF KPW KRW KWD KYD KZT LAK LBP LKR LRD LSL LYD MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR "
    "MWK MXN MYR MZN NAD NGN NIO NOK NPR NZD OMR PAB PEN PGK PHP PKR PLN PYG QAR RON RSD RUB RWF "
    "SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SVC SYP SZL THB TJS TMT TND TOP TRY TTD TWD "
    "TZS UAH UGX USD UYU UZS VED VES VND VUV WST XAF XCD XOF XPF YER ZAR ZMW ZWL";

std::string_view take_code(Cursor& cursor) {
  std::string code;
  for (size_t i = 0; i < 3; ++i) {
    char32_t c = cursor.peek(i);
    if (c >= U'a' && c <= U'z') c -= U'a' - U'A';
    if (c < U'A' || c > U'Z') return {};
    code.push_back(static_cast<char>(c));
  }
  if (is_ascii_letter(cursor.peek(3))) return {};
  const size_t found = kCodes.find(code);
  if (found == std::string_view::npos || found % 4 != 0) return {};
  cursor.skip(3);
  // The offshore renminbi is traded under CNH, which is no ISO code.
  return code == "CNH" ? "CNY" : kCodes.substr(found, 3);
}

}  // namespace

std::string_view take_currency(Cursor& cursor) {
  if (cursor.at_end() || is_ascii_digit(cursor.peek()) || cursor.sees(U"欧分")) return {};
  for (const Name& name : kNames) {
    if (cursor.peek() == name.word.front() && cursor.take(name.word)) return name.code;
  }
  return take_code(cursor);
}

bool take_main_unit(Cursor& cursor) {
  return cursor.take_any({U"块钱", U"元钱", U"元", U"圆", U"块"});
}

}  // namespace seqgpt
