#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The clerk's path in Chromium 83, older than the 86 the page promises to need: the engine of Qt WebEngine 5.15.2 (PyPI).

chromedriver and Debian's Chromium are both newer, so this drives the page by its own JavaScript. Run by scripts/test_full.sh.
"""
import io
import json
import os
import pathlib
import sys
import tempfile
import time
import unittest
import zipfile

from harness import PATIENCE, Server
from PyQt5.QtCore import QEvent, QEventLoop, QTimer, QUrl
from PyQt5.QtWebEngineWidgets import QWebEnginePage, QWebEngineProfile, QWebEngineView
from PyQt5.QtWidgets import QApplication

TEXT = "王伟，现任上海云图数据科技有限公司CTO，2022年3月加入，年薪120万元。"
NEWEST_ALLOWED = 86


class Page(QWebEnginePage):
    """A page that keeps what the console is told."""

    def __init__(self, profile, parent):
        super().__init__(profile, parent)
        self.complaints = []

    def javaScriptConsoleMessage(self, level, message, line, source):
        if level == QWebEnginePage.ErrorMessageLevel and "Failed to load resource" not in message:
            self.complaints.append(f"{source}:{line}: {message}")


class OldBrowser:
    """One view and short words for what the tests do in it."""

    def __init__(self, downloads):
        self.downloads = pathlib.Path(downloads)
        self.finished = []
        self.profile = QWebEngineProfile()  # off the record
        self.profile.downloadRequested.connect(self._download)
        self.view = QWebEngineView()
        self.view.resize(1366, 650)
        self.page = Page(self.profile, self.view)
        self.view.setPage(self.page)
        self.view.show()

    def _download(self, item):
        item.setDownloadDirectory(str(self.downloads))
        item.finished.connect(lambda: self.finished.append(self.downloads / item.downloadFileName()))
        item.accept()

    def close(self):
        self.view.setPage(None)
        self.page.deleteLater()
        QApplication.sendPostedEvents(None, QEvent.DeferredDelete)

    def open(self, url):
        loop, came = QEventLoop(), []
        QTimer.singleShot(int(PATIENCE * 1000), loop.quit)

        def finished(well):
            came.append(well)
            loop.quit()

        self.page.loadFinished.connect(finished)
        self.page.load(QUrl(url))
        loop.exec_()
        self.page.loadFinished.disconnect(finished)
        if came != [True]:
            raise AssertionError(f"{url} did not load")
        self.wait("document.readyState === 'complete' && document.querySelector('#fields input')", "the page to be ready")

    def js(self, body):
        """What `body`, the inside of a function, returns; through JSON, as the engine hands out no nested values."""
        loop, answers = QEventLoop(), []
        QTimer.singleShot(int(PATIENCE * 1000), loop.quit)
        self.page.runJavaScript(f"JSON.stringify((() => {{ {body} }})())",
                                lambda answer: (answers.append(answer), loop.quit()))
        loop.exec_()
        if not answers:
            raise AssertionError("no answer from the page to: " + body)
        return json.loads(answers[0]) if answers[0] else None

    def wait(self, condition, what="", seconds=PATIENCE):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if condition() if callable(condition) else self.js(f"return !!({condition})"):
                return
            loop = QEventLoop()
            QTimer.singleShot(50, loop.quit)
            loop.exec_()
        raise AssertionError(f"waited in vain for {what or condition}")

    def click(self, name):
        self.js(f"document.getElementById({json.dumps(name)}).click()")

    def enter(self, name, text):
        """Types into a field and ends with Enter."""
        self.js(f"const box = document.getElementById({json.dumps(name)}); box.value = {json.dumps(text)};"
                "box.dispatchEvent(new Event('input', {bubbles: true}));"
                "box.dispatchEvent(new KeyboardEvent('keydown', {key: 'Enter', bubbles: true, cancelable: true}));")

    def set_text(self, text, name="source"):
        self.js(f"const area = document.getElementById('{name}'); area.value = {json.dumps(text)}; area.dispatchEvent(new Event('input'));")

    def choose_file(self, name, file_name, text):
        self.js(f"const held = new DataTransfer(); held.items.add(new File([{json.dumps(text)}], {json.dumps(file_name)}));"
                f"const input = document.getElementById('{name}'); input.files = held.files; input.dispatchEvent(new Event('change', {{bubbles: true}}));")

    def downloaded(self, name):
        """The bytes of the file that a click on `name` downloads."""
        self.finished.clear()
        self.click(name)
        self.wait(lambda: self.finished, f"the file of {name}")
        return self.finished[0].read_bytes()


class OldEngine(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = Server()
        cls.addClassCleanup(cls.server.close)
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.browser = OldBrowser(folder.name)
        cls.addClassCleanup(cls.browser.close)

    def setUp(self):
        self.browser.page.complaints.clear()
        self.browser.open(self.server.url)
        self.browser.js("localStorage.clear(); sessionStorage.clear();")
        self.browser.open(self.server.url)

    def tearDown(self):
        self.assertEqual(self.browser.page.complaints, [])

    def test_the_engine_is_old(self):
        version = self.browser.js("return parseInt(navigator.userAgent.match(/Chrome\\/(\\d+)/)[1])")
        self.assertLessEqual(version, NEWEST_ALLOWED)

    def extract(self, text, fields):
        b = self.browser
        b.set_text(text)
        b.enter("fields-input", fields)
        b.click("extract")
        b.wait("!document.getElementById('exports').hidden || document.querySelector('#extract-error .problem')", "an answer")

    def test_extraction_and_its_files(self):
        b = self.browser
        self.extract(TEXT, "姓名，公司，薪资，邮箱")
        self.assertEqual(b.js("return document.getElementById('marked').textContent"), TEXT)
        values = b.js("return [...document.querySelectorAll('#result-table .value-button')].map((n) => n.textContent)")
        self.assertIn("王伟", values)
        for value in values:
            self.assertIn(value, TEXT)
        self.assertIn("1,200,000 CNY", b.js("return document.getElementById('result-table').innerText"))
        b.js("document.querySelector('#marked mark').click()")
        self.assertTrue(b.js("return !!document.querySelector('#result-table tr.picked')"))
        b.js("document.querySelector(\"[data-focus^='confirm-']\").click()")
        csv = b.downloaded("csv").decode("utf-8-sig")
        self.assertEqual(csv.split("\r\n")[0], "姓名,公司,薪资,邮箱")
        with zipfile.ZipFile(io.BytesIO(b.downloaded("xlsx"))) as archive:
            self.assertIsNone(archive.testzip())
        self.assertEqual(json.loads(b.downloaded("gold"))["text"], TEXT)
        b.click("view-json")
        self.assertEqual(json.loads(b.js("return document.getElementById('result-json').textContent"))["result"]["薪资"], 1200000)

    def test_english_and_dark(self):
        b = self.browser
        for name in ("language", "theme", "theme"):
            b.click(name)
        self.assertEqual(b.js("return [document.documentElement.lang, document.documentElement.dataset.theme]"), ["en", "dark"])
        self.extract(TEXT, "姓名，邮箱")
        self.assertIn("of 2 fields", b.js("return document.getElementById('extract-status').textContent"))

    def test_opening_a_file(self):
        b = self.browser
        b.choose_file("file", "简历.txt", TEXT)
        b.wait("document.getElementById('source').value.includes('王伟')", "the file's text")

    def test_a_batch(self):
        b = self.browser
        b.click("mode-batch")
        b.choose_file("batch-file", "两人.txt", "王伟，年薪120万元。\n李娜，年薪80万元。\n")
        b.wait("document.getElementById('batch-drop').textContent.includes('2')", "the file to be read")
        b.enter("batch-fields-input", "姓名，薪资")
        b.click("batch-run")
        b.wait("!document.getElementById('batch-run').disabled && document.getElementById('batch-count').textContent === '2 / 2'", "the job")
        csv = b.downloaded("batch-csv").decode("utf-8-sig").split("\r\n")
        self.assertEqual(csv[0], "id,姓名,薪资,error")
        self.assertIn("王伟", csv[1])

    def test_classification(self):
        b = self.browser
        b.click("tab-classify")
        b.set_text("央行宣布下调存款准备金率0.5个百分点", "classify-text")
        b.enter("classes-input", "财经，科技，体育")
        b.click("classify")
        b.wait("document.querySelectorAll('.bars').length", "bars")
        self.assertEqual(len(b.js("return document.getElementById('classify-result').textContent.match(/[\\d.]+%/g)")), 3)

    def test_free_prompt(self):
        b = self.browser
        b.click("tab-prompt")
        b.set_text("王伟任CTO", "prompt-text")
        b.click("prompt-fill")
        b.js("document.getElementById('prompt-tokens').value = 24;")
        b.click("prompt-run")
        b.wait("document.getElementById('prompt-output').textContent !== '' && !document.getElementById('prompt-run').disabled", "the output")


if __name__ == "__main__":
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    os.environ.setdefault("QT_QUICK_BACKEND", "software")
    os.environ.setdefault("QTWEBENGINE_DISABLE_SANDBOX", "1")  # its seccomp rules are older than this glibc
    os.environ.setdefault("QTWEBENGINE_CHROMIUM_FLAGS", "--disable-gpu --no-zygote --lang=zh-CN")
    app = QApplication(sys.argv[:1])
    unittest.main(argv=["old_engine.py", "-v", *sys.argv[1:]])
