"""Waiting for the job behind a request on the vendor's paths, and writing its answer in one piece or as a stream."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass

import anyio
from anyio import to_thread
from fastapi import Request, Response
from fastapi.responses import StreamingResponse
from starlette.background import BackgroundTask
from starlette.requests import ClientDisconnect

from service.api.context import context_of, request_id_of
from service.api.errors import error_body
from service.api.waiting import keep_asking
from service.domain.errors import ServiceError
from service.domain.jobs import Job
from service.extraction.decoding.encode import EncodeOptions
from service.jobs.control.dropin import Attendance, require_result
from service.jobs.intake.submit import MODE_NOT_HONOURED
from service.jobs.results.completion import merged_completion
from service.jobs.services import Services
from service.protocol.chunk import completion_chunks
from service.protocol.completion import ChatCompletion
from service.protocol.emission import WirePath, emit, emit_chunk
from service.protocol.json_text import encode_json
from service.protocol.request import ExtractionOptions
from service.protocol.sse import encode_done, encode_event

EVENTS = "text/event-stream"
_ALIVE_S = 5.0
_SHORTEST_S, _LONGEST_S = 0.02, 0.5
_ALIVE = b": the job is being worked on\n\n"


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """A request whose job is made."""

    request: Request
    services: Services
    job: Job
    attendance: Attendance
    model: str
    """As the answer is to name it."""
    asked: ExtractionOptions

    async def answer(self, path: WirePath) -> Response:
        """The answer, once there is one.

        Raises:
            ServiceError: there is none.
            ClientDisconnect: nobody is there to have it; the job goes on.
        """
        wait_s = context_of(self.request).settings.dropin_wait_s
        job = await keep_asking(self.request, self.attendance.look, _is_over, seconds=wait_s)
        body = await to_thread.run_sync(self._body, job, path)
        if await self.request.is_disconnected():  # the answer waits for who asks again
            raise ClientDisconnect
        leave = BackgroundTask(self.attendance.leave)
        return Response(body, headers=self._headers(), media_type="application/json", background=leave)

    def stream(self, *, include_usage: bool) -> Response:
        """The answer as server-sent events; a job that fails ends the stream with an error event."""
        headers = {**self._headers(), "x-accel-buffering": "no"}
        return StreamingResponse(self._events(include_usage), headers=headers, media_type=EVENTS)

    def _headers(self) -> dict[str, str]:
        headers = {"x-fieldmark-job": self.job.id}
        if any(issue.code == MODE_NOT_HONOURED for issue in self.job.issues):
            headers["x-fieldmark-not-honoured"] = "mode"
        return headers

    def _completion(self, job: Job, path: WirePath) -> ChatCompletion:
        require_result(job)
        return merged_completion(self.services, job, EncodeOptions(path=path, asked=self.asked), model=self.model)

    def _body(self, job: Job, path: WirePath) -> bytes:
        return encode_json(emit(self._completion(job, path), path))

    async def _events(self, include_usage: bool) -> AsyncIterator[bytes]:
        yield _ALIVE
        try:
            job = self.job
            async for waited in self._until_over():
                if isinstance(waited, Job):
                    job = waited
                else:
                    yield waited
            completion = await to_thread.run_sync(self._completion, job, WirePath.STREAM)
            for event in encoded(completion, include_usage=include_usage):
                yield event
            await to_thread.run_sync(self.attendance.leave)
        except ServiceError as error:
            yield b"data: " + error_body(error, request_id_of(self.request)) + b"\n\n"

    async def _until_over(self) -> AsyncIterator[bytes | Job]:
        """Signs of life, then the job: over, or as it stands when the time is up."""
        context = context_of(self.request)
        started = alive_at = time.monotonic()
        while True:
            job = await to_thread.run_sync(self.attendance.look, limiter=context.waiting)
            now = time.monotonic()
            if job.status.is_terminal or now - started > context.settings.dropin_wait_s:
                yield job
                return
            if now - alive_at > _ALIVE_S:
                alive_at = now
                yield _ALIVE
            await anyio.sleep(min(_LONGEST_S, max(_SHORTEST_S, (now - started) / 10)))


def encoded(completion: ChatCompletion, *, include_usage: bool) -> Iterator[bytes]:
    """A completion as the events of a stream, the last one included."""
    for chunk in completion_chunks(completion, include_usage=include_usage):
        yield encode_event(emit_chunk(chunk))
    yield encode_done()


def _is_over(job: Job) -> bool:
    return job.status.is_terminal
