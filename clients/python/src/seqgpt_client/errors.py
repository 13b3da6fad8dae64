# SPDX-License-Identifier: Apache-2.0
"""What a server refuses, as exceptions: one class for each thing a caller may want to do about it."""

from __future__ import annotations

from typing import Any, Mapping, Optional


class SeqgptError(Exception):
    """Base of all. `status` is 0 when there was no HTTP answer."""

    def __init__(self, message: str, *, status: int = 0, type: str = "", param: Optional[str] = None,
                 trace_id: Optional[str] = None, retry_after: Optional[float] = None) -> None:
        super().__init__(message)
        self.message = message
        self.status = status
        self.type = type
        self.param = param
        self.trace_id = trace_id
        self.retry_after = retry_after


class InvalidRequest(SeqgptError):
    """400, 405, 408, 422: the request is wrong; `param` names the field."""


class Unauthorized(SeqgptError):
    """401: no key, or not one of the server's."""


class NotFound(SeqgptError):
    """404: no such route or job; a job may have expired."""


class TooLarge(SeqgptError):
    """413: a limit of sizes."""


class RateLimited(SeqgptError):
    """429: the queue is full or the key has used up its rate; `retry_after` says for how many seconds."""


class Unavailable(SeqgptError):
    """503: loading, draining or overloaded."""


class DeadlineExceeded(SeqgptError):
    """504: not done within `timeout_ms`."""


class ServerError(SeqgptError):
    """Any other answer that is no success."""


class ConnectionFailed(SeqgptError):
    """The server cannot be reached, or broke off."""


class JobFailed(SeqgptError):
    """wait() was asked for a job that failed or was cancelled."""


_BY_STATUS: Mapping[int, type[SeqgptError]] = {
    400: InvalidRequest, 401: Unauthorized, 404: NotFound, 405: InvalidRequest, 408: InvalidRequest,
    413: TooLarge, 422: InvalidRequest, 429: RateLimited, 503: Unavailable, 504: DeadlineExceeded,
}


def error_from(status: int, body: Any, retry_after: Optional[str] = None) -> SeqgptError:
    """The exception for an error in the contract's shape, {"error": {"code", "type", "message", ...}}."""
    inner = body.get("error") if isinstance(body, dict) else None
    if not isinstance(inner, dict):
        inner = {}
    try:
        seconds = float(retry_after) if retry_after is not None else None
    except ValueError:  # a date: the caller's own back-off will do
        seconds = None
    kind = _BY_STATUS.get(status, ServerError)
    return kind(str(inner.get("message", f"HTTP {status}")), status=status, type=str(inner.get("type", "")),
                param=inner.get("param"), trace_id=inner.get("trace_id"), retry_after=seconds)
