"""The client: one object a service, safe to share between threads."""

from __future__ import annotations

import json
import time
import uuid
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Literal, TypedDict

import httpx
from pydantic import BaseModel, JsonValue

from fieldmark_client.errors import StillRunningError
from fieldmark_client.models import Event, Job, Receipt, Result
from fieldmark_client.transport import Call, Progress, Retries, Transport
from fieldmark_client.uploads import opened

SchemaLike = Mapping[str, JsonValue] | Path | str | Sequence[str]
"""A JSON Schema, or the `Path` of a file that holds one; the name (`invoice`, `invoice@3`) of a kept or ready one; or
several names, or `auto`, of which each document is given the one that it fits."""
View = Literal["values", "compact", "full"]
_POLL_S = 60
_SLACK_S = 30.0
"""Beyond the time that the service may wait before it answers."""
_PAGE = 200


class Options(TypedDict, total=False):
    """How a job is done; docs/api.md of the service explains each."""

    model: str
    split_documents: bool
    pages_per_chunk: int | Literal["auto"]
    mode: Literal["standard", "enhanced"]
    priority: Literal["high", "normal", "low", "bulk"]
    absent: Literal["null", "omit"]
    max_tokens: int
    max_requests: int
    max_cost: float
    cache: bool
    second_opinion: bool
    webhook_url: str
    retention_days: int


class JobFields(Options, total=False):
    """What may be asked of a new job."""

    password: str
    batch_id: str
    external_id: str
    metadata: Mapping[str, JsonValue]


class RerunFields(Options, total=False):
    """What may be different in a new run."""

    documents: Sequence[Mapping[str, JsonValue]]
    """The documents inside the file: `first` and `last` page, with `schema_ref` or `ignore`."""
    read_again: Sequence[int]
    """Pages that are read by OCR."""
    turn: Sequence[Mapping[str, int]]
    """`page`, and `degrees` clockwise."""


class _JobList(BaseModel):
    jobs: list[Job]
    next_cursor: str | None


class _EventList(BaseModel):
    events: list[Event]
    next_after: int


class Fieldmark:
    """A Fieldmark service.

    Args:
        base_url: as `fieldmark serve` tells it.
        api_key: `fm_…`; None: the service has no keys.
        timeout_s: longest wait for an answer, not counting what the service was asked to wait.
        retries: how often a request is sent that may be repeated.
        http: a client of httpx to use, with its certificates and proxies; it is not closed.
    """

    def __init__(
        self,
        base_url: str,
        *,
        api_key: str | None = None,
        timeout_s: float = 60.0,
        retries: Retries | None = None,
        http: httpx.Client | None = None,
    ) -> None:
        self._own = http is None
        self._http = http or httpx.Client()
        self._http.base_url = httpx.URL(f"{base_url.rstrip('/')}/api/v1/")
        self._http.timeout = httpx.Timeout(timeout_s)
        if api_key is not None:
            self._http.headers["Authorization"] = f"Bearer {api_key}"
        self._transport = Transport(self._http, retries or Retries())

    def __enter__(self) -> Fieldmark:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the connections."""
        if self._own:
            self._http.close()

    # jobs

    def extract(
        self,
        file: Path | str | bytes,
        *,
        schema: SchemaLike,
        timeout_s: float | None = None,
        progress: Progress | None = None,
        fields: JobFields | None = None,
    ) -> Result:
        """Hand a document in, wait for it, and fetch its result; as `submit`, `wait` and `result`.

        A job that failed gives a result without records whose `error` says why.
        """
        job = self.submit(file, schema=schema, progress=progress, fields=fields)
        return self.result(self.wait(job.id, timeout_s=timeout_s).id)

    def submit(
        self,
        file: Path | str | bytes,
        *,
        schema: SchemaLike,
        name: str | None = None,
        progress: Progress | None = None,
        idempotency_key: str | None = None,
        fields: JobFields | None = None,
    ) -> Job:
        """Hand a document in.

        Args:
            file: a path, or the bytes of a file.
            schema: what is wanted.
            name: of the file, for display; that of the path if left out.
            progress: told what was sent; from the beginning again when the upload is tried again.
            idempotency_key: the same key and request make one job for 24 hours; a fresh one if left out.
            fields: what else is asked of the job.

        Raises:
            ApiError: the file, the schema or an option is refused.
        """
        asked = {**_schema_fields(schema), **(fields or {})}
        with opened(file, name, progress) as named:
            call = Call(
                method="POST",
                path="jobs",
                fields={key: _as_field(value) for key, value in asked.items()},
                file=named,
                headers={"Idempotency-Key": idempotency_key or uuid.uuid4().hex},
                repeatable=True,
            )
            return Job.model_validate_json(self._transport.send(call).content)

    def job(self, job_id: str) -> Job:
        """Where a job stands."""
        return Job.model_validate_json(self._get(f"jobs/{job_id}").content)

    def wait(self, job_id: str, *, timeout_s: float | None = None) -> Job:
        """The job once its run is over.

        Raises:
            StillRunningError: the time is up first.
        """
        until = None if timeout_s is None else time.monotonic() + timeout_s
        while True:
            left = _POLL_S if until is None else max(0, min(_POLL_S, round(until - time.monotonic())))
            answer = self._get(f"jobs/{job_id}", {"wait": left}, timeout_s=left + _SLACK_S)
            job = Job.model_validate_json(answer.content)
            if job.is_over:
                return job
            if until is not None and time.monotonic() >= until:
                raise StillRunningError(f"The job {job_id} is still {job.status}.")

    def result(
        self,
        job_id: str,
        *,
        view: View = "full",
        version: Literal["machine", "current", "approved"] = "current",
    ) -> Result:
        """What came of a job.

        Raises:
            ApiError: `not_finished`; `wrong_state` when nothing is approved and that version is asked for; `expired`.
        """
        answer = self._get(f"jobs/{job_id}/result", {"view": view, "version": version})
        return Result.model_validate_json(answer.content)

    def jobs(self, **conditions: str) -> Iterator[Job]:
        """Jobs, newest first, page by page; by `status`, `review`, `schema`, `external_id`, and the like."""
        cursor: str | None = None
        while True:
            params: dict[str, str | int] = {**conditions, "limit": _PAGE}
            if cursor is not None:
                params["cursor"] = cursor
            page = _JobList.model_validate_json(self._get("jobs", params).content)
            yield from page.jobs
            cursor = page.next_cursor
            if cursor is None:
                return

    def results(self, *, view: View = "full", **conditions: str) -> Iterator[Result]:
        """Results of the jobs that fit and are over, newest first."""
        for job in self.jobs(**conditions):
            if job.is_over:
                yield self.result(job.id, view=view)

    def cancel(self, job_id: str) -> Job:
        """End its run now."""
        return self._act(job_id, "cancel", repeatable=True)

    def retry(self, job_id: str) -> Job:
        """Do again what failed, in a new run."""
        return self._act(job_id, "retry")

    def rerun(self, job_id: str, *, schema: SchemaLike | None = None, fields: RerunFields | None = None) -> Job:
        """Run it anew, with what is to be different."""
        asked: dict[str, JsonValue] = {} if schema is None else _schema_fields(schema)
        return self._act(job_id, "rerun", {**asked, **_plain(fields)})

    def delete(self, job_id: str) -> Receipt:
        """Remove a job and all that was made of it."""
        answer = self._transport.send(Call(method="DELETE", path=f"jobs/{job_id}"))
        return Receipt.model_validate_json(answer.content)

    # review

    def correct(
        self, job_id: str, operations: Sequence[Mapping[str, JsonValue]], *, revision: int | None = None
    ) -> None:
        """Change a record; docs/review.md of the service tells the operations.

        Args:
            job_id: the job.
            operations: an `id` is given to those that have none.
            revision: of the result that the reviewer saw.

        Raises:
            ApiError: `edit_conflict`, with both values in `details`: somebody changed the same cell.
        """
        named: list[JsonValue] = [{"id": uuid.uuid4().hex, **operation} for operation in operations]
        headers = None if revision is None else {"If-Match": f'"{revision}"'}
        body: JsonValue = {"operations": named}
        path = f"jobs/{job_id}/corrections"
        self._transport.send(Call(method="POST", path=path, json=body, headers=headers, repeatable=True))

    def approve(self, job_id: str, *, accept_unseen: bool = False) -> None:
        """Approve the record as it is."""
        self._post(f"jobs/{job_id}/approve", {"accept_unseen": accept_unseen})

    def reject(self, job_id: str, reason: str) -> None:
        """Reject the document."""
        self._post(f"jobs/{job_id}/reject", {"reason": reason})

    def reopen(self, job_id: str) -> None:
        """Take a decision back."""
        self._post(f"jobs/{job_id}/reopen", {})

    # events

    def events(self, *, after: int = 0, follow: bool = False, wait_s: int = 30) -> Iterator[Event]:
        """The event log behind a position, oldest first; keep the `position` of the last one you dealt with.

        Args:
            after: the position.
            follow: whether to go on with what happens from now on, for ever.
            wait_s: longest silence in which the service holds a request.
        """
        while True:
            params: dict[str, str | int] = {"after": after, "limit": 500}
            if follow:
                params["wait"] = wait_s
            answer = self._get("events", params, timeout_s=wait_s + _SLACK_S)
            page = _EventList.model_validate_json(answer.content)
            yield from page.events
            after = page.next_after
            if not page.events and not follow:
                return

    # schemas

    def put_schema(self, name: str, schema: Mapping[str, JsonValue]) -> str:
        """Keep a schema; the reference (`name@version`) of the version that it is."""
        answer = self._transport.send(Call(method="PUT", path=f"schemas/{name}", json=dict(schema)))
        version = answer.json()["version"]
        return f"{name}@{version}"

    def _get(
        self, path: str, params: Mapping[str, str | int] | None = None, *, timeout_s: float | None = None
    ) -> httpx.Response:
        return self._transport.send(Call(method="GET", path=path, params=params, timeout_s=timeout_s))

    def _post(self, path: str, body: JsonValue) -> httpx.Response:
        return self._transport.send(Call(method="POST", path=path, json=body))

    def _act(self, job_id: str, what: str, body: JsonValue = None, *, repeatable: bool = False) -> Job:
        call = Call(method="POST", path=f"jobs/{job_id}/{what}", json=body, repeatable=repeatable)
        return Job.model_validate_json(self._transport.send(call).content)


def _schema_fields(schema: SchemaLike) -> dict[str, JsonValue]:
    if isinstance(schema, Mapping):
        return {"schema": dict(schema)}
    if isinstance(schema, Path):
        return {"schema": json.loads(schema.read_text("utf-8"))}
    if schema == "auto":
        return {"schemas": "auto"}
    return {"schema_ref": schema} if isinstance(schema, str) else {"schemas": list(schema)}


def _plain(fields: RerunFields | None) -> dict[str, JsonValue]:
    return json.loads(json.dumps(fields or {}))


def _as_field(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value)
