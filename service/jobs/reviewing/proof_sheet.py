"""The proof sheet of a result: one HTML file with a cut of the page beside each value, for whoever audits it."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape

from service.documents.reader import RenderOptions
from service.domain.corrections import ReviewAction, ReviewEvent
from service.domain.errors import ReadingError, StateError
from service.domain.files import StoredFile
from service.domain.geometry import Box, quad_box, union_box
from service.domain.jobs import Job
from service.domain.records import FieldEntry, Processing, Record
from service.jobs.doubts import unrouted_issues
from service.jobs.results.current import Current, Version, load_current
from service.jobs.results.page_views import page_image
from service.jobs.results.result import iso_time, result_body
from service.jobs.reviewing.course import history_of
from service.jobs.services import Services
from service.protocol.json_text import encode_json

MOST_CUTS = 300
"""Cuts of one sheet; what follows is told without a picture."""
_DPI = 100
_AROUND_X, _AROUND_Y = 0.06, 0.008
STYLE = """
body{font:14px/1.5 system-ui,sans-serif;margin:32px auto;max-width:1000px;padding:0 16px;color:#1b2230;background:#fff}
table{border-collapse:collapse;width:100%;margin:12px 0 28px}
td,th{border-bottom:1px solid #dfe2e8;padding:8px 10px;text-align:left;vertical-align:top;overflow-wrap:anywhere}
th{color:#556072;font-size:12px}img{max-width:340px;max-height:90px;border:1px solid #dfe2e8;background:#fff}
code{font:12px/1.5 monospace;overflow-wrap:anywhere}.who,.none{color:#556072}.low,.broken{color:#b3261e}
h2{margin-top:32px}
"""


@dataclass(slots=True)
class _Cuts:
    """Draws cuts while there are any left."""

    services: Services
    file: StoredFile
    left: int = MOST_CUTS

    def draw(self, page: int, boxes: Sequence[Box]) -> str:
        """A picture with its data inside; words where there is none."""
        if self.left <= 0:
            return '<span class="none">see the page</span>'
        self.left -= 1
        around = union_box(boxes)
        crop = Box(
            max(0.0, around.x0 - _AROUND_X),
            max(0.0, around.y0 - _AROUND_Y),
            min(1.0, around.x1 + _AROUND_X),
            min(1.0, around.y1 + _AROUND_Y),
        )
        try:
            drawn = page_image(self.services, self.file, page, RenderOptions(dpi=_DPI, crop=crop))
        except (ReadingError, StateError):
            return '<span class="none">the page cannot be drawn</span>'
        return f'<img alt="" src="data:image/jpeg;base64,{base64.b64encode(drawn).decode()}">'


def proof_sheet(services: Services, job: Job, *, version: Version = "current") -> str:
    """The sheet as a whole HTML document, without scripts and without links to anywhere.

    Raises:
        StateError: `not_finished`; `wrong_state` when nothing is approved and the approved version is asked for.
    """
    current = load_current(services, job, version)
    events = history_of(services, job.tenant_id, job.id)
    digest = hashlib.sha256(encode_json(result_body(services, job, version=version))).hexdigest()
    with services.store.read() as rows:
        stored = rows.files.get(job.tenant_id, job.file_id)
    file = stored and stored.as_turned(current.result.turns)
    parts = [_head(job, file, digest, version)]
    for record in current.result.records:
        parts += _record(job, record, current, _Cuts(services, file) if file else None)
    parts += (f"<p>{_text(issue.message)}</p>" for issue in unrouted_issues(job))
    parts.append(_decisions(events))
    title = escape(file.name if file else job.id)
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Proof: {title}</title>'
        f"<style>{STYLE}</style></head><body>{''.join(parts)}</body></html>"
    )


def _head(job: Job, file: StoredFile | None, digest: str, version: str) -> str:
    facts = (
        ("File", file.name if file else "deleted"),
        ("SHA-256 of the file", file.sha256 if file else ""),
        ("Job", f"{job.id}, run {job.run}, revision {job.revision}, {version}"),
        ("SHA-256 of the result", digest),
        ("Review", job.review + (f" by {job.decided_by} at {iso_time(job.decided_at)}" if job.decided_by else "")),
        ("Model", f"{job.options.model}, Fieldmark {job.engine}"),
        ("Pages seen by", "; ".join(map(_seen, job.processing)) or "nobody"),
    )
    lines = "".join(f"<tr><th>{escape(name)}</th><td><code>{_text(said)}</code></td></tr>" for name, said in facts)
    return f"<h1>Proof sheet</h1><table>{lines}</table>"


def _seen(one: Processing) -> str:
    """A model and its pages; one in this process is said to be here."""
    version = f" ({one.version})" if one.version else ""
    return f"{one.provider}:{one.model}{version} at {one.host or 'this machine'}: {len(one.pages)} pages"


def _record(job: Job, record: Record, current: Current, cuts: _Cuts | None) -> Iterator[str]:
    pages = ", ".join(map(str, record.pages))
    schema = job.schema_of(record.index)
    yield f"<h2>Document {record.index + 1}: {_text(schema.reference if schema else '')}</h2><p>Pages {pages}</p>"
    yield "<table><tr><th>Field</th><th>Value</th><th>On the page</th><th>Seen by</th></tr>"
    marks = current.marks.get(record.id, {})
    for path, entry in record.fields.items():
        mark = marks.get(path)
        done = f"{mark.kind} by {mark.by}, {iso_time(mark.at)}" if mark else "nobody"
        yield (
            f"<tr><td>{_text(path)}</td><td>{_value(entry)}</td>"
            f'<td>{_place(entry, cuts)}</td><td class="who">{_text(done)}</td></tr>'
        )
    yield "</table>"
    for check in record.checks:
        said = "holds" if check.ok else '<strong class="broken">does not hold</strong>'
        yield f"<p><code>{_text(check.rule)}</code>: {said}</p>"


def _value(entry: FieldEntry) -> str:
    if entry.value is None:
        return f'<span class="none">{entry.verdict}</span>'
    doubt = ' <span class="low">low</span>' if entry.confidence == "low" else ""
    return f"<bdi>{_text(str(entry.value))}</bdi>{doubt}"


def _place(entry: FieldEntry, cuts: _Cuts | None) -> str:
    if entry.location is None:
        return '<span class="none">no place</span>'
    where = f"page {entry.location.page}"
    drawn = cuts.draw(entry.location.page, [quad_box(entry.location.coordinates)]) if cuts else ""
    return f"{drawn}<br>{where}"


def _decisions(events: Sequence[ReviewEvent]) -> str:
    lines = "".join(
        f"<tr><td>{iso_time(event.at)}</td><td>{_text(event.by)}</td><td>{_text(_deed(event))}</td></tr>"
        for event in events
    )
    return f"<h2>History</h2><table><tr><th>When</th><th>Who</th><th>What</th></tr>{lines}</table>"


def _deed(event: ReviewEvent) -> str:
    if event.action is not ReviewAction.CORRECT or event.correction is None:
        reason = event.detail.get("reason")
        return f"{event.action}: {reason}" if isinstance(reason, str) else str(event.action)
    done = event.correction
    change = f": {done.old.value!r} → {done.new.value!r}" if done.old and done.new else ""
    return f"{done.operation.kind} {done.operation.path}{change}"


def _text(text: str) -> str:
    """As text of HTML; marks that turn the direction of writing are shown by their numbers."""
    shown = "".join(f"‹{ord(c):04X}›" if c in _TURNING else c for c in text)
    return escape(shown)


_TURNING = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u200e\u200f\u061c")
