"""A zip of documents as jobs of a batch: each file becomes a job or a refusal, and none of them twice.

What a zip says of itself is not believed: the bytes that come out are counted, names are only shown, links are not
followed. Sending the same zip again goes on where an earlier request ended.
"""

from __future__ import annotations

import asyncio
import stat
import zipfile
import zlib
from collections import Counter
from collections.abc import AsyncIterator, Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from service.domain.batches import Batch, RefusedEntry
from service.domain.errors import ErrorCode, InputError, StateError
from service.domain.files import StoredFile
from service.domain.jobs import Job
from service.jobs.intake.batch_books import hold_open
from service.jobs.intake.uploads import forget_blob, forget_upload, receive_upload
from service.jobs.services import Services
from service.storage.blobs.base import StoredBlob

MOST_ENTRIES = 20_000
_PIECE = 1 << 20
_LONGEST_PATH = 1024
_IGNORED_FOLDERS = frozenset({"__MACOSX", ".git"})
_IGNORED_FILES = frozenset({".DS_Store", "Thumbs.db", "desktop.ini"})

Submit = Callable[[StoredFile, str], Job]
"""Makes a job of the batch out of a kept file and its path in the archive; `already_taken` if there is one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ArchiveReport:
    """What became of the files of an archive; they add up to all of its entries that are no folders."""

    jobs: int = 0
    """Made by this request."""
    refused: int = 0
    """Of this request; why is kept with the batch."""
    repeated: int = 0
    """Taken or refused by an earlier request, or twice in this archive."""
    ignored: int = 0
    """What operating systems leave beside the documents."""


async def receive_archive(services: Services, tenant_id: str, parts: AsyncIterator[bytes]) -> StoredBlob:
    """Keep a zip for as long as it is unpacked; `take_archive` removes it.

    Raises:
        InputError: it is empty or too large.
        InternalError: it cannot be kept.
    """
    async with services.blobs.receive(tenant_id, parts, max_bytes=services.limits.max_archive_bytes) as incoming:
        await asyncio.to_thread(incoming.keep)
        return incoming.blob


def take_archive(services: Services, batch: Batch, blob: StoredBlob, submit: Submit) -> ArchiveReport:
    """Make a job of every file in a zip, and let go of the zip.

    Args:
        services: of this process.
        batch: open; it may be closed meanwhile, then the rest is not taken.
        blob: the zip.
        submit: makes the job of one file.

    Raises:
        InputError: it is no zip, or holds too much; what was taken until then stays.
        StateError: `wrong_state`, the batch is closed.
    """
    try:
        with services.blobs.local(blob.key) as path:
            return _take_all(services, batch, path, submit)
    finally:
        forget_blob(services, batch.tenant_id, blob.key)


def _take_all(services: Services, batch: Batch, path: Path, submit: Submit) -> ArchiveReport:
    counts: Counter[str] = Counter()
    with _opened(path) as archive:
        entries = [entry for entry in archive.infolist() if not entry.is_dir()]
        if len(entries) > MOST_ENTRIES:
            raise InputError(
                ErrorCode.FILE_TOO_LARGE,
                f"The archive holds {len(entries)} files, {MOST_ENTRIES} are taken; send it in parts.",
                param="file",
            )
        left = _Allowance(services.limits.max_archive_bytes)
        for entry in entries:
            one = _Entry(archive, entry, left)
            counts["ignored" if _is_ignored(entry) else _take_entry(services, batch, one, submit)] += 1
    return ArchiveReport(**counts)


@dataclass(slots=True)
class _Allowance:
    """Bytes that may still come out of the archive."""

    left: int

    def use(self, size: int) -> None:
        self.left -= size
        if self.left < 0:
            raise InputError(
                ErrorCode.FILE_TOO_LARGE, "The archive unpacks to more than is taken; send it in parts.", param="file"
            )


@dataclass(frozen=True, slots=True)
class _Entry:
    """A file of the archive."""

    archive: zipfile.ZipFile
    info: zipfile.ZipInfo
    allowance: _Allowance

    @property
    def path(self) -> str:
        """As it is shown; never part of a path of ours."""
        return "".join(c for c in self.info.filename if c.isprintable())[:_LONGEST_PATH] or "document"

    @property
    def content(self) -> str:
        """What tells it from another file of that path, when no job is made of it."""
        return f"{self.info.CRC:08x}-{self.info.file_size}"

    async def pieces(self) -> AsyncIterator[bytes]:
        """Its bytes.

        Raises:
            InputError: it is encrypted, damaged, or packed in a way that is not known.
        """
        if stat.S_ISLNK(self.info.external_attr >> 16):
            raise InputError(ErrorCode.UNSUPPORTED_FORMAT, "It is a link, not a file.", param="file")
        if self.info.flag_bits & 0x1:
            raise InputError(ErrorCode.PASSWORD_REQUIRED, "It is encrypted inside the archive.", param="file")
        try:
            with self.archive.open(self.info) as stream:
                while piece := stream.read(_PIECE):
                    self.allowance.use(len(piece))
                    yield piece
        except (zipfile.BadZipFile, zlib.error, EOFError, OSError, NotImplementedError) as error:
            raise InputError(
                ErrorCode.DAMAGED_FILE, "It is damaged, or packed in a way that is not read.", param="file"
            ) from error


def _take_entry(services: Services, batch: Batch, entry: _Entry, submit: Submit) -> str:
    """What became of a file, by the name of its count."""
    try:
        file = services.loop.submit(receive_upload(services, batch.tenant_id, entry.path, entry.pieces())).result()
    except InputError as error:
        if entry.allowance.left < 0:  # that is said of the whole archive
            raise
        return _refuse(services, batch, entry, error)
    try:
        submit(file, entry.path)
    except InputError as error:
        forget_upload(services, file)
        return _refuse(services, batch, entry, error)
    except StateError as error:
        forget_upload(services, file)
        if error.code is not ErrorCode.ALREADY_TAKEN:
            raise
        return "repeated"
    return "jobs"


def _refuse(services: Services, batch: Batch, entry: _Entry, error: InputError) -> str:
    refused = RefusedEntry(path=entry.path, code=error.code, message=error.message)
    with services.store.write() as rows:
        hold_open(rows, batch.tenant_id, batch.id)
        return "refused" if rows.batches.add_entry(batch, entry.path, entry.content, refused) else "repeated"


def _is_ignored(entry: zipfile.ZipInfo) -> bool:
    path = PurePosixPath(entry.filename)
    return path.name in _IGNORED_FILES or not _IGNORED_FOLDERS.isdisjoint(path.parts[:-1])


@contextmanager
def _opened(path: Path) -> Generator[zipfile.ZipFile]:
    try:
        archive = zipfile.ZipFile(path)
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError):
        raise InputError(ErrorCode.DAMAGED_FILE, "The archive is not a zip that can be opened.", param="file") from None
    with archive:
        yield archive
