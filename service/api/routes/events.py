"""The event log: polled, with or without waiting, or followed as a stream of one job."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from functools import partial
from typing import Annotated

import anyio
from anyio import to_thread
from fastapi import APIRouter, Depends, Header, Query, Request, Response
from fastapi.sse import EventSourceResponse, ServerSentEvent
from pydantic import BaseModel, ConfigDict, Field

from service.api.context import Reader, ServicesOf, context_of, refuse_query
from service.api.documentation import JOB, errors, stream_errors, success
from service.api.payloads import examples
from service.api.payloads.events import EventListPayload, EventPayload
from service.api.routes.jobs import JobId
from service.api.waiting import MOST_WAIT_S, ask_until
from service.domain.errors import ErrorCode, InputError, StateError
from service.domain.events import Event
from service.domain.jobs import Job
from service.jobs.events.log import read_events, read_job_events
from service.jobs.queries import get_job
from service.jobs.services import Services

router = APIRouter(tags=["events"])
_POLL_S = 0.5
_MOST = 500
_LARGEST = 2**53
_RECONNECT_MS = 2000
_SEQ = re.compile(r"[0-9]{1,15}")


class EventQuery(BaseModel):
    """From where, and how long the answer may take."""

    model_config = ConfigDict(extra="forbid")

    after: int = Field(0, ge=0, le=_LARGEST, description="`next_after` of the answer before; 0: from the beginning.")
    wait: int = Field(0, ge=0, le=MOST_WAIT_S, description="Seconds to wait for the first event.")
    limit: int = Field(100, ge=1, le=_MOST)


@router.get(
    "/events",
    summary="Poll the event log",
    responses=errors() | success(EventListPayload, examples.EVENT_LIST, "What follows the position."),
)
async def poll_events(
    request: Request, wanted: Annotated[EventQuery, Query()], services: ServicesOf, caller: Reader
) -> EventListPayload:
    """Events of all jobs behind a position, in the order in which they became true; none is ever skipped."""
    ask = partial(read_events, services, caller.tenant_id, after=wanted.after, most=wanted.limit)
    found = await ask_until(request, ask, bool, seconds=wanted.wait)
    return EventListPayload(
        events=[EventPayload.of(event) for event in found],
        next_after=found[-1].position if found else wanted.after,
    )


def _followed_job(job_id: JobId, services: ServicesOf, caller: Reader) -> Job:
    """Before the stream begins, so that a wrong id is an error and not an empty stream."""
    return get_job(services, caller.tenant_id, job_id)


def _after_seq(
    last_event_id: Annotated[str | None, Header(description="Id of the last event that was received.")] = None,
) -> int:
    if last_event_id is None or last_event_id == "":
        return 0
    if not _SEQ.fullmatch(last_event_id):
        raise InputError(
            ErrorCode.INVALID_OPTION, "Last-Event-ID must be the id of an event of this stream.", param="Last-Event-ID"
        )
    return int(last_event_id)


async def _hold_place(request: Request) -> AsyncIterator[None]:
    """For as long as the stream goes on."""
    with context_of(request).places.take():
        yield


def _end_connection(response: Response) -> None:
    """The connection is the stream's: it ends with it."""
    response.headers["Connection"] = "close"


@router.get(
    "/jobs/{job_id}/events",
    summary="Follow a job",
    description=(
        "Server-sent events: `id` is the `seq` of the event, `event` its type, `data` the event as JSON. A comment "
        "comes every 15 seconds. The stream ends when the run is over."
    ),
    response_class=EventSourceResponse,
    responses=stream_errors(*JOB)
    | {200: {"description": "The stream.", "content": {"text/event-stream": {"example": examples.STREAM}}}},
    dependencies=[Depends(refuse_query), Depends(_hold_place), Depends(_end_connection)],
)
async def follow_job(
    request: Request,
    job: Annotated[Job, Depends(_followed_job)],
    after_seq: Annotated[int, Depends(_after_seq)],
    services: ServicesOf,
) -> AsyncIterator[ServerSentEvent]:
    """Every event of the job behind `Last-Event-ID`, then those to come."""
    limiter = context_of(request).waiting
    first = True
    while True:
        ask = partial(_look, services, job, after_seq)
        events, over = await to_thread.run_sync(ask, limiter=limiter)
        for event in events:
            data = EventPayload.of(event).model_dump_json()
            retry = _RECONNECT_MS if first else None
            yield ServerSentEvent(raw_data=data, event=event.type, id=str(event.seq), retry=retry)
            after_seq, first = event.seq, False
        if over and len(events) < _MOST:
            return
        if not events:
            await anyio.sleep(_POLL_S)


def _look(services: Services, job: Job, after_seq: int) -> tuple[tuple[Event, ...], bool]:
    """What is new, and whether nothing more is to come; asked in this order, so that no event falls between."""
    try:
        over = get_job(services, job.tenant_id, job.id).status.is_terminal
    except StateError:  # deleted meanwhile: its last events tell so
        over = True
    return read_job_events(services, job.tenant_id, job.id, after_seq=after_seq, most=_MOST), over
