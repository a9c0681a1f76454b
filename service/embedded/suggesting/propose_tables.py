"""Which columns the table of a document has: tried on the document, and kept where rows were read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from service.domain.records import JsonObject
from service.domain.schema import FieldType, SchemaField
from service.embedded.anchors.hits import is_prose
from service.embedded.anchors.matching import Labels
from service.embedded.asked.fields import Ask, understand
from service.embedded.page.layout import Layout, Line, Segment
from service.embedded.words.catalogue import Entry, property_name, property_source, table_columns

CLEAR_HEADER = 0.7
"""Strength from which a header tells its column."""
MOST_COLUMNS = 10
_LONGEST_HEADER = 5
"""Words of the header of a column that the lexicon does not know."""
_USUAL = (("description", "quantity", "unit_price", "amount"), ("description", "amount"))
"""Columns that are tried where no header was read, as on receipts."""


@dataclass(frozen=True, slots=True)
class Columns:
    """Columns that a table may have: name → JSON Schema, in printed order."""

    properties: JsonObject
    headed: bool
    """Whether a printed header names them."""


def possible_columns(layout: Layout) -> tuple[Columns, ...]:
    """The sets of columns that are worth a try, those of the best header first."""
    labels = Labels(layout, (), [_ask(entry) for entry in table_columns()])
    heads = sorted(_headers(layout, labels), key=lambda h: -h[0])
    found = [Columns(properties, headed=True) for _, properties in heads[:1]]
    by_name = {entry.name: entry.source for entry in table_columns()}
    return (*found, *(Columns({name: by_name[name] for name in usual}, headed=False) for usual in _USUAL))


def _ask(entry: Entry) -> Ask:
    numeric = entry.source["type"] == "number"
    field = SchemaField(
        name=entry.name,
        type=FieldType.NUMBER if numeric else FieldType.STRING,
        description=str(entry.source["description"]),
        format="date" if entry.source.get("format") == "date" else None,
    )
    return understand(field, entry.name, column=True)


def _headers(layout: Layout, labels: Labels) -> Iterator[tuple[float, JsonObject]]:
    for line in layout.lines:
        if len(line.segments) > 1 and not any(any(c.isdigit() for c in s.text) for s in line.segments):
            clear = _clear_columns(line, labels)
            if len(clear) > 1:
                yield sum(strength for _, strength in clear.values()), _properties(line, clear)


def _clear_columns(line: Line, labels: Labels) -> dict[int, tuple[str, float]]:
    """Index of a segment → the column it clearly heads and how clearly; each column once."""
    rated = sorted(
        (
            (hit.strength, segment.index, path)
            for segment in line.segments
            for path, hit in labels.headers_in(segment)
            if hit.strength >= CLEAR_HEADER and 2 * (hit.end - hit.start) >= len(segment.tokens)
        ),
        key=lambda r: (-r[0], r[1]),
    )
    clear: dict[int, tuple[str, float]] = {}
    for strength, index, path in rated:
        if index not in clear and all(path != taken for taken, _ in clear.values()):
            clear[index] = (path, strength)
    return clear


def _properties(line: Line, clear: dict[int, tuple[str, float]]) -> JsonObject:
    by_name = {entry.name: entry for entry in table_columns()}
    properties: JsonObject = {}
    for segment in line.segments[:MOST_COLUMNS]:
        if segment.index in clear:
            name = clear[segment.index][0]
            properties[name] = by_name[name].source
        elif _may_head(segment) and (name := property_name(segment.text)) and name not in properties:
            properties[name] = property_source("text", f'Cell under the header "{segment.text.strip(" :")}"')
    return properties


def _may_head(segment: Segment) -> bool:
    letters = sum(c.isalpha() for c in segment.text)
    return letters > 2 and len(segment.tokens) <= _LONGEST_HEADER and '"' not in segment.text and not is_prose(segment)


def table_name(columns: Sequence[str]) -> str:
    """What to call a table with these columns."""
    return "transactions" if not {"debit", "credit", "balance"}.isdisjoint(columns) else "lines"
