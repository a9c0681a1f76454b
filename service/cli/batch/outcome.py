"""What a finished result means for the books."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import cast

import orjson

from service.cli.batch.causes import UNROUTED
from service.cli.batch.entries import Work, WorkState
from service.cli.desk.base import JobView
from service.domain.jobs import JobStatus
from service.domain.records import Json, JsonObject, objects_in

WITH_RESULT: Mapping[JobStatus, WorkState] = {
    JobStatus.SUCCEEDED: WorkState.SUCCEEDED,
    JobStatus.PARTIALLY_SUCCEEDED: WorkState.PARTIAL,
}


def read_outcome(work: Work, view: JobView, body: bytes) -> tuple[Work, bytes]:
    """How the work on a content ended, and its result as the ledger keeps it.

    Args:
        work: as it was handed in.
        view: of its job, whose status is one of `WITH_RESULT`.
        body: the result as the service sent it.
    """
    result = cast(JsonObject, orjson.loads(body))
    state, code, message = _ended(result, WITH_RESULT[view.status])
    ended = replace(
        work,
        state=state,
        code=code,
        message=message,
        pages=view.pages_total or 0,
        doubtful=view.doubtful,
        tokens=view.tokens,
        cost=view.cost,
        schema=_schemas_of(result),
    )
    return ended, orjson.dumps(_without_word_boxes(result))


def _ended(result: JsonObject, state: WorkState) -> tuple[WorkState, str | None, str | None]:
    """How a file with a result ended, and the first thing that is missing in it."""
    unrouted = [document for document in objects_in(result.get("documents")) if document.get("schema") is None]
    issues = objects_in(result.get("issues"))
    first = next((issue for issue in issues if issue.get("code") == UNROUTED), issues[0] if issues else {})
    if unrouted and not result.get("records"):
        return WorkState.UNROUTED, UNROUTED, _text(first.get("message"))
    first = first if state is WorkState.PARTIAL else {}
    return state, _text(first.get("code")), _text(first.get("message"))


def _schemas_of(result: JsonObject) -> str | None:
    """`name@version` of the schemas of its records."""
    named = [record.get("schema") for record in objects_in(result.get("records"))]
    found = {
        f"{one.get('name')}@{one.get('version')}"
        for one in named
        if isinstance(one, dict) and one.get("version") is not None
    }
    return ", ".join(sorted(found)) or None


def _without_word_boxes(result: JsonObject) -> JsonObject:
    """The result as tables need it."""
    for record in objects_in(result.get("records")):
        fields = record.get("fields")
        for entry in fields.values() if isinstance(fields, dict) else ():
            if isinstance(entry, dict):
                entry.pop("word_coordinates", None)
    return result


def _text(value: Json) -> str | None:
    return None if value is None else str(value)
