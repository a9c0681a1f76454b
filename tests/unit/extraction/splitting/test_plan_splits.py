"""Which pages and fields a request covers."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from service.domain.pages import PageRange
from service.domain.schema import parse_schema
from service.extraction.schema.narrow import narrow_schema
from service.extraction.splitting.plan import (
    PlannedSplit,
    SchemaRoom,
    SplitKind,
    group_fields,
    halve,
    halve_fields,
    plan_splits,
    split_by_fields,
)
from tests.unit.extraction.answers import schema_of


@st.composite
def files(draw: st.DrawFn) -> tuple[list[int], list[PageRange]]:
    """Readable pages and document ranges of a file."""
    lengths = draw(st.lists(st.integers(1, 12), min_size=1, max_size=6))
    ranges, first = [], 1
    for length in lengths:
        ranges.append(PageRange(first, first + length - 1))
        first += length
    readable = sorted(draw(st.sets(st.integers(1, first - 1))))
    return readable, ranges


@given(files(), st.none() | st.integers(1, 7))
def test_every_page_to_send_is_in_exactly_one_split_of_its_document(
    file: tuple[list[int], list[PageRange]], size: int | None
) -> None:
    """Whatever is readable and however the file is cut."""
    readable, ranges = file
    splits = plan_splits(readable, ranges, pages_per_chunk=size)
    every = [page for within in ranges for page in within.numbers()]
    assert [page for split in splits for page in split.pages] == (readable or every)
    assert [split.index for split in splits] == list(range(len(splits)))
    for split in splits:
        assert set(split.pages) <= set(ranges[split.document].numbers())
        assert size is None or len(split.pages) <= size


def test_blank_pages_are_not_sent_unless_all_are_blank() -> None:
    """A model may see what the readers did not."""
    assert [s.pages for s in plan_splits([1, 3], [PageRange(1, 4)], pages_per_chunk=None)] == [(1, 3)]
    assert [s.pages for s in plan_splits([], [PageRange(1, 2)], pages_per_chunk=None)] == [(1, 2)]


def test_a_whole_document_is_told_from_a_chunk() -> None:
    """By the kind of the split."""
    kinds = [s.kind for s in plan_splits([1, 2, 3], [PageRange(1, 2), PageRange(3, 3)], pages_per_chunk=1)]
    assert kinds == [SplitKind.PAGE_CHUNK, SplitKind.PAGE_CHUNK, SplitKind.DOCUMENT]


@given(st.lists(st.integers(1, 99), min_size=1, max_size=30, unique=True).map(sorted))
def test_halving_ends_at_single_pages_and_loses_none(pages: list[int]) -> None:
    """An answer that is too long is asked for in halves, never patched."""
    waiting = [PlannedSplit(index=0, pages=tuple(pages), document=0, kind=SplitKind.DOCUMENT)]
    leaves: list[int] = []
    while waiting:
        split = waiting.pop(0)
        halves = halve(split, first_index=7)
        if not halves:
            leaves += split.pages
        assert [half.index for half in halves] == [7, 8][: len(halves)]
        waiting = [*halves, *waiting]
    assert leaves == pages


def test_at_one_page_the_fields_are_halved_down_to_one() -> None:
    """The floor is one field of one page."""
    schema = schema_of(a="string", b="string", c="string")
    split = PlannedSplit(index=0, pages=(4,), document=0, kind=SplitKind.DOCUMENT)
    assert halve(split, first_index=1) == ()
    first, second = halve_fields(split, schema, first_index=1)
    assert (first.fields, second.fields) == (("a", "b"), ("c",))
    assert {first.kind, second.kind} == {SplitKind.FIELD_GROUP}
    assert halve_fields(second, schema, first_index=1) == ()


@given(st.integers(1, 40), st.integers(1, 9))
def test_a_wide_schema_is_grouped_without_losing_or_repeating_a_field(width: int, limit: int) -> None:
    """Every field in exactly one group."""
    schema = schema_of(**{f"field_{n}": "string" for n in range(width)})
    groups = group_fields(schema, SchemaRoom(max_properties=limit, max_chars=100_000))
    assert [name for group in groups for name in group] == [p.name for p in schema.root.properties]
    assert max(map(len, groups)) <= limit


def test_a_group_counts_the_properties_inside_and_the_characters() -> None:
    """A table's columns count as the vendor counts them."""
    schema = schema_of(a="string", rows=[{"x": "string", "y": "string"}], b="string")
    assert group_fields(schema, SchemaRoom(max_properties=3, max_chars=10_000)) == (("a",), ("rows",), ("b",))
    assert group_fields(schema, SchemaRoom(max_properties=99, max_chars=120)) == (("a",), ("rows",), ("b",))


def test_one_wide_object_is_cut_inside() -> None:
    """At any depth, a table in it left whole; names that look like addresses are none."""
    inner = {f"f{n}": "string" for n in range(5)}
    schema = schema_of(**{"whole": {"head": inner, "a/b": "string", "rows": [{"x": "string"}]}, "/odd": "string"})
    groups = group_fields(schema, SchemaRoom(max_properties=4, max_chars=10_000))
    assert groups == (
        ("/whole/head/f0", "/whole/head/f1"),
        ("/whole/head/f2", "/whole/head/f3"),
        ("/whole/head/f4", "/whole/a~1b"),
        ("/whole/rows", "/~1odd"),
    )
    narrow = narrow_schema(schema, groups[2])
    assert parse_schema(narrow.source).root.properties == narrow.root.properties
    assert [p.name for p in narrow.root.properties[0].properties] == ["head", "a/b"]
    assert [p.name for p in narrow_schema(schema, groups[3]).root.properties] == ["whole", "/odd"]


def test_a_flat_grammar_counts_the_names_as_they_are_sent() -> None:
    """Names of objects go into those of their fields; the objects themselves are no properties any more."""
    schema = schema_of(buyer={"n": "string", "m": "string"}, seller={"n": "string"})
    room = SchemaRoom(max_properties=3, max_chars=10_000, flat=True)
    assert group_fields(schema, room) == (("buyer", "seller"),)
    assert group_fields(schema, replace(room, max_name_chars=22)) == (("buyer", "seller"),)
    assert group_fields(schema, replace(room, max_name_chars=21)) == (("buyer",), ("seller",))


def test_a_part_does_not_carry_definitions() -> None:
    """What it points to is written out."""
    place = {"type": "object", "properties": {"city": {"type": "string", "enum": ["A", None]}}}
    source = {"$defs": {"place": place}, "type": "object", "properties": {"at": {"$ref": "#/$defs/place"}, "n": {}}}
    source["properties"] |= {"n": {"type": ["number", "null"], "x-merge": "last"}}
    schema = parse_schema(source)
    narrow = narrow_schema(schema, ("at", "n"))
    assert "$" not in str(narrow.source)
    assert parse_schema(narrow.source).root.properties == narrow.root.properties == schema.root.properties


def test_at_the_floor_an_object_is_halved_inside() -> None:
    """One object of one page is not the end."""
    schema = schema_of(a={"b": {"c": "string", "d": "string"}})
    split = PlannedSplit(index=0, pages=(4,), document=0, kind=SplitKind.DOCUMENT)
    assert [half.fields for half in halve_fields(split, schema, first_index=1)] == [("/a/b/c",), ("/a/b/d",)]


def test_a_narrow_schema_keeps_the_order_and_leaves_the_checks() -> None:
    """Checks need the whole record."""
    schema = schema_of(a="string", b="number", c="string")
    narrow = narrow_schema(schema, ("c", "a"))
    assert [p.name for p in narrow.root.properties] == ["a", "c"]
    assert list(narrow.source["properties"]) == ["a", "c"]
    assert narrow_schema(schema, ()) is schema


def test_field_groups_multiply_the_splits() -> None:
    """Each page range is asked once for each group."""
    splits = plan_splits([1, 2], [PageRange(1, 2)], pages_per_chunk=1)
    grouped = split_by_fields(splits, [[("a",), ("b",)]])
    assert [(s.index, s.pages, s.fields) for s in grouped] == [
        (0, (1,), ("a",)), (1, (1,), ("b",)), (2, (2,), ("a",)), (3, (2,), ("b",)),
    ]  # fmt: skip
