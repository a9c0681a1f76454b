"""What can go wrong.

FieldmarkError
├── ApiError            the service answered with an error; branch on `code`
├── NoAnswerError       the service could not be reached, or did not answer in time
├── StillRunningError   the job was not over within the time that was given
└── WebhookError        a request is not from the service, or is too old
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

Detail = str | int | float | None


class FieldmarkError(Exception):
    """Root of all errors of this client."""


@dataclass(kw_only=True, eq=False)
class ApiError(FieldmarkError):
    """The service answered with an error."""

    status: int
    code: str
    """Stable; docs/errors.md of the service explains each."""
    message: str
    param: str | None = None
    """The part of the request that is meant."""
    retryable: bool = False
    """Whether the same request may work later; the client has tried it again already."""
    retry_after_s: float | None = None
    request_id: str | None = None
    """Under which the service logged it."""
    details: Mapping[str, Detail] = field(default_factory=dict[str, Detail])

    def __str__(self) -> str:
        return f"{self.code} ({self.status}): {self.message}"


class NoAnswerError(FieldmarkError):
    """The service could not be reached, or did not answer in time."""


class StillRunningError(FieldmarkError):
    """The job goes on; wait for it again."""


class WebhookError(FieldmarkError):
    """A request that says it is a webhook cannot be trusted."""
