"""Multipart bodies, taken in as they come: the file goes straight to where it is kept, fields stand before or behind.

Source: RFC 7578; https://html.spec.whatwg.org/multipage/form-control-infrastructure.html (how browsers escape names),
read 2026-11-30.
"""

from __future__ import annotations

from collections import deque
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field

from fastapi import Request
from python_multipart.exceptions import FormParserError
from python_multipart.multipart import MultipartParser, parse_options_header

from service.domain.errors import ErrorCode, InputError

MOST_FIELDS = 64
MOST_FIELD_BYTES = 4_000_000
"""All fields together, the file not counted."""
FILE_FIELD = "file"
"""The part that is the file; any other is a field, also when it was sent from a file (a schema often is)."""
_NAMELESS = "document"

TakeFile = Callable[[str, AsyncIterator[bytes], "Fields"], Awaitable[None]]
"""Given the file's name, its bytes as they come, and the fields that stood before it."""
Fields = dict[str, str]


def is_form(request: Request) -> bool:
    """Whether the body is multipart."""
    return parse_options_header(request.headers.get("content-type", ""))[0] == b"multipart/form-data"


async def read_form(
    request: Request, take_file: TakeFile, *, file_field: str = FILE_FIELD, most_files: int = 1
) -> Fields:
    """Read a form to its end; `take_file` is called for each file, and must take the bytes that it is given.

    Raises:
        InputError: the form is malformed, cut off, too large, or repeats a field.
    """
    fields: Fields = {}
    size = 0
    files = 0
    parts = _read_parts(request)
    async for event in parts:
        if not isinstance(event, _Head):
            continue
        if event.name == file_field:
            files += 1
            if files > most_files:
                raise _fault(_too_many(most_files), file_field)
            await take_file(event.file_name or _NAMELESS, _data_of(parts), fields)
            continue
        value = bytearray()
        async for piece in _data_of(parts):
            size += len(piece)
            if size > MOST_FIELD_BYTES:
                why = f"the fields are larger than {MOST_FIELD_BYTES} bytes together{_hint(event, file_field)}"
                raise _fault(why, event.name)
            value += piece
        if event.name in fields or len(fields) >= MOST_FIELDS:
            raise _fault(f"a field stands once, and {MOST_FIELDS} are taken at most", event.name)
        fields[event.name] = _text(event, bytes(value), file_field)
    return fields


@dataclass(frozen=True, slots=True)
class _Head:
    """A part begins."""

    name: str
    file_name: str | None


@dataclass(frozen=True, slots=True)
class _End:
    """A part, or with `of_form` the whole form, is complete."""

    of_form: bool = False


_Event = _Head | bytes | _End


@dataclass(slots=True)
class _Collector:
    """Callbacks of the parser; what they say waits in `events`."""

    events: deque[_Event] = field(default_factory=deque[_Event])
    _header: bytearray = field(default_factory=bytearray)
    _value: bytearray = field(default_factory=bytearray)
    _disposition: bytes = b""

    def parser(self, boundary: bytes) -> MultipartParser:
        """A parser that reports here."""
        return MultipartParser(
            boundary,
            {
                "on_part_begin": self._begin,
                "on_header_field": lambda data, start, end: self._header.extend(data[start:end]),
                "on_header_value": lambda data, start, end: self._value.extend(data[start:end]),
                "on_header_end": self._end_header,
                "on_headers_finished": self._end_headers,
                "on_part_data": lambda data, start, end: self.events.append(data[start:end]),
                "on_part_end": lambda: self.events.append(_End()),
                "on_end": lambda: self.events.append(_End(of_form=True)),
            },
        )

    def _begin(self) -> None:
        self._disposition = b""

    def _end_header(self) -> None:
        if bytes(self._header).lower() == b"content-disposition":
            self._disposition = bytes(self._value)
        self._header.clear()
        self._value.clear()

    def _end_headers(self) -> None:
        _, options = parse_options_header(self._disposition)
        name = options.get(b"name")
        if not name:
            raise _fault("a part has no name", "body")
        file_name = options.get(b"filename")
        self.events.append(_Head(_shown(name), None if file_name is None else _shown(file_name)))


async def _read_parts(request: Request) -> AsyncGenerator[_Event]:
    """What the body says, in order.

    Raises:
        InputError: it is not a whole form.
    """
    boundary = parse_options_header(request.headers.get("content-type", ""))[1].get(b"boundary", b"")
    if not boundary:
        raise _fault("the Content-Type names no boundary", "body")
    collector = _Collector()
    complete = False
    try:
        parser = collector.parser(boundary)
        async for chunk in request.stream():
            if chunk:
                parser.write(chunk)
            while collector.events:
                event = collector.events.popleft()
                complete = complete or (isinstance(event, _End) and event.of_form)
                yield event
        parser.finalize()
    except FormParserError as error:
        raise _fault("the form is malformed", "body") from error
    if not complete:
        raise _fault("the form ends before its last boundary", "body")


async def _data_of(parts: AsyncGenerator[_Event]) -> AsyncIterator[bytes]:
    """The bytes of the part whose head was just read, to its end."""
    async for event in parts:
        if isinstance(event, _End):
            return
        if isinstance(event, bytes):
            yield event


def _shown(name: bytes) -> str:
    """A name as a person gave it: browsers escape quotes and line ends; control characters have no place in one."""
    text = name.decode("utf-8", errors="replace").replace("%22", '"').replace("%0D", "").replace("%0A", "")
    return "".join(c for c in text if c.isprintable()).strip()


def _text(head: _Head, value: bytes, file_field: str) -> str:
    try:
        return value.decode("utf-8")
    except UnicodeDecodeError:
        raise _fault(f"the field is not UTF-8 text{_hint(head, file_field)}", head.name) from None


def _hint(head: _Head, file_field: str) -> str:
    """What a caller probably meant who sent a file under another name."""
    return "" if head.file_name is None else f"; a document is sent as the field `{file_field}`"


def _too_many(most: int) -> str:
    return "a job has one file" if most == 1 else f"{most} files are taken at most"


def _fault(why: str, param: str) -> InputError:
    return InputError(ErrorCode.INVALID_REQUEST, f"The multipart form cannot be taken: {why}.", param=param[:100])
