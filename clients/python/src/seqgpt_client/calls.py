# SPDX-License-Identifier: Apache-2.0
"""Every call as plain data: what is sent, and how the answer is read. Both clients run these."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, field
from typing import Any, Callable, Dict, Generic, Iterator, List, Mapping, Optional, Sequence, Tuple, TypeVar
from urllib.parse import quote

from .errors import ServerError, error_from
from .models import Classification, Event, Extraction, FieldFound, Finished, Generation, ItemResult, Job, JobAccepted
from .models import Label, Stage, TextWritten, decode

T = TypeVar("T")
Reader = Callable[[Any], T]

DEFAULT_URL = "http://127.0.0.1:8000"
RETRIED = (429, 503)
PAGE = 500  # results of a job in one request
PAUSE = 0.5  # seconds between two looks at a job


@dataclass(frozen=True)
class Call(Generic[T]):
    method: str
    path: str
    read: Reader[T]
    body: Optional[Mapping[str, Any]] = None
    headers: Mapping[str, str] = field(default_factory=dict)


def settings(url: Optional[str], key: Optional[str]) -> Tuple[str, Dict[str, str]]:
    """Address and headers: arguments, else SEQGPT_URL and SEQGPT_KEY."""
    base = (url or os.environ.get("SEQGPT_URL") or DEFAULT_URL).rstrip("/")
    secret = key or os.environ.get("SEQGPT_KEY")
    return base, {"Authorization": f"Bearer {secret}"} if secret else {}


def pause(attempt: int, retry_after: Optional[float]) -> float:
    """Seconds before the next try: what the server asked for, else 0.25, 0.5, 1 ..."""
    return min(retry_after if retry_after is not None else 0.25 * 2.0**attempt, 30.0)


def read_extraction(body: Any) -> Extraction:
    return decode(Extraction, body)


def read_classification(body: Any) -> Classification:
    return decode(Classification, body)


def read_generation(body: Any) -> Generation:
    return decode(Generation, body)


def read_job(body: Any) -> Job:
    return decode(Job, body)


def read_accepted(body: Any) -> JobAccepted:
    return decode(JobAccepted, body)


def read_jobs(body: Any) -> Tuple[List[Job], Optional[str]]:
    """A page and the cursor of the next one."""
    return [read_job(item) for item in body["jobs"]], body.get("next")


def read_item(index: int, body: Any, read: Reader[T]) -> ItemResult[T]:
    name = body.get("id")
    if "error" in body:
        return ItemResult(index, None, error_from(int(body["error"].get("code", 500)), body), name)
    return ItemResult(index, read(body), None, name)


def _body(text: str, labels: Optional[Sequence[Label]], options: Mapping[str, Any]) -> Dict[str, Any]:
    body: Dict[str, Any] = {"text": text, **options}
    if labels is not None:
        body["labels"] = list(labels)
    return body


def _items(texts: Sequence[Any], labels: Optional[Sequence[Label]], options: Mapping[str, Any]) -> Dict[str, Any]:
    items = [{"text": item} if isinstance(item, str) else dict(item) for item in texts]
    body: Dict[str, Any] = {"items": items, **options}
    if labels is not None:
        body["labels"] = list(labels)
    return body


def extract(text: str, labels: Sequence[Label], options: Mapping[str, Any]) -> Call[Extraction]:
    return Call("POST", "/v1/extract", read_extraction, _body(text, labels, options))


def classify(text: str, labels: Sequence[Label], options: Mapping[str, Any]) -> Call[Classification]:
    return Call("POST", "/v1/classify", read_classification, _body(text, labels, options))


def generate(text: str, options: Mapping[str, Any]) -> Call[Generation]:
    return Call("POST", "/v1/generate", read_generation, _body(text, None, options))


def batch(task: str, texts: Sequence[Any], labels: Optional[Sequence[Label]], options: Mapping[str, Any],
          read: Reader[T]) -> Call[List[ItemResult[T]]]:
    def read_all(body: Any) -> List[ItemResult[T]]:
        return [read_item(i, item, read) for i, item in enumerate(body["results"])]
    return Call("POST", f"/v1/{task}/batch", read_all, _items(texts, labels, options))


def submit(task: str, texts: Sequence[Any], labels: Optional[Sequence[Label]], options: Mapping[str, Any],
           idempotency_key: Optional[str]) -> Call[JobAccepted]:
    headers = {"Idempotency-Key": idempotency_key} if idempotency_key else {}
    return Call("POST", f"/v1/{task}/async", read_accepted, _items(texts, labels, options), headers)


def job(job_id: str) -> Call[Job]:
    return Call("GET", f"/v1/jobs/{quote(job_id, safe='')}", read_job)


def cancel(job_id: str) -> Call[Job]:
    return Call("DELETE", f"/v1/jobs/{quote(job_id, safe='')}", read_job)


def jobs(cursor: Optional[str]) -> Call[Tuple[List[Job], Optional[str]]]:
    return Call("GET", "/v1/jobs" + (f"?cursor={quote(cursor, safe='')}" if cursor else ""), read_jobs)


def plain(path: str) -> Call[Dict[str, Any]]:
    return Call("GET", path, lambda body: dict(body))


def results_path(job_id: str, cursor: str) -> str:
    return f"/v1/jobs/{quote(job_id, safe='')}/results?cursor={cursor}&limit={PAGE}"


def read_lines(text: str, read: Reader[T]) -> List[ItemResult[T]]:
    lines = [json.loads(line) for line in text.split("\n") if line.strip()]
    return [read_item(int(line["index"]), line, read) for line in lines]


class EventReader(Generic[T]):
    """Server-sent events to Stage, FieldFound, TextWritten and Finished; an `error` event is raised."""

    def __init__(self, read: Reader[T]) -> None:
        self._read = read
        self._name = "message"
        self._data: List[str] = []

    def feed(self, line: str) -> Iterator[Event[T]]:
        """One line without its end."""
        if line.startswith("event:"):
            self._name = line[6:].strip()
        elif line.startswith("data:"):
            self._data.append(line[5:].removeprefix(" "))
        elif not line and self._data:
            name, data = self._name, json.loads("\n".join(self._data))
            self._name, self._data = "message", []
            event = self._event(name, data)
            if event is not None:
                yield event

    def _event(self, name: str, data: Any) -> Optional[Event[T]]:
        if name == "stage":
            return decode(Stage, data)
        if name == "field":
            return decode(FieldFound, data)
        if name == "text":
            return decode(TextWritten, data)
        if name == "result":
            return Finished(self._read(data))
        if name == "error":
            raise error_from(int(data.get("error", {}).get("code", 500)), data)
        return None  # of a newer server


def json_of(text: str, status: int) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        raise ServerError(f"HTTP {status} with a body that is no JSON: is this a seqgpt server?",
                          status=status) from None
