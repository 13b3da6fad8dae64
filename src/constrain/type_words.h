// SPDX-License-Identifier: Apache-2.0
// What values of a type are made of, as data: words separated by spaces, or sets of characters.
#pragma once

#include <string_view>

// clang-format off
namespace seqgpt::words {

// Words for a time; every character of one may be part of a date.
inline constexpr std::u32string_view kDate =
    U"今天 今年 今日 今晚 今晨 今早 今夜 今春 今夏 今秋 今冬 昨天 昨日 昨晚 昨夜 "
    U"昨晨 明天 明日 明年 明晚 明早 明晨 后天 後天 大后天 前天 大前天 去年 前年 "
    U"大前年 后年 上周 本周 下周 这周 上週 本週 下週 上个月 下个月 这个月 上月 本月 "
    U"下月 当月 当天 当日 当晚 当年 当时 當天 當日 當時 次日 翌日 隔天 同日 同年 "
    U"同期 近日 近期 近来 近年 日前 目前 现在 现今 現在 此前 此后 之前 之后 以前 "
    U"以后 以来 至今 即日 届时 刚才 刚刚 最近 最新 早先 后来 过去 将来 未来 随后 "
    U"早日 周末 周一 周二 周三 周四 周五 周六 周日 週末 星期 礼拜 禮拜 早上 早晨 "
    U"早间 清晨 凌晨 黎明 拂晓 一早 上午 中午 正午 午间 午后 下午 傍晚 晚上 晚间 "
    U"夜间 夜里 深夜 半夜 午夜 白天 全天 整天 春节 春節 元旦 国庆 國慶 中秋 端午 "
    U"清明 除夕 元宵 七夕 重阳 圣诞 腊八 小年 大年 五一 十一 双十一 劳动节 儿童节 "
    U"妇女节 教师节 青年节 植树节 感恩节 情人节 春季 夏季 秋季 冬季 春天 夏天 秋天 "
    U"冬天 春夏 秋冬 年初 年底 年末 年中 年终 月初 月底 月末 月中 季末 季初 周初 "
    U"上旬 中旬 下旬 季度 上半年 下半年 半年 年度 财年 世纪 年代 公元 民国 農曆 "
    U"农历 阴历 阳历 立春 立夏 立秋 立冬 夏至 冬至 正月 腊月 冬月 闰月 期间 假期 暑假 寒假 同时 时期 时代 前夕 "
    U"前后 那时 这时 此时 那时候 小时候 儿时 童年 如今 今后 前不久 不久前 每天 每日 "
    U"每周 每月 每年 天天 那天 这天 有一天 有时 公告日 披露日 签订之日 生效之日 "
    U"成立以来 唐代 宋代 汉代 明代 清代 古代 黄昏 夜晚 当初 此刻 平时 当代 前几天 "
    U"初一 年年 月月 先前 其后 元代 次年 元朝 南宋 北宋 清末 年间 近些年 近段时间 连日来 工作日 "
    U"某日 某天 同月 已经 曾经 常常 一直 每次 不久 从此 以往 尔后 当今 时候 一生 今生 经常 一天 周年";
// After a number these make a date of it.
inline constexpr std::u32string_view kDateUnits =
    U"年月日号號时時点點分秒刻周週天季旬世代:：/-－—.．~～";
inline constexpr std::u32string_view kDateBesides =
    U"份自本每春夏秋冬第个個约約大几數数多余至到起止截的于於初末底中前后後间間内內左右整钟鐘商周秦汉晋"
    U"隋唐宋元明清朝许和及或顺治康熙雍乾隆嘉庆道光绪宣统咸丰洪武永乐德历崇祯贞观开天宝这那里刻()（）来來北京当地时";
// Between a number and its unit: 24小时, 三个多月.
inline constexpr std::u32string_view kDateBetween = U"多余餘个個来來小几";
inline constexpr std::u32string_view kVague = U"几幾数數多半";
// What a date may begin and end with beside numbers with their units, and words.
inline constexpr std::u32string_view kDateLeads =
    U"自于於从從截至到约約大近第每全几幾数數半多同上下前后後北当顺康雍乾嘉道光绪咸同宣洪永崇贞开天民公这那";
inline constexpr std::u32string_view kDateTails = U"份初末底中前后後间間内內多余餘左右整许起止来來)）期代半钟鐘晚早晨夜里一刻";
inline constexpr std::string_view kDateLatin =
    "t z q h am pm a p m jan feb mar apr may jun jul aug sep sept oct nov dec january "
    "february march april june july august september october november december mon tue "
    "wed thu fri sat sun monday tuesday wednesday thursday friday saturday sunday st nd "
    "rd th of utc gmt cst bc ad fy today yesterday tomorrow";

inline constexpr std::u32string_view kAmount =
    U"￥¥$＄€￡£₩₽₹฿元圆圓块塊角分毛厘整正钱錢币幣人民港台美日欧歐英韩韓澳加新坡卢盧布比法郎泰"
    U"铢马克镑磅瑞士金外约約近超逾过過估算折格共计計合总總额額价價为為是达達不少低高于於足至到多余餘几"
    U"数數上下内內左右之间間以每平均最仅成交单單调調涨漲跌税稅前后後含大小写寫薪级級年月天时時周季度股"
    U"份吨噸斤公方米升套件个個次张張笔筆户亩畝辆桶盎司点點半/-－—–~～+＋*×()（）:： .．,"
    U"，";
inline constexpr std::u32string_view kAmountNotFirst = U"元圆圓块塊角分毛厘整正钱錢级級内內以之间間左右余餘前后後";
inline constexpr std::u32string_view kAmountNotLast =
    U"约約近超逾过過不少低高于於足至到每平均最仅共计計合总總为為是￥¥$＄€￡£折";
inline constexpr std::string_view kAmountLatin =
    "rmb cny usd eur hkd gbp jpy krw twd sgd aud cad chf mop thb inr rub myr nzd cnh us "
    "hk nt a c s k w m b bn mn mm million billion thousand yuan dollar dollars euro "
    "euros per month year kg t usdt btc eth";

// What is counted by a number before it, so that it is no money; and what makes a time of one.
inline constexpr std::u32string_view kCounted = U"名人台辆輛岁歲位套件箱袋瓶盒桶吨噸";
inline constexpr std::u32string_view kCalendar = U"年月日号號时時点點";

// What a number may begin with beside its figures, and hold beside letters.
inline constexpr std::u32string_view kNumberLeads =
    U"约約近超逾达達共第不足大多余至少最为為上下数數几幾+＋-－±<>＜＞≤≥≈~～仅僅满滿整每有";
inline constexpr std::u32string_view kNumber = U"+＋-－—–~～±<>＜＞≤≥≈/%％‰°℃㎡()（）*× .．,，";

inline constexpr std::u32string_view kPercent =
    U"%％‰﹪百分之千万成个個基点點约約近超逾达達增长長下降上升涨漲跌同环環比浮调調加减減年月日化利率"
    U"息为為是不低高于於过過以内內左右至到多余餘半倍厘毫折按每幅占一整含公司总股本的+＋-－—–~～±"
    U"/()（）: .．,，";
inline constexpr std::u32string_view kPercentNotFirst = U"%％‰﹪个個点點之的倍厘毫幅内內左右余餘息";
inline constexpr std::u32string_view kPercentNotLast = U"约約近超逾过過于於不低高为為是每按占基含之的+＋±";
inline constexpr std::string_view kPercentLatin =
    "bp bps lpr pct percent shibor libor pp";

inline constexpr std::u32string_view kDuration =
    U"年月日天周週星期季度个個小时時钟鐘分秒半多余餘约約近至到不超过過少于於以上下内內左右满滿足工作自"
    U"然交易有徒刑学學制届任代整共计計为為限第数數几幾又零起从從即合同签簽订訂署之生效完成付验驗收通止"
    U"长長永久终終身无無固定夜昼晚旬载載刻历曆营營业業来來礼禮拜头頭+＋-－—–~～/()（） ";
inline constexpr std::u32string_view kDurationNotFirst =
    U"年月日天周週星季度时時钟鐘内內以上下满滿起止任届学學制署生效付收通旬载載刻多余餘左右";
inline constexpr std::u32string_view kDurationNotLast = U"约約近至到不超過过少于於为為限从從自即签簽订訂署之第几數数";
// Durations without a number.
inline constexpr std::u32string_view kEndless =
    U"长期 長期 永久 终身 無固定 无固定 半年 半月 半天 数年 几年 多年";
// After a number, and what may stand between, these make a duration of it.
inline constexpr std::u32string_view kDurationUnits = U"年月日天周週季旬时時分秒期届任代载載夜晚刻";
inline constexpr std::u32string_view kDurationUnitWords =
    U"小时 小時 工作 星期 礼拜 禮拜 学年 学期 學年 學期 自然 日历 日曆 交易 营业 營業 钟头 鐘頭 昼夜";
inline constexpr std::u32string_view kDurationBetween = U"多余餘个個来來几半整+＋-－)） ";
inline constexpr std::string_view kDurationLatin =
    "year years yr yrs y month months mo m week weeks w day days d hour hours h hr hrs "
    "minute minutes min mins second seconds s about and p t";

inline constexpr std::u32string_view kPhone = U"*＊+＋-－﹣—–‑()（）.．·/ 转轉分机機内內线線#＃";
inline constexpr std::u32string_view kMailbox = U"._%+-*@＠";
inline constexpr std::u32string_view kPlainId = U"*＊-－—–_/\\.·#+@ ";
inline constexpr std::u32string_view kId = U"*＊-－—–_/\\.·#+@()（）[]【】〔〕［］ ";

// No name of a person goes on beyond these.
inline constexpr std::u32string_view kSentenceEnds = U"。！？；!;\n";
inline constexpr std::u32string_view kNameEnds = U"。！？；!;\n，、：:|｜《》“”「」";

// Of a bank's name, also in short.
inline constexpr std::u32string_view kBank =
    U"银行 銀行 信用社 信用合作 信合 联社 農商 农商 农信 支行 分行 总行 分理处 储蓄 儲蓄 营业部 营业厅 财务公司 村镇 "
    U"工行 建行 农行 農行 中行 交行 招行 邮储 邮政 兴业 浦发 民生 光大 中信 华夏 广发 平安 微众 网商 恒丰 渤海 浙商 "
    U"汇丰 渣打 花旗 恒生 东亚 星展 大华 瑞穗 支付宝 财付通 微信 国库 国开行 进出口行 农发行 徽行 泰隆 台行";
inline constexpr std::string_view kBankLatin =
    "bank banking hsbc citi citibank icbc ccb boc abc bocom cmb spdb cib cebc psbc ubs jpmorgan chase dbs "
    "barclays paypal alipay";
inline constexpr std::u32string_view kSchool =
    U"大学 大學 学院 學院 学校 學校 中学 中學 小学 小學 高中 初中 中专 大专 技校 职校 职高 党校 师范 師範 幼儿园 "
    U"附中 附小 一中 二中 三中 四中 五中 六中 七中 八中 九中 十中 实验 电大 夜大 成教 自考 研究院 研究所 商院 "
    U"清华 北大 复旦 交大 浙大 南大 武大 人大 科大 同济 厦大 川大 中大 师大 理工 财大 农大 医大 工大 外大 政法 体院 美院";
inline constexpr std::string_view kSchoolLatin =
    "university college school institute academy mit ucla polytechnic";
inline constexpr std::u32string_view kGender = U"男 女 先生 小姐 太太";
inline constexpr std::string_view kGenderLatin = "male female m f man woman boy girl mr mrs ms";

}  // namespace seqgpt::words
// clang-format on
