"""A new version of a schema over old documents, and what it changed, as callers get it."""

from __future__ import annotations

from service.api.payloads import examples
from service.api.payloads.base import Payload
from service.domain.errors import ErrorCode
from service.domain.records import JsonObject


class BegunRun(Payload):
    """A job in its new run."""

    job_id: str
    run: int
    from_version: int | None


class PassedOver(Payload):
    """A job that could not be run anew."""

    job_id: str
    code: ErrorCode
    message: str


class SchemaRerunPayload(Payload):
    """What was begun."""

    jobs: list[BegunRun]
    passed_over: list[PassedOver]
    next_cursor: str | None
    """Send it as `cursor` until it is null: then all jobs were looked at."""


class ChangePayload(Payload):
    """A value that is another now."""

    path: str
    old: str | float | int | bool | None
    new: str | float | int | bool | None


class RecordChangesPayload(Payload):
    """What became of one record's values; null is no value."""

    index: int
    added: list[str]
    removed: list[str]
    changed: list[ChangePayload]
    same: int


class ChangesPayload(Payload):
    """How two runs differ, each with its corrections."""

    job_id: str
    from_run: int
    run: int
    records: list[RecordChangesPayload]


_JOB_ID = str(examples.JOB["id"])
BEGUN: JsonObject = {
    "jobs": [{"job_id": _JOB_ID, "run": 2, "from_version": 1}],
    "passed_over": [],
    "next_cursor": None,
}
CHANGES: JsonObject = {
    "job_id": _JOB_ID,
    "from_run": 1,
    "run": 2,
    "records": [
        {
            "index": 0,
            "added": ["/due_date"],
            "removed": [],
            "changed": [{"path": "/total", "old": 12.0, "new": 12.5}],
            "same": 7,
        }
    ],
}
EXAMPLES = ((SchemaRerunPayload, BEGUN), (ChangesPayload, CHANGES))
