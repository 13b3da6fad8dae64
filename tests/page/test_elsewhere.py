# SPDX-License-Identifier: Apache-2.0
"""The page under other circumstances: a server with keys, a browser on another machine, a proxy's root path."""
import hashlib
import http.server
import os
import pathlib
import tempfile
import threading
import unittest
import urllib.request

from harness import Browser, Keys, PageTest, Server

TEXT = "王伟，现任上海云图数据科技有限公司CTO，2022年3月加入，年薪120万元。"
FIELDS = ("姓名", "公司", "薪资")


class WithKeys(PageTest):
    """Keys on: the page asks, keeps the key for the session, and streams, jobs and downloads work."""

    key = "a-key-for-the-page-tests"

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        keys = pathlib.Path(folder.name) / "keys"
        use = hashlib.blake2b(b"seqgpt bearer key v1", digest_size=32).digest()  # as src/store/keys.cc hashes a key
        keys.write_text("page:" + hashlib.blake2b(cls.key.encode(), key=use, digest_size=32).hexdigest() + "\n")
        keys.chmod(0o600)
        cls.flags = ("--keys", str(keys))
        os.environ["KEY"] = cls.key  # for a stand-in named by SEQGPT_PAGE_SERVER
        cls.addClassCleanup(os.environ.pop, "KEY")
        super().setUpClass()

    def test_the_clerks_path(self):
        b = self.browser
        b.set_text(TEXT)
        b.set_fields(*FIELDS)
        b.click("extract")
        b.wait("document.getElementById('dialog').open")
        b.type("dialog-input", "a wrong one" + Keys.ENTER)
        b.wait("document.getElementById('dialog').open && document.getElementById('dialog').textContent.includes('不对')")
        b.type("dialog-input", self.key + Keys.ENTER)
        b.wait("!document.getElementById('exports').hidden")
        self.assertIn("王伟", b.id("result-table").text)
        self.assertIn("姓名", b.downloaded(".csv", lambda: b.click("csv")).decode("utf-8-sig"))
        b.driver.refresh()  # the session keeps the key
        b.wait("document.querySelector('#fields input')")
        b.set_text(TEXT)
        b.set_fields(*FIELDS)
        b.extract()
        self.assertIn("王伟", b.id("result-table").text)
        self.assertNotIn(self.key, b.js("return JSON.stringify({...localStorage})"))
        b.click("mode-batch")
        path = b.downloads + "/two.txt"
        pathlib.Path(path).write_text("王伟\n李娜\n", encoding="utf-8")
        b.id("batch-file").send_keys(path)
        b.wait("document.getElementById('batch-drop').textContent.includes('2')")
        b.click("batch-run")
        b.wait("!document.getElementById('batch-run').disabled && document.getElementById('batch-count').textContent === '2 / 2'")
        b.click("tab-classify")
        b.click("classify-sample")
        b.click("classify")
        b.wait("document.querySelector('.bars')")

    def test_a_new_tab_has_the_key_too(self):
        b = self.browser
        b.driver.get(b.driver.current_url)
        b.wait("document.querySelector('#fields input')")
        b.js("sessionStorage.clear()")
        b.set_text(TEXT)
        b.set_fields(*FIELDS)
        b.click("extract")
        b.wait("document.getElementById('dialog').open")
        b.type("dialog-input", self.key + Keys.ENTER)
        b.wait("!document.getElementById('exports').hidden")
        first, page = b.driver.current_window_handle, b.driver.current_url
        b.driver.switch_to.new_window("tab")  # without an opener: its session storage is empty
        try:
            b.driver.get(page)
            b.wait("document.querySelector('#fields input')")
            self.assertEqual(b.js("return sessionStorage.length"), 0)
            b.set_text(TEXT)
            b.set_fields(*FIELDS)
            b.extract()
            self.assertFalse(b.js("return document.getElementById('dialog').open"))
            self.assertIn("王伟", b.id("result-table").text)
            self.assertNotIn(self.key, b.js("return JSON.stringify({...localStorage}) + document.cookie"))
            b.js("import('./key.js').then((key) => key.setApiKey(''))")  # forgotten in one tab, forgotten in all
        finally:
            b.driver.close()
            b.driver.switch_to.window(first)
        b.wait("!JSON.stringify({...sessionStorage}).includes('" + self.key + "')")

    def test_going_away_from_the_dialog_is_said(self):
        b = self.browser
        b.set_text(TEXT)
        b.set_fields(*FIELDS)
        b.click("extract")
        b.wait("document.getElementById('dialog').open")
        b.focused().send_keys(Keys.ESCAPE)
        b.wait("document.querySelector('#extract-error .problem')")
        self.assertIn("密钥", b.id("extract-error").text)


class FromAnotherMachine(PageTest):
    """Plain http under a name that is not this machine: no secure context, so no clipboard API."""

    @classmethod
    def setUpClass(cls):
        cls.server = Server(*cls.flags)
        cls.addClassCleanup(cls.server.close)
        cls.browser = Browser(resolve="desk.example.com")
        cls.addClassCleanup(cls.browser.close)

    def open(self):
        self.browser.driver.get(self.server.url.replace("127.0.0.1", "desk.example.com"))
        self.browser.wait("document.querySelector('#fields input')")

    def setUp(self):
        self.open()

    def test_copy_and_the_rest(self):
        b = self.browser
        self.assertEqual(b.js("return [window.isSecureContext, typeof navigator.clipboard]"), [False, "undefined"])
        b.set_text(TEXT)
        b.set_fields(*FIELDS)
        b.extract()
        b.click("copy")
        b.wait("document.getElementById('toast').textContent === '已复制'")
        b.click("edit-text")
        b.js("document.getElementById('source').value = ''; document.getElementById('source').focus();")
        b.focused().send_keys(Keys.CONTROL + "v")
        self.assertIn("王伟", b.id("source").get_attribute("value"))


class BehindARootPath(PageTest):
    """A proxy that serves the page under /tools/seqgpt/: every address of the page is relative."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        target = cls.server

        class Proxy(http.server.BaseHTTPRequestHandler):
            def forward(self):
                if not self.path.startswith("/tools/seqgpt/"):
                    self.send_error(404)
                    return
                body = self.rfile.read(int(self.headers.get("Content-Length") or 0)) or None
                headers = {name: self.headers[name] for name in ("Content-Type", "Accept") if self.headers[name]}
                request = urllib.request.Request(target.url + self.path[len("/tools/seqgpt/"):], data=body, headers=headers, method=self.command)
                with urllib.request.urlopen(request) as answer:
                    data = answer.read()
                    self.send_response(answer.status)
                    for name in ("Content-Type", "Content-Security-Policy"):
                        if answer.headers[name]:
                            self.send_header(name, answer.headers[name])
                    self.send_header("Content-Length", str(len(data)))
                    self.end_headers()
                    self.wfile.write(data)

            do_GET = do_POST = do_DELETE = forward

            def log_message(self, *arguments):
                pass

        proxy = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Proxy)
        threading.Thread(target=proxy.serve_forever, daemon=True).start()
        cls.addClassCleanup(proxy.server_close)
        cls.addClassCleanup(proxy.shutdown)
        cls.root = f"http://127.0.0.1:{proxy.server_port}/tools/seqgpt/"

    def open(self):
        self.browser.driver.get(self.root)
        self.browser.wait("document.querySelector('#fields input')")

    def test_it_works_there(self):
        b = self.browser
        b.set_text(TEXT)
        b.set_fields(*FIELDS)
        b.extract()
        self.assertIn("王伟", b.id("result-table").text)


if __name__ == "__main__":
    unittest.main()
