"""Extractions of one document, in page order, become one record; nothing is dropped without a reason that is told."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from service.domain.records import (
    Conflict,
    Extraction,
    FieldEntry,
    Issue,
    Json,
    JsonObject,
    Record,
    Stage,
)
from service.domain.schema import ExtractionSchema, FieldType, SchemaField, escape_pointer, unescape_pointer
from service.extraction.merging.choose import choose_entry
from service.extraction.merging.row_ids import name_rows
from service.extraction.merging.rows import Row, join_rows


@dataclass(frozen=True, slots=True, kw_only=True)
class Removal:
    """A row of an extraction that is no row of the record any more."""

    path: str
    """JSON Pointer of the array."""
    page: int | None
    """1-based page on which the row stood, if it was located."""
    reason: str
    """`repeat`: it is on a page two splits share, and stands in the record once. `continued`: joined to the row before,
    which the page's edge had cut."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MergeReport:
    """The balance of the rows: `rows_in` = `rows_out` + removals."""

    rows_in: int
    rows_out: int
    splits: tuple[tuple[int, int], ...] = ()
    """The same for each extraction, in the order in which they were given."""
    removals: tuple[Removal, ...] = ()
    nothing_found: bool = False
    """Whether pages were asked about, and no field has a value."""

    def issues(self) -> tuple[Issue, ...]:
        """One issue a removal, and one where nothing was found."""
        words = {
            "repeat": "a row of {path} that two overlapping splits both gave was kept once",
            "continued": "a row of {path} that the page's edge had cut was joined",
        }
        issues = [
            Issue(stage=Stage.MERGE, code=f"row_{r.reason}", page=r.page, message=words[r.reason].format(path=r.path))
            for r in self.removals
        ]
        if self.nothing_found:
            told = (
                "the document has none of the schema's fields; is it of the right kind, and the schema the right one?"
            )
            issues.append(Issue(stage=Stage.MERGE, code="nothing_found", message=told))
        return tuple(issues)


@dataclass(frozen=True, slots=True, kw_only=True)
class Merged:
    """The record, and what became of the rows."""

    record: Record
    report: MergeReport


def merge(extractions: Sequence[Extraction], schema: ExtractionSchema, *, index: int, record_id: str) -> Merged:
    """Fold the extractions of one document into its record.

    A scalar is the one with a checked place, then the surer one, then the one most splits agree on, then the first or,
    for totals and closing balances or where `x-merge` says so, the last; the others are in `conflicts`. Rows are
    appended in page order. A repeat is dropped only where the splits share its page and its boxes coincide; a row cut
    by a page's edge is joined. Extractions of the same pages with different properties complete each other.

    Args:
        extractions: of this document; they are put into page order here.
        index: 0-based position of the document in its file.
    """
    order = sorted(
        range(len(extractions)),
        key=lambda n: (min(extractions[n].pages, default=0), max(extractions[n].pages, default=0)),
    )
    ordered = [extractions[n] for n in order]
    folder = _Folder(ordered)
    values = folder.object(schema.root, "")
    record = Record(
        id=record_id,
        index=index,
        pages=tuple(sorted({page for e in ordered for page in e.pages})),
        values=values,
        fields=folder.fields,
        rows=name_rows(values, schema.root, folder.fields, record_id),
        conflicts=tuple(folder.conflicts),
    )
    asked = any(e.model for e in ordered)  # a blank document was not shown to any model
    report = MergeReport(
        rows_in=sum(folder.rows_in),
        rows_out=sum(folder.rows_out),
        splits=tuple((folder.rows_in[at], folder.rows_out[at]) for at in map(order.index, range(len(order)))),
        removals=tuple(folder.removals),
        nothing_found=asked and all(entry.value is None for entry in folder.fields.values()),
    )
    return Merged(record=record, report=report)


class _Folder:
    """One pass over the schema's tree; collects entries, conflicts and the balance of the rows."""

    def __init__(self, extractions: Sequence[Extraction]) -> None:
        self._extractions = extractions
        self.fields: dict[str, FieldEntry] = {}
        self.conflicts: list[Conflict] = []
        self.removals: list[Removal] = []
        self.rows_in = [0] * len(extractions)
        self.rows_out = [0] * len(extractions)
        self._indexed = [_rows_by_array(e.fields) for e in extractions]

    def object(self, field: SchemaField, path: str) -> JsonObject:
        return {p.name: self._node(p, f"{path}/{escape_pointer(p.name)}") for p in field.properties}

    def _node(self, field: SchemaField, path: str) -> Json:
        if field.type is FieldType.OBJECT:
            return self.object(field, path)
        if field.items is not None:
            return self._array(field.items, path)
        chosen = choose_entry([e.fields[path] for e in self._extractions if path in e.fields], field)
        self.fields[path] = chosen.entry
        self.conflicts += [
            Conflict(path=path, kept=chosen.entry, other=other, rule=rule) for other, rule in chosen.losers
        ]
        return chosen.entry.value

    def _array(self, items: SchemaField, path: str) -> list[Json]:
        pages = [e.pages for e in self._extractions]
        given = [self._rows(number, path) for number in range(len(pages))]
        joined = join_rows(given, pages, items)
        for number, rows in enumerate(given):
            self.rows_in[number] += len(rows)
        for number in joined.origins:
            self.rows_out[number] += 1
        self.removals += [Removal(path=path, page=row.page, reason=reason) for row, reason in joined.removed]
        for position, row in enumerate(joined.rows):
            self.fields.update({f"{path}/{position}{tail}": entry for tail, entry in row.fields.items()})
        return [row.value for row in joined.rows]

    def _rows(self, number: int, path: str) -> list[Row]:
        value = _value_at(self._extractions[number].values, path)
        if not isinstance(value, list):
            return []
        entries = self._indexed[number].get(path, {})
        return [Row(value=child, fields=entries.get(position, {})) for position, child in enumerate(value)]


def _value_at(values: Json, path: str) -> Json:
    for token in path.split("/")[1:]:
        name = unescape_pointer(token)
        values = values.get(name) if isinstance(values, dict) else None
    return values


def _rows_by_array(fields: dict[str, FieldEntry]) -> dict[str, dict[int, dict[str, FieldEntry]]]:
    """Array's pointer → row → entries by the rest of their pointer; a property named like a number does no harm."""
    found: dict[str, dict[int, dict[str, FieldEntry]]] = {}
    for path, entry in fields.items():
        tokens = path.split("/")
        for at in range(2, len(tokens)):
            if tokens[at].isdecimal():
                array, tail = "/".join(tokens[:at]), "".join(f"/{t}" for t in tokens[at + 1 :])
                found.setdefault(array, {}).setdefault(int(tokens[at]), {})[tail] = entry
    return found
