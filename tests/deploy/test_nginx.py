# SPDX-License-Identifier: Apache-2.0
"""nginx really run with deploy/nginx.conf: the root path in addresses, the client's own address, and streams that are not
held back."""

import contextlib
import http.client
import json
import pathlib
import subprocess
import tempfile
import unittest

import harness

MAIN = """
daemon off; master_process off; pid {directory}/pid; error_log {directory}/error.log;
events {{ worker_connections 256; }}
http {{
  access_log off; client_body_temp_path {directory}/body; proxy_temp_path {directory}/proxy;
  fastcgi_temp_path {directory}/f; uwsgi_temp_path {directory}/u; scgi_temp_path {directory}/s;
  server {{ listen 127.0.0.1:{port}; include {directory}/seqgpt.conf; }}
}}
"""


@harness.needs("nginx")
class NginxTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.stack = contextlib.ExitStack()
        cls.direct = cls.stack.enter_context(harness.server("--root-path", "/seqgpt", "--trusted-proxy", "127.0.0.1"))
        directory = cls.stack.enter_context(tempfile.TemporaryDirectory())
        port = harness.free_port()
        shipped = (harness.DEPLOY / "nginx.conf").read_text(encoding="utf-8")
        assert "http://127.0.0.1:8000" in shipped
        pathlib.Path(directory, "seqgpt.conf").write_text(shipped.replace("http://127.0.0.1:8000", cls.direct),
                                                          encoding="utf-8")
        main = pathlib.Path(directory, "nginx.conf")
        main.write_text(MAIN.format(directory=directory, port=port), encoding="utf-8")
        cls.stack.enter_context(harness.process(["/usr/sbin/nginx", "-c", main, "-p", directory],
                                                stderr=subprocess.DEVNULL))
        cls.port = port
        cls.url = f"http://127.0.0.1:{port}/seqgpt"
        harness.wait_until(harness.ready(cls.url), 20, "nginx")

    @classmethod
    def tearDownClass(cls):
        cls.stack.close()

    def test_work_under_the_root_path(self):
        answer = harness.extract(self.url)
        self.assertEqual(answer.status, 200)
        self.assertEqual(answer.json["result"].keys(), set(harness.LABELS))
        self.assertEqual(harness.ask(self.url + "/v1/extract", {"text": harness.TEXT, "labels": ["姓名"]}).status, 200)

    def test_addresses_name_the_root_path(self):
        api = harness.ask(self.url + "/openapi.json").json
        self.assertEqual(api["servers"][0]["url"], "/seqgpt/")
        made = harness.ask(self.url + "/extract/async", {"text": harness.TEXT, "labels": ["姓名"]}).json
        self.assertTrue(made["status_url"].startswith("/seqgpt/"), made)
        found = harness.ask(f"http://127.0.0.1:{self.port}{made['status_url']}")
        self.assertEqual(found.json["job_id"], made["job_id"])

    def test_pages(self):
        for path in ("/", "/docs", "/docs/docs.js"):
            self.assertEqual(harness.ask(self.url + path).status, 200, path)
        self.assertEqual(harness.ask(f"http://127.0.0.1:{self.port}/seqgpt").status, 200)  # to /seqgpt/

    def test_streams_come_as_they_are_made(self):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        body = json.dumps({"text": harness.TEXT * 30, "labels": harness.LABELS}).encode()
        connection.request("POST", "/seqgpt/extract", body, {"Accept": "text/event-stream",
                                                             "Content-Type": "application/json"})
        answer = connection.getresponse()
        first = answer.read1(65536)
        self.assertTrue(first.startswith(b"event: "), first)
        self.assertNotIn(b"event: result", first)  # the end has not been waited for
        self.assertIn(b"event: result", answer.read())

    def test_big_bodies_are_refused(self):
        with contextlib.suppress(OSError):  # nginx may close before all is sent
            self.assertEqual(harness.ask(self.url + "/extract", b"x" * (9 << 20)).status, 413)


if __name__ == "__main__":
    unittest.main()
