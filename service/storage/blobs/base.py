"""What every blob store is: uploads and what was made of them, by key."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractAsyncContextManager, AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from service.domain.errors import ErrorCode, InputError

_KEY = re.compile(r"[^/]+/([0-9a-f]{2})/\1[0-9a-f]{62}(\.pdf)?")


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredBlob:
    """What streaming an upload in gave."""

    key: str
    sha256: str
    size_bytes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Incoming:
    """An upload that came whole and does not lie under its key yet."""

    blob: StoredBlob
    keep: Callable[[], None]
    """Put it there, durable when it returns; it waits for the disk or the network.

    Raises:
        InternalError: `storage_full`.
    """


class BlobStore(Protocol):
    """Bytes by key; a key names its content, so writing one twice is harmless."""

    def receive(
        self, tenant_id: str, parts: AsyncIterator[bytes], *, max_bytes: int
    ) -> AbstractAsyncContextManager[Incoming]:
        """Take a stream in, hashing on the way; nothing is left of what is not kept before the context ends.

        Raises:
            InputError: `file_too_large` as soon as the limit is passed, `empty_file` if nothing came.
            InternalError: `storage_full`.
        """
        ...

    def put_derived(self, key: str, data: bytes) -> str:
        """Keep the PDF that was made of a blob, in place of an earlier one; its key."""
        ...

    def local(self, key: str) -> AbstractContextManager[Path]:
        """The blob as a file on this machine, as long as the context lasts; not to be changed.

        Raises:
            InternalError: the blob is gone.
        """
        ...

    def exists(self, key: str) -> bool:
        """Whether the blob is there."""
        ...

    def delete(self, key: str) -> None:
        """Remove a blob and the PDF that was made of it; one that is not there is fine."""
        ...

    def written(self, after: float, before: float) -> Iterator[str]:
        """The keys of all that was last put there within a time (unix seconds)."""
        ...

    def clean_up(self, older_than_s: float) -> None:
        """Remove what uploads left unfinished whose process was killed, once nothing came for so long."""
        ...


def too_large(max_bytes: int) -> InputError:
    """What a stream ends with that goes on beyond the limit."""
    return InputError(
        ErrorCode.FILE_TOO_LARGE,
        f"The file is larger than {max_bytes} bytes; send a smaller one or split it.",
        param="file",
    )


def nothing_came() -> InputError:
    """What a stream without a byte ends with."""
    return InputError(ErrorCode.EMPTY_FILE, "The file is empty (0 bytes).", param="file")


def blob_key(tenant_id: str, sha256: str) -> str:
    """The key of a tenant's content; tenants never share blobs."""
    return f"{tenant_id}/{sha256[:2]}/{sha256}"


def is_key(name: str) -> bool:
    """Whether something lies under a key of ours: a store may hold what others put there."""
    return _KEY.fullmatch(name) is not None


def tenant_of(key: str) -> str:
    """Whose content a key names."""
    return key.partition("/")[0]


def derived_key(key: str) -> str:
    """The key of the PDF that was made of a blob: it goes where the blob goes, whatever was known of it."""
    return f"{key}.pdf"


def origin_key(key: str) -> str:
    """The key of the blob that a PDF was made of; that of an upload is its own."""
    return key.removesuffix(".pdf")
