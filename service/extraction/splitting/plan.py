"""Which pages, and which fields, one model request covers."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from service.domain.pages import PageRange
from service.domain.schema import ExtractionSchema, FieldType, SchemaField
from service.extraction.schema.narrow import address, inner_addresses, narrow_schema, write_field
from service.protocol.json_text import encode_json


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
    """Properties that are asked for, as `narrow.address` names them; empty: all of them."""


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

    An object that is left alone is cut into its own properties.

    Returns:
        The halves in schema order; nothing when one value or table is left: the answer cannot be made shorter.
    """
    names = split.fields or tuple(address((p.name,)) for p in schema.root.properties)
    while len(names) == 1 and (inner := inner_addresses(schema, names[0])):
        names = inner
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


@dataclass(frozen=True, slots=True, kw_only=True)
class SchemaRoom:
    """How large a schema a model accepts."""

    max_properties: int
    """Those inside objects and arrays counted too."""
    max_chars: int
    """Of the schema, minified."""
    max_name_chars: int | None = None
    """Of all names together; None: no limit of its own."""
    flat: bool = False
    """Objects are sent as their fields, each under the joined names of its path."""

    def holds(self, schema: ExtractionSchema) -> bool:
        """Whether a schema is within the limits, as it will be sent."""
        root, sent = schema.root, schema.source
        if self.flat and any(p.type is FieldType.OBJECT for p in _inner(root)):
            root = _flat(root)
            sent = write_field(root)
        names = [p.name for p in _inner(root)]
        if len(names) > self.max_properties or len(encode_json(sent)) > self.max_chars:
            return False
        return self.max_name_chars is None or sum(map(len, names)) <= self.max_name_chars


def group_fields(schema: ExtractionSchema, room: SchemaRoom) -> tuple[tuple[str, ...], ...]:
    """Cut a schema that is wider than a model accepts into groups of properties.

    An object that is too wide by itself is cut into its own properties, at any depth; a table is not, since its rows
    could not be put together again.

    Returns:
        Addresses in schema order (see `narrow.address`), every property in exactly one group. One that is too wide and
        cannot be cut stays alone in its group.
    """
    groups: list[tuple[str, ...]] = []
    waiting = [name for p in schema.root.properties for name in _pieces(schema, address((p.name,)), room)]
    while waiting:
        fitting = bisect_left(
            range(2, len(waiting) + 1),
            True,
            key=lambda count: not room.holds(narrow_schema(schema, waiting[:count])),
        )
        groups.append(tuple(waiting[: fitting + 1]))
        del waiting[: fitting + 1]
    return tuple(groups)


def _pieces(schema: ExtractionSchema, name: str, room: SchemaRoom) -> list[str]:
    """A property, or what it must be cut into."""
    inner = inner_addresses(schema, name)
    if not inner or room.holds(narrow_schema(schema, (name,))):
        return [name]
    return [piece for child in inner for piece in _pieces(schema, child, room)]


def _inner(owner: SchemaField) -> Iterator[SchemaField]:
    """Every property below a field."""
    for child in owner.properties:
        yield child
        yield from _inner(child)
    if owner.items is not None:
        yield from _inner(owner.items)


def _flat(owner: SchemaField) -> SchemaField:
    """An object whose objects are replaced by their fields, in the rows of its tables too."""
    properties = (
        replace(leaf, name="_".join(path), items=None if leaf.items is None else _flat(leaf.items))
        for path, leaf in _outer(owner, ())
    )
    return replace(owner, properties=tuple(properties))


def _outer(owner: SchemaField, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], SchemaField]]:
    """What is no object, with the names on its way."""
    for child in owner.properties:
        here = (*path, child.name)
        if child.type is FieldType.OBJECT:
            yield from _outer(child, here)
        else:
            yield here, child
