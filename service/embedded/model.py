"""The model's one door: a schema and the pages' words in, an extraction out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from service.domain.geometry import union_box
from service.domain.memory import NO_LESSONS, Lessons
from service.domain.pages import PageText, TextSource
from service.domain.records import (
    Confidence,
    Extraction,
    FieldEntry,
    Json,
    JsonObject,
    Location,
    Scalar,
    Usage,
    Verdict,
)
from service.domain.schema import ExtractionSchema, FieldType, SchemaField, escape_pointer
from service.embedded.choose import choose
from service.embedded.column_roles import settle_roles
from service.embedded.confidence import HIGH, probability
from service.embedded.fields import Ask, understand
from service.embedded.items import read_rows
from service.embedded.layout import build_layout
from service.embedded.lists import read_list
from service.embedded.matching import Labels
from service.embedded.memory import Recall
from service.embedded.places import gather
from service.embedded.proposals import Choice
from service.embedded.prose import Prose
from service.embedded.row_checks import Row
from service.embedded.spans import Spans
from service.embedded.values import final_value

MODEL_VERSION = "2026.11"


@dataclass
class _Plan:
    """The leaves of a schema: single ones, tables and lists of plain values, by path."""

    singles: list[Ask] = field(default_factory=list[Ask])
    tables: dict[str, list[Ask]] = field(default_factory=dict[str, list[Ask]])
    lists: dict[str, Ask] = field(default_factory=dict[str, Ask])


class EmbeddedModel:
    """Extracts by rules from words that were read before; no network, no training at run time."""

    version: str = MODEL_VERSION

    @property
    def name(self) -> str:
        """How the model is named on the wire."""
        return f"embedded:{self.version}"

    def extract(self, schema: ExtractionSchema, pages: Sequence[PageText], lessons: Lessons = NO_LESSONS) -> Extraction:
        """Values for every leaf of a schema from one document's pages.

        Args:
            schema: what is asked for.
            pages: of the document, in order.
            lessons: what people taught about its layout.

        Returns:
            Values in the schema's shape; an entry for each leaf, absent ones included. An array without rows is empty.
        """
        plan = _Plan()
        _walk(schema.root, "", (), plan)
        hint = next((a.day_first for a in _all(plan) if a.day_first is not None), None)
        layout = build_layout(pages)
        columns = [a for asks in plan.tables.values() for a in asks]
        labels = Labels(layout, [*plan.singles, *plan.lists.values()], columns)
        evidence = gather(layout, Spans(layout, day_first=hint), labels)
        writer = _Writer(layout.scanned, _nothing_read(pages))
        prose = Prose(layout)
        recall = Recall(evidence, {page.page: page for page in pages}, lessons)
        chosen = recall.singles(plan.singles, choose(evidence, plan.singles, prose))
        rows = {path: recall.rows(path, asks) or read_rows(evidence, asks) for path, asks in plan.tables.items()}
        lists = {path: read_list(evidence, ask, prose) for path, ask in plan.lists.items()}
        values = _assemble(schema.root, "", _Found(chosen, rows, lists, plan), writer)
        assert isinstance(values, dict)
        found = Extraction(
            values=values,
            fields=writer.fields,
            pages=tuple(p.page for p in pages),
            model=self.name,
            usage=Usage(pages=len(pages), requests=1),
        )
        return recall.constants(found)


@dataclass(frozen=True)
class _Found:
    chosen: dict[str, list[Choice]]
    rows: dict[str, list[Row]]
    lists: dict[str, list[Choice]]
    plan: _Plan


def _all(plan: _Plan) -> list[Ask]:
    return [*plan.singles, *plan.lists.values(), *(a for asks in plan.tables.values() for a in asks)]


def _nothing_read(pages: Sequence[PageText]) -> bool:
    return bool(pages) and all(p.source in (TextSource.UNREADABLE, TextSource.FAILED) for p in pages)


def _walk(node: SchemaField, path: str, parents: tuple[SchemaField, ...], plan: _Plan) -> None:
    for child in node.properties:
        here = f"{path}/{escape_pointer(child.name)}"
        if child.type is FieldType.OBJECT:
            _walk(child, here, (*parents, child), plan)
        elif child.type is FieldType.ARRAY and child.items is not None:
            if child.items.type is FieldType.OBJECT:
                plan.tables[here] = settle_roles(_column_asks(child.items, f"{here}/*", ()))
            elif child.items.is_leaf:
                named = replace(child.items, name=child.name, description=child.description or child.items.description)
                plan.lists[here] = understand(named, here, parents)
        elif child.is_leaf:
            plan.singles.append(understand(child, here, parents))


def _column_asks(node: SchemaField, path: str, parents: tuple[SchemaField, ...]) -> list[Ask]:
    found: list[Ask] = []
    for child in node.properties:
        here = f"{path}/{escape_pointer(child.name)}"
        if child.type is FieldType.OBJECT:
            found.extend(_column_asks(child, here, (*parents, child)))
        elif child.is_leaf:
            found.append(understand(child, here, parents, column=True))
    return found


class _Writer:
    """Collects the entry of each leaf."""

    def __init__(self, scanned: bool, unread: bool) -> None:
        self.fields: dict[str, FieldEntry] = {}
        self._scanned = scanned
        self._missing = Verdict.UNREADABLE if unread else Verdict.ABSENT

    def leaf(self, path: str, ask: Ask, choices: Sequence[Choice]) -> Scalar:
        """Write one leaf and give its value."""
        value = final_value(ask, choices[0]) if choices else None
        if value is None:
            self.fields[path] = FieldEntry(value=None, verdict=self._missing, confidence=Confidence.LOW)
            return None
        sure = probability(ask, choices, scanned=self._scanned)
        rival = next((c for c in choices[1:] if str(c.value) != str(choices[0].value)), None)
        close = rival is not None and rival.score >= choices[0].score - 0.01 and sure < 0.5
        self.fields[path] = FieldEntry(
            value=value,
            verdict=Verdict.AMBIGUOUS if close else Verdict.FOUND,
            confidence=Confidence.HIGH if sure >= HIGH and not close else Confidence.LOW,
            raw=choices[0].span.raw,
            probability=sure,
            location=_location(choices[0]),
        )
        return value


def _location(choice: Choice) -> Location:
    tokens = choice.span.tokens
    page = tokens[0].page
    boxes = [b for t in tokens if t.page == page for b in t.boxes]
    return Location(page, union_box(boxes).quad(), tuple(b.quad() for b in boxes))


def _assemble(node: SchemaField, path: str, found: _Found, writer: _Writer) -> Json:
    values: JsonObject = {}
    singles = {a.path: a for a in found.plan.singles}
    for child in node.properties:
        here = f"{path}/{escape_pointer(child.name)}"
        if child.type is FieldType.OBJECT:
            values[child.name] = _assemble(child, here, found, writer)
        elif here in found.plan.tables and child.items is not None:
            asks = {a.path: a for a in found.plan.tables[here]}
            values[child.name] = [
                _row_value(child.items, f"{here}/{i}", f"{here}/*", (row, asks), writer)
                for i, row in enumerate(found.rows[here])
            ]
        elif here in found.plan.lists:
            ask = found.plan.lists[here]
            values[child.name] = [
                writer.leaf(f"{here}/{i}", ask, [choice]) for i, choice in enumerate(found.lists[here])
            ]
        elif child.type is FieldType.ARRAY:
            values[child.name] = []
        else:
            values[child.name] = writer.leaf(here, singles[here], found.chosen.get(here, []))
    return values


def _row_value(
    node: SchemaField, path: str, pattern: str, found: tuple[Row, dict[str, Ask]], writer: _Writer
) -> JsonObject:
    row, asks = found
    values: JsonObject = {}
    for child in node.properties:
        name = escape_pointer(child.name)
        if child.type is FieldType.OBJECT:
            values[child.name] = _row_value(child, f"{path}/{name}", f"{pattern}/{name}", found, writer)
        elif child.type is FieldType.ARRAY:
            values[child.name] = []
        else:
            ask = asks[f"{pattern}/{name}"]
            cell = row.get(ask.path)
            values[child.name] = writer.leaf(f"{path}/{name}", ask, [cell] if cell is not None else [])
    return values
