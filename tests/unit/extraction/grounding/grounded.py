"""Values grounded on pages made in memory, and where they came to stand."""

from __future__ import annotations

from service.domain.geometry import Box, quad_box
from service.domain.pages import PageText
from service.domain.records import FieldEntry, JsonObject, Scalar
from service.domain.schema import ExtractionSchema
from service.extraction.grounding.ground import ground
from tests.unit.extraction.answers import extraction_of, schema_of
from tests.unit.extraction.printed_pages import line_box, page_of


def grounded(values: JsonObject, schema: ExtractionSchema, *pages: PageText, **more: object) -> dict[str, FieldEntry]:
    """The entries of values that a sure model gave without places, after grounding."""
    found = extraction_of(values, tuple(page.page for page in pages), **more)
    return ground(found, schema, {page.page: page for page in pages}).fields


def found(value: Scalar, kind: str, *lines: str, description: str = "", **keywords: str) -> FieldEntry:
    """The entry of one value on a page of these lines."""
    schema = schema_of(field={"type": kind, "description": description, **keywords})
    return grounded({"field": value}, schema, page_of(*lines))["/field"]


def box_of(entry: FieldEntry) -> Box:
    """The box of a located entry."""
    assert entry.location is not None
    return quad_box(entry.location.coordinates)


def assert_at(entry: FieldEntry, line: int, start: int, end: int) -> None:
    """The entry's box is that of these characters."""
    want = line_box(line, start, end)
    assert box_of(entry).overlap(want) > 0.9, (box_of(entry), want)
