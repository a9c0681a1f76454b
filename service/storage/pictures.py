"""Pictures of pages that were drawn on demand, kept in a folder up to a size."""

from __future__ import annotations

import hashlib
import os
import shutil
import uuid
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path


class PictureCache:
    """A cache on disk that any process may fill, empty or lose; the least recently used pictures go first."""

    def __init__(self, root: Path, *, max_bytes: int) -> None:
        self._root = root
        self._max_bytes = max_bytes

    def drawn_once(self, source_key: str, variant: str, draw: Callable[[], bytes]) -> bytes:
        """A picture, drawn now only if it is not there.

        Args:
            source_key: the blob it shows a page of.
            variant: page, resolution, crop and format.
            draw: gives it; what it raises is raised.
        """
        known = self.get(source_key, variant)
        if known is None:
            known = draw()
            self.put(source_key, variant, known)
        return known

    def get(self, source_key: str, variant: str) -> bytes | None:
        """A picture, if it is there."""
        path = self._path(source_key, variant)
        try:
            data = path.read_bytes()
            os.utime(path)
        except OSError:
            return None
        return data

    def put(self, source_key: str, variant: str, data: bytes) -> None:
        """Keep a picture; a full disk only means that it is drawn again."""
        path = self._path(source_key, variant)
        temporary = path.with_suffix(f".{uuid.uuid4().hex}.part")
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            temporary.write_bytes(data)
            temporary.replace(path)
        except OSError:
            temporary.unlink(missing_ok=True)
        self._trim()

    def forget(self, source_key: str) -> None:
        """Remove every picture of a blob."""
        shutil.rmtree(self._folder(source_key), ignore_errors=True)

    def _trim(self) -> None:
        found: list[tuple[Path, os.stat_result]] = []
        for path in self._root.glob("*/*"):
            with suppress(OSError):  # others fill and trim at the same time
                found.append((path, path.stat()))
        size = sum(stat.st_size for _, stat in found)
        for path, stat in sorted(found, key=lambda entry: entry[1].st_mtime):
            if size <= self._max_bytes:
                return
            path.unlink(missing_ok=True)
            size -= stat.st_size

    def _folder(self, source_key: str) -> Path:
        return self._root / hashlib.sha256(source_key.encode()).hexdigest()[:32]

    def _path(self, source_key: str, variant: str) -> Path:
        return self._folder(source_key) / hashlib.sha256(variant.encode()).hexdigest()[:32]
