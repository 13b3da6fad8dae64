# SPDX-License-Identifier: Apache-2.0
"""The asynchronous client: method for method the blocking one (tests/test_clients.py compares)."""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING, Any, AsyncIterator, Dict, List, Mapping, Optional, Sequence, TypeVar, Union

import httpx

from . import calls
from .errors import ConnectionFailed, JobFailed, SeqgptError, error_from
from .models import Classification, Event, Extraction, Generation, ItemResult, Job, JobAccepted, Label

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from .models import ClassifyOptions, ExtractOptions, GenerateOptions

T = TypeVar("T")
Item = Union[str, Mapping[str, Any]]


class AsyncClient:
    """One server. Holds connections open; use it as an async context manager or call aclose().

    429 and 503 are tried again `retries` times, after what Retry-After asks for."""

    def __init__(self, url: Optional[str] = None, key: Optional[str] = None, *, timeout: float = 60.0,
                 retries: int = 2, transport: Optional[httpx.AsyncBaseTransport] = None) -> None:
        base, headers = calls.settings(url, key)
        self._http = httpx.AsyncClient(base_url=base, headers=headers, timeout=timeout, transport=transport)
        self._retries = retries

    async def __aenter__(self) -> "AsyncClient":
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        await self._http.aclose()

    async def extract(self, text: str, labels: Sequence[Label], **options: "Unpack[ExtractOptions]") -> Extraction:
        return await self._run(calls.extract(text, labels, options))

    async def classify(self, text: str, labels: Sequence[Label], **options: "Unpack[ClassifyOptions]") -> Classification:
        return await self._run(calls.classify(text, labels, options))

    async def generate(self, text: str, **options: "Unpack[GenerateOptions]") -> Generation:
        return await self._run(calls.generate(text, options))

    async def extract_batch(self, items: Sequence[Item], labels: Optional[Sequence[Label]] = None,
                            **options: "Unpack[ExtractOptions]") -> List[ItemResult[Extraction]]:
        return await self._run(calls.batch("extract", items, labels, options, calls.read_extraction))

    async def classify_batch(self, items: Sequence[Item], labels: Optional[Sequence[Label]] = None,
                             **options: "Unpack[ClassifyOptions]") -> List[ItemResult[Classification]]:
        return await self._run(calls.batch("classify", items, labels, options, calls.read_classification))

    def stream_extract(self, text: str, labels: Sequence[Label],
                       **options: "Unpack[ExtractOptions]") -> AsyncIterator[Event[Extraction]]:
        """Stages, each field as it is decided, then the whole answer. Not retried."""
        return self._stream(calls.extract(text, labels, options))

    def stream_generate(self, text: str, **options: "Unpack[GenerateOptions]") -> AsyncIterator[Event[Generation]]:
        return self._stream(calls.generate(text, options))

    async def submit_extract(self, items: Sequence[Item], labels: Optional[Sequence[Label]] = None, *,
                             idempotency_key: Optional[str] = None, **options: "Unpack[ExtractOptions]") -> JobAccepted:
        return await self._run(calls.submit("extract", items, labels, options, idempotency_key))

    async def submit_classify(self, items: Sequence[Item], labels: Optional[Sequence[Label]] = None, *,
                              idempotency_key: Optional[str] = None,
                              **options: "Unpack[ClassifyOptions]") -> JobAccepted:
        return await self._run(calls.submit("classify", items, labels, options, idempotency_key))

    async def job(self, job_id: str) -> Job:
        return await self._run(calls.job(job_id))

    async def jobs(self) -> AsyncIterator[Job]:
        """All jobs of the key, newest first."""
        cursor: Optional[str] = None
        while True:
            page, cursor = await self._run(calls.jobs(cursor))
            for job in page:
                yield job
            if not cursor:
                return

    async def cancel(self, job_id: str) -> Job:
        return await self._run(calls.cancel(job_id))

    async def wait(self, job_id: str, *, timeout: Optional[float] = None, interval: float = 0.5) -> Job:
        """Until the job is done. Raises JobFailed, or TimeoutError after `timeout` seconds."""
        end = None if timeout is None else time.monotonic() + timeout
        while True:
            job = await self.job(job_id)
            if job.status in ("failed", "cancelled"):
                raise JobFailed(f"job {job_id} {job.status}", type=job.status)
            if job.ended:
                return job
            if end is not None and time.monotonic() >= end:
                raise TimeoutError(f"job {job_id} is {job.status} after {timeout} s")
            await asyncio.sleep(interval)

    def extract_results(self, job_id: str) -> AsyncIterator[ItemResult[Extraction]]:
        """In the order of the items; follows a job that is under way to its end."""
        return self._results(job_id, calls.read_extraction)

    def classify_results(self, job_id: str) -> AsyncIterator[ItemResult[Classification]]:
        return self._results(job_id, calls.read_classification)

    async def health(self) -> Dict[str, Any]:
        return await self._run(calls.plain("/health"))

    async def info(self) -> Dict[str, Any]:
        return await self._run(calls.plain("/info"))

    async def version(self) -> Dict[str, Any]:
        return await self._run(calls.plain("/version"))

    async def _run(self, call: "calls.Call[T]") -> T:
        for attempt in range(self._retries + 1):
            answer = await self._send(call.method, call.path, call.body, call.headers)
            if answer.status_code < 400:
                return call.read(calls.json_of(answer.text, answer.status_code))
            error = self._error(answer)
            if answer.status_code not in calls.RETRIED or attempt == self._retries:
                break
            await asyncio.sleep(calls.pause(attempt, error.retry_after))
        raise error

    async def _send(self, method: str, path: str, body: Optional[Mapping[str, Any]],
                    headers: Mapping[str, str]) -> httpx.Response:
        try:
            return await self._http.request(method, path, json=body, headers=headers)
        except httpx.HTTPError as problem:
            raise ConnectionFailed(f"{method} {self._http.base_url}{path}: {problem}") from problem

    def _error(self, answer: httpx.Response) -> SeqgptError:
        return error_from(answer.status_code, calls.json_of(answer.text, answer.status_code),
                          answer.headers.get("retry-after"))

    async def _stream(self, call: "calls.Call[T]") -> AsyncIterator[Event[T]]:
        headers = {**call.headers, "Accept": "text/event-stream"}
        try:
            async with self._http.stream(call.method, call.path, json=call.body, headers=headers) as answer:
                if answer.status_code >= 400:
                    await answer.aread()
                    raise self._error(answer)
                reader = calls.EventReader(call.read)
                async for line in answer.aiter_lines():
                    for event in reader.feed(line.rstrip("\r\n")):
                        yield event
        except httpx.HTTPError as problem:
            raise ConnectionFailed(f"{call.path}: {problem}") from problem

    async def _results(self, job_id: str, read: "calls.Reader[T]") -> AsyncIterator[ItemResult[T]]:
        cursor = "0"
        while True:
            answer = await self._send("GET", calls.results_path(job_id, cursor), None, {})
            if answer.status_code >= 400:
                raise self._error(answer)
            items = calls.read_lines(answer.text, read)
            for item in items:
                yield item
            if "x-next-cursor" not in answer.headers:
                return
            cursor = answer.headers["x-next-cursor"]
            if not items:  # the next one is still being worked on
                await asyncio.sleep(calls.PAUSE)
