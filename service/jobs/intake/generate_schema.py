"""Propose a schema that fits a few documents."""

from __future__ import annotations

import tempfile
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from service.domain.errors import ErrorCode, InputError
from service.domain.files import StoredFile
from service.domain.pages import PageRange, PageSize, PageText
from service.domain.records import JsonObject
from service.jobs.services import Services

MOST_FILES = 3
FIRST_PAGES, LAST_PAGES = 6, 2
"""Pages of a document that are looked at: what it is stands at its begin, what it comes to at its end."""


def generate_schema(
    services: Services, tenant_id: str, files: Sequence[StoredFile], instruction: str
) -> tuple[str, JsonObject]:
    """A schema's name and the schema, inside the grammar that every model takes.

    Pages that a job has read are not read again; nothing is kept.

    Args:
        services: of this process.
        tenant_id: whose files they are.
        files: 1 to `MOST_FILES` documents of one kind.
        instruction: what the caller says of them; may be empty.

    Raises:
        InputError: there are no files or too many; a file cannot be opened; no page of any has a word on it.
    """
    if not 1 <= len(files) <= MOST_FILES:
        message = f"{len(files)} files came: a schema is generated from 1 to {MOST_FILES}."
        raise InputError(ErrorCode.INVALID_REQUEST, message, param="files")
    read = [_pages(services, tenant_id, file) for file in files]
    documents = [pages for pages in read if any(page.words for page in pages)]
    if not documents:
        raise InputError(
            ErrorCode.NO_PAGES,
            "No words could be read on the pages, so there is nothing to make a schema from; send a clearer scan.",
            param="files",
        )
    from service.embedded.suggesting.propose import (
        propose_schema,  # late: the model's rooms, for the few who ask for a schema
    )

    return propose_schema(documents, instruction)


def _pages(services: Services, tenant_id: str, file: StoredFile) -> tuple[PageText, ...]:
    """The first and last pages of a file."""
    with services.store.read() as rows:
        current = rows.files.get(tenant_id, file.id) or file
        loaded = rows.pages.load(current.source_key) if current.source_key is not None else ()
    known = {text.page: text for text in loaded}
    if current.source_key is not None and current.page_sizes is not None:
        with services.blobs.local(current.source_key) as path:
            return _read(services, path, current.page_sizes, known)
    with services.blobs.local(current.blob_key) as path, _opened(services, path) as (source, sizes):
        return _read(services, source, sizes, known)


@contextmanager
def _opened(services: Services, path: Path) -> Generator[tuple[Path, tuple[PageSize, ...]]]:
    """A file that pages can be read from: itself, or the PDF made of it for as long as it is needed."""
    opened = services.reader.open(path)
    if opened.converted is None:
        yield path, opened.info.pages
        return
    with tempfile.TemporaryDirectory(prefix="fieldmark-") as folder:
        made = Path(folder) / "document.pdf"
        made.write_bytes(opened.converted)
        yield made, opened.info.pages


def _read(
    services: Services, path: Path, sizes: Sequence[PageSize], known: Mapping[int, PageText]
) -> tuple[PageText, ...]:
    count = len(sizes)
    wanted = [n for n in range(1, count + 1) if n <= FIRST_PAGES or n > count - LAST_PAGES]
    return tuple(known.get(n) or next(services.reader.read_pages(path, PageRange(n, n))) for n in wanted)
