# SPDX-License-Identifier: Apache-2.0
"""Makes generated documents look copied, scanned or typed in haste; values change with the text around them."""

from __future__ import annotations

import dataclasses
import random
import re


@dataclasses.dataclass
class Segment:
    """A run of text: a value if it has a label. `kind` is what sort of thing the value is."""

    text: str
    label: str = ""
    asked: bool = False
    kind: str = ""


_SIMPLE = "万与专业东丝丢两严个丰临为举义乐习乡书买乱争于云产亲亿仅从仓仪们价众优会伟传伤伦伪体余佣侧侨债偿储儿党兰关兴养内册写军农冯冲决况冻净准凉减凤凭凯击则刚创别剂剑剧劝办务动励劲劳势区医华协单卖卢卫却厂厅历厉压厌县参双发变叙号叹听启吴员响国图圆场坏块坚坛坝坞坟坠垄垒声壳处备复够头夹夺奋奖妇妈姗娱婴学宁宝实审宪宫宽宾对寻导寿将尔尘尝层属岁岂岗岛岭峡帅师帐带帮干并广庄庆库应庙废开异弃张弥弯弹强归当录彻径忆忧怀态总恋恒恶悬惊惧惨惯愿懒戏战户执扩扫扬扰抚抢护报担拟拥择挂挡挥损换据摄摆摇敌数斗断无旧时昼显晓暂术机杀权条来杨极构枪柜标栋栏树样桥检楼横欢欧岁毕汇汉汤沟没泪泽洁济测浊浓润涨渊渔湾湿满滞滤滥灭灯灵灾炉点炼烂烛热爱爷牵状犹狱独狮猎猪献环现玛电画畅疗疯监盖盘着矿码砖础确碍礼祸种积称税稳穷窃竞笔笼签简类粮紧纠红约级纪纯纳纵纷纸纺线组细织终绍经结绕给络绝统继绩续维绿编缓缘缴网罗罚职联胜脉脏脑脚腊艺节芦苏荐荣药莲获营萧蓝虑虚虫补装规视览觉触计订认讨让训议记讲许论设访证评识诉诊词译试话询该详语误说请诸课调谈谢谱贝负贡财责贤败货质贩贪购贯贴贵贷贸费贺资赔赖赚赛赞赵趋跃车轨转轮软轻载较辅辆辈辉输边达迁过运还这进远违连迟适选递逻遗邓郑酱释里鉴针钟钢钱铁铃铜银链销锁锋错锦键镇长门问间闲闻队阳阴阵阶际陆陈险随难页顶项顺须顾顿预领频题颜额风飞饭饮馆马驱驶驻验骑鱼鲁鸟鸡鸣麦黄齐龄龙"
_TRADITIONAL = "萬與專業東絲丟兩嚴個豐臨為舉義樂習鄉書買亂爭於雲產親億僅從倉儀們價眾優會偉傳傷倫偽體餘傭側僑債償儲兒黨蘭關興養內冊寫軍農馮沖決況凍淨準涼減鳳憑凱擊則剛創別劑劍劇勸辦務動勵勁勞勢區醫華協單賣盧衛卻廠廳歷厲壓厭縣參雙發變敘號嘆聽啟吳員響國圖圓場壞塊堅壇壩塢墳墜壟壘聲殼處備復夠頭夾奪奮獎婦媽姍娛嬰學寧寶實審憲宮寬賓對尋導壽將爾塵嘗層屬歲豈崗島嶺峽帥師帳帶幫幹並廣莊慶庫應廟廢開異棄張彌彎彈強歸當錄徹徑憶憂懷態總戀恆惡懸驚懼慘慣願懶戲戰戶執擴掃揚擾撫搶護報擔擬擁擇掛擋揮損換據攝擺搖敵數鬥斷無舊時晝顯曉暫術機殺權條來楊極構槍櫃標棟欄樹樣橋檢樓橫歡歐歲畢匯漢湯溝沒淚澤潔濟測濁濃潤漲淵漁灣濕滿滯濾濫滅燈靈災爐點煉爛燭熱愛爺牽狀猶獄獨獅獵豬獻環現瑪電畫暢療瘋監蓋盤著礦碼磚礎確礙禮禍種積稱稅穩窮竊競筆籠簽簡類糧緊糾紅約級紀純納縱紛紙紡線組細織終紹經結繞給絡絕統繼績續維綠編緩緣繳網羅罰職聯勝脈臟腦腳臘藝節蘆蘇薦榮藥蓮獲營蕭藍慮虛蟲補裝規視覽覺觸計訂認討讓訓議記講許論設訪證評識訴診詞譯試話詢該詳語誤說請諸課調談謝譜貝負貢財責賢敗貨質販貪購貫貼貴貸貿費賀資賠賴賺賽贊趙趨躍車軌轉輪軟輕載較輔輛輩輝輸邊達遷過運還這進遠違連遲適選遞邏遺鄧鄭醬釋裡鑒針鐘鋼錢鐵鈴銅銀鏈銷鎖鋒錯錦鍵鎮長門問間閒聞隊陽陰陣階際陸陳險隨難頁頂項順須顧頓預領頻題顏額風飛飯飲館馬驅駛駐驗騎魚魯鳥雞鳴麥黃齊齡龍"
_TO_TRADITIONAL = dict(zip(_SIMPLE, _TRADITIONAL, strict=True))
TO_SIMPLE = str.maketrans(_TRADITIONAL, _SIMPLE)
_FULL_DIGITS = dict(zip("0123456789", "０１２３４５６７８９", strict=True))
_HALF = {"，": ",", "：": ":", "（": "(", "）": ")", "；": ";", "。": ".", "？": "?", "！": "!"}
_KEY = re.compile(r"(^|\n)([\u4e00-\u9fff])([\u4e00-\u9fff])(?=[：:])")


def _map(segments: list[Segment], table: dict[str, str], values: bool = True) -> None:
    for s in segments:
        if values or not s.label:
            s.text = "".join(table.get(c, c) for c in s.text)


def _spaced(text: str, share: float, rng: random.Random) -> str:
    return "".join(c + (" " if c > "\u4e00" and rng.random() < share else "") for c in text)


def _spaces(segments: list[Segment], rng: random.Random) -> None:
    inside = rng.random() < 0.4
    for s in segments:
        if not s.label:
            s.text = _spaced(s.text, 0.06, rng)
        elif inside and rng.random() < 0.3:
            s.text = _spaced(s.text, 0.25, rng).strip(" ")


def _wrap(segments: list[Segment], rng: random.Random) -> None:
    width, column = rng.randint(14, 40), 0
    for s in segments:
        if s.label:
            column += len(s.text)
            continue
        out = ""
        for c in s.text:
            column = 0 if c == "\n" else column + 1
            out += c
            if column >= width:
                out, column = out + "\n", 0
        s.text = out


def _join(segments: list[Segment], rng: random.Random) -> None:
    _map(segments, {"\n": rng.choice([" ", "", "  ", "；"])}, values=False)


def _unpunctuated(segments: list[Segment], rng: random.Random) -> None:
    _map(segments, {"，": " ", "。": rng.choice([" ", "\n"]), "；": " "}, values=False)


def _wide_keys(segments: list[Segment], rng: random.Random) -> None:
    gap = rng.choice([" ", "  ", "\u3000"])
    for s in segments:
        if not s.label:
            s.text = _KEY.sub(rf"\1\2{gap}\3", s.text)


_EMOJIS = "😀😂🙏👍🎉✨🔥📞📅📍💰🏢👤✅❌📦🚚👏😭🤝💼📝🌟💡😊🆔🧾☎⚠❤"


def _emoji(segments: list[Segment], rng: random.Random) -> None:
    """As in chats: pictures before and behind values and at the ends of lines, seldom more than a few."""
    share = rng.choice([0.1, 0.3, 0.6])
    for before, s, after in zip([None, *segments], segments, [*segments[1:], None], strict=False):
        if s.label:
            continue
        if after and after.label and rng.random() < share:
            s.text += rng.choice(_EMOJIS)
        if before and before.label and rng.random() < share / 2:
            s.text = rng.choice(_EMOJIS) + s.text
        if rng.random() < share / 2:
            s.text = s.text.replace("\n", rng.choice(_EMOJIS) + "\n", 1)


def roughen(segments: list[Segment], rng: random.Random) -> None:
    """Applies none, one or several of the distortions in place."""
    if rng.random() < 0.025:
        _map(segments, _TO_TRADITIONAL)
    if rng.random() < 0.02:
        _map(segments, _FULL_DIGITS)
    if rng.random() < 0.06:
        _map(segments, _HALF)
    for share, change in ((0.04, _spaces), (0.05, _join), (0.04, _unpunctuated), (0.04, _wide_keys), (0.05, _wrap), (0.03, _emoji)):
        if rng.random() < share:
            change(segments, rng)
