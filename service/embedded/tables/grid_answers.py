"""Schema fields that ask for whole tables: an array of arrays of plain values, alone or in an object for each table."""

from __future__ import annotations

from collections.abc import Sequence

from service.domain.geometry import union_box
from service.domain.records import Confidence, FieldEntry, Json, JsonObject, Location, Scalar, Verdict
from service.domain.schema import FieldType, SchemaField, escape_pointer
from service.embedded.page.grid_lines import Cell
from service.embedded.page.grids import Grid, find_grids, words_of
from service.embedded.page.layout import Layout
from service.embedded.words.labels import split_name
from service.embedded.words.lists import word_list
from service.embedded.words.normalise import fold, parse_boolean, parse_number, squash, word_set

Entries = dict[str, FieldEntry]
"""JSON Pointer → entry; filled leaf by leaf."""
_PAGE = word_list("grid_page")
_TITLE = word_list("grid_title")
_FILLER = word_list("grid_rows")
_ABSENT = FieldEntry(value=None, verdict=Verdict.ABSENT, confidence=Confidence.LOW)
_EMPTY = FieldEntry(value="", verdict=Verdict.ABSENT, confidence=Confidence.LOW)
"""A cell without words keeps its place, so that those behind it stay in their columns."""


def asks_for_grids(field: SchemaField) -> bool:
    """Whether an array is one grid, or holds an object for each table of the document."""
    items = field.items
    if items is None or items.type is not FieldType.OBJECT:
        return is_grid(field)
    others = [p for p in items.properties if not is_grid(p)]
    return len(items.properties) == len(others) + 1 and all(p.is_leaf and (_is_page(p) or _is_title(p)) for p in others)


def is_grid(field: SchemaField) -> bool:
    """Whether a field is an array of arrays of plain values."""
    inner = field.items.items if field.items is not None else None
    return inner is not None and field.items is not None and field.items.type is FieldType.ARRAY and inner.is_leaf


def write_grids(field: SchemaField, path: str, layout: Layout, entries: Entries) -> list[Json]:
    """The tables of a document as a field asks for them, and an entry for each cell."""
    grids = find_grids(layout)
    if is_grid(field):
        return _rows(field, path, _wanted(field, grids), entries) if grids else []
    assert field.items is not None
    return [_table(field.items, f"{path}/{n}", grid, entries) for n, grid in enumerate(grids)]


def _is_page(field: SchemaField) -> bool:
    return bool(_words(field.name) & _PAGE)


def _is_title(field: SchemaField) -> bool:
    return field.type is FieldType.STRING and bool(_words(field.name) & _TITLE)


def _words(text: str) -> frozenset[str]:
    return word_set(fold(split_name(text)))


def _wanted(field: SchemaField, grids: Sequence[Grid]) -> Grid:
    """The table whose title or header has most words of the field; of these the largest."""
    said = {w for w in _words(f"{field.name} {field.title} {field.description}") if len(w) > 3} - _FILLER

    def rank(grid: Grid) -> tuple[int, int]:
        told = " ".join(words_of(cell) for cell in (grid.title, *grid.rows[0]))
        return len(said & _words(told)), grid.size

    return max(grids, key=rank)


def _table(items: SchemaField, path: str, grid: Grid, entries: Entries) -> JsonObject:
    values: JsonObject = {}
    for child in items.properties:
        here = f"{path}/{escape_pointer(child.name)}"
        if is_grid(child):
            values[child.name] = _rows(child, here, grid, entries)
            continue
        entries[here] = _page_entry(child, grid) if _is_page(child) else _cell_entry(child, grid.title)
        values[child.name] = entries[here].value
    return values


def _rows(field: SchemaField, path: str, grid: Grid, entries: Entries) -> list[Json]:
    assert field.items is not None
    leaf = field.items.items
    assert leaf is not None  # it is a grid
    values: list[Json] = []
    for r, row in enumerate(grid.rows):
        told = [_cell_entry(leaf, cell) for cell in row]
        entries.update({f"{path}/{r}/{c}": entry for c, entry in enumerate(told)})
        values.append([entry.value for entry in told])
    return values


def _page_entry(field: SchemaField, grid: Grid) -> FieldEntry:
    value = str(grid.page) if field.type is FieldType.STRING else grid.page
    box = union_box(box for token in grid.words for box in token.boxes)
    return FieldEntry(
        value=value, verdict=Verdict.FOUND, confidence=Confidence.LOW, location=Location(grid.page, box.quad())
    )


def _cell_entry(field: SchemaField, cell: Cell) -> FieldEntry:
    """A cell's text as its field asks for it, with its words' place; never `high`: no table is proven."""
    if not cell:
        return _EMPTY if field.type is FieldType.STRING and not field.enum else _ABSENT
    raw = words_of(cell)
    value = _value(field, raw)
    if value is None:
        return _ABSENT
    boxes = [box for token in cell for box in token.boxes]
    place = Location(cell[0].page, union_box(boxes).quad(), tuple(box.quad() for box in boxes))
    return FieldEntry(value=value, verdict=Verdict.FOUND, confidence=Confidence.LOW, raw=raw, location=place)


def _value(field: SchemaField, raw: str) -> Scalar:
    if field.enum:
        return next((member for member in field.enum if squash(str(member)) == squash(raw)), None)
    if field.type is FieldType.STRING:
        return raw
    if field.type is FieldType.BOOLEAN:
        return parse_boolean(raw)
    number = parse_number(raw)
    if number is None or (field.type is FieldType.INTEGER and number != int(number)):
        return None
    return int(number) if field.type is FieldType.INTEGER else float(number)
