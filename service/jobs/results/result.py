"""The result of a job in the shape that callers get."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Literal

from service.domain.corrections import Mark, Unplaced
from service.domain.files import StoredFile
from service.domain.geometry import Quad
from service.domain.jobs import Job
from service.domain.pages import PageRange
from service.domain.records import (
    CheckResult,
    Conflict,
    FieldEntry,
    Issue,
    Json,
    JsonObject,
    Origin,
    PageCoverage,
    Processing,
    Record,
    SplitRows,
    Usage,
    Verdict,
)
from service.domain.routes import JobSchema, Route
from service.jobs.results.current import Version, load_current
from service.jobs.services import Services

View = Literal["values", "compact", "full"]
"""Values alone; with entries but without word boxes; everything."""


def result_body(services: Services, job: Job, *, view: View = "full", version: Version = "current") -> JsonObject:
    """The result as JSON.

    Raises:
        StateError: `not_finished`; `wrong_state` when nothing is approved and the approved version is asked for.
    """
    current = load_current(services, job, version)
    result = current.result
    with services.store.read() as rows:
        file = rows.files.get(job.tenant_id, job.file_id)
    return {
        "job_id": job.id,
        "status": job.status,
        "run": job.run,
        "revision": job.revision,
        "model": result.model,
        "engine": job.engine,
        "external_id": job.external_id,
        "metadata": job.metadata,
        "file": _file(file.as_turned(result.turns)) if file else None,
        "schema": None if job.is_routed else schema_name_body(job.schemas[0]),
        "review": review_body(job),
        "records": [record_body(record, job, view, current.marks.get(record.id, {})) for record in result.records],
        "documents": [*(documents_body(job) or ())],
        "unplaced_corrections": [_unplaced(item) for item in current.unplaced],
        "coverage": [_coverage(row) for row in result.coverage],
        "splits": [_split(rows) for rows in result.splits],
        "issues": [issue_body(issue) for issue in result.issues],
        "error": {"code": job.fault.code, "message": job.fault.message} if job.fault else None,
        "usage": _usage(result.usage),
        "processing": [_processing(one) for one in result.processing],
        "timing": {
            "queued_at": iso_time(job.created_at),
            "started_at": iso_time(job.started_at),
            "finished_at": iso_time(job.finished_at),
        },
    }


def schema_name_body(schema: JobSchema) -> JsonObject:
    """Which schema it is as JSON."""
    return {"name": schema.name, "version": schema.version}


def documents_body(job: Job) -> list[JsonObject] | None:
    """The documents inside the file, with the schema of each and why; None while they are not known."""
    if job.page_count is None or not job.is_laid_out:
        return None
    return [_document(job, index, pages, job.route_of(index)) for index, pages in enumerate(job.page_ranges())]


def _document(job: Job, index: int, pages: PageRange, route: Route | None) -> JsonObject:
    assert route is not None
    candidates: list[Json] = [
        {"schema": schema_name_body(job.schemas[candidate.schema]), "score": candidate.score}
        for candidate in route.candidates
    ]
    return {
        "index": index,
        "pages": list(pages.numbers()),
        "schema": None if route.schema is None else schema_name_body(job.schemas[route.schema]),
        "reason": route.reason,
        "candidates": candidates,
    }


def iso_time(at: float | None) -> str | None:
    """Unix seconds as RFC 3339 in UTC."""
    return None if at is None else datetime.fromtimestamp(at, UTC).isoformat(timespec="milliseconds")


def review_body(job: Job) -> JsonObject:
    """Where the review stands; `by` and `at` tell who decided, `claimed_by` who has it in hand."""
    held = job.claimed_by is not None
    return {
        "state": job.review,
        "reasons": list(job.review_reasons),
        "by": job.decided_by,
        "at": iso_time(job.decided_at),
        "claimed_by": job.claimed_by,
        "claimed_until": iso_time(job.claimed_until) if held else None,
    }


def record_body(record: Record, job: Job, view: View, marks: Mapping[str, Mark]) -> JsonObject:
    """One record as JSON; each leaf that a person looked at says so."""
    schema = job.schema_of(record.index)
    assert schema is not None, "a document without a schema has no record"
    values: Json = record.values
    if job.options.absent == "omit":
        values = _without_absent(record.values)
    body: JsonObject = {
        "id": record.id,
        "index": record.index,
        "pages": list(record.pages),
        "schema": schema_name_body(schema),
        "values": values,
    }
    if view == "values":
        return body
    fields: JsonObject = {
        path: entry_body(entry, view) | _mark(marks.get(path)) for path, entry in record.fields.items()
    }
    rows: JsonObject = {path: list(ids) for path, ids in record.rows.items()}
    more: JsonObject = {
        "fields": fields,
        "rows": rows,
        "conflicts": [_conflict(conflict, view) for conflict in record.conflicts],
        "checks": [check_body(check) for check in record.checks],
    }
    return body | more


def _without_absent(value: Json) -> Json:
    if isinstance(value, dict):
        return {name: _without_absent(child) for name, child in value.items() if child is not None}
    return [_without_absent(child) for child in value] if isinstance(value, list) else value


def _mark(mark: Mark | None) -> JsonObject:
    if mark is None:
        return {}
    return {"reviewed": {"as": mark.kind, "by": mark.by, "at": iso_time(mark.at), "operation": mark.operation}}


def _unplaced(item: Unplaced) -> JsonObject:
    correction = item.event.correction
    assert correction is not None
    return {
        "operation": correction.operation.id,
        "op": correction.operation.kind,
        "path": correction.operation.path,
        "run": item.event.run,
        "by": item.event.by,
        "old": correction.old.value if correction.old else None,
        "new": correction.new.value if correction.new else correction.operation.value,
        "why": item.why,
    }


def entry_body(entry: FieldEntry, view: View) -> JsonObject:
    """What is known of one leaf as JSON."""
    body: JsonObject = {
        "value": entry.value,
        "raw": entry.raw,
        "verdict": entry.verdict,
        "confidence": entry.confidence,
        "probability": entry.probability,
        "origin": entry.origin,
    }
    if entry.verdict is Verdict.ABSENT:
        absent: JsonObject = {"value": entry.value, "verdict": entry.verdict, "confidence": entry.confidence}
        return absent | ({"origin": entry.origin} if entry.origin is Origin.CORRECTED else {})
    body["page"] = entry.location.page if entry.location else None
    body["coordinates"] = quad_body(entry.location.coordinates) if entry.location else []
    if view == "full":
        words = entry.location.word_coordinates if entry.location else ()
        body["word_coordinates"] = [quad_body(word) for word in words]
    return body | {"box_check": entry.box_check}


def quad_body(quad: Quad) -> list[Json]:
    """Four corners as JSON."""
    return [{"x": point.x, "y": point.y} for point in quad]


def _conflict(conflict: Conflict, view: View) -> JsonObject:
    kept, other = entry_body(conflict.kept, view), entry_body(conflict.other, view)
    return {"path": conflict.path, "kept": kept, "other": other, "rule": conflict.rule}


def check_body(check: CheckResult) -> JsonObject:
    """The outcome of a rule as JSON."""
    return {"rule": check.rule, "ok": check.ok, "paths": list(check.paths), "message": check.message}


def _coverage(row: PageCoverage) -> JsonObject:
    return {"page": row.page, "text": row.text, "splits": list(row.splits), "state": row.state, "fields": row.fields}


def _split(rows: SplitRows) -> JsonObject:
    return {"split": rows.split, "pages": list(rows.pages), "rows_in": rows.rows_in, "rows_out": rows.rows_out}


def issue_body(issue: Issue) -> JsonObject:
    """Something that a reader should know as JSON."""
    return {
        "stage": issue.stage,
        "code": issue.code,
        "page": issue.page,
        "split": issue.split,
        "message": issue.message,
    }


def _processing(one: Processing) -> JsonObject:
    return {
        "pages": list(one.pages),
        "provider": one.provider,
        "host": one.host or None,
        "model": one.model,
        "version": one.version or None,
    }


def _usage(usage: Usage) -> JsonObject:
    return {
        "prompt_tokens": usage.prompt_tokens,
        "completion_tokens": usage.completion_tokens,
        "total_tokens": usage.total_tokens,
        "pages": usage.pages,
        "requests": usage.requests,
        "cached": usage.cached,
        "cost": None if usage.cost is None else float(usage.cost),
    }


def _file(file: StoredFile) -> JsonObject:
    pages: list[Json] = [
        {"page": size.page, "width": size.width, "height": size.height, "rotation": size.rotation}
        for size in file.page_sizes or ()
    ]
    return {"id": file.id, "name": file.name, "sha256": file.sha256, "pages": pages}
