// SPDX-License-Identifier: Apache-2.0
// Tests of the types' languages: what each offers of a text, and what it withholds.
#include "constrain/type_language.h"

#include <gtest/gtest.h>

#include "offered.h"

namespace seqgpt::harness {
namespace {

struct Offers {
  const char* type;
  const char* text;
  std::vector<const char*> yes;
  std::vector<const char*> no;
  const char* kind = "";
};

void PrintTo(const Offers& offers, std::ostream* out) {
  *out << offers.type << " in " << offers.text;
}

class TypeLanguages : public testing::TestWithParam<Offers> {};

TEST_P(TypeLanguages, OfferAndWithhold) {
  const Offers& expected = GetParam();
  const std::set<std::string> values =
      offered(expected.text, of_type(expected.type, expected.kind));
  for (const char* value : expected.yes) EXPECT_TRUE(values.contains(value)) << value;
  for (const char* value : expected.no) EXPECT_FALSE(values.contains(value)) << value;
}

INSTANTIATE_TEST_SUITE_P(
    Dates, TypeLanguages,
    testing::Values(
        Offers{"date",
               "王伟于2022年3月入职公司",
               {"2022年3月", "2022年"},
               {"王伟", "022年", "公司", "22年3月"}},
        Offers{"date", "12022年出货", {"12022年"}, {"2022年", "022年"}},
        Offers{"date", "支持4/5G网络，2023-05-01上线", {"2023-05-01"}, {"4/5", "4/5G", "5G", "4"}},
        Offers{"date",
               "合同编号：YT-2026-0117，1-Mar-2026至2027年2月28日",
               {"1-Mar-2026", "2026", "2027年2月28日"},
               {"2026-0117", "2026-01"}},
        Offers{"date", "二十一日交货", {"二十一日"}, {"十一日", "一日", "日"}},
        Offers{"date",
               "二〇二二年三月一日，去年、上周五和今天下午3点",
               {"二〇二二年三月一日", "去年", "上周五", "今天下午3点"},
               {"二二年"}},
        Offers{"date",
               "自2020/1/1至2021.12.31止",
               {"2020/1/1", "2021.12.31", "2020/1/1至2021.12.31"},
               {"21.12.31"}},
        Offers{"date",
               "Signed on March 15, 2022 by Li",
               {"March 15, 2022", "March 15"},
               {"Signed", "arch 15", "by"}},
        Offers{"date", "2022-03-01T10:30:00Z", {"2022-03-01T10:30:00Z"}, {"01T10"}},
        Offers{"date", "日期：20220301 编号：20", {"20220301"}, {"20"}},
        Offers{"date",
               "2018年8月16日（星期四）",
               {"2018年8月16日（星期四）"},
               {"16日（星期四", "（星期四）"}},
        Offers{"date",
               "民国三十八年及近三年，24小时内",
               {"民国三十八年", "近三年", "24小时内"},
               {"十八年"}}));

INSTANTIATE_TEST_SUITE_P(
    Amounts, TypeLanguages,
    testing::Values(
        Offers{"amount",
               "注册资本1,100万元",
               {"1,100万元", "1,100万"},
               {"100万元", "100万", "1", "1,100", "资本"}},
        Offers{"amount", "注册资本１，１００万元", {"１，１００万元"}, {"１００万元"}},
        Offers{"amount", "三、200万元整", {"200万元整", "200万元"}, {"三、200万元", "00万元"}},
        Offers{"amount", "3.2 120万元", {"120万元"}, {"3.2 120万元", "2 120万元"}},
        Offers{
            "amount",
            "人民币（大写）：壹佰贰拾万元整（￥1,200,000.00）",
            {"壹佰贰拾万元整", "人民币（大写）：壹佰贰拾万元整", "￥1,200,000.00", "1,200,000.00"},
            {"贰拾万元整", "200,000.00", "000.00", "万元整（￥1,200,000.00"}},
        Offers{"amount", "年薪约5-8万，或面议", {"5-8万", "约5-8万"}, {"面议", "或"}},
        Offers{"amount",
               "USD 1.5 million或15k-20k，3万5",
               {"USD 1.5 million", "1.5 million", "15k-20k", "3万5"},
               {"5 million", "SD 1.5", "15", "万5", "5"}},
        Offers{"amount", "亏损-1200.5元，￥99", {"-1200.5元", "￥99", "99"}, {"200.5元", "5元"}},
        Offers{"amount",
               "数百万美元，不超过14.5元",
               {"数百万美元", "不超过14.5元"},
               {"万美元", "4.5元"}}));

INSTANTIATE_TEST_SUITE_P(
    NumbersAndDurations, TypeLanguages,
    testing::Values(
        Offers{"number",
               "采购二十一台电脑",
               {"二十一台", "二十一", "二十一台电脑"},
               {"十一台", "一台", "采购", "电脑"}},
        Offers{"number",
               "年龄35岁，身高1.75米",
               {"35岁", "35", "1.75米"},
               {"5岁", "75米", "年龄35岁", "身高"}},
        Offers{"number", "约2,000平方米", {"约2,000平方米", "2,000"}, {"000平方米", "平方米"}},
        Offers{"number", "共1,2345件，1,234件", {"1", "2345件", "1,234件"}, {"1,2345件", "234件"}},
        Offers{"number", "5kg和12.5%", {"5kg", "5", "12.5%"}, {"kg", "5k"}},
        Offers{"percent",
               "年利率4.35%，上浮百分之十",
               {"4.35%", "年利率4.35%", "百分之十"},
               {"35%", "浮"}},
        Offers{"percent", "LPR+50BP 税率13", {"LPR+50BP", "13"}, {"PR+50BP", "3"}},
        Offers{"duration",
               "利率18%，1200万元，10个工作日内付清",
               {"10个工作日", "10个工作日内"},
               {"18", "1200万", "10", "10个"}},
        Offers{"duration",
               "24個月、150日历天、2024.4.1—2025.3.31、半年",
               {"24個月", "150日历天", "150日", "2024.4.1—2025.3.31", "半年"},
               {"24", "150", "31"}},
        Offers{"duration",
               "三（3）年、3晚、10-year、两个礼拜、十来天；5000元、0.1234、21234",
               {"三（3）年", "3晚", "10-year", "两个礼拜", "十来天"},
               {"5000", "0.1234", "1234", "21234"}},
        Offers{
            "duration", "8+年经验, 12 months，36期", {"8+年", "12 months", "36期"}, {"12", "36"}},
        Offers{"duration", "租期三年六个月，长期有效", {"三年六个月", "长期"}, {"有效", "租期"}},
        Offers{"duration", "工作10多年; 3-5 years", {"10多年", "3-5 years"}, {"0多年", "5 year"}}));

INSTANTIATE_TEST_SUITE_P(
    Identifiers, TypeLanguages,
    testing::Values(
        Offers{"phone",
               "电话：010-62345678转8001，手机138****8000",
               {"010-62345678转8001", "138****8000"},
               {"电话", "10-62345678", "0-62345678转8001", "8****8000"}},
        Offers{"phone",
               "Tel13800138000 +86 138 0013 8000",
               {"13800138000", "+86 138 0013 8000"},
               {"Tel13800138000", "3800138000"}},
        Offers{
            "phone", "拨打(021) 5888-9999", {"(021) 5888-9999", "5888-9999"}, {"021) 5888-9999"}},
        Offers{"email",
               "邮箱:zhang.san@qq.com.",
               {"zhang.san@qq.com"},
               {"san@qq.com", "zhang.san@qq", "邮箱", "zhang.san@qq.com."}},
        Offers{
            "id", "合同HT-2022-001号", {"HT-2022-001", "HT-2022-001号"}, {"T-2022-001", "001号合"}},
        Offers{"id",
               "（2023）沪01民初123号判决",
               {"（2023）沪01民初123号"},
               {"（2023", "2023）沪01民初123号"}},
        Offers{"id", "依据第十二条", {"第十二条", "十二"}, {"依据"}},
        Offers{"id",
               "车牌京A·12345，QQ474395755",
               {"京A·12345", "474395755"},
               {"京A·1234", "74395755"}},
        Offers{"person",
               "李明（13800138000）与让·皮埃尔·Dupont Jr.签约",
               {"李明", "让·皮埃尔·Dupont", "让·皮埃尔·Dupont Jr."},
               {"13800138000", "Dup", "upont"}},
        Offers{"person",
               "康保军　经办人：王　伟、张*明，于2024年1月6日，ZHANG/SAN，user2024",
               {"康保军", "王　伟", "王伟", "张*明", "ZHANG/SAN", "user2024"},
               {"康保军　经办人", "王　伟、张*明", "于2024年1月6日", "2024", "经办人：王　伟"}}));

INSTANTIATE_TEST_SUITE_P(
    NeitherDatesNorMoney, TypeLanguages,
    testing::Values(Offers{"date", "营收15.62亿，三千年前", {"三千年前"}, {"15.62亿", "15.62"}},
                    Offers{"amount",
                           "4时许，9辆车，2024-3-30付5000人民币，80元/年，总额1234.56，5-8万",
                           {"5000人民币", "5000", "80元/年", "1234.56", "5-8万"},
                           {"4时", "4", "9辆", "9", "2024-3-30", "2024"}},
                    Offers{"amount",
                           "5万年底发放，月租金3千月付，轴承200套，2024.3.1",
                           {"5万", "3千"},
                           {"200套", "200", "2024.3.1"}},
                    Offers{"duration",
                           "一百二十年，二〇二四年，二〇二四年五月",
                           {"一百二十年"},
                           {"二〇二四年", "二〇二四年五月"}},
                    Offers{"amount", "2024.05、2024年3月", {"2024.05"}, {"2024", "2024年3月"}},
                    Offers{"duration",
                           "8月21日开工，150日历天，2024年5月1日至2025年4月30日，三年",
                           {"150日历天", "2024年5月1日至2025年4月30日", "三年"},
                           {"8月21日", "2024年5月1日"}}));

INSTANTIATE_TEST_SUITE_P(
    FinerKinds, TypeLanguages,
    testing::Values(
        Offers{"number",
               "4辆，19.8万元，10日结束，单价2.3元，占12%，电话13587460023，共5年，6个月",
               {"4辆", "4", "6个月"},
               {"19.8万元", "19.8", "19.8万", "10日结束", "10", "2.3", "12%", "12", "13587460023"},
               "count"},
        Offers{"phone",
               "400-618-2255，010-62345678，95598，订单3720184469015522，手机138****8000",
               {"138****8000"},
               {"400-618-2255", "010-62345678", "95598", "3720184469015522"},
               "mobile"},
        Offers{"phone",
               "1380013800（少一位）、+1 415 555 0100、(+86)138 0013 "
               "8000、0912-345-678、（021）58889999",
               {"1380013800", "+1 415 555 0100", "(+86)138 0013 8000", "0912-345-678"},
               {"（021）58889999"},
               "mobile"},
        Offers{"org",
               "天津津门置业有限公司，贷款由天津银行南开支行发放，建行城东，HSBC Bank",
               {"天津银行南开支行", "建行城东", "HSBC Bank"},
               {"天津津门置业有限公司", "贷款"},
               "bank"},
        Offers{"org",
               "司法局的刘敏毕业于西南政法大学，MIT School of Law",
               {"西南政法大学", "MIT School of Law"},
               {"司法局", "刘敏"},
               "school"},
        Offers{"text", "王伟，男，法务部", {"男"}, {"王伟", "法务部", "，男"}, "gender"},
        Offers{"id", "尾号8888，第30条", {"8888"}, {"30"}, "bank_card"},
        Offers{"id", "第30条，护照E12345678", {"E12345678"}, {"30", "第30条"}, "id_card"}));

TEST(TypeLanguages, KindsOfIdHaveNoChinese) {
  const std::string text = "身份证110101199003071234的王伟";
  EXPECT_TRUE(offered(text, of_type("id", "id_card")).contains("110101199003071234"));
  EXPECT_FALSE(offered(text, of_type("id", "id_card")).contains("身份证110101199003071234"));
  EXPECT_TRUE(offered(text, of_type("id")).contains("身份证110101199003071234"));
  EXPECT_TRUE(offered("车牌京A12345", of_type("id", "plate")).contains("京A12345"));
}

TEST(TypeLanguages, OfStrictKindsAreNoneWhereTheTextHasNone) {
  for (const auto& [type, kind] :
       {std::pair{"phone", "mobile"}, {"org", "bank"}, {"text", "gender"}, {"id", "id_card"}}) {
    EXPECT_TRUE(narrowed("法务部联系客服95598", of_type(type, kind))->empty()) << kind;
  }
  EXPECT_FALSE(narrowed("法务部", of_type("org", "school"))->empty());
}

}  // namespace
}  // namespace seqgpt::harness
