"""The language between a reader and its sandbox: a message is a JSON head and a raw body, their lengths before them.

Unlike pickle, nothing here can run code on decoding: a sandbox taken over by a file can only send text and bytes.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Callable, Iterable, Sequence
from typing import TypeAlias, cast

import orjson

from service.domain.errors import ErrorCode, InputError, ReadingError, ServiceError
from service.domain.geometry import Box
from service.domain.pages import (
    CheckMark,
    DocumentInfo,
    FormEntry,
    MediaKind,
    PageSize,
    PageText,
    RuledTable,
    TableCell,
    TextSource,
    Word,
)
from service.domain.records import Issue, Json, JsonObject, Stage
from service.domain.word_columns import from_columns, to_columns

LENGTHS = struct.Struct(">IQ")
"""Length of the head and of the body in bytes, big-endian."""
MAX_HEAD_BYTES = 64_000_000
MAX_BODY_BYTES = 2_000_000_000

Read: TypeAlias = Callable[[int], bytes]
Row: TypeAlias = "list[Json]"


class BrokenMessage(Exception):
    """The other side sent something that is no message."""


def frame(head: JsonObject, body: bytes | memoryview = b"") -> bytes:
    """The lengths and the head of a message; the body is to be written after it."""
    try:
        encoded = orjson.dumps(head)
    except TypeError:  # a path that is no UTF-8
        encoded = json.dumps(head, ensure_ascii=True).encode()
    return LENGTHS.pack(len(encoded), len(body)) + encoded


def read_message(read: Read) -> tuple[JsonObject, bytes] | None:
    """Read one message; None at the end of the stream.

    Args:
        read: gives exactly the bytes asked for, fewer only at the end of the stream.

    Raises:
        BrokenMessage: the stream ends inside a message, or what it says of itself is impossible.
    """
    lengths = read(LENGTHS.size)
    if len(lengths) < LENGTHS.size:
        return None
    head_bytes, body_bytes = LENGTHS.unpack(lengths)
    if head_bytes > MAX_HEAD_BYTES or body_bytes > MAX_BODY_BYTES:
        raise BrokenMessage("a message longer than any that is sent")
    head, body = read(head_bytes), read(body_bytes) if body_bytes else b""
    if len(head) < head_bytes or len(body) < body_bytes:
        raise BrokenMessage("the stream ends inside a message")
    try:
        decoded = _loads(head)
    except ValueError as error:
        raise BrokenMessage("a head that is not JSON") from error
    if not isinstance(decoded, dict):
        raise BrokenMessage("a head that is not an object")
    return cast(JsonObject, decoded), body


def _loads(head: bytes) -> object:
    try:
        return orjson.loads(head)
    except ValueError:  # a path that is no UTF-8, or no JSON at all
        return json.loads(head)


def encode_error(error: ServiceError) -> JsonObject:
    """An error as the head of an answer."""
    return {"error": error.code.value, "message": error.message, "input": isinstance(error, InputError)}


def decode_error(head: JsonObject) -> InputError | ReadingError:
    """The error an answer tells of."""
    kind = InputError if head.get("input") else ReadingError
    return kind(ErrorCode(str(head["error"])), str(head["message"]))


def encode_size(size: PageSize) -> Row:
    """A page size as a row."""
    return [size.page, size.width, size.height, size.rotation]


def decode_size(row: Json) -> PageSize:
    """A page size from its row."""
    page, width, height, rotation = _numbers(row)
    return PageSize(int(page), width, height, int(rotation))


def encode_box(box: Box) -> Row:
    """A box as its four edges, rounded to a hundred-thousandth of the page."""
    return [round(v, 5) for v in (box.x0, box.y0, box.x1, box.y1)]


def decode_box(row: Json) -> Box:
    """A box from its four edges."""
    x0, y0, x1, y1 = _numbers(row)
    return Box(x0, y0, x1, y1)


def decode_turns(rows: Json) -> tuple[tuple[int, int], ...]:
    """Pages with the degrees by which they are turned, from their rows."""
    return tuple((int(page), int(degrees)) for page, degrees in map(_numbers, _list(rows)))


def encode_issues(issues: Iterable[Issue]) -> list[Json]:
    """Issues as rows."""
    return [[i.stage.value, i.code, i.message, i.page] for i in issues]


def decode_issues(rows: Json) -> tuple[Issue, ...]:
    """Issues from their rows."""
    found: list[Issue] = []
    for row in _list(rows):
        stage, code, message, page = _list(row)
        number = page if isinstance(page, int) else None
        found.append(Issue(stage=Stage(str(stage)), code=str(code), message=str(message), page=number))
    return tuple(found)


def encode_words(words: Sequence[Word]) -> JsonObject:
    """Words by columns, places rounded to a hundred-thousandth of the page."""
    columns = to_columns(words).copy()
    for edge in ("x0", "y0", "x1", "y1"):
        columns[edge] = [(value * 100_000 + 0.5) // 1 / 100_000 for value in columns[edge]]  # `round` takes long
    columns["size"] = [(size * 100 + 0.5) // 1 / 100 for size in columns["size"]]
    columns["certainty"] = [round(certainty, 4) for certainty in columns["certainty"]]
    return cast(JsonObject, columns)


def decode_words(columns: Json) -> Sequence[Word]:
    """Words from their columns."""
    try:
        return from_columns(columns)
    except ValueError as error:
        raise BrokenMessage(str(error)) from error


def encode_tables(tables: Iterable[RuledTable]) -> list[Json]:
    """Ruled tables as rows."""
    return [[encode_box(t.box), [[c.row, c.column, encode_box(c.box), c.text] for c in t.cells]] for t in tables]


def decode_tables(rows: Json) -> tuple[RuledTable, ...]:
    """Ruled tables from their rows."""
    return tuple(_decode_table(row) for row in _list(rows))


def encode_page(page: PageText) -> JsonObject:
    """A page as the head of an answer; its words have the places that they were given."""
    return {
        "size": encode_size(page.size),
        "source": page.source.value,
        "words": cast(JsonObject, to_columns(page.words)),
        "tables": encode_tables(page.tables),
        "marks": [[encode_box(m.box), m.checked, m.name] for m in page.marks],
        "entries": [[encode_box(e.box), e.text, e.label] for e in page.entries],
        "issues": encode_issues(page.issues),
    }


def decode_page(head: JsonObject) -> PageText:
    """A page from the head of an answer."""
    marks = [_list(row) for row in _list(head["marks"])]
    entries = [_list(row) for row in _list(head["entries"])]
    return PageText(
        size=decode_size(head["size"]),
        source=TextSource(str(head["source"])),
        words=decode_words(head["words"]),
        tables=decode_tables(head["tables"]),
        marks=tuple(CheckMark(decode_box(box), bool(checked), str(name)) for box, checked, name in marks),
        entries=tuple(FormEntry(decode_box(box), str(text), str(label)) for box, text, label in entries),
        issues=decode_issues(head["issues"]),
    )


def encode_info(info: DocumentInfo) -> JsonObject:
    """What opening tells, as the head of an answer."""
    sizes: list[Json] = [encode_size(size) for size in info.pages]
    return {"kind": info.kind.value, "pages": sizes, "issues": encode_issues(info.issues)}


def decode_info(head: JsonObject) -> DocumentInfo:
    """What opening tells, from the head of an answer."""
    sizes = tuple(decode_size(row) for row in _list(head["pages"]))
    return DocumentInfo(kind=MediaKind(str(head["kind"])), pages=sizes, issues=decode_issues(head["issues"]))


def _decode_table(row: Json) -> RuledTable:
    box, cells = _list(row)
    found: list[TableCell] = []
    for cell in _list(cells):
        at_row, at_column, cell_box, text = _list(cell)
        numbers = _numbers([at_row, at_column])
        found.append(TableCell(int(numbers[0]), int(numbers[1]), decode_box(cell_box), str(text)))
    return RuledTable(decode_box(box), tuple(found))


def _list(value: Json) -> list[Json]:
    if not isinstance(value, list):
        raise BrokenMessage("a list is missing")
    return value


def _numbers(value: Json) -> list[float]:
    numbers = [v for v in _list(value) if isinstance(v, (int, float))]
    if len(numbers) != len(_list(value)):
        raise BrokenMessage("a number is missing")
    return [float(n) for n in numbers]
