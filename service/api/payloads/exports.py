"""Exports as a receiver asks for them and gets them."""

from __future__ import annotations

from datetime import datetime

from pydantic import BaseModel, ConfigDict, Field

from service.api.payloads.base import API, Payload, moment
from service.api.payloads.job_requests import PRINTABLE
from service.domain.export import Release
from service.domain.records import JsonObject
from service.jobs.results.hand_over import (
    MOST_JOBS,
    ExportView,
)


class ExportRequest(BaseModel):
    """What a receiver asks for."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    schema_: str = Field(alias="schema", min_length=1, max_length=100, pattern=PRINTABLE, description="Its name.")
    release: Release = Field(
        Release.APPROVED, description="approved: by a person; passed: those too that nobody needs to look at."
    )
    receiver: str = Field(
        "default", min_length=1, max_length=100, pattern=PRINTABLE, description="Who keeps books of its own."
    )
    most: int = Field(1000, ge=1, le=MOST_JOBS, description="Jobs of one export.")


class ExportPayload(Payload):
    """Records that go to a receiver together."""

    id: str
    schema_: str = Field(alias="schema")
    release: Release
    receiver: str
    jobs: int
    created_at: datetime
    created_by: str
    confirmed_at: datetime | None
    """Null: the same records are handed out again."""
    links: dict[str, str]

    @classmethod
    def of(cls, view: ExportView) -> ExportPayload:
        """From the domain."""
        export = view.export
        here = f"{API}/exports/{export.id}"
        return cls(
            id=export.id,
            schema=export.schema_name,
            release=export.release,
            receiver=export.receiver,
            jobs=view.jobs,
            created_at=moment(export.created_at),
            created_by=export.created_by,
            confirmed_at=None if export.confirmed_at is None else moment(export.confirmed_at),
            links={"self": here, "content": f"{here}/content", "confirm": f"{here}/confirm"},
        )


class ExportListPayload(Payload):
    """Exports, newest first."""

    exports: list[ExportPayload]
    next_cursor: str | None
    """Send it as `cursor` for the next page; null on the last one."""


_ID = "export_5e6f708192a3b4c5d6e7f8091a2b3c4d"
EXPORT: JsonObject = {
    "id": _ID,
    "schema": "invoice",
    "release": "approved",
    "receiver": "ledger",
    "jobs": 42,
    "created_at": "2026-11-30T09:00:00.120Z",
    "created_by": "anna",
    "confirmed_at": None,
    "links": {"self": f"{API}/exports/{_ID}", "content": f"{API}/exports/{_ID}/content"},
}
EXPORT_LIST: JsonObject = {"exports": [EXPORT], "next_cursor": None}
EXPORT_REQUEST: JsonObject = {"schema": "invoice", "release": "approved", "receiver": "ledger"}
