# SPDX-License-Identifier: Apache-2.0
"""openapi.json against the live server: its examples are sent, every answer is checked by its schema, fields and ranges
that it names are the ones the server and the command line take."""

import json
import re
import socket
import subprocess
import unittest

import harness
from schema import problems


def setUpModule():
    global URL, API, ENDED
    ENDED = harness.server()
    URL = ENDED.__enter__()
    API = harness.ask(URL + "/openapi.json").json


def tearDownModule():
    ENDED.__exit__(None, None, None)


def operations():
    for path, item in API["paths"].items():
        for method, operation in item.items():
            if method != "servers":
                yield method.upper(), path, operation


def examples(operation):
    content = operation.get("requestBody", {}).get("content", {}).get("application/json", {})
    return [example["value"] for example in content.get("examples", {}).values()]


def answer_schema(operation, status):
    content = operation["responses"].get(str(status), {}).get("content", {})
    return content.get("application/json", {}).get("schema")


class DocumentTest(unittest.TestCase):
    def test_references_lead_somewhere(self):
        for name in re.findall(r'"#/components/schemas/(\w+)', json.dumps(API)):
            self.assertIn(name, API["components"]["schemas"])

    def test_operation_ids_are_unique(self):
        ids = [operation["operationId"] for _, _, operation in operations()]
        self.assertEqual(len(ids), len(set(ids)))

    def test_examples_fit_their_own_schema(self):
        for _, path, operation in operations():
            for example in examples(operation):
                schema = operation["requestBody"]["content"]["application/json"]["schema"]
                self.assertEqual(list(problems(schema, example, API)), [], path)

    def test_every_work_operation_has_an_example(self):
        for method, path, operation in operations():
            if method == "POST":
                self.assertTrue(examples(operation), path)


class AnswersTest(unittest.TestCase):
    def check(self, method, path, operation, answer):
        self.assertIn(str(answer.status), operation["responses"], f"{method} {path}: {answer.body[:500]}")
        media = answer.headers["content-type"].split(";")[0]
        self.assertIn(media, operation["responses"][str(answer.status)]["content"], path)
        schema = answer_schema(operation, answer.status)
        if schema:
            self.assertEqual(list(problems(schema, answer.json, API)), [], f"{method} {path}: {answer.body[:2000]}")
        self.assertTrue(answer.headers["x-request-id"], path)

    def test_examples_are_answered(self):
        for method, path, operation in operations():
            prefixes = ["", "/v1"] if "servers" in API["paths"][path] else [""]
            for example in examples(operation):
                for prefix in prefixes:
                    answer = harness.ask(URL + prefix + path, example, method=method)
                    self.assertIn(answer.status, (200, 202), f"{prefix}{path} {example}: {answer.body[:500]}")
                    self.check(method, path, operation, answer)

    def test_plain_reads(self):
        for method, path, operation in operations():
            if method != "GET" or "{" in path:
                continue
            answer = harness.ask(URL + path)
            self.check(method, path, operation, answer)
            if operation["operationId"] != "get_jobs":  # without keys there is no listing
                self.assertEqual(answer.status, 200, path)

    def test_jobs(self):
        item = API["paths"]["/extract/async"]["post"]
        made = harness.ask(URL + "/extract/async", examples(item)[0], {"Idempotency-Key": "one"})
        again = harness.ask(URL + "/extract/async", examples(item)[0], {"Idempotency-Key": "one"})
        self.assertEqual(made.json["job_id"], again.json["job_id"])
        path = "/jobs/" + made.json["job_id"]
        harness.wait_until(lambda: harness.ask(URL + path).json["status"] == "done", 60, "the job")
        self.check("GET", "/jobs/{id}", API["paths"]["/jobs/{id}"]["get"], harness.ask(URL + path))
        results = harness.ask(URL + path + "/results")
        self.check("GET", "/jobs/{id}/results", API["paths"]["/jobs/{id}/results"]["get"], results)
        lines = [json.loads(line) for line in results.body.decode().splitlines()]
        self.assertEqual([line["id"] for line in lines], ["a", "b"])
        for index, line in enumerate(lines):
            self.assertEqual(line.pop("index"), index)
            self.assertEqual(list(problems({"$ref": "#/components/schemas/Extraction"}, line, API)), [])
        missing = harness.ask(URL + "/jobs/" + "0" * 32)
        self.assertEqual(missing.status, 404)
        self.check("GET", "/jobs/{id}", API["paths"]["/jobs/{id}"]["get"], missing)

    def test_a_short_text_overtakes_a_huge_one(self):
        """A million characters are looked through and read beside the work of others, and called off with their client."""
        huge = json.dumps({"text": "甲方王伟，电话13800138000。" * 52_000, "labels": ["姓名", "电话"], "timeout_ms": 600_000}).encode()
        host, port = URL.removeprefix("http://").split(":")
        with socket.create_connection((host, int(port)), timeout=60) as client:
            client.sendall(b"POST /extract HTTP/1.1\r\nHost: t\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(huge) + huge)
            harness.wait_until(lambda: self.queue()["running"] >= 1, 120, "the huge text is under way")
            self.assertEqual(harness.extract(URL, timeout=120, timeout_ms=110_000).status, 200)
            self.assertEqual(self.queue()["running"], 1)
            client.setblocking(False)
            self.assertRaises(BlockingIOError, client.recv, 1)  # not a byte of an answer yet
        harness.wait_until(lambda: self.queue()["running"] == 0, 120, "its work ends with its client")

    def queue(self):
        return harness.ask(URL + "/health").json["queue"]

    def test_errors_have_one_shape(self):
        for path in ("/extract", "/classify", "/generate", "/extract/batch", "/classify/async"):
            operation = API["paths"][path]["post"]
            for body in (b"{", b"[]", b'{"text": 5}', b'{"colour": 1}', b"\xff", b"[" * 100):
                answer = harness.ask(URL + path, body)
                self.assertEqual(answer.status, 400, f"{path} {body}: {answer.body}")
                self.check("POST", path, operation, answer)


class StrictnessTest(unittest.TestCase):
    """What the schemas of requests promise is what the server checks."""

    def base(self, path):
        return examples(API["paths"][path]["post"])[0]

    def fields(self, path):
        reference = API["paths"][path]["post"]["requestBody"]["content"]["application/json"]["schema"]["$ref"]
        return API["components"]["schemas"][reference.split("/")[-1]]["properties"]

    def test_types_and_ranges(self):
        count = 0
        for path in ("/extract", "/classify", "/generate"):
            for name, field in self.fields(path).items():
                if "$ref" in field or name in ("text", "labels"):
                    continue
                self.assertIn("null", field["type"], name)  # null counts as not said
                wrong = [{}, 5 if "string" in field["type"] else "x"]
                if "minimum" in field:
                    wrong += [field["minimum"] - 1, field["maximum"] + 1]
                for value in wrong:
                    answer = harness.ask(URL + path, {**self.base(path), name: value})
                    self.assertEqual(answer.status, 400, f"{path} {name}={value!r}: {answer.body[:300]}")
                    self.assertEqual(answer.json["error"]["param"], name)
                    count += 1
        self.assertGreater(count, 40)

    def test_unknown_fields_are_named(self):
        for path in ("/extract", "/classify", "/generate", "/extract/batch", "/classify/batch"):
            answer = harness.ask(URL + path, {**self.base(path), "colour": 1})
            self.assertEqual((answer.status, answer.json["error"]["param"]), (400, "colour"), path)

    def test_fields_of_another_task_are_unknown(self):
        answer = harness.ask(URL + "/extract", {**self.base("/extract"), "multi": True})
        self.assertEqual((answer.status, answer.json["error"]["param"]), (400, "multi"))

    def test_defaults_are_what_is_done(self):
        body = self.base("/extract")
        fields = self.fields("/extract").items()
        defaults = {name: field.get("default") for name, field in fields if name not in ("text", "labels", "reference_time")}
        self.assertEqual((defaults["long_text"], defaults["mentions"]), ("window", None))
        plain = harness.ask(URL + "/extract", {**body, "reference_time": "none"}).json
        said = harness.ask(URL + "/extract", {**body, "reference_time": "none", **defaults}).json
        for answer in (plain, said):
            del answer["latency_ms"], answer["trace_id"]
        self.assertEqual(plain, said)

    def test_the_command_line_has_the_same_options(self):
        served_only = {"text", "labels", "degrade", "timeout_ms"}
        for path, command in (("/extract", "extract"), ("/classify", "classify"), ("/generate", "prompt")):
            text = subprocess.run([harness.PROGRAM, command, "--help"], capture_output=True, text=True, check=True).stdout
            for name in set(self.fields(path)) - served_only:
                self.assertIn("--" + name.replace("_", "-"), text, command)


class DocsPageTest(unittest.TestCase):
    def test_page_is_ours_alone(self):
        page = harness.ask(URL + "/docs")
        self.assertEqual(page.status, 200)
        self.assertIn("default-src 'none'", page.headers["content-security-policy"])
        for address in re.findall(r'(?:src|href)="([^"]+)"', page.body.decode()):
            self.assertNotRegex(address, r"^(//|https?:)")
            if not address.startswith("#"):
                self.assertEqual(harness.ask(f"{URL}/{address}").status, 200, address)
        self.assertNotIn("<style", page.body.decode())
        self.assertIsNone(re.search(r"<script(?![^>]*src=)", page.body.decode()))

    @harness.needs("chromium")
    def test_page_renders(self):
        shown = subprocess.run(["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--virtual-time-budget=10000",
                                "--dump-dom", URL + "/docs"], capture_output=True, text=True, timeout=120).stdout
        for _, path, operation in operations():
            self.assertIn(f'id="{operation["operationId"]}"', shown, path)
        self.assertRegex(shown, r'id="problem"[^>]*hidden')


if __name__ == "__main__":
    unittest.main()
