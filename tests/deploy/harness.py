# SPDX-License-Identifier: Apache-2.0
"""What the deploy tests share: the program, free ports, requests, waiting, and ending only what was started here."""

import contextlib
import json
import os
import pathlib
import shutil
import socket
import subprocess
import tempfile
import time
import unittest
import urllib.error
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parents[2]
DEPLOY = ROOT / "deploy"
PROGRAM = pathlib.Path(os.environ.get("SEQGPT_PROGRAM", ROOT / "build/release/seqgpt"))
TEXT = "王伟，现任上海云图数据科技有限公司CTO，2022年3月加入，年薪120万元。"
LABELS = ["姓名", "公司", "职位"]


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def needs(*programs):
    """Skips a test where the machine lacks a program (scripts/setup.sh full installs all)."""
    missing = [name for name in programs if not shutil.which(name) and not shutil.which("/usr/sbin/" + name)]
    return unittest.skipIf(missing, f"not installed: {', '.join(missing)}")


class Answer:
    def __init__(self, status, headers, body):
        self.status, self.headers, self.body = status, headers, body

    @property
    def json(self):
        return json.loads(self.body)


def ask(url, body=None, headers=None, method=None, timeout=60):
    """One request; an error status is an answer, too. OSError when nobody answers."""
    data = None if body is None else json.dumps(body).encode() if not isinstance(body, bytes) else body
    request = urllib.request.Request(url, data=data, method=method, headers={"Content-Type": "application/json",
                                                                            **(headers or {})})
    try:
        with urllib.request.urlopen(request, timeout=timeout) as answer:
            return Answer(answer.status, answer.headers, answer.read())
    except urllib.error.HTTPError as answer:
        return Answer(answer.code, answer.headers, answer.read())


def extract(url, text=TEXT, labels=None, timeout=60, **options):
    return ask(url + "/extract", {"text": text, "labels": labels or LABELS, **options}, timeout=timeout)


def wait_until(condition, seconds, what):
    """Polls; the time it took. Fails loudly after `seconds`."""
    start = time.monotonic()
    while True:
        with contextlib.suppress(OSError, ValueError):
            if condition():
                return time.monotonic() - start
        if time.monotonic() - start > seconds:
            raise AssertionError(f"not within {seconds} s: {what}")
        time.sleep(0.02)


def ready(url):
    return lambda: ask(url + "/ready", timeout=2).status == 200


@contextlib.contextmanager
def process(command, **options):
    """A program of ours for the time of the block; ended by its own pid."""
    child = subprocess.Popen([str(part) for part in command], **options)
    try:
        yield child
    finally:
        if child.poll() is None:
            child.terminate()
            try:
                child.wait(20)
            except subprocess.TimeoutExpired:
                child.kill()
                child.wait()


@contextlib.contextmanager
def server(*flags, root_path=""):
    """`seqgpt serve` on a free port with a directory of its own, ready. Gives the address."""
    with tempfile.TemporaryDirectory() as data:
        port = free_port()
        log = pathlib.Path(data, "stderr")
        command = [PROGRAM, "serve", "--port", port, "--data-dir", pathlib.Path(data, "state"), *flags]
        with open(log, "w", encoding="utf-8") as errors, process(command, stderr=errors) as child:
            url = f"http://127.0.0.1:{port}"
            try:
                wait_until(lambda: child.poll() is not None or ready(url + root_path)(), 120, "the server's /ready")
            except AssertionError as problem:
                raise AssertionError(f"{problem}\n{log.read_text(encoding='utf-8')}") from None
            if child.poll() is not None:
                raise AssertionError("the server ended:\n" + log.read_text(encoding="utf-8"))
            yield url
