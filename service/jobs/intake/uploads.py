"""Take a file in: streamed, hashed and kept once, whatever becomes of it."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import AsyncGenerator, AsyncIterator, Generator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass

from service.documents.reader import sniff_file
from service.domain.errors import ErrorCode, InternalError, StateError
from service.domain.files import StoredFile
from service.jobs.services import Services
from service.storage.blobs.base import Incoming, derived_key
from service.storage.store import Rows

_LONGEST_NAME = 255


@dataclass(frozen=True, slots=True)
class Upload:
    """A file that came whole and is not kept yet."""

    name: str
    incoming: Incoming


@asynccontextmanager
async def receive(services: Services, tenant_id: str, name: str, parts: AsyncIterator[bytes]) -> AsyncGenerator[Upload]:
    """Take a file in; nothing is left of it unless it is `kept` before the context ends.

    Raises:
        InputError: it is empty or too large.
        InternalError: it cannot be written.
    """
    async with services.blobs.receive(tenant_id, parts, max_bytes=services.limits.max_file_bytes) as incoming:
        yield Upload(name, incoming)


async def receive_upload(services: Services, tenant_id: str, name: str, parts: AsyncIterator[bytes]) -> StoredFile:
    """Keep an upload.

    Raises:
        InputError: it is empty, too large, or of a kind that is not read.
        InternalError: it cannot be kept.
    """
    async with receive(services, tenant_id, name, parts) as upload:
        return await asyncio.to_thread(_keep_and_note, services, tenant_id, upload)


def take_bytes(services: Services, tenant_id: str, name: str, data: bytes) -> StoredFile:
    """Keep bytes that are at hand (a file of this machine); as `receive_upload`."""

    async def parts() -> AsyncIterator[bytes]:
        yield data

    return services.loop.submit(receive_upload(services, tenant_id, name, parts())).result()


def _keep_and_note(services: Services, tenant_id: str, upload: Upload) -> StoredFile:
    with kept(services, tenant_id, upload) as file, services.store.write(durable=True) as rows:
        note_upload(services, rows, file)
    return file


@contextmanager
def kept(services: Services, tenant_id: str, upload: Upload) -> Generator[StoredFile]:
    """The upload, its bytes durable; its row is for the context to write, and when that fails they are forgotten.

    Raises:
        InputError: it is of a kind that is not read.
        InternalError: it cannot be kept.
    """
    upload.incoming.keep()
    blob = upload.incoming.blob
    try:
        with services.blobs.local(blob.key) as path:
            kind = sniff_file(path)
        yield StoredFile(
            id=f"file_{uuid.uuid4().hex}",
            tenant_id=tenant_id,
            name=upload.name[:_LONGEST_NAME],
            sha256=blob.sha256,
            size_bytes=blob.size_bytes,
            kind=kind,
            blob_key=blob.key,
            created_at=services.clock(),
        )
    except BaseException:
        forget_blob(services, tenant_id, blob.key)
        raise


def note_upload(services: Services, rows: Rows, file: StoredFile) -> None:
    """Write the row of an upload whose bytes are kept.

    Raises:
        InternalError: they are gone.
    """
    rows.files.add(file)
    if not services.blobs.exists(file.blob_key):  # an earlier upload of the same bytes was deleted in between
        raise InternalError(ErrorCode.INTERNAL, "The upload collided with a delete of the same file; try again.")


def forget_blob(services: Services, tenant_id: str, key: str) -> None:
    """Remove bytes that no upload was made of, unless one of the same bytes is kept."""
    with services.store.write() as rows:
        rows.files.count_blob(tenant_id, key, 0)  # for a moment: who keeps the same bytes now comes before, or after
        if rows.files.discount_blob(key):
            services.blobs.delete(key)


def forget_upload(services: Services, file: StoredFile) -> None:
    """Take an upload back whose request came to nothing; one that a job stands on stays."""
    with services.store.write() as rows:
        if rows.files.lock(file.tenant_id, file.id) is not None:
            remove_unused(services, rows, file)


def remove_unused(services: Services, rows: Rows, file: StoredFile) -> bool:
    """Remove a locked upload, unless a job stands on it; whether it is gone.

    The bytes go before the commit: an upload of the same ones that comes after it will see that they are gone.
    """
    if rows.files.is_used(file.id):
        return False
    if rows.files.remove(file):
        services.blobs.delete(file.blob_key)
        services.pictures.forget(file.blob_key)
        services.pictures.forget(derived_key(file.blob_key))
    return True


def get_file(services: Services, tenant_id: str, file_id: str) -> StoredFile:
    """An upload of this tenant.

    Raises:
        StateError: `file_not_found`.
    """
    with services.store.read() as rows:
        file = rows.files.get(tenant_id, file_id)
    if file is None:
        raise StateError(ErrorCode.FILE_NOT_FOUND, f"There is no file {file_id!r}; it may have been deleted.")
    return file
