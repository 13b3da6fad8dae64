# SPDX-License-Identifier: Apache-2.0
"""Requests and answers as types, field for field those of openapi.json (tests/test_models.py compares)."""

from __future__ import annotations

import dataclasses
import functools
import typing
from dataclasses import dataclass
from typing import Any, Dict, Generic, List, Literal, Optional, TypedDict, TypeVar, Union

T = TypeVar("T")

FieldType = Literal["person", "org", "place", "date", "amount", "number", "percent", "duration", "phone", "email",
                    "id", "text"]


class _LabelName(TypedDict):
    name: str


class LabelSpec(_LabelName, total=False):
    """A label that says more than its name."""

    type: FieldType
    alias: str
    description: str
    pattern: str
    one_of: List[str]
    mentions: Literal["one", "all"]


Label = Union[str, LabelSpec]


class TextOptions(TypedDict, total=False):
    reference_time: str
    timezone: str
    long_text: Literal["window", "truncate", "reject"]
    window_tokens: int
    max_chars: int
    degrade: Literal["allow", "never"]
    timeout_ms: int


class ExtractOptions(TextOptions, total=False):
    normalize: bool
    verify: bool
    values: Literal["auto", "list"]
    offsets: Literal["codepoint", "utf16", "bytes"]
    mentions: Literal["one", "all"]
    min_confidence: float
    labels_policy: Literal["open", "standard"]
    record: str
    beams: int


class ClassifyOptions(TextOptions, total=False):
    multi: bool
    threshold: float


class GenerateOptions(TypedDict, total=False):
    labels: List[Label]
    max_new_tokens: int
    beams: int
    repetition_penalty: float
    stop: List[str]
    task_word: str
    copy_only: bool
    one_of: List[str]
    degrade: Literal["allow", "never"]
    timeout_ms: int


@dataclass(frozen=True)
class Warning:  # noqa: A001 - the contract's word
    code: str
    message: str
    param: Optional[str] = None


@dataclass(frozen=True)
class Entity:
    """A value: `text` is the text's own from `start` to `end` (exclusive)."""

    label: str
    key: str
    text: str
    start: int
    end: int
    confidence: float
    normalized: Optional[Dict[str, Any]]
    reason: Optional[str] = None


@dataclass(frozen=True)
class Extraction:
    success: bool
    model: str
    fingerprint: str
    result: Dict[str, Any]
    entities: List[Entity]
    coverage: float
    truncated: bool
    degraded: bool
    warnings: List[Warning]
    trace_id: Optional[str] = None
    latency_ms: Optional[float] = None
    reference_time: Optional[str] = None
    records: Optional[List[Dict[str, Any]]] = None
    id: Optional[Any] = None


@dataclass(frozen=True)
class ClassScore:
    label: str
    probability: float


@dataclass(frozen=True)
class Classification:
    success: bool
    model: str
    fingerprint: str
    result: Union[str, List[str]]
    labels: List[ClassScore]
    coverage: float
    truncated: bool
    degraded: bool
    warnings: List[Warning]
    trace_id: Optional[str] = None
    latency_ms: Optional[float] = None
    reference_time: Optional[str] = None
    id: Optional[Any] = None


@dataclass(frozen=True)
class Usage:
    prompt_tokens: int
    completion_tokens: int


@dataclass(frozen=True)
class Generation:
    success: bool
    model: str
    fingerprint: str
    text: str
    finish_reason: str
    usage: Usage
    trace_id: Optional[str] = None
    latency_ms: Optional[float] = None
    start: Optional[int] = None
    end: Optional[int] = None
    degraded: Optional[bool] = None
    warnings: Optional[List[Warning]] = None


@dataclass(frozen=True)
class JobAccepted:
    job_id: str
    status_url: str


@dataclass(frozen=True)
class Job:
    job_id: str
    kind: str
    status: str
    progress: float
    items: int
    finished_items: int
    failed_items: int
    created: Optional[str] = None
    finished: Optional[str] = None
    expires: Optional[str] = None
    result: Optional[Dict[str, Any]] = None
    error: Optional[Dict[str, Any]] = None

    @property
    def ended(self) -> bool:
        return self.status in ("done", "failed", "cancelled")


@dataclass(frozen=True)
class ItemResult(Generic[T]):
    """One item of a batch or job: an answer or the exception that it met."""

    index: int
    answer: Optional[T]
    error: Optional[Exception]
    id: Optional[Any] = None


@dataclass(frozen=True)
class Stage:
    name: str
    ms: float


@dataclass(frozen=True)
class FieldFound:
    label: str
    values: List[Any]


@dataclass(frozen=True)
class TextWritten:
    text: str  # what came since the last one


@dataclass(frozen=True)
class Finished(Generic[T]):
    answer: T


Event = Union[Stage, FieldFound, TextWritten, Finished[T]]


@functools.lru_cache(maxsize=None)
def _hints(kind: Any) -> Dict[str, Any]:
    return typing.get_type_hints(kind)


def _decoded(hint: Any, value: Any) -> Any:
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if dataclasses.is_dataclass(hint) and isinstance(value, dict):
        return decode(typing.cast(type, hint), value)
    if origin is list and isinstance(value, list):
        return [_decoded(arguments[0], item) for item in value]
    if origin is Union and value is not None and len(arguments) == 2 and type(None) in arguments:
        return _decoded(next(a for a in arguments if a is not type(None)), value)
    return value


def decode(kind: type[T], body: Dict[str, Any]) -> T:
    """A dataclass from JSON. Fields that this version does not know are left out, so that a newer server
    does not break an older client."""
    hints = _hints(typing.cast(Any, kind))
    fields = dataclasses.fields(typing.cast(Any, kind))
    return kind(**{f.name: _decoded(hints[f.name], body[f.name]) for f in fields if f.name in body})
