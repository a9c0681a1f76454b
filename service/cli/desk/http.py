"""Hand files to a service over HTTP: the `fieldmark serve` that owns this home, or one elsewhere."""

from __future__ import annotations

import os
import time
import uuid
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, suppress
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Literal, cast
from urllib.parse import quote

import httpx
import orjson

from service.cli.desk.base import JobView, Order, ReviewedDocument
from service.clients.door.proxies import proxy_for
from service.domain.batches import BatchState
from service.domain.errors import AccessError, ErrorCode, InputError, InternalError, ServiceError, StateError
from service.domain.events import EventType
from service.domain.jobs import JobStatus, ReviewState
from service.domain.records import Json, JsonObject, as_object, objects_in
from service.domain.routes import JobSchema
from service.domain.schema_version import AUTO

_API = "/api/v1"
_PATIENCE_S = 30.0
_PAUSE_S = 0.5
_READING_S = 300.0
"""For calls that read pages before they answer."""
_NOT_NOW = (429, 503)
_STATE = (404, 409, 410)
_ACCESS = (401, 403)
_OURS = 500
_EVENTS = 500
"""Of one answer; no more are given."""
_TIMEOUT = httpx.Timeout(60.0, connect=10.0)


class HttpDesk:
    """A `Desk` on the other side of HTTP."""

    where: Literal["here", "serve"] = "serve"

    def __init__(self, url: str, api_key: str, *, patience_s: float = _PATIENCE_S, far: bool = False) -> None:
        """Talk to the service at `url`.

        Args:
            url: of the service, without a path.
            api_key: empty: none.
            patience_s: how long a call that gets no answer, or "not now", is tried again.
            far: whether it is on another machine: then proxies of the environment count.

        Raises:
            InputError: `invalid_option`, the environment names a proxy that cannot be spoken with.
        """
        headers = {"Authorization": f"Bearer {api_key}"} if api_key else {}
        # httpx's own way with the environment breaks at proxies that it cannot speak with, whatever NO_PROXY says.
        road = httpx.HTTPTransport(proxy=proxy_for(url)) if far else None
        self._client = httpx.Client(base_url=url, headers=headers, timeout=_TIMEOUT, trust_env=far, transport=road)
        self._patience_s = patience_s

    def schema(self, reference: str) -> tuple[str, JsonObject]:
        """See `Desk.schema`."""
        found = self._ask("GET", f"/schemas/{quote(reference, safe='@')}")
        return f"{found['name']}@{found['version']}", as_object(found["schema"])

    def schemas(self, references: tuple[str, ...]) -> tuple[JobSchema, ...]:
        """See `Desk.schemas`."""
        names = list(references)
        if names == [AUTO]:
            known = objects_in(self._ask("GET", "/schemas").get("schemas"))
            own = [entry for entry in known if not entry.get("ready")]
            names = [f"{entry['name']}@{entry['version']}" for entry in own or known]
        found = [self._ask("GET", f"/schemas/{quote(name, safe='@')}") for name in names]
        return tuple(
            JobSchema(source=as_object(s["schema"]), name=str(s["name"]), version=_count(s, "version")) for s in found
        )

    def generate_schema(self, paths: Sequence[Path], instruction: str) -> tuple[str, JsonObject]:
        """See `Desk.generate_schema`."""

        def send() -> httpx.Response:
            with ExitStack() as stack:
                files = [("file", (path.name, stack.enter_context(path.open("rb")))) for path in paths]
                data = {"instruction": instruction}
                return self._client.post(f"{_API}/schemas/generate", data=data, files=files, timeout=_READING_S)

        try:
            found = self._persist(send)
        except OSError as error:
            raise InputError(ErrorCode.NO_FILE, f"A file cannot be read: {error.strerror}.", param="file") from None
        return str(found["name"]), as_object(found["schema"])

    def submit(self, order: Order, batch_id: str | None = None) -> str:
        """See `Desk.submit`; into a batch, if one is named."""
        fields = {"priority": order.priority.name.lower()}
        if batch_id is not None:
            fields["batch_id"] = batch_id
        if order.schemas:
            fields["schemas"] = ",".join(order.schemas)
        elif order.schema_ref is not None:
            fields["schema_ref"] = order.schema_ref
        else:
            fields["schema"] = orjson.dumps(order.schema).decode()
        if order.split_documents:
            fields["split_documents"] = "true"
        if not order.cache:
            fields["cache"] = "false"
        if order.second_opinion is not None:
            fields["second_opinion"] = str(order.second_opinion).lower()
        given = {"model": order.model, "password": order.password, "pages_per_chunk": order.pages_per_chunk}
        given |= asdict(order.budget)
        fields |= {name: str(value) for name, value in given.items() if value is not None}
        # With a key of its own a repeated request is attached to the job that the first one made.
        headers = {"Idempotency-Key": order.key or uuid.uuid4().hex}
        name = os.fsencode(order.path.name).decode("utf-8", "replace")  # not every name of a file is text

        def send() -> httpx.Response:
            with order.path.open("rb") as file:
                files = {"file": (name, file)}
                return self._client.post(f"{_API}/jobs", data=fields, files=files, headers=headers)

        try:
            return str(self._persist(send)["id"])
        except OSError as error:
            raise InputError(
                ErrorCode.NO_FILE, f"The file {str(order.path)!r} cannot be read: {error.strerror}.", param="file"
            ) from None

    def open_batch(self, name: str) -> str:
        """The id of a new batch."""
        return str(self._persist(lambda: self._client.post(f"{_API}/batches", json={"name": name}))["id"])

    def is_open_batch(self, batch_id: str) -> bool:
        """Whether there is such a batch that takes jobs."""
        try:
            return self._ask("GET", f"/batches/{batch_id}").get("state") == BatchState.OPEN
        except StateError:
            return False

    def close_batch(self, batch_id: str) -> None:
        """Let it take no more jobs; nothing happens if it is gone."""
        with suppress(StateError):
            self._ask("POST", f"/batches/{batch_id}/close")

    def look(self, job_id: str) -> JobView:
        """See `Desk.look`."""
        job = self._ask("GET", f"/jobs/{job_id}")
        progress, error = as_object(job.get("progress")), as_object(job.get("error"))
        usage, review = as_object(job.get("usage")), as_object(job.get("review")).get("state")
        total, cost = progress.get("pages_total"), usage.get("cost")
        return JobView(
            status=JobStatus(str(job["status"])),
            pages_total=total if isinstance(total, int) else None,
            pages_read=_count(progress, "pages_read"),
            splits_total=_count(progress, "splits_total"),
            splits_done=_count(progress, "splits_done"),
            tokens=_count(usage, "total_tokens"),
            cost=float(cost) if isinstance(cost, (int, float)) else None,
            doubtful=review == ReviewState.NEEDED,
            fault_code=str(error["code"]) if error else None,
            fault_message=str(error["message"]) if error else None,
        )

    def result(self, job_id: str) -> JsonObject:
        """See `Desk.result`."""
        return self._ask("GET", f"/jobs/{job_id}/result")

    def result_bytes(self, job_id: str, view: str) -> bytes:
        """The result of a job whose run is over, as the service sends it."""
        return self._persist_bytes(lambda: self._client.get(f"{_API}/jobs/{job_id}/result?view={view}"))

    def engine(self) -> str:
        """See `Desk.engine`."""
        return str(as_object(self._persist(lambda: self._client.get("/openapi.json")).get("info")).get("version"))

    def ended_since(self, position: int, wait_s: int) -> tuple[frozenset[str], int]:
        """Jobs, of whomever, whose runs ended behind a position of the event log, and the position to ask from next.

        Args:
            position: 0: from the beginning.
            wait_s: so long the answer may take if nothing happens.
        """
        found = self._ask("GET", f"/events?after={position}&wait={wait_s}&limit={_EVENTS}")
        events = objects_in(found.get("events"))
        ended = {str(event["job_id"]) for event in events if _tells_end(event)}
        return frozenset(ended), _count(found, "next_after")

    def newest_position(self) -> int:
        """The end of the event log: positions grow, so it is searched by halving."""
        low, high = 0, 1
        while self._goes_beyond(high):
            low, high = high, high * 2
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if self._goes_beyond(middle) else (low, middle)
        return high if self._goes_beyond(low) else low

    def model_name(self, wanted: str | None) -> str:
        """See `Desk.model_name`."""
        models = objects_in(self._ask("GET", "/models").get("models"))
        provider = (wanted or "").partition(":")[0].strip().lower()
        for model in models:
            if model.get("provider") == provider or (not wanted and model.get("default")):
                return str(wanted) if wanted and ":" in wanted else str(model.get("id"))
        return wanted or ""

    def _goes_beyond(self, position: int) -> bool:
        return bool(self._ask("GET", f"/events?after={position}&limit=1").get("events"))

    def reviewed(self) -> Iterator[ReviewedDocument]:
        """See `Desk.reviewed`."""
        cursor: Json = ""
        while cursor is not None:
            page = self._ask("GET", f"/reviewed?cursor={quote(str(cursor))}" if cursor else "/reviewed")
            cursor, cases = page["next_cursor"], page["cases"]
            for case in objects_in(cases):
                content = f"{_API}/files/{case['file_id']}/content"
                absent = case["absent"]
                yield ReviewedDocument(
                    name=f"{case['job_id']}{Path(str(case['file_name'])).suffix}",
                    data=self._persist_bytes(partial(self._client.get, content)),
                    schema=as_object(case["schema"]),
                    truth=as_object(case["truth"]),
                    absent=tuple(map(str, absent)) if isinstance(absent, list) else (),
                )

    def cancel(self, job_id: str) -> None:
        """See `Desk.cancel`."""
        try:
            self._ask("POST", f"/jobs/{job_id}/cancel")
        except StateError:
            return

    def close(self) -> None:
        """See `Desk.close`."""
        self._client.close()

    def _ask(self, method: str, path: str) -> JsonObject:
        return self._persist(lambda: self._client.request(method, _API + path))

    def _persist(self, send: Callable[[], httpx.Response]) -> JsonObject:
        return as_object(cast(Json, orjson.loads(self._persist_bytes(send))))

    def _persist_bytes(self, send: Callable[[], httpx.Response]) -> bytes:
        """Send, and send again while the service is on its way back or has too much to do."""
        until = time.monotonic() + self._patience_s
        while True:
            last = time.monotonic() > until
            try:
                answer = send()
                if answer.is_success:
                    return answer.content
                error = as_object(as_object(cast(Json, orjson.loads(answer.content))).get("error"))
            except (httpx.TransportError, orjson.JSONDecodeError) as error:  # or a proxy speaks for it
                if last:
                    why = f"did not answer ({type(error).__name__}); see its log."
                    message = f"The service at {self._client.base_url} {why}"
                    raise InternalError(ErrorCode.NOT_READY, message) from None
            else:
                wait = answer.status_code in _NOT_NOW or error.get("code") == ErrorCode.IDEMPOTENCY_IN_FLIGHT
                if last or not wait:
                    raise _fault(answer.status_code, error)
            time.sleep(_PAUSE_S)


def _fault(status: int, error: JsonObject) -> ServiceError:
    message = str(error.get("message") or f"`fieldmark serve` answered with status {status}.")
    try:
        code = ErrorCode(str(error.get("code")))
    except ValueError:  # of a newer service
        code = ErrorCode.INTERNAL
    if code is ErrorCode.INVALID_API_KEY:
        message += " The key is read from FIELDMARK_API_KEY."
    if status in _NOT_NOW or status >= _OURS:
        return InternalError(code, message)
    if status in _ACCESS:
        return AccessError(code, message)
    kind = StateError if status in _STATE else InputError
    return kind(code, message)


def _tells_end(event: JsonObject) -> bool:
    """Whether an event says that a run is over, or that the job is no more."""
    status = as_object(event.get("data")).get("status")
    is_status = event.get("type") == EventType.JOB_STATUS
    return event.get("type") == EventType.JOB_DELETED or (
        is_status and status in [*JobStatus] and JobStatus(str(status)).is_terminal
    )


def _count(body: JsonObject, name: str) -> int:
    value = body.get(name)
    return value if isinstance(value, int) else 0
