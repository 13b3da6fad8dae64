#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Takes the pictures of docs/images with the real server and the bundled model: scripts/page_screenshots.py [folder]."""
import pathlib
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests/page"))
from harness import Browser, Keys, Server  # noqa: E402

CONTRACT = """软件开发服务合同
合同编号：YT-2026-0117
甲方：上海云图数据科技有限公司
乙方：北京蓝天信息技术有限公司
第一条  乙方为甲方开发票据识别系统，合同总金额为人民币壹佰贰拾万元整（¥1,200,000.00），税率6%。
第二条  本合同自2026年3月1日起生效，至2027年2月28日届满。
第三条  付款方式：签订后十个工作日内支付30%，验收合格后支付70%。逾期付款的，每日按合同金额的0.05%支付违约金。
甲方联系人：王伟，电话13800138000，邮箱wangwei@yuntu.example.com。"""
CONTRACT_FIELDS = ("合同编号", "甲方", "乙方", "合同金额", "税率", "生效日期", "到期日期", "付款方式", "联系人", "联系电话", "邮箱", "签订日期")
PEOPLE = "王伟任上海云图数据科技有限公司经理，手机13800138000。\n李娜任北京蓝天信息技术有限公司主管，手机13900139000。\n张强任广州海风贸易有限公司总监，手机13700137000。"


def shot(browser, folder, name):
    browser.js("document.activeElement.blur(); document.getElementById('toast').classList.remove('shown');")
    browser.driver.save_screenshot(str(folder / f"page-{name}.png"))


def extraction(b, folder):
    b.set_text(CONTRACT)
    b.set_fields(*CONTRACT_FIELDS)
    b.extract()
    for _ in range(3):  # a few polls, so that the status bar has something to show
        b.click("refresh-status")
        time.sleep(1)
    shot(b, folder, "extract")
    b.click("language")
    b.click("theme")
    b.click("theme")
    b.all("#result-table .value-button")[3].click()
    shot(b, folder, "correct-dark-english")
    b.click("language")
    b.click("theme")


def records(b, folder):
    b.set_text(PEOPLE)
    b.set_fields("姓名", "公司", "职位", "手机号")
    b.js("const s = document.getElementById('record'); s.value = '姓名'; s.dispatchEvent(new Event('change'));")
    b.extract()
    shot(b, folder, "records")


def classes(b, folder):
    b.click("tab-classify")
    b.click("classify-sample")
    b.click("classify")
    b.wait("document.querySelector('.bars')")
    shot(b, folder, "classify")
    b.click("tab-extract")


def batch(b, folder):
    b.click("mode-batch")
    path = pathlib.Path(b.downloads) / "简历.csv"
    names = ("王伟", "李娜", "张强", "刘洋", "陈静", "杨磊", "赵敏", "黄海", "周婷", "吴刚")
    posts = ("工程师", "产品经理", "财务主管", "销售总监", "设计师")
    lines = [f"R{i:03},\"{names[i % 10]}，现任上海云图数据科技有限公司{posts[i % 5]}，{2010 + i % 15}年{1 + i % 12}月加入，年薪{20 + i}万元。\"" for i in range(120)]
    path.write_text("编号,正文\n" + "\n".join(lines) + "\nR120,\n", encoding="utf-8")
    b.id("batch-file").send_keys(str(path))
    b.wait("document.getElementById('batch-drop').textContent.includes('121')")
    b.js("let chip; while ((chip = document.querySelector('#batch-fields .chip-remove'))) chip.click();")
    b.type("batch-fields-input", "姓名，公司，职位，入职时间，年薪" + Keys.ENTER)
    b.click("batch-run")
    b.wait("!document.getElementById('batch-run').disabled && document.getElementById('batch-count').textContent === '121 / 121'", seconds=300)
    b.js("const s = document.getElementById('batch-sort'); s.value = 'confidence'; s.dispatchEvent(new Event('change'));")
    shot(b, folder, "batch")
    b.click("mode-single")


def phone(b, folder):
    b.size(390, 844, mobile=True)
    b.set_text(CONTRACT.splitlines()[-1])
    b.set_fields("联系人", "联系电话", "邮箱")
    b.extract()
    b.js("window.scrollTo(0, 0)")
    shot(b, folder, "phone")


def main():
    folder = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "docs/images"
    folder.mkdir(parents=True, exist_ok=True)
    server = Server()
    browser = Browser(1366, 768)
    try:
        browser.driver.get(server.url)
        browser.wait("document.querySelector('#fields input') && document.querySelector('.state.ready')")
        for take in (extraction, records, classes, batch, phone):
            take(browser, folder)
    finally:
        browser.close()
        server.close()


if __name__ == "__main__":
    main()
