# SPDX-License-Identifier: Apache-2.0
"""The types of this package against a server's openapi.json, and the client against that server (SEQGPT_TEST_URL)."""

import dataclasses
import os
import typing
import unittest

import httpx

from seqgpt_client import (Classification, ClassScore, Client, Entity, Extraction, Generation, InvalidRequest, Job, JobAccepted,
                           LabelSpec, Usage, Warning)
from seqgpt_client.models import ClassifyOptions, ExtractOptions, FieldType, GenerateOptions

URL = os.environ.get("SEQGPT_TEST_URL")
TEXT = "王伟，现任上海云图数据科技有限公司CTO，年薪120万元。"


@unittest.skipUnless(URL, "SEQGPT_TEST_URL names no server")
class ModelsTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.schemas = httpx.get(f"{URL}/openapi.json").json()["components"]["schemas"]

    def test_answers_have_the_same_fields(self):
        for kind, name in ((Extraction, "Extraction"), (Entity, "Entity"), (Warning, "Warning"), (Usage, "Usage"),
                           (Classification, "Classification"), (ClassScore, "ClassScore"), (Generation, "Generation"),
                           (Job, "Job"), (JobAccepted, "JobAccepted")):
            schema = self.schemas[name]
            fields = dataclasses.fields(kind)
            self.assertEqual({field.name for field in fields}, set(schema["properties"]), name)
            required = {field.name for field in fields if field.default is dataclasses.MISSING}
            self.assertEqual(required, set(schema["required"]), name)

    def test_requests_have_the_same_options(self):
        for kind, name in ((ExtractOptions, "ExtractRequest"), (ClassifyOptions, "ClassifyRequest"),
                           (GenerateOptions, "GenerateRequest")):
            properties = dict(self.schemas[name]["properties"])
            hints = typing.get_type_hints(kind)
            self.assertEqual(set(hints) | {"text", "labels"}, set(properties), name)
            for field, hint in hints.items():
                choices = properties[field].get("enum")
                if choices:
                    self.assertEqual(set(typing.get_args(hint)), set(choices) - {None}, field)

    def test_labels_have_the_same_fields(self):
        spec = self.schemas["Label"]["oneOf"][1]["properties"]
        self.assertEqual(set(typing.get_type_hints(LabelSpec)), set(spec))
        self.assertEqual(set(typing.get_args(FieldType)), set(spec["type"]["enum"]) - {None})


@unittest.skipUnless(URL, "SEQGPT_TEST_URL names no server")
class LiveTest(unittest.TestCase):
    def setUp(self):
        self.client = self.enterContext(Client(URL))

    def test_extract(self):
        answer = self.client.extract(TEXT, ["姓名", "公司", {"name": "薪资", "alias": "salary"}])
        self.assertEqual(answer.result["姓名"], "王伟")
        self.assertIn("salary", answer.result)
        for entity in answer.entities:
            self.assertEqual(TEXT[entity.start:entity.end], entity.text)

    def test_classify_and_generate(self):
        answer = self.client.classify("央行下调存款准备金率", ["财经", "体育"])
        self.assertAlmostEqual(sum(score.probability for score in answer.labels), 1, places=3)
        self.assertIn(self.client.generate(TEXT, max_new_tokens=8).finish_reason, ("stop", "length"))

    def test_errors(self):
        with self.assertRaises(InvalidRequest) as caught:
            self.client.extract(TEXT, ["姓名", "姓名"])
        self.assertTrue(caught.exception.param.startswith("labels"))
        self.assertTrue(caught.exception.trace_id)

    def test_stream(self):
        *_, last = self.client.stream_extract(TEXT, ["姓名"])
        self.assertEqual(last.answer.result, self.client.extract(TEXT, ["姓名"]).result)

    def test_batch_and_job(self):
        texts = [TEXT, "李娜任工程师。", ""]
        batch = self.client.extract_batch(texts, ["姓名"])
        self.assertEqual([item.error is None for item in batch], [True, True, False])
        job = self.client.submit_extract(texts[:2], ["姓名"])
        self.client.wait(job.job_id, timeout=120)
        results = list(self.client.extract_results(job.job_id))
        self.assertEqual([item.answer.result for item in results], [item.answer.result for item in batch[:2]])


if __name__ == "__main__":
    unittest.main()
