"""Take a file in: streamed, hashed and kept once, whatever becomes of it."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import AsyncIterator

from service.documents.reader import sniff_file
from service.domain.errors import ErrorCode, InternalError, StateError
from service.domain.jobs import StoredFile
from service.jobs.services import Services
from service.storage.blobs import StoredBlob, derived_key
from service.storage.store import Rows

_LONGEST_NAME = 255


async def receive_upload(services: Services, tenant_id: str, name: str, parts: AsyncIterator[bytes]) -> StoredFile:
    """Keep an upload.

    Raises:
        InputError: it is empty, too large, or of a kind that is not read.
        InternalError: it cannot be kept.
    """
    blob = await services.blobs.receive(tenant_id, parts, max_bytes=services.limits.max_file_bytes)
    return await asyncio.to_thread(_note_upload, services, tenant_id, name, blob)


def take_bytes(services: Services, tenant_id: str, name: str, data: bytes) -> StoredFile:
    """Keep bytes that are at hand (a file of this machine); as `receive_upload`."""

    async def parts() -> AsyncIterator[bytes]:
        yield data

    return services.loop.submit(receive_upload(services, tenant_id, name, parts())).result()


def _note_upload(services: Services, tenant_id: str, name: str, blob: StoredBlob) -> StoredFile:
    try:
        with services.blobs.local(blob.key) as path:
            kind = sniff_file(path)
    except Exception:
        forget_blob(services, tenant_id, blob)
        raise
    file = StoredFile(
        id=f"file_{uuid.uuid4().hex}",
        tenant_id=tenant_id,
        name=name[:_LONGEST_NAME],
        sha256=blob.sha256,
        size_bytes=blob.size_bytes,
        kind=kind,
        blob_key=blob.key,
        created_at=services.clock(),
    )
    with services.store.write(durable=True) as rows:
        rows.files.add(file)
        if not services.blobs.exists(blob.key):  # an earlier upload of the same bytes was deleted in between
            raise InternalError(ErrorCode.INTERNAL, "The upload collided with a delete of the same file; try again.")
    return file


def forget_blob(services: Services, tenant_id: str, blob: StoredBlob) -> None:
    """Remove bytes that no upload was made of, unless one of the same bytes is kept."""
    with services.store.write() as rows:
        rows.files.count_blob(tenant_id, blob.key, blob.size_bytes)
        if rows.files.discount_blob(blob.key):
            services.blobs.delete(blob.key)


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
