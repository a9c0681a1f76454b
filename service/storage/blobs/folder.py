"""Blobs in a folder: written under a temporary name in the target folder, synced, renamed."""

from __future__ import annotations

import errno
import hashlib
import os
import time
import uuid
from collections.abc import AsyncGenerator, AsyncIterator, Generator, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from functools import partial
from pathlib import Path

from service.domain.errors import ErrorCode, InternalError
from service.storage.blobs.base import Incoming, StoredBlob, blob_key, derived_key, is_key, nothing_came, too_large

_INCOMING = "incoming"
_NEW, _DATA = os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666
"""What came from outside is never a program."""
_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
"""The disk, the quota, or the largest file that the system lets us write."""


class FolderBlobs:
    """A `BlobStore` on a local file system."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._anchored: set[Path] = set()
        """Folders that are known to be on the disk themselves."""

    @asynccontextmanager
    async def receive(self, tenant_id: str, parts: AsyncIterator[bytes], *, max_bytes: int) -> AsyncGenerator[Incoming]:
        """See `BlobStore.receive`."""
        digest, size = hashlib.sha256(), 0
        with self._temporary(tenant_id) as (temporary, descriptor):
            async for part in parts:
                size += len(part)
                if size > max_bytes:
                    raise too_large(max_bytes)
                digest.update(part)
                _write(descriptor, part)
            if size == 0:
                raise nothing_came()
            sha256 = digest.hexdigest()
            blob = StoredBlob(key=blob_key(tenant_id, sha256), sha256=sha256, size_bytes=size)
            yield Incoming(blob=blob, keep=partial(self._keep, blob.key, temporary, descriptor))

    def put_derived(self, key: str, data: bytes) -> str:
        """See `BlobStore.put_derived`."""
        with self._temporary(key.partition("/")[0]) as (temporary, descriptor):
            _write(descriptor, data)
            self._keep(derived_key(key), temporary, descriptor)
        return derived_key(key)

    @contextmanager
    def local(self, key: str) -> Generator[Path]:
        """See `BlobStore.local`."""
        path = self._root / key
        if not path.is_file():
            raise InternalError(ErrorCode.INTERNAL, f"The stored bytes {key!r} are gone from the blob folder.")
        yield path

    def exists(self, key: str) -> bool:
        """See `BlobStore.exists`."""
        return (self._root / key).is_file()

    def delete(self, key: str) -> None:
        """See `BlobStore.delete`."""
        for each in (derived_key(key), key):
            (self._root / each).unlink(missing_ok=True)

    def written(self, after: float, before: float) -> Iterator[str]:
        """See `BlobStore.written`."""
        for path in self._root.glob("*/??/*"):
            key = path.relative_to(self._root).as_posix()
            with suppress(FileNotFoundError):  # deleted meanwhile
                if is_key(key) and after <= path.stat().st_mtime < before:
                    yield key

    def clean_up(self, older_than_s: float) -> None:
        """See `BlobStore.clean_up`."""
        before = time.time() - older_than_s
        for path in self._root.glob(f"*/{_INCOMING}/*"):
            with suppress(FileNotFoundError):  # just ended, in one way or the other
                if path.stat().st_mtime < before:
                    path.unlink()

    @contextmanager
    def _temporary(self, tenant_id: str) -> Generator[tuple[Path, int]]:
        """A new file and its descriptor; at the end nothing is there under its name."""
        path = self._root / tenant_id / _INCOMING / uuid.uuid4().hex
        with _mapped_errors():
            try:
                descriptor = os.open(path, _NEW, _DATA)
            except FileNotFoundError:  # the tenant's first one
                path.parent.mkdir(parents=True, exist_ok=True)
                descriptor = os.open(path, _NEW, _DATA)
        try:
            yield path, descriptor
        finally:
            os.close(descriptor)
            path.unlink(missing_ok=True)

    def _keep(self, key: str, temporary: Path, descriptor: int) -> None:
        target = self._root / key
        with _mapped_errors():
            os.fsync(descriptor)
            target.parent.mkdir(parents=True, exist_ok=True)
            temporary.replace(target)
            _sync_folder(target.parent)
            if target.parent not in self._anchored:  # it may be new, and so may be what it lies in
                _sync_folder(target.parent.parent)
                _sync_folder(self._root)
                self._anchored.add(target.parent)


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _write(descriptor: int, data: bytes) -> None:
    view = memoryview(data)
    with _mapped_errors():
        while view:
            view = view[os.write(descriptor, view) :]


@contextmanager
def _mapped_errors() -> Generator[None]:
    """Only around our own writing: the sender of a stream has errors of its own."""
    try:
        yield
    except OSError as error:
        raise _storage_error(error) from error


def _storage_error(error: OSError) -> InternalError:
    if error.errno in _FULL:
        return InternalError(ErrorCode.STORAGE_FULL, "No space is left where files are kept; free some and try again.")
    return InternalError(
        ErrorCode.INTERNAL, f"The blob folder cannot be written ({errno.errorcode.get(error.errno or 0)})."
    )
