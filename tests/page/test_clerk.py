# SPDX-License-Identifier: Apache-2.0
"""The clerk's whole path in a real Chromium with the bundled model."""
import io
import json
import re
import unittest
import xml.etree.ElementTree as xml
import zipfile

from harness import Keys, PageTest

TEXT = "王伟，现任上海云图数据科技有限公司CTO，2022年3月加入，年薪120万元。"
FIELDS = ("姓名", "公司", "职位", "入职时间", "薪资", "邮箱")
PLANTED = "<img src=x onerror=window.planted=1><script>window.planted=1</script>"


class Clerk(PageTest):
    def answer(self, text=TEXT, fields=FIELDS):
        self.browser.set_text(text)
        self.browser.set_fields(*fields)
        self.browser.extract()

    def marks(self):
        return self.browser.js("return [...document.querySelectorAll('#marked mark')].map((m) => m.textContent)")

    def rows(self):
        return self.browser.js("return [...document.querySelectorAll('#result-table tbody tr')].map((r) => [r.className, ...[...r.children].map((c) => (c.querySelector('.value-button') || c).innerText)])")

    def test_paste_fields_table(self):
        b = self.browser
        self.answer()
        self.assertEqual(b.id("marked").text.replace("\n", "")[:2], "王伟")
        self.assertEqual(b.js("return document.getElementById('marked').textContent"), TEXT)
        rows = self.rows()
        self.assertEqual([row[1] for row in rows], list(FIELDS))
        for row in rows:  # every value is verbatim; what is absent says so
            value = row[2]
            self.assertTrue("absent" in row[0] and value == "原文中没有" or value in TEXT, row)
        self.assertIn("absent", rows[-1][0])
        self.assertIn("120万元", rows[4][2])
        self.assertIn("1,200,000 CNY", rows[4][3])
        self.assertRegex(rows[0][4], r"^\d+%$")
        self.assertIn("5/6", b.id("extract-status").text)
        for tab, panel in (("view-json", "result-json"), ("view-table", "result-table")):
            b.click(tab)
            self.assertTrue(b.id(panel).is_displayed())
        body = json.loads(b.js("return document.getElementById('result-json').textContent"))
        self.assertEqual(body["result"]["薪资"], 1200000)

    def test_hover_and_click_tie_both_sides(self):
        b = self.browser
        self.answer()
        mark = b.one("#marked mark")
        mark.click()
        self.assertIn("picked", b.one("#result-table tr[data-id]").get_attribute("class"))
        second = b.all("#result-table .value-button")[1]
        b.press(second)
        picked = b.js("return [...document.querySelectorAll('mark.picked')].map((m) => m.textContent).join('')")
        self.assertEqual(picked, b.all("#result-table .value-button")[1].text)
        hot = b.js("const row = document.querySelectorAll('#result-table tr[data-id]')[2]; row.dispatchEvent(new MouseEvent('mouseover', {bubbles: true}));"
                   "return [...document.querySelectorAll('mark')].filter((m) => m.dataset.ids === row.dataset.id).map((m) => m.className)")
        self.assertIn("hot", hot[0])
        b.js("document.querySelector('#marked mark').dispatchEvent(new MouseEvent('mouseover', {bubbles: true}))")
        self.assertIn("hot", b.one("#result-table tr[data-id]").get_attribute("class"))

    def test_correcting_and_gold(self):
        b = self.browser
        self.answer(TEXT, ("姓名", "公司", "邮箱"))
        b.press(b.all("[data-focus^='confirm-']")[0])
        b.press(b.all("[data-focus^='remove-']")[1])
        b.add_value("邮箱", "年薪120万")
        self.assertEqual(b.one("tr.picked .value-button").text, "年薪120万")
        b.press(b.one("tr.picked [data-focus^='end-right']"))
        self.assertEqual(b.one("tr.picked .value-button").text, "年薪120万元")
        b.add_value("公司", "没有这些字")
        self.assertIn("原文中没有", b.one(".add-form + .field-error").text)
        # Selecting text in the pane offers the fields.
        b.js("const text = document.createTreeWalker(document.getElementById('marked'), NodeFilter.SHOW_TEXT); let node; while ((node = text.nextNode())) { const at = node.data.indexOf('现任'); if (at < 0) continue;"
             "const range = document.createRange(); range.setStart(node, at); range.setEnd(node, at + 2); getSelection().removeAllRanges(); getSelection().addRange(range); break; }"
             "document.getElementById('marked').dispatchEvent(new MouseEvent('mouseup', {bubbles: true}));")
        b.wait("!document.getElementById('popover').hidden")
        b.all("#popover button")[1].click()  # the first button gives the picked value new ends, then come the fields
        self.assertIn("现任", [row[2] for row in self.rows()])
        gold = json.loads(b.downloaded(".jsonl", lambda: b.click("gold")))
        self.assertEqual((gold["text"], gold["labels"]), (TEXT, ["姓名", "公司", "邮箱"]))
        self.assertNotIn("公司", gold["entities"])
        self.assertIn(["年薪120万元", TEXT.index("年薪"), TEXT.index("年薪") + 7], gold["entities"]["邮箱"])
        for value, start, end in [span for spans in gold["entities"].values() for span in spans]:
            self.assertEqual(TEXT[start:end], value)

    def test_csv_and_xlsx_keep_numbers_and_run_nothing(self):
        b = self.browser
        text = "证件 110101190001011234 ，编号 007 ，备注 =1+1 和 =2+2 完。"
        self.answer(text, ("身份证号", "合同编号", "备注", "邮箱"))
        while True:  # begin with nothing, whatever the model found
            left = b.js("return [...document.querySelectorAll('#result-table tr[data-id]:not(.removed) [data-focus^=\"remove-\"]')].length")
            if not left:
                break
            b.press(b.one("#result-table tr[data-id]:not(.removed) [data-focus^='remove-']"))
        for field, words in (("身份证号", "110101190001011234"), ("合同编号", "007"), ("备注", "=1+1"), ("备注", "=2+2")):
            b.add_value(field, words)
        csv = b.downloaded(".csv", lambda: b.click("csv"))
        self.assertEqual(csv.decode("utf-8-sig").split("\r\n"), ["身份证号,合同编号,备注,邮箱", "'110101190001011234,'007,'=1+1；=2+2,", ""])
        self.assertTrue(csv.startswith(b"\xef\xbb\xbf"))
        data = b.downloaded(".xlsx", lambda: b.click("xlsx"))
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            self.assertIsNone(archive.testzip())
            space = {"m": "http://schemas.openxmlformats.org/spreadsheetml/2006/main"}
            sheet = xml.fromstring(archive.read("xl/worksheets/sheet1.xml"))
            details = xml.fromstring(archive.read("xl/worksheets/sheet2.xml"))
        cells = sheet.findall(".//m:row[@r='2']/m:c", space)
        self.assertEqual([(cell.get("t"), cell.find("m:is/m:t", space).text) for cell in cells], [("inlineStr", "110101190001011234"), ("inlineStr", "007"), ("inlineStr", "=1+1；=2+2")])
        texts = [node.text for node in details.findall(".//m:t", space)]
        self.assertTrue({"110101190001011234", "007", "=1+1", "=2+2"} <= set(texts))
        self.assertEqual(sheet.findall(".//m:f", space) + details.findall(".//m:f", space), [])

    def test_a_row_a_record(self):
        b = self.browser
        text = "王伟任上海云图公司经理，手机13800138000。\n李娜任北京蓝天公司主管，手机13900139000。"
        b.set_text(text)
        b.set_fields("姓名", "公司", "职位", "手机号")
        b.js("const s = document.getElementById('record'); s.value = '姓名'; s.dispatchEvent(new Event('change'));")
        b.extract()
        self.assertTrue(b.id("view-records").is_displayed())
        names = b.js("return [...document.querySelectorAll('#result-records tbody tr')].map((r) => r.children[0].innerText)")
        self.assertEqual(names[:2], ["王伟", "李娜"])
        csv = b.downloaded(".csv", lambda: b.click("csv")).decode("utf-8-sig").split("\r\n")
        self.assertEqual(len(csv), len(names) + 2)
        self.assertIn("王伟", csv[1])

    def test_planted_script_stays_text(self):
        b = self.browser
        self.answer("甲方：" + PLANTED + "，乙方王伟。", ("甲方", "<b>乙方</b>", "姓名"))
        b.add_value("<b>乙方</b>", PLANTED)
        self.assertIn("<b>乙方</b>", b.id("fields").text)
        path = self.browser.downloads + "/<img src=x onerror=window.planted=1>.txt"
        with open(path, "w", encoding="utf-8") as file:
            file.write(PLANTED)
        b.id("file").send_keys(path)
        b.wait("document.getElementById('source-notice').textContent.includes('onerror')")
        b.click("view-json")
        self.assertIsNone(b.js("return window.planted || null"))
        self.assertEqual(b.js("return document.querySelectorAll('main img, main script, main b').length"), 0)
        policy = b.module("return (await fetch('.')).headers.get('Content-Security-Policy');")
        self.assertTrue(policy)
        self.assertNotIn("unsafe", policy)

    def test_overlapping_values_are_both_seen(self):
        b = self.browser
        self.answer(TEXT, ("公司", "地点", "姓名"))
        b.add_value("地点", "上海")
        b.add_value("地点", "上海云图")
        marks = b.js("return [...document.querySelectorAll('#marked mark')].map((m) => [m.textContent, m.dataset.ids.split(' ').length, m.style.backgroundImage.split('linear-gradient').length - 1])")
        deepest = next(mark for mark in marks if mark[0] == "上海")
        self.assertGreaterEqual(deepest[1], 2)
        self.assertEqual(deepest[1], deepest[2])  # an underline each
        mark = next(node for node in b.all("#marked mark") if node.text.startswith("上海"))
        seen = set()
        for _ in range(deepest[1]):  # each click takes the next of those that overlap
            mark.click()
            mark = next(node for node in b.all("#marked mark") if node.text.startswith("上海"))
            seen.add(b.one("tr.picked .value-button").text)
        self.assertEqual(len(seen), deepest[1])

    def test_emoji_do_not_shift_marks(self):
        self.answer("😀😀👨‍👩‍👧" + TEXT, ("姓名", "薪资"))
        self.assertIn("王伟", self.marks())
        self.assertIn("120万元", self.marks())

    def test_english_and_dark(self):
        b = self.browser
        b.click("language")
        b.click("theme")
        b.click("theme")
        self.assertEqual(b.js("return [document.documentElement.lang, document.documentElement.dataset.theme]"), ["en", "dark"])
        self.answer()
        self.assertIn("of 6 fields", b.id("extract-status").text)
        self.assertIn("not in the text", b.id("result-table").text)
        left = b.js("return [...document.querySelectorAll('button, h2, label, summary, #status')].filter((n) => n.offsetParent && /[\\u4e00-\\u9fff]/.test(n.textContent) && !n.closest('#fields, #marked, #result-table') && n.id !== 'language' && !n.closest('label')).map((n) => n.textContent)")
        self.assertEqual(left, [])
        b.driver.refresh()  # the choice outlives a reload
        b.wait("document.documentElement.dataset.theme === 'dark' && document.getElementById('extract').textContent === 'Extract'")
        background = b.js("return getComputedStyle(document.body).backgroundColor")
        self.assertLess(sum(map(int, re.findall(r"\d+", background)[:3])), 200)

    def test_keyboard_only(self):
        b = self.browser

        def until(what):
            for _ in range(40):
                if b.js("return document.activeElement.matches(arguments[0])", what):
                    return
                b.driver.switch_to.active_element.send_keys(Keys.TAB)
            raise AssertionError(f"{what} is not reached by Tab")

        until("#tab-extract")
        b.focused().send_keys(Keys.ARROW_RIGHT)
        self.assertTrue(b.id("panel-classify").is_displayed())
        b.focused().send_keys(Keys.ARROW_LEFT)
        until("#source")
        b.focused().send_keys(TEXT)
        until("#fields-input")
        b.focused().send_keys("姓")
        b.wait("!document.getElementById('fields-list').hidden")
        b.focused().send_keys(Keys.ARROW_DOWN + Keys.ENTER)
        b.focused().send_keys("薪资" + Keys.ENTER)
        self.assertEqual(b.js("return document.querySelectorAll('#fields .chip').length"), 2)
        until("#extract")
        b.focused().send_keys(Keys.ENTER)
        b.wait("!document.getElementById('exports').hidden")
        until(".value-button")
        b.focused().send_keys(Keys.ENTER)
        self.assertTrue(b.js("return document.activeElement.matches('.value-button') && !!document.querySelector('mark.picked')"))
        until("[data-focus^='confirm-']")
        b.focused().send_keys(Keys.SPACE)
        self.assertEqual(b.focused().get_attribute("aria-pressed"), "true")
        outline = b.js("return getComputedStyle(document.activeElement).outlineStyle")
        self.assertNotEqual(outline, "none")

    def test_lists_presets_and_own_presets(self):
        b = self.browser
        b.type("fields-input", "甲方，乙方、合同金额;签订日期" + Keys.ENTER)
        b.js("const data = new DataTransfer(); data.setData('text', '税率\\n单价\\t甲方'); document.getElementById('fields-input').dispatchEvent(new ClipboardEvent('paste', {clipboardData: data, bubbles: true, cancelable: true}));")
        names = lambda: b.js("return [...document.querySelectorAll('#fields .chip-name')].map((n) => n.firstChild.data)")
        self.assertEqual(names(), ["甲方", "乙方", "合同金额", "签订日期", "税率", "单价"])
        b.click("save-preset")
        b.wait("document.getElementById('dialog').open")
        b.type("dialog-input", "我的合同" + Keys.ENTER)
        b.wait("[...document.querySelectorAll('#preset option')].some((o) => o.value === 'own:我的合同')")
        b.js("const s = document.getElementById('preset'); s.value = 'std:resume'; s.dispatchEvent(new Event('change'));")
        self.assertIn("工作年限", names())
        self.open()
        b.js("const s = document.getElementById('preset'); s.value = 'own:我的合同'; s.dispatchEvent(new Event('change'));")
        self.assertEqual(names(), ["甲方", "乙方", "合同金额", "签订日期", "税率", "单价"])

    def test_what_is_missing_is_said(self):
        b = self.browser
        b.click("extract")
        self.assertIn("没有文本", b.id("extract-error").text)
        b.set_text("字")
        b.click("extract")
        self.assertIn("没有字段", b.id("extract-error").text)
        self.assertEqual(b.focused().get_attribute("id"), "fields-input")

    def test_repeated_clicks_ask_once(self):
        b = self.browser
        b.set_text(TEXT)
        b.set_fields(*FIELDS)
        b.js("window.asked = 0; const real = window.fetch; window.fetch = (path, ...rest) => { if (path === 'extract') ++window.asked; return real(path, ...rest); };"
             "for (let i = 0; i < 5; ++i) document.getElementById('extract').click();")
        b.wait("!document.getElementById('exports').hidden")
        self.assertEqual(b.js("return window.asked"), 1)

    def test_cancel(self):
        b = self.browser
        b.set_text(TEXT * 200)
        b.set_fields(*FIELDS)
        b.js("document.getElementById('extract').click(); document.getElementById('cancel').click();")
        b.wait("!document.getElementById('extract').disabled")
        self.assertIn("已取消", b.id("extract-status").text)
        self.assertFalse(b.id("cancel").is_displayed())

    def test_classification(self):
        b = self.browser
        b.click("tab-classify")
        b.js("const a = document.getElementById('classify-text'); a.value = '央行宣布下调存款准备金率0.5个百分点';")
        b.type("classes-input", "财经，科技，体育" + Keys.ENTER)
        b.click("classify")
        b.wait("document.querySelector('.bars')")
        numbers = [float(n) for n in re.findall(r"([\d.]+)%", b.id("classify-result").text)]
        self.assertEqual(len(numbers), 3)
        self.assertAlmostEqual(sum(numbers), 100, delta=0.3)
        self.assertEqual(numbers, sorted(numbers, reverse=True))
        b.click("multi-class")
        b.click("classify")
        b.wait("!document.getElementById('classify').disabled && document.querySelector('.bars')")
        self.assertIn("结果", b.id("classify-status").text)

    def test_free_prompt(self):
        b = self.browser
        b.click("tab-prompt")
        b.type("prompt-text", "王伟任CTO")
        b.click("prompt-fill")
        self.assertEqual(b.id("prompt-own").get_attribute("value"), "输入: 王伟任CTO\n抽取: 姓名，公司，职位\n输出: ")
        b.js("document.getElementById('prompt-tokens').value = 24;")
        b.click("prompt-run")
        b.wait("document.getElementById('prompt-output').textContent !== '' && !document.getElementById('prompt-run').disabled")
        self.assertRegex(b.id("prompt-status").text, r"用时 [\d.]+ 秒")

    def test_status_bar(self):
        b = self.browser
        b.wait("document.querySelector('.state.ready')")
        self.assertIn("seqgpt-mini", b.id("status").text)
        b.click("refresh-status")
        b.wait("document.querySelector('.state.ready')")

    def test_nothing_is_kept_unless_asked(self):
        b = self.browser
        self.answer()
        kept = lambda: b.js("return JSON.stringify({...localStorage}) + JSON.stringify({...sessionStorage})")
        self.assertNotIn("王伟", kept())
        b.click("open-settings")
        b.click("keep-history")
        b.one("dialog .primary").click()
        b.extract()
        self.assertIn("王伟", kept())
        b.click("open-settings")
        self.assertIn("王伟", b.one(".history").text)
        b.one("dialog .buttons button").click()
        self.assertNotIn("王伟", kept())

    def test_phone_and_laptop_sizes(self):
        b = self.browser
        b.set_text(TEXT)
        b.set_fields(*FIELDS)
        b.extract()
        sizes = "return [document.scrollingElement.scrollWidth <= innerWidth, document.scrollingElement.scrollHeight <= innerHeight, document.getElementById('main').scrollHeight <= document.getElementById('main').clientHeight]"
        self.assertEqual(b.js(sizes), [True, True, True])
        b.size(390, 844, mobile=True)
        self.addCleanup(b.size, 1366, 650)
        self.assertTrue(b.js(sizes)[0])
        self.assertEqual(b.js("return [...document.querySelectorAll('button, select, input, textarea')].filter((n) => n.offsetParent && !n.closest('.scroll, details:not([open])') && (n.getBoundingClientRect().right > innerWidth + 1 || n.getBoundingClientRect().left < -1)).map((n) => n.id || n.textContent)"), [])

    def test_batch_of_a_file(self):
        b = self.browser
        b.click("mode-batch")
        path = b.downloads + "/文本.csv"
        with open(path, "w", encoding="gb18030") as file:
            file.write("编号,正文\n" + "".join(f"K{i},\"王伟，年薪{i}万元。\"\n" for i in range(1, 61)) + "空,\n")
        b.id("batch-file").send_keys(path)
        b.wait("document.getElementById('batch-drop').textContent.includes('61')")
        self.assertIn("GB18030", b.id("batch-drop").text)
        b.type("batch-fields-input", "姓名，薪资" + Keys.ENTER)
        b.click("batch-run")
        b.wait("!document.getElementById('batch-run').disabled && document.getElementById('batch-count').textContent === '61 / 61'", seconds=180)
        self.assertIn("1 篇失败", b.id("batch-status").text)
        self.assertEqual(len(b.all("#batch-rows tbody tr")), 50)
        b.click("page-next")
        self.assertEqual(len(b.all("#batch-rows tbody tr")), 11)
        self.assertIn("空", b.one("#batch-rows tr.failed").text)
        b.js("const s = document.getElementById('batch-sort'); s.value = 'confidence'; s.dispatchEvent(new Event('change'));")
        shown = b.js("return [...document.querySelectorAll('#batch-rows tbody tr')].map((r) => parseInt(r.children[4].innerText)).filter((n) => n >= 0)")
        self.assertEqual(shown, sorted(shown))
        b.click("mode-single")
        b.set_text("我的草稿")
        b.click("mode-batch")
        b.press(b.one("#batch-rows button"))
        self.assertIn("复核 1/60", b.id("review-bar").text)
        b.one("#review-bar .primary").click()
        self.assertIn("复核 2/60", b.id("review-bar").text)
        b.all("#review-bar button")[0].click()
        self.assertEqual(b.id("source").get_attribute("value"), "我的草稿")  # what stood there comes back
        lines = b.downloaded(".jsonl", lambda: b.click("batch-gold")).decode().splitlines()
        self.assertEqual(len(lines), 1)
        self.assertRegex(json.loads(lines[0])["id"], r"^K\d+$")
        csv = b.downloaded(".csv", lambda: b.click("batch-csv")).decode("utf-8-sig").split("\r\n")
        self.assertEqual((csv[0], len(csv)), ("id,姓名,薪资,error", 63))

    def test_batch_of_classes(self):
        b = self.browser
        b.click("tab-classify")
        b.type("classes-input", "财经，体育" + Keys.ENTER)
        b.click("classify-batch")
        self.assertEqual(b.id("batch-task").get_attribute("value"), "classify")
        b.open_batch("新闻.txt", "央行宣布下调存款准备金率。\n国足客场一比零取胜。\n", 2)
        b.click("batch-run")
        b.wait("!document.getElementById('batch-run').disabled && document.getElementById('batch-count').textContent === '2 / 2'", seconds=180)
        self.assertIn("0 篇失败", b.id("batch-status").text)
        rows = [row.text for row in b.all("#batch-rows tbody tr")]
        self.assertEqual(len(rows), 2)
        for row in rows:
            self.assertRegex(row, "财经|体育")
            self.assertIn("%", row)
        self.assertFalse(b.id("batch-gold").is_displayed())
        csv = b.downloaded(".csv", lambda: b.click("batch-csv")).decode("utf-8-sig").split("\r\n")
        self.assertEqual(csv[0], "id,result,probability,error")
        self.assertRegex(csv[1], r"^0,(财经|体育),0\.\d+,$")


if __name__ == "__main__":
    unittest.main()
