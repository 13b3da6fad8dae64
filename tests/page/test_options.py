# SPDX-License-Identifier: Apache-2.0
"""The options of 信息抽取: what is set reaches the request, what is not set is left out of it, by mouse and by keyboard."""
import json
import unittest

from harness import Keys, PageTest

TEXT = "王伟，现任上海云图数据科技有限公司CTO，2022年3月加入，年薪120万元。"


class Options(PageTest):
    def setUp(self):
        super().setUp()
        self.browser.set_text(TEXT)
        self.browser.set_fields("姓名", "公司")
        self.browser.js("const real = window.fetch; window.fetch = (path, options) => { if (path === 'extract') window.asked = options.body; return real(path, options); };")

    def asked(self):
        """The options of the request that a click on 抽取 sends; its answer has come."""
        self.browser.extract()
        self.assertEqual(self.browser.all("#extract-error .problem"), [])
        body = json.loads(self.browser.js("return window.asked"))
        return {name: value for name, value in body.items() if name not in ("text", "labels", "offsets", "timeout_ms")}

    def put(self, name, value):
        self.browser.js("const n = document.getElementById(arguments[0]); n.value = arguments[1]; n.dispatchEvent(new Event('change'));", name, value)

    def test_classes_and_prompts_wait_for_long_texts_too(self):
        b = self.browser
        b.js("window.bodies = {}; window.fetch = (path, options) => { if (options && options.body) window.bodies[path] = options.body; return new Promise(() => {}); };")
        b.click("tab-classify")
        b.click("classify-sample")
        b.js("document.getElementById('classify-text').value = '字'.repeat(5000)")
        b.click("classify")
        b.click("tab-prompt")
        b.js("document.getElementById('prompt-own').value = '字'.repeat(1000)")
        self.put("prompt-beams", "2")
        b.click("prompt-run")
        bodies = {path: json.loads(body) for path, body in b.js("return window.bodies").items()}
        self.assertEqual((bodies["classify"]["timeout_ms"], bodies["generate"]["timeout_ms"]), (130000, 100000))

    def test_what_is_not_set_is_not_asked(self):
        self.assertEqual(self.asked(), {})

    def test_each_option_is_asked(self):
        b = self.browser
        b.one("details.more summary").click()
        self.put("beams", "3")
        self.put("floor", "0.25")
        self.put("long-text", "truncate")
        self.put("reference", "2024-05-06T07:08")
        self.put("record", "姓名")
        b.click("all-mentions")
        self.assertEqual(self.asked(), {"beams": 3, "min_confidence": 0.25, "long_text": "truncate", "reference_time": "2024-05-06T07:08", "record": "姓名", "mentions": "all"})
        self.assertIn("王伟", b.id("result-records").text)

    def test_a_batch_asks_with_the_same_options(self):
        b = self.browser
        b.js("const before = window.fetch; window.fetch = (path, options) => { if (path === 'extract/async') window.job = options.body; return before(path, options); };")
        b.one("details.more summary").click()
        self.put("floor", "0.25")
        self.put("record", "姓名")  # of one text: a batch has a row a text
        b.click("mode-batch")
        b.one("details.more summary").click()
        self.assertTrue(b.id("floor").is_displayed())
        b.click("all-mentions")
        b.open_batch("两篇.txt", "王伟，年薪120万元。\n李娜，年薪80万元。\n", 2)
        b.click("batch-run")
        b.wait("document.getElementById('batch-count').textContent === '2 / 2' && !document.getElementById('batch-run').disabled")
        job = json.loads(b.js("return window.job"))
        self.assertEqual({name: job[name] for name in job if name not in ("items", "labels")}, {"min_confidence": 0.25, "mentions": "all", "offsets": "utf16"})
        b.js("const s = document.getElementById('batch-task'); s.value = 'classify'; s.dispatchEvent(new Event('change'));")
        self.assertFalse(b.one("details.more").is_displayed())
        b.click("mode-single")
        self.assertTrue(b.one("details.more").is_displayed())

    def test_classes_show_their_stages(self):
        b = self.browser
        b.js("window.seen = new Set();"
             "new MutationObserver(() => document.querySelectorAll('#classify-progress .stages li').forEach((n) => window.seen.add(n.textContent.split(' ')[0]))).observe(document.body, {childList: true, subtree: true});")
        b.click("tab-classify")
        b.click("classify-sample")
        b.click("classify")
        b.wait("document.querySelector('.bars')")
        seen = b.js("return [...window.seen]")
        for stage in ("排队", "阅读", "给各类打分"):
            self.assertIn(stage, seen)
        self.assertNotIn("规范化", seen)
        self.assertFalse(b.id("classify-progress").is_displayed())

    def test_beams_by_keyboard(self):
        b = self.browser
        b.js("document.querySelector('details.more summary').focus()")
        b.focused().send_keys(Keys.ENTER)
        for _ in range(20):  # a moment has a stop for each of its parts
            if b.focused().get_attribute("id") == "beams":
                break
            b.focused().send_keys(Keys.TAB)
        self.assertEqual(b.focused().get_attribute("id"), "beams")
        self.assertNotEqual(b.js("return getComputedStyle(document.activeElement).outlineStyle"), "none")
        self.assertEqual(b.focused().accessible_name, "束宽")
        self.assertEqual(b.id(b.focused().get_attribute("aria-describedby")).text, "大于 1：更准但更慢")
        b.focused().send_keys(Keys.ARROW_UP)
        self.assertEqual(self.asked(), {"beams": 2})
        for value, row in zip(("王伟", "上海云图数据科技有限公司"), b.all("#result-table .value-button")):
            self.assertIn(row.text, TEXT)
            self.assertEqual(row.text, value)

    def test_beams_stay_within_what_the_service_takes(self):
        self.browser.one("details.more summary").click()
        for typed, asked in (("99", {"beams": 8}), ("-3", {}), ("", {}), ("1", {}), ("2.4", {"beams": 2})):
            self.put("beams", typed)
            self.assertEqual(self.asked(), asked, typed)

    def test_beams_in_english(self):
        b = self.browser
        b.click("language")
        b.one("details.more summary").click()
        self.assertEqual(b.id("beams").accessible_name, "Beams")
        self.assertEqual(b.id("beams-help").text, "above 1: more accurate, slower")


if __name__ == "__main__":
    unittest.main()
