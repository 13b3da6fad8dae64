# SPDX-License-Identifier: Apache-2.0
"""What the page's tests stand on: a real server on a free port, and a real Chromium driven through chromedriver.

SEQGPT_PROGRAM is the program (default build/release/seqgpt); SEQGPT_PAGE_SERVER may name another command that takes a port.
"""
import os
import pathlib
import shlex
import shutil
import signal
import socket
import subprocess
import tempfile
import time
import unittest
import urllib.error
import urllib.request

from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
PROGRAM = os.environ.get("SEQGPT_PROGRAM", str(ROOT / "build/release/seqgpt"))
PATIENCE = float(os.environ.get("SEQGPT_PAGE_PATIENCE", "60"))  # seconds; shared machines are slow


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Server:
    """`seqgpt serve` with the bundled model. stop() and start() again keep the port, and the jobs where it keeps any."""

    def __init__(self, *flags, environment=None, jobs=True):
        self.port = free_port()
        self.folder = tempfile.mkdtemp(prefix="seqgpt-page-")
        self.flags = [*flags, *(["--data-dir", self.folder + "/data"] if jobs else [])]
        self.environment = {**os.environ, **(environment or {})}
        self.process = None
        self.start()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.port}/"

    def command(self):
        other = os.environ.get("SEQGPT_PAGE_SERVER")
        if other:
            return [*shlex.split(other), str(self.port)]
        return [PROGRAM, "serve", "--host", "127.0.0.1", "--port", str(self.port), *self.flags]

    def start(self):
        self.log = open(pathlib.Path(self.folder) / "server.log", "ab")
        self.process = subprocess.Popen(self.command(), cwd=self.folder, env=self.environment, stdout=self.log, stderr=self.log)
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            if self.process.poll() is not None:
                raise RuntimeError("the server ended: " + (pathlib.Path(self.folder) / "server.log").read_text()[-2000:])
            try:
                with urllib.request.urlopen(self.url + "ready", timeout=2) as answer:
                    if answer.status == 200:
                        return
            except (urllib.error.URLError, OSError):
                time.sleep(0.1)
        self.stop()
        raise RuntimeError("the server was not ready in time")

    def stop(self, how=signal.SIGTERM):
        if self.process is None:
            return
        self.process.send_signal(how)
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.process = None
        self.log.close()

    def close(self):
        self.stop()
        shutil.rmtree(self.folder, ignore_errors=True)


class Browser:
    """One Chromium with its own download folder, and short words for what tests do in it."""

    def __init__(self, width=1366, height=650, resolve=None):
        """resolve: a host name that means this machine, for tests of what a browser allows to strangers."""
        self.downloads = tempfile.mkdtemp(prefix="seqgpt-downloads-")
        options = webdriver.ChromeOptions()
        options.binary_location = shutil.which("chromium") or "chromium"
        for flag in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--lang=zh-CN", f"--window-size={width},{height + 90}"):
            options.add_argument(flag)
        if resolve:
            options.add_argument(f"--host-resolver-rules=MAP {resolve} 127.0.0.1")
        options.add_experimental_option("prefs", {"download.default_directory": self.downloads, "download.prompt_for_download": False})
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        self.driver = webdriver.Chrome(options=options, service=Service(shutil.which("chromedriver")))
        self.driver.set_script_timeout(PATIENCE)
        self.size(width, height)

    def size(self, width, height, mobile=False):
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": mobile})

    def close(self):
        self.driver.quit()
        shutil.rmtree(self.downloads, ignore_errors=True)

    def js(self, script, *arguments):
        return self.driver.execute_script(script, *arguments)

    def module(self, body, *arguments):
        """Runs `body` as an async function that may `await import(url("csv.js"))`; returns what it returns."""
        script = "const done = arguments[arguments.length - 1]; const url = (name) => new URL(name, location.href).href;" + \
            "(async (...given) => {" + body + "})(...[...arguments].slice(0, -1)).then((value) => done({value}), (error) => done({error: String(error.stack || error)}));"
        answer = self.driver.execute_async_script(script, *arguments)
        if "error" in answer:
            raise AssertionError(answer["error"])
        return answer.get("value")

    def id(self, name):
        return self.driver.find_element(By.ID, name)

    def all(self, selector):
        return self.driver.find_elements(By.CSS_SELECTOR, selector)

    def one(self, selector):
        return self.driver.find_element(By.CSS_SELECTOR, selector)

    def click(self, name):
        self.id(name).click()

    def press(self, element):
        """A click on something in a list that scrolls; chromedriver does not see that a sticky head covers it."""
        self.js("arguments[0].scrollIntoView({block: 'center'})", element)
        element.click()

    def type(self, name, text):
        self.id(name).send_keys(text)

    def focused(self):
        return self.driver.switch_to.active_element

    def wait(self, condition, what="", seconds=None):
        """Until a JavaScript expression, or a callable, is true."""
        end = time.monotonic() + (seconds or PATIENCE)
        while time.monotonic() < end:
            if condition() if callable(condition) else self.js("return !!(" + condition + ")"):
                return
            time.sleep(0.05)
        raise AssertionError(f"waited in vain for {what or condition}")

    def set_text(self, text):
        self.js("const area = document.getElementById('source'); if (area.hidden) document.getElementById('edit-text').click();"
                "area.value = arguments[0]; area.dispatchEvent(new Event('input'));", text)

    def set_fields(self, *names):
        self.js("let chip; while ((chip = document.querySelector('#fields .chip-remove'))) chip.click();")
        self.type("fields-input", "，".join(names) + Keys.ENTER)

    def extract(self, seconds=None):
        self.click("extract")
        self.wait("!document.getElementById('exports').hidden || document.querySelector('#extract-error .problem')", "an answer", seconds)

    def open_batch(self, name, text, count):
        """Gives the batch a file of `text`, and waits until its `count` texts are read."""
        path = pathlib.Path(self.downloads) / name
        path.write_text(text, encoding="utf-8")
        self.id("batch-file").send_keys(str(path))
        self.wait(f"document.getElementById('batch-drop').textContent.includes('{count}')", f"{count} texts")

    def add_value(self, field, words):
        """Adds a value by the form of the field's row."""
        for row in self.all("#result-table tbody tr"):
            heads = row.find_elements(By.CSS_SELECTOR, "th.field")
            if heads and heads[0].text == field:
                self.press(row.find_element(By.CSS_SELECTOR, "[data-focus^='add-']"))
                break
        else:
            raise AssertionError(f"no row of {field}")
        self.one(".add-form input").send_keys(words + Keys.ENTER)

    def downloaded(self, suffix, act):
        """The bytes of the file that `act` downloads. Chromium holds the name with an empty file until it renames the whole one to it."""
        folder = pathlib.Path(self.downloads)
        before = set(folder.iterdir())
        act()
        made = lambda: [path for path in folder.glob(f"*{suffix}") if path not in before and path.stat().st_size > 0]
        self.wait(made, f"a {suffix} file")
        return made()[0].read_bytes()

    def complaints(self):
        """Errors that the browser logged: scripts that failed, policies broken. Refused requests are no error of the page."""
        return [entry["message"] for entry in self.driver.get_log("browser")
                if entry["level"] == "SEVERE" and "Failed to load resource" not in entry["message"]]


class PageTest(unittest.TestCase):
    """A server and a browser for a whole class; each test begins with the page loaded anew and nothing kept."""

    flags = ()
    jobs = True

    @classmethod
    def setUpClass(cls):
        cls.server = Server(*cls.flags, jobs=cls.jobs)
        cls.addClassCleanup(cls.server.close)
        cls.browser = Browser()
        cls.addClassCleanup(cls.browser.close)

    def setUp(self):
        self.browser.driver.get(self.server.url)
        self.browser.js("localStorage.clear(); sessionStorage.clear();")
        self.open()

    def open(self):
        self.browser.driver.get(self.server.url)
        self.browser.wait("document.querySelector('#fields input')", "the page to be ready")

    def tearDown(self):
        self.assertEqual(self.browser.complaints(), [])
