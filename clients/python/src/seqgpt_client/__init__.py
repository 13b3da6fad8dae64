# SPDX-License-Identifier: Apache-2.0
"""Client of a seqgpt server, blocking (`Client`) and asynchronous (`AsyncClient`)."""

from .aio import AsyncClient
from .client import Client
from .errors import (
    ConnectionFailed,
    DeadlineExceeded,
    InvalidRequest,
    JobFailed,
    NotFound,
    RateLimited,
    SeqgptError,
    ServerError,
    TooLarge,
    Unauthorized,
    Unavailable,
)
from .models import (
    Classification,
    ClassScore,
    Entity,
    Event,
    Extraction,
    FieldFound,
    Finished,
    Generation,
    ItemResult,
    Job,
    JobAccepted,
    LabelSpec,
    Stage,
    TextWritten,
    Usage,
    Warning,
)

__all__ = [
    "AsyncClient", "Classification", "ClassScore", "Client", "ConnectionFailed", "DeadlineExceeded", "Entity",
    "Event", "Extraction", "FieldFound", "Finished", "Generation", "InvalidRequest", "ItemResult", "Job", "JobAccepted",
    "JobFailed", "LabelSpec", "NotFound", "RateLimited", "SeqgptError", "ServerError", "Stage", "TextWritten",
    "TooLarge", "Unauthorized", "Unavailable", "Usage", "Warning",
]
__version__ = "0.1.0"
