"""Blobs in a folder: written under a temporary name in the target folder, synced, renamed."""

from __future__ import annotations

import asyncio
import errno
import hashlib
import os
import uuid
from collections.abc import AsyncIterator, Generator
from contextlib import contextmanager
from pathlib import Path

from service.domain.errors import ErrorCode, InputError, InternalError
from service.storage.blobs import StoredBlob, blob_key, hash_of

_FULL = (errno.ENOSPC, errno.EDQUOT)


class FolderBlobs:
    """A `BlobStore` on a local file system."""

    def __init__(self, root: Path) -> None:
        self._root = root

    async def receive(self, tenant_id: str, parts: AsyncIterator[bytes], *, max_bytes: int) -> StoredBlob:
        """See `BlobStore.receive`."""
        digest, size = hashlib.sha256(), 0
        with self._temporary(tenant_id) as temporary:
            handle = await asyncio.to_thread(temporary.open, "xb")
            try:
                async for part in parts:
                    size += len(part)
                    if size > max_bytes:
                        raise InputError(
                            ErrorCode.FILE_TOO_LARGE,
                            f"The file is larger than {max_bytes} bytes; send a smaller one or split it.",
                            param="file",
                        )
                    digest.update(part)
                    _write(handle.fileno(), part)
                await asyncio.to_thread(os.fsync, handle.fileno())
            finally:
                handle.close()
            if size == 0:
                raise InputError(ErrorCode.EMPTY_FILE, "The file is empty (0 bytes).", param="file")
            return self._keep(tenant_id, temporary, digest.hexdigest(), size)

    def put(self, tenant_id: str, data: bytes) -> StoredBlob:
        """See `BlobStore.put`."""
        with self._temporary(tenant_id) as temporary:
            with temporary.open("xb") as handle:
                _write(handle.fileno(), data)
                os.fsync(handle.fileno())
            return self._keep(tenant_id, temporary, hash_of(data), len(data))

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
        (self._root / key).unlink(missing_ok=True)

    @contextmanager
    def _temporary(self, tenant_id: str) -> Generator[Path]:
        folder = self._root / tenant_id / "incoming"
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / uuid.uuid4().hex
        try:
            yield path
        except OSError as error:
            raise _storage_error(error) from error
        finally:
            path.unlink(missing_ok=True)

    def _keep(self, tenant_id: str, temporary: Path, sha256: str, size: int) -> StoredBlob:
        key = blob_key(tenant_id, sha256)
        target = self._root / key
        target.parent.mkdir(parents=True, exist_ok=True)
        temporary.replace(target)
        descriptor = os.open(target.parent, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
        return StoredBlob(key=key, sha256=sha256, size_bytes=size)


def _write(descriptor: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]


def _storage_error(error: OSError) -> InternalError:
    if error.errno in _FULL:
        return InternalError(ErrorCode.STORAGE_FULL, "No space is left where files are kept; free some and try again.")
    return InternalError(
        ErrorCode.INTERNAL, f"The blob folder cannot be written ({errno.errorcode.get(error.errno or 0)})."
    )
