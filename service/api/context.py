"""What a route needs of its request: the services, who asks, and the id under which the answer is logged."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Annotated, cast

import anyio
from fastapi import Depends, Request
from fastapi.security import HTTPBearer

from service.api.unsupported import refuse_unsupported
from service.auth.callers import Caller, may
from service.auth.keys import Authenticator
from service.auth.sessions import authorization_of, link_of
from service.domain.access import Role
from service.domain.errors import ErrorCode, InternalError
from service.jobs.services import Services
from service.settings import Settings

_FULL_RETRY_S = 5.0
REQUEST_ID = "fieldmark.request_id"
"""Where the request's id stands in the ASGI scope."""


class Places:
    """Counts those who wait or follow at once in this process; the event loop alone calls it."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._taken = 0

    @property
    def most(self) -> int:
        """How many there are."""
        return self._most

    @property
    def free(self) -> int:
        """How many are free now."""
        return self._most - self._taken

    @contextmanager
    def take(self) -> Generator[None]:
        """Hold a place.

        Raises:
            InternalError: `overloaded`, there is none.
        """
        if self._taken >= self._most:
            raise InternalError(
                ErrorCode.OVERLOADED,
                f"{self._most} callers wait here already; ask without waiting, or come back.",
                retry_after_s=_FULL_RETRY_S,
            )
        self._taken += 1
        try:
            yield
        finally:
            self._taken -= 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """What the app holds for its routes; one a process."""

    services: Services
    settings: Settings
    authenticator: Authenticator
    waiting: anyio.CapacityLimiter
    """Threads that look after those who wait, apart from those that serve."""
    drawing: anyio.CapacityLimiter
    """Threads that wait for pictures of pages: they queue for the sandbox, and others must not wait behind them."""
    places: Places
    dropin_places: Places
    """Of those who wait for an answer on the vendor's paths."""


def context_of(request: Request) -> Context:
    """The app's own."""
    return cast(Context, request.app.state.context)


def request_id_of(request: Request) -> str:
    """As the answer's `x-request-id` says."""
    return cast(str, request.scope.get(REQUEST_ID, ""))


# What follows is asynchronous where nothing waits: a plain function costs each request a hop to a thread and back.


async def services_of(request: Request) -> Services:
    """The use cases' ground."""
    return context_of(request).services


_scheme = HTTPBearer(auto_error=False, description="An API key: `fm_…`. Not needed on a machine without any key.")


def _authenticate(request: Request) -> Caller:
    client = request.client.host if request.client else None
    shown = authorization_of(request.headers.get("authorization"), request.cookies)
    context, named = context_of(request), request.path_params
    if shown is None:
        shown = link_of(request.cookies, context.authenticator.links, named, context.services.clock())
    return context.authenticator.authenticate(shown, client, named=named)


def _identify(request: Request, _shown: Annotated[object, Depends(_scheme)]) -> Caller:
    return _authenticate(request)


async def _reader(caller: Annotated[Caller, Depends(_identify)]) -> Caller:
    caller.require(Role.READ)
    return caller


async def _submitter(caller: Annotated[Caller, Depends(_identify)]) -> Caller:
    caller.require(Role.SUBMIT)
    return caller


async def _reviewer(caller: Annotated[Caller, Depends(_identify)]) -> Caller:
    caller.require(Role.REVIEW)
    return caller


async def _mender(caller: Annotated[Caller, Depends(_identify)]) -> Caller:
    if caller.link is not None or not may(caller.role, Role.REVIEW):
        caller.require(Role.SUBMIT)
    return caller


async def _admin(caller: Annotated[Caller, Depends(_identify)]) -> Caller:
    caller.require(Role.ADMIN)
    return caller


async def refuse_query(request: Request) -> None:
    """For routes without options: refuse any that is sent.

    Raises:
        InputError: `invalid_option` or `option_not_supported`.
    """
    for name in request.query_params:
        raise refuse_unsupported(name)


ServicesOf = Annotated[Services, Depends(services_of)]
Reader = Annotated[Caller, Depends(_reader)]
"""Who asks, and may read."""
Submitter = Annotated[Caller, Depends(_submitter)]
"""Who asks, and may hand in, change and delete jobs."""
Reviewer = Annotated[Caller, Depends(_reviewer)]
"""Who asks, and may correct and decide."""
Mender = Annotated[Caller, Depends(_mender)]
"""Who asks, and may have a job run again as it was asked for: who hands in and who reviews, but nobody by a link."""
Admin = Annotated[Caller, Depends(_admin)]
"""Who asks, and may do all."""
