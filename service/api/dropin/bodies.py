"""JSON bodies that carry files: each base64 data URL goes to where files are kept as it arrives.

So a large file costs the memory of a piece of it, not of itself three times over. What is left of the body is read as
any JSON, with a word of this request alone in the place of each file.
"""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field

import orjson
from fastapi import Request

from service.api.bodies import MOST_JSON_BYTES, parse_object
from service.domain.errors import ErrorCode, InputError
from service.domain.records import JsonObject
from service.protocol.data_url import Base64Reader, is_base64_header

_OPENING = b'"data:'
_LONGEST_HEADER = 400
"""Of a data URL, up to its comma."""
_LONGEST_ESCAPE = 6
TakeFile = Callable[[AsyncIterator[bytes]], Awaitable[None]]
"""Given the bytes of a file as they come, all of which it must take."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FilesBody:
    """A body without its files."""

    value: JsonObject
    words: tuple[str, ...]
    """What stands in the place of each file, in the order in which they were taken."""
    digest: str
    """SHA-256 of the body as it was sent, in hexadecimal."""


NO_BODY = FilesBody(value={}, words=(), digest="")


async def read_files_body(request: Request, take_file: TakeFile, *, most_files: int, most_file_bytes: int) -> FilesBody:
    """Read a body to its end.

    Args:
        request: whose body it is.
        take_file: called for each file; it refuses one that is too large.
        most_files: how many there may be.
        most_file_bytes: largest file; its text may be twice as long, line breaks and escapes included.

    Raises:
        InputError: it is too large, no JSON object, holds too many files, or a file that is no base64.
    """
    scanner = _Scanner(nonce=secrets.token_hex(8), most_file_bytes=most_file_bytes)
    words: list[str] = []
    pieces = scanner.read(request)
    async for event in pieces:
        if not isinstance(event, _Begin):
            continue
        if len(words) == most_files:
            raise _fault(f"more than {most_files} file{'s' if most_files > 1 else ''}: that is the most of one request")
        words.append(event.word)
        await take_file(_data_of(pieces))
    if scanner.cut:
        raise _fault("the body ends inside a file")
    if not scanner.rest.strip():
        raise _fault("the body is empty; send a JSON object")
    value = parse_object(bytes(scanner.rest), "body")
    return FilesBody(value=value, words=tuple(words), digest=scanner.digest)


@dataclass(frozen=True, slots=True)
class _Begin:
    """A file begins; its word stands in the body."""

    word: str


@dataclass(frozen=True, slots=True)
class _End:
    """A file is complete."""


_Event = _Begin | bytes | _End


async def _data_of(pieces: AsyncGenerator[_Event]) -> AsyncIterator[bytes]:
    async for event in pieces:
        if isinstance(event, _End):
            return
        if isinstance(event, bytes) and event:
            yield event


class _Scanner:
    """Finds the files in a body that comes in pieces, and keeps what is not a file."""

    def __init__(self, *, nonce: str, most_file_bytes: int) -> None:
        self.rest = bytearray()
        self.cut = False
        """Whether the body ended inside a file."""
        self._nonce = nonce
        self._most_file_bytes = most_file_bytes
        self._buffer = b""
        self._count = 0
        self._hash = hashlib.sha256()

    @property
    def digest(self) -> str:
        return self._hash.hexdigest()

    async def read(self, request: Request) -> AsyncGenerator[_Event]:
        file: _FileText | None = None
        async for chunk in request.stream():
            self._hash.update(chunk)
            self._buffer += chunk
            while True:
                if file is None:
                    if not self._find_file():
                        break
                    file = _FileText()
                    self._count += 1
                    yield _Begin(self._place_word())
                data, ended = self._take_data(file)
                yield data
                if not ended:
                    break
                file = None
                yield _End()
        if file is not None:
            self.cut = True
            yield _End()
        self._keep(len(self._buffer))

    def _find_file(self) -> bool:
        """Go on to the first byte of a file's base64; False if there is none in what has come so far."""
        while True:
            at = self._buffer.find(_OPENING)
            if at < 0:
                self._keep(max(0, len(self._buffer) - len(_OPENING) + 1))
                return False
            self._keep(at)
            head = self._buffer[1:_LONGEST_HEADER]
            ends = [found for found in (head.find(b","), head.find(b'"')) if found >= 0]
            if not ends and len(head) < _LONGEST_HEADER - 1:
                return False  # more is to come
            header = head[: min(ends, default=0)].replace(b"\\/", b"/").decode("utf-8", errors="replace")
            inside = self._follows_backslash() or not ends or head[min(ends) : min(ends) + 1] != b","
            if inside or not is_base64_header(header):
                self._keep(len(_OPENING))
                continue
            self._buffer = self._buffer[min(ends) + 2 :]
            return True

    def _follows_backslash(self) -> bool:
        """Whether the quote that comes next is escaped, and so stands inside a string."""
        return (len(self.rest) - len(self.rest.rstrip(b"\\"))) % 2 == 1

    def _place_word(self) -> str:
        word = f"file-{self._nonce}-{self._count}"
        self.rest += f'"{word}"'.encode("ascii")
        return word

    def _take_data(self, file: _FileText) -> tuple[bytes, bool]:
        end = self._buffer.find(b'"')
        text = self._buffer if end < 0 else self._buffer[:end]
        self._buffer = b"" if end < 0 else self._buffer[end + 1 :]
        if file.size + len(text) > 2 * self._most_file_bytes:
            raise _fault(f"the file is larger than {self._most_file_bytes} bytes; send a smaller one or split it")
        return file.read(text, last=end >= 0), end >= 0

    def _keep(self, count: int) -> None:
        self.rest += self._buffer[:count]
        self._buffer = self._buffer[count:]
        if len(self.rest) > MOST_JSON_BYTES:
            raise _fault(f"the body is larger than {MOST_JSON_BYTES} bytes, its files not counted")


@dataclass(slots=True)
class _FileText:
    """The text of one file's base64 as JSON writes it: some encoders escape `/` and `+`."""

    size: int = 0
    """Characters so far."""
    _reader: Base64Reader = field(default_factory=Base64Reader)
    _rest: bytes = b""

    def read(self, text: bytes, *, last: bool) -> bytes:
        """The bytes that this piece completes; `last` says that no other follows."""
        self.size += len(text)
        text = self._rest + text
        self._rest = b""
        if not last:
            escape = text.rfind(b"\\", max(0, len(text) - _LONGEST_ESCAPE))
            if escape >= 0:
                text, self._rest = text[:escape], text[escape:]
        try:
            if b"\\" in text:
                text = orjson.loads(b'"' + text + b'"').encode("ascii")
            data = self._reader.feed(text)
            return data + self._reader.close() if last else data
        except ValueError as error:
            raise _fault("the data URL's base64 is damaged") from error


def _fault(why: str) -> InputError:
    return InputError(ErrorCode.INVALID_REQUEST, f"{why[:1].upper()}{why[1:]}.", param="body")
