"""Files on their way to the service."""

from __future__ import annotations

import io
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from fieldmark_client.transport import Progress

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer as Buffer

_PIECE_BYTES = 65_536


class _Told(io.RawIOBase):
    """A file that tells how much of it was read."""

    def __init__(self, file: BinaryIO, size: int, progress: Progress) -> None:
        self._file = file
        self._size = size
        self._progress = progress

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def readinto(self, into: Buffer, /) -> int:
        place = memoryview(into)
        piece = self._file.read(len(place))
        place[: len(piece)] = piece
        self._progress(self._file.tell(), self._size)
        return len(piece)

    def seek(self, offset: int, whence: int = io.SEEK_SET, /) -> int:
        return self._file.seek(offset, whence)

    def tell(self) -> int:
        return self._file.tell()


@contextmanager
def opened(file: Path | str | bytes, name: str | None, progress: Progress | None) -> Generator[tuple[str, BinaryIO]]:
    """The name and the bytes of a file that is a path, or whose bytes are at hand."""
    if isinstance(file, bytes):
        source: BinaryIO = io.BytesIO(file)
        size, known = len(file), "document"
    else:
        path = Path(file)
        source, size, known = path.open("rb"), path.stat().st_size, path.name
    with source:
        told = source if progress is None else io.BufferedReader(_Told(source, size, progress), _PIECE_BYTES)
        yield name or known, told
