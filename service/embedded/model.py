"""The model's one door: a schema and the pages' words in, an extraction out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

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
from service.embedded.candidates.proposals import Choice
from service.embedded.confidence import Judged, judge
from service.embedded.left_open import left_open
from service.embedded.reading import Reading, read_document
from service.embedded.tables.grid_answers import asks_for_grids, write_grids
from service.embedded.version import MODEL_VERSION


class EmbeddedModel:
    """Extracts from words that were read before: rules choose, trees say how sure that is; no network."""

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
        reading, judged = judge(read_document(schema, pages, lessons))
        missing = Verdict.UNREADABLE if _nothing_read(pages) else Verdict.ABSENT
        writer = _Writer(judged, missing, left_open(reading, judged))
        values = _assemble(schema.root, "", reading, writer)
        found = Extraction(
            values=values,
            fields=writer.fields,
            pages=tuple(p.page for p in pages),
            model=self.name,
            usage=Usage(pages=len(pages), requests=1),
        )
        return reading.recall.constants(found)


def _nothing_read(pages: Sequence[PageText]) -> bool:
    return bool(pages) and all(p.source in (TextSource.UNREADABLE, TextSource.FAILED) for p in pages)


@dataclass
class _Writer:
    """Collects the entry of each leaf."""

    judged: Mapping[str, Judged]
    missing: Verdict
    """Of what was not found."""
    open: frozenset[str]
    """Paths of what was not found although it is there."""
    fields: dict[str, FieldEntry] = field(default_factory=dict[str, FieldEntry])

    def leaf(self, path: str) -> Scalar:
        """Write one leaf and give its value."""
        found = self.judged.get(path)
        if found is None:
            verdict = Verdict.UNREADABLE if path in self.open else self.missing
            self.fields[path] = FieldEntry(value=None, verdict=verdict, confidence=Confidence.LOW)
            return None
        choice = found.leaf.choices[0]
        self.fields[path] = FieldEntry(
            value=found.leaf.value,
            verdict=Verdict.AMBIGUOUS if found.ambiguous else Verdict.FOUND,
            confidence=Confidence.HIGH if found.high else Confidence.LOW,
            raw=choice.span.raw,
            probability=found.chance,
            location=_location(choice),
        )
        return found.leaf.value


def _location(choice: Choice) -> Location:
    tokens = choice.span.tokens
    page = tokens[0].page
    boxes = [b for t in tokens if t.page == page for b in t.boxes] if choice.mark is None else [choice.mark.box]
    return Location(page, union_box(boxes).quad(), tuple(b.quad() for b in boxes))


def _assemble(node: SchemaField, path: str, reading: Reading, writer: _Writer) -> JsonObject:
    values: JsonObject = {}
    for child in node.properties:
        here = f"{path}/{escape_pointer(child.name)}"
        if child.type is FieldType.OBJECT:
            values[child.name] = _assemble(child, here, reading, writer)
        elif child.type is FieldType.ARRAY:
            values[child.name] = _elements(child, here, reading, writer)
        else:
            values[child.name] = writer.leaf(here)
    return values


def _elements(child: SchemaField, path: str, reading: Reading, writer: _Writer) -> list[Json]:
    """The rows of a table, the values of a list, or whole tables."""
    if asks_for_grids(child):
        return write_grids(child, path, reading.findings.evidence.layout, writer.fields)
    if child.items is not None and path in reading.rows:
        return [_row(child.items, f"{path}/{i}", writer) for i in range(len(reading.rows[path]))]
    return [writer.leaf(f"{path}/{i}") for i in range(len(reading.lists.get(path, ())))]


def _row(node: SchemaField, path: str, writer: _Writer) -> JsonObject:
    values: JsonObject = {}
    for child in node.properties:
        here = f"{path}/{escape_pointer(child.name)}"
        if child.type is FieldType.OBJECT:
            values[child.name] = _row(child, here, writer)
        else:
            values[child.name] = [] if child.type is FieldType.ARRAY else writer.leaf(here)
    return values
