"""Which pages, and which fields, one model request covers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

import orjson

from service.domain.errors import ErrorCode, InputError
from service.domain.pages import PageRange
from service.domain.records import JsonObject
from service.domain.schema import ExtractionSchema, SchemaField


class SplitKind(StrEnum):
    """Why a split is what it is."""

    PAGE_CHUNK = "page_chunk"
    """Some pages of a document."""
    DOCUMENT = "document"
    """All pages of a document that have something to read."""
    FIELD_GROUP = "field_group"
    """Some properties of the schema only."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedSplit:
    """What one model request covers."""

    index: int
    """0-based position among the job's splits."""
    pages: tuple[int, ...]
    """1-based pages of the file, ascending; blank ones between them may be missing."""
    document: int
    """0-based position of the document among the file's documents."""
    kind: SplitKind
    fields: tuple[str, ...] = ()
    """Properties of the schema's root that are asked for; empty: all of them."""


def plan_page_chunks(page_count: int, limit: int) -> tuple[PageRange, ...]:
    """Cover a file with the fewest page ranges that hold at most `limit` pages (≥ 1) each.

    Returns:
        Ranges in page order, 1-based, both ends included: pages 1..page_count, none twice.

    Raises:
        InputError: `no_pages`, when `page_count` is 0.
    """
    if page_count < 1:
        raise InputError(ErrorCode.NO_PAGES, "The file has no pages; send one that has at least one page.")
    if limit < 1:
        raise ValueError(f"a range holds at least one page, not {limit}")
    return tuple(PageRange(first, min(first + limit - 1, page_count)) for first in range(1, page_count + 1, limit))


def plan_splits(
    pages: Sequence[int], documents: Sequence[PageRange], *, pages_per_chunk: int | None
) -> tuple[PlannedSplit, ...]:
    """Cut a file's documents into model requests.

    Args:
        pages: the readable pages, 1-based; when there is none, every page is sent, since a model may see what the
            readers did not.
        documents: the file's documents in page order; together they hold every page.
        pages_per_chunk: most pages of one request (≥ 1); None: a whole document in one.

    Returns:
        Splits in page order; each page to be sent is in exactly one. A document whose pages are all blank, while
        others are not, has none.
    """
    if pages_per_chunk is not None and pages_per_chunk < 1:
        raise ValueError(f"a chunk holds at least one page, not {pages_per_chunk}")
    readable = set(pages)
    splits: list[PlannedSplit] = []
    for document, within in enumerate(documents):
        numbers = tuple(n for n in within.numbers() if n in readable or not readable)
        for chunk in _chunks(numbers, pages_per_chunk):
            kind = SplitKind.DOCUMENT if len(chunk) == len(numbers) else SplitKind.PAGE_CHUNK
            splits.append(PlannedSplit(index=len(splits), pages=chunk, document=document, kind=kind))
    covered = {page for split in splits for page in split.pages}
    if lost := readable - covered:
        raise ValueError(f"pages {sorted(lost)} belong to no document")
    return tuple(splits)


def _chunks(numbers: tuple[int, ...], size: int | None) -> Iterator[tuple[int, ...]]:
    step = size or max(1, len(numbers))
    for start in range(0, len(numbers), step):
        yield numbers[start : start + step]


def halve(split: PlannedSplit, *, first_index: int) -> tuple[PlannedSplit, ...]:
    """Two splits that cover a split's pages, for an answer that was too long to finish.

    Returns:
        The halves in page order, with the indexes `first_index` and `first_index + 1`; nothing when the split has one
        page: then `halve_fields` is next.
    """
    if len(split.pages) < 2:
        return ()
    middle = (len(split.pages) + 1) // 2
    kind = split.kind if split.fields else SplitKind.PAGE_CHUNK
    return (
        replace(split, index=first_index, pages=split.pages[:middle], kind=kind),
        replace(split, index=first_index + 1, pages=split.pages[middle:], kind=kind),
    )


def halve_fields(split: PlannedSplit, schema: ExtractionSchema, *, first_index: int) -> tuple[PlannedSplit, ...]:
    """Two splits over the same pages, each with half of the properties that a split asks for.

    Returns:
        The halves in schema order; nothing when one property is left: the answer cannot be made shorter.
    """
    names = split.fields or tuple(p.name for p in schema.root.properties)
    if len(names) < 2:
        return ()
    middle = (len(names) + 1) // 2
    halves = (names[:middle], names[middle:])
    return tuple(
        replace(split, index=first_index + number, fields=half, kind=SplitKind.FIELD_GROUP)
        for number, half in enumerate(halves)
    )


def split_by_fields(
    splits: Iterable[PlannedSplit], groups: Sequence[Sequence[tuple[str, ...]]]
) -> tuple[PlannedSplit, ...]:
    """Every split once for each group of properties, numbered anew.

    Args:
        splits: of all documents.
        groups: of each document's schema, in order; one group asks for all at once, none: the document is left out.
    """
    grouped: list[PlannedSplit] = []
    for split in splits:
        mine = groups[split.document]
        if len(mine) == 1:
            grouped.append(split)
        else:
            grouped += [replace(split, fields=group, kind=SplitKind.FIELD_GROUP) for group in mine]
    return tuple(replace(split, index=index) for index, split in enumerate(grouped))


def group_fields(schema: ExtractionSchema, *, max_properties: int, max_chars: int) -> tuple[tuple[str, ...], ...]:
    """Cut a schema that is wider than a model accepts into groups of its root's properties.

    Args:
        max_properties: most properties of one request, those inside objects and arrays counted too.
        max_chars: longest schema of one request, minified.

    Returns:
        Names in schema order, every one in exactly one group. A property too wide by itself stays alone in its group.
    """
    groups: list[tuple[str, ...]] = []
    current: tuple[str, ...] = ()
    for prop in schema.root.properties:
        wider = (*current, prop.name)
        if current and not _fits(schema, wider, max_properties, max_chars):
            groups.append(current)
            wider = (prop.name,)
        current = wider
    return (*groups, current)


def _fits(schema: ExtractionSchema, names: tuple[str, ...], max_properties: int, max_chars: int) -> bool:
    narrow = narrow_schema(schema, names)
    return _count_properties(narrow.root) <= max_properties and len(orjson.dumps(narrow.source)) <= max_chars


def _count_properties(field: SchemaField) -> int:
    inner = sum(1 + _count_properties(p) for p in field.properties)
    return inner + (_count_properties(field.items) if field.items else 0)


def narrow_schema(schema: ExtractionSchema, names: Sequence[str]) -> ExtractionSchema:
    """The schema with some of its root's properties only; unchanged when `names` is empty.

    Checks are left out: they belong to the whole record.
    """
    if not names:
        return schema
    wanted = set(names)
    source: JsonObject = {k: v for k, v in schema.source.items() if k != "x-checks"}
    properties = source.get("properties")
    if isinstance(properties, dict):
        source["properties"] = {k: v for k, v in properties.items() if k in wanted}
    required = source.get("required")
    if isinstance(required, list):
        source["required"] = [name for name in required if name in wanted]
    root = replace(schema.root, properties=tuple(p for p in schema.root.properties if p.name in wanted))
    return replace(schema, source=source, root=root, checks=())
