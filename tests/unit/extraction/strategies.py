"""Schemas, extractions and records of any shape, for properties that must hold for all of them."""

from __future__ import annotations

from hypothesis import strategies as st

from service.domain.geometry import Box
from service.domain.records import Confidence, Extraction, FieldEntry, Json, JsonObject, Location, Verdict
from service.domain.schema import ExtractionSchema, FieldType, SchemaField, escape_pointer, parse_schema

NAMES = st.sampled_from(["no", "total amount", "a/b", "c~d", "Name", "0", "día", "合計", "lines", "x"])
SCALARS = st.sampled_from(["string", "number", "integer", "boolean"])


@st.composite
def schema_sources(draw: st.DrawFn, depth: int = 2) -> JsonObject:
    """A JSON Schema of an object."""
    properties: dict[str, Json] = {}
    for name in draw(st.lists(NAMES, min_size=1, max_size=4, unique=True)):
        properties[name] = draw(_nodes(depth))
    return {"type": "object", "properties": properties}


@st.composite
def _nodes(draw: st.DrawFn, depth: int) -> JsonObject:
    kind = draw(st.sampled_from(["scalar", "scalar", "object", "array"] if depth else ["scalar"]))
    if kind == "object":
        return draw(schema_sources(depth - 1))
    if kind == "array":
        return {"type": "array", "items": draw(_nodes(depth - 1))}
    return {"type": draw(SCALARS)}


def schemas() -> st.SearchStrategy[ExtractionSchema]:
    """A parsed schema."""
    return schema_sources().map(parse_schema)


_TEXTS = st.text(
    st.characters(codec="utf-8", exclude_categories=("Cc", "Cs", "Zs", "Zl", "Zp")), min_size=1, max_size=8
).filter(lambda text: text.casefold() not in ("null", ": null", ":null"))
_UNITS = st.integers(0, 9_000).map(lambda n: n / 10_000)


@st.composite
def locations(draw: st.DrawFn, pages: tuple[int, ...]) -> Location:
    """A place on one of the pages, at four decimals as on the wire."""
    box = _box(draw(_UNITS), draw(_UNITS))
    words = draw(st.lists(st.builds(_box, _UNITS, _UNITS), max_size=2))
    return Location(draw(st.sampled_from(pages)), box.quad(), tuple(word.quad() for word in words))


def _box(x: float, y: float) -> Box:
    return Box(x, y, x + 0.05, y + 0.02)


def _scalars(kind: FieldType) -> st.SearchStrategy[str | int | float | bool]:
    if kind is FieldType.STRING:
        return _TEXTS
    if kind is FieldType.BOOLEAN:
        return st.booleans()
    whole = st.integers(-(2**53) + 1, 2**53 - 1)
    if kind is FieldType.INTEGER:
        return whole
    return whole | st.floats(allow_nan=False, allow_infinity=False)


_CONFIDENCES = st.sampled_from(Confidence)


@st.composite
def entries(draw: st.DrawFn, kind: FieldType, pages: tuple[int, ...], *, filled: bool = False) -> FieldEntry:
    """What is known of a leaf; `filled` when it must not be absent."""
    if not filled and draw(st.booleans()):
        return FieldEntry(value=None, verdict=Verdict.ABSENT, confidence=draw(_CONFIDENCES))
    probability = draw(st.none() | st.integers(0, 10_000).map(lambda n: n / 10_000))
    return FieldEntry(
        value=draw(_scalars(kind)),
        verdict=draw(st.sampled_from([Verdict.FOUND, Verdict.AMBIGUOUS])),
        confidence=draw(_CONFIDENCES),
        raw=draw(st.none() | _TEXTS),
        probability=probability,
        location=draw(st.none() | locations(pages)),
    )


@st.composite
def extractions(draw: st.DrawFn, schema: ExtractionSchema, pages: tuple[int, ...] = (3, 4, 7)) -> Extraction:
    """An answer in the schema's full shape; each row has a value."""
    fields: dict[str, FieldEntry] = {}

    def fill(field: SchemaField, path: str, *, filled: bool = False) -> Json:
        if field.type is FieldType.OBJECT:
            # One leaf of a row must be there; nested arrays may stay empty.
            leaf = next((p.name for p in field.properties if p.is_leaf), None)
            return {
                p.name: fill(p, f"{path}/{escape_pointer(p.name)}", filled=filled and (p.name == leaf or leaf is None))
                for p in field.properties
            }
        if field.items is not None:
            count = draw(st.integers(int(filled), 3))
            return [fill(field.items, f"{path}/{n}", filled=True) for n in range(count)]
        entry = draw(entries(field.type, pages, filled=filled))
        fields[path] = entry
        return entry.value

    values = fill(schema.root, "")
    assert isinstance(values, dict)
    return Extraction(values=values, fields=fields, pages=pages, model="m")
