"""The answer and its `additional_values`, leaf by leaf, in the full shape of the schema."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass, replace
from dataclasses import field as dataclass_field
from decimal import Decimal
from typing import TypeVar

from service.domain.geometry import Point, Quad, quad_box, union_box
from service.domain.records import Confidence, FieldEntry, Json, JsonObject, Location, Scalar, Verdict
from service.domain.schema import ExtractionSchema, FieldType, SchemaField, escape_pointer
from service.extraction.decoding.answer import RawJson, read_json
from service.extraction.decoding.coerce import clean_text, coerce_scalar, is_placeholder
from service.extraction.text.keys import match_key
from service.protocol.additional_values import AdditionalTree, AdditionalValue, Polygon

_ABSENT = FieldEntry(value=None, verdict=Verdict.ABSENT, confidence=Confidence.LOW)
_CORNERS = 4
_SLACK = 0.02
"""How far beyond the page's edge a corner may lie and is taken for the edge, as a fraction of the page."""
_T = TypeVar("_T")


@dataclass(slots=True)
class Notes:
    """What a reader should know, counted by code and by the field's path (`*` for any row)."""

    counts: Counter[tuple[str, str]] = dataclass_field(default_factory=Counter[tuple[str, str]])

    def add(self, code: str, path: str, count: int = 1) -> None:
        """Count something that was noticed at a path."""
        self.counts[code, path] += count


def join_answer(
    values: dict[str, RawJson],
    schema: ExtractionSchema,
    tree: AdditionalTree | None,
    *,
    pages: tuple[int, ...],
    notes: Notes,
) -> tuple[JsonObject, dict[str, FieldEntry]]:
    """Values in the schema's shape, and an entry for every leaf of them.

    Args:
        tree: the mirrored answer; its page numbers are 1-based positions in `pages`.
    """
    joiner = _Joiner(pages, notes)
    fields: dict[str, FieldEntry] = {}
    return joiner.object(values, schema.root, tree, _Path("", ""), fields), fields


@dataclass(frozen=True, slots=True)
class _Path:
    """A leaf's JSON Pointer, and the same with `*` for rows."""

    exact: str
    general: str

    def key(self, name: str) -> _Path:
        token = escape_pointer(name)
        return _Path(f"{self.exact}/{token}", f"{self.general}/{token}")

    def row(self, index: int) -> _Path:
        return _Path(f"{self.exact}/{index}", f"{self.general}/*")


class _Joiner:
    """One pass over the schema's tree; each method fills `fields` for the leaves below its node."""

    def __init__(self, pages: tuple[int, ...], notes: Notes) -> None:
        self._pages = pages
        self._notes = notes

    def node(
        self, raw: RawJson, field: SchemaField, note: AdditionalTree | None, path: _Path, fields: dict[str, FieldEntry]
    ) -> Json:
        if field.type is FieldType.OBJECT:
            return self.object(raw, field, note, path, fields)
        if field.type is FieldType.ARRAY:
            return self.array(raw, field, note, path, fields)
        entry = self.leaf(raw, field, note if isinstance(note, AdditionalValue) else None, path)
        fields[path.exact] = entry
        return entry.value

    def object(
        self, raw: RawJson, field: SchemaField, note: AdditionalTree | None, path: _Path, fields: dict[str, FieldEntry]
    ) -> JsonObject:
        given = self._as_object(raw, path)
        notes = note if isinstance(note, dict) else {}
        known = {p.name for p in field.properties}
        if unknown := sum(key not in known for key in given):
            self._notes.add("unknown_keys", path.general, unknown)
        return {
            p.name: self.node(given.get(p.name), p, notes.get(p.name), path.key(p.name), fields)
            for p in field.properties
        }

    def array(
        self, raw: RawJson, field: SchemaField, note: AdditionalTree | None, path: _Path, fields: dict[str, FieldEntry]
    ) -> list[Json]:
        items = field.items
        assert items is not None  # the schema's parser refuses an array without items
        notes = note if isinstance(note, list) else []
        rows: list[Json] = []
        for index, child in enumerate(self._as_list(raw, items, path)):
            inner: dict[str, FieldEntry] = {}
            below = notes[index] if index < len(notes) else None
            row = self.row(child, items, below, path.row(len(rows)), inner)
            if any(entry.verdict is not Verdict.ABSENT for entry in inner.values()):
                rows.append(row)
                fields.update(inner)
        return rows

    def row(
        self, raw: RawJson, field: SchemaField, note: AdditionalTree | None, path: _Path, fields: dict[str, FieldEntry]
    ) -> Json:
        """One element of an array; of a row of cells the empty ones stay, so that the others keep their columns."""
        cell = field.items
        if cell is None or not cell.is_leaf:
            return self.node(raw, field, note, path, fields)
        notes = note if isinstance(note, list) else []
        cells: list[Json] = []
        for index, child in enumerate(self._as_list(raw, cell, path)):
            here, below = path.row(index), notes[index] if index < len(notes) else None
            entry = self.leaf(child, cell, below if isinstance(below, AdditionalValue) else None, here)
            if entry.verdict is Verdict.ABSENT and child == "" and cell.type is FieldType.STRING:
                entry = replace(entry, value="")
            fields[here.exact] = entry
            cells.append(entry.value)
        return cells

    def leaf(self, raw: RawJson, field: SchemaField, note: AdditionalValue | None, path: _Path) -> FieldEntry:
        coerced = coerce_scalar(raw, field)
        if note is not None and not _belongs(note, raw):
            self._notes.add("mismatched_locations", path.general)
            note = None
        if coerced.refused:
            self._notes.add("wrong_type", path.general)
            return FieldEntry(
                value=None,
                verdict=Verdict.UNREADABLE,
                confidence=Confidence.LOW,
                raw=coerced.raw,
                location=self._location(note, path) if note else None,
            )  # fmt: skip - one entry, two rows
        if note is None:
            if coerced.value is None or (is_placeholder(coerced.value) and coerced.value not in field.enum):
                return _ABSENT
            return FieldEntry(value=coerced.value, verdict=Verdict.FOUND, confidence=Confidence.LOW)
        return self._annotated(coerced.value, field, note, path)

    def _annotated(self, value: Scalar, field: SchemaField, note: AdditionalValue, path: _Path) -> FieldEntry:
        stated = _verdict(note)
        if stated is None and _stands_for_nothing(value, note, field):
            value = None
        verdict = stated or (Verdict.ABSENT if value is None else Verdict.FOUND)
        if value is None and verdict is Verdict.FOUND:
            verdict = Verdict.ABSENT
        if value is not None and verdict in (Verdict.ABSENT, Verdict.NOT_REACHED):
            verdict = Verdict.FOUND
        return FieldEntry(
            value=value,
            verdict=verdict,
            confidence=Confidence.HIGH if note.confidence == Confidence.HIGH else Confidence.LOW,
            raw=clean_text(note.raw) if note.raw is not None else None,
            probability=note.probability if note.probability is not None and 0 <= note.probability <= 1 else None,
            location=self._location(note, path) if verdict is not Verdict.ABSENT else None,
        )

    def _location(self, note: AdditionalValue, path: _Path) -> Location | None:
        if note.page is None or note.page < 1 or not note.is_located:
            return None
        if note.page > len(self._pages):
            self._notes.add("page_out_of_range", path.general)
            return None
        words = tuple(quad for polygon in note.word_coordinates or () if (quad := _quad(polygon)))
        element = _quad(note.coordinates or [])
        if element is None and not words:
            return None
        return Location(self._pages[note.page - 1], element or _around(words), words)

    def _as_object(self, raw: RawJson, path: _Path) -> dict[str, RawJson]:
        if isinstance(raw, str) and raw.strip().startswith("{"):
            raw = self._fitted(read_json(raw), path)  # an object that was written as JSON inside a string
        if isinstance(raw, list) and len(raw) == 1:
            raw = self._fitted(raw[0], path)
        if isinstance(raw, dict):
            return raw
        if raw not in (None, "", []):
            self._notes.add("wrong_type", path.general)
        return {}

    def _as_list(self, raw: RawJson, items: SchemaField, path: _Path) -> list[RawJson]:
        if raw is None or (isinstance(raw, str) and not raw.strip()):
            return []
        if isinstance(raw, str) and raw.strip().startswith("["):
            inner = read_json(raw)
            raw = inner if isinstance(inner, list) else raw
        elif isinstance(raw, list):
            return raw
        if isinstance(raw, list):
            return self._fitted(raw, path)
        if isinstance(raw, dict) or items.is_leaf:
            return self._fitted([raw], path)  # one row that was not put into a list
        self._notes.add("wrong_type", path.general)
        return []

    def _fitted(self, value: _T, path: _Path) -> _T:
        self._notes.add("wrong_shape", path.general)
        return value


def _belongs(note: AdditionalValue, raw: RawJson) -> bool:
    """Whether the note tells of this value: texts alike but for spaces and signs, numbers alike but for their type."""
    told = note.value
    if told == raw or (told in (None, "") and raw in (None, "")):
        return True
    if isinstance(told, (dict, list)) or isinstance(raw, (dict, list)) or told is None or raw is None:
        return False
    if isinstance(told, (int, float)) and isinstance(raw, (int, Decimal)):
        return math.isclose(told, raw, rel_tol=1e-9)
    return match_key(str(told)) == match_key(str(raw))


def _verdict(note: AdditionalValue) -> Verdict | None:
    try:
        return Verdict(note.verdict) if note.verdict is not None else None
    except ValueError:
        return None


def _stands_for_nothing(value: Scalar, note: AdditionalValue, field: SchemaField) -> bool:
    """Whether a model without verdicts means "not there": an unsure 0 or dash whose words it did not find."""
    if note.word_coordinates or note.raw or note.confidence == Confidence.HIGH or value in field.enum:
        return False
    if is_placeholder(value):
        return True
    return isinstance(value, (int, float)) and not isinstance(value, bool) and value == 0


def _quad(polygon: Polygon) -> Quad | None:
    """Four corners within the page; None for other polygons, for pixels, and for boxes without an area."""
    if len(polygon) != _CORNERS or not all(-_SLACK <= c <= 1 + _SLACK for p in polygon for c in (p.x, p.y)):
        return None
    a, b, c, d = (Point(min(1.0, max(0.0, p.x)), min(1.0, max(0.0, p.y))) for p in polygon)
    box = quad_box((a, b, c, d))
    return (a, b, c, d) if box.width > 0 and box.height > 0 else None


def _around(words: tuple[Quad, ...]) -> Quad:
    return union_box(quad_box(word) for word in words).quad()
