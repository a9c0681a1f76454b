"""A request's JSON as it goes out: files in it are held as they are, and become base64 only on their way.

Hundreds of requests wait for their answers at once, each with its pages in memory.
"""

from __future__ import annotations

import base64
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from service.protocol.json_text import encode_json

_PIECE_BYTES = 96 * 1024
"""Of a file or of text, at a time; a multiple of three, so that the pieces of a file join to one base64."""


@dataclass(frozen=True, slots=True)
class Attachment:
    """A file inside a JSON string, as a data URL."""

    header: str
    """What stands before the base64: `data:…;base64,`."""
    data: bytes

    def url(self) -> str:
        """The whole data URL."""
        return self.header + base64.b64encode(self.data).decode("ascii")


class Body:
    """The bytes of a JSON body, which can be sent more than once.

    Args:
        keys: the JSON object.
        files: by the string that stands in `keys` in place of each; such a mark must be found nowhere else.
    """

    def __init__(self, keys: object, files: Mapping[str, Attachment]) -> None:
        self._parts: list[bytes | Attachment] = [encode_json(keys)]
        for mark, file in files.items():
            self._parts = [piece for part in self._parts for piece in _parted(part, mark.encode("ascii"), file)]

    def __len__(self) -> int:
        return sum(len(part) if isinstance(part, bytes) else _length(part) for part in self._parts)

    def __bytes__(self) -> bytes:
        return b"".join(self.pieces())

    def pieces(self) -> Iterator[bytes]:
        """All bytes in order, in pieces that are neither small, but for the last, nor large."""
        waiting: list[bytes] = []
        for piece in self._small():
            waiting.append(piece)
            if sum(map(len, waiting)) >= _PIECE_BYTES:
                yield b"".join(waiting)
                waiting.clear()
        if waiting:
            yield b"".join(waiting)

    def _small(self) -> Iterator[bytes]:
        for part in self._parts:
            if isinstance(part, bytes):
                yield from _cut(part)
            else:
                yield part.header.encode("ascii")
                yield from map(base64.b64encode, _cut(part.data))


def _parted(part: bytes | Attachment, mark: bytes, file: Attachment) -> Iterator[bytes | Attachment]:
    if isinstance(part, Attachment) or mark not in part:
        yield part
        return
    before, _, after = part.partition(mark)
    yield before
    yield file
    yield after


def _length(file: Attachment) -> int:
    return len(file.header) + 4 * -(-len(file.data) // 3)


def _cut(data: bytes) -> Iterator[bytes]:
    return (data[start : start + _PIECE_BYTES] for start in range(0, len(data), _PIECE_BYTES))
