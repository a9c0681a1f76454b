"""What the calls of one step may do, and what they did: set around a client's work, read by the door below all clients.

A context variable rather than a parameter: no client can forget to hand it on.
"""

from __future__ import annotations

from collections.abc import Awaitable
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import TypeVar

from service.domain.egress import OPEN, EgressPolicy
from service.domain.errors import ClientError, ErrorCode
from service.domain.traffic import Destination

T = TypeVar("T")


@dataclass(slots=True, kw_only=True)
class CallScope:
    """One step's."""

    egress: EgressPolicy = OPEN
    requests_left: int | None = None
    """Most requests that may be sent; None: any number."""
    requests: int = 0
    """Sent so far, those included that failed."""
    sent_to: set[Destination] = field(default_factory=set[Destination])

    def check(self, to: Destination) -> None:
        """Refuse a request that may not go out.

        Raises:
            ClientError: `egress_denied`, it may not go there; `budget_exceeded`, no more may.
        """
        refusal = self.egress.refusal(to)
        if refusal is not None:
            raise ClientError(ErrorCode.EGRESS_DENIED, f"Nothing was sent: {refusal}.", retryable=False)
        if self.requests_left is not None and self.requests >= self.requests_left:
            message = "The job's `max_requests` is used up; the request was not sent again."
            raise ClientError(ErrorCode.BUDGET_EXCEEDED, message, retryable=False)

    def send(self, to: Destination) -> None:
        """Note that a request, which was checked, goes out."""
        self.requests += 1
        self.sent_to.add(to)


_SCOPE: ContextVar[CallScope | None] = ContextVar("call_scope", default=None)


def current_scope() -> CallScope:
    """The scope of the work that asks; outside of any, one that allows all."""
    return _SCOPE.get() or CallScope()


async def within(scope: CallScope, work: Awaitable[T]) -> T:
    """Do work in a scope; to be awaited in a task of its own."""
    _SCOPE.set(scope)
    return await work
