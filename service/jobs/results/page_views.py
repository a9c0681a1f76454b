"""A page as people and programs look at it: its words, and its picture."""

from __future__ import annotations

from service.documents.reader import RenderOptions
from service.domain.errors import ErrorCode, StateError
from service.domain.files import StoredFile
from service.domain.pages import PageText
from service.jobs.services import Services


def page_text(services: Services, file: StoredFile, page: int) -> PageText:
    """The words of a page.

    Raises:
        StateError: `page_not_found`, or `not_finished` when no job has read it yet.
    """
    source_key = _source_of(file, page)
    with services.store.read() as rows:
        texts = rows.pages.load(source_key, [page])
    if not texts:
        raise StateError(
            ErrorCode.NOT_FINISHED, f"Page {page} of file {file.id!r} was not read yet.", retry_after_s=1.0
        )
    return texts[0]


def page_image(services: Services, file: StoredFile, page: int, options: RenderOptions) -> bytes:
    """A picture of a page, or of a part of it, turned as the file says, drawn once and kept while there is room.

    Raises:
        StateError: `page_not_found`, or `not_finished` when no job has opened the file yet.
        ReadingError: the page cannot be drawn.
    """
    source_key = _source_of(file, page)
    variant = f"{page}/{file.turns.get(page, 0)}/{options.dpi}/{options.crop}/{options.image_format}"

    def draw() -> bytes:
        with services.blobs.local(source_key) as path:
            return services.reader.render_page(path, page, options, turns=file.turns)

    return services.pictures.drawn_once(source_key, variant, draw)


def _source_of(file: StoredFile, page: int) -> str:
    if file.source_key is None or file.page_sizes is None:
        raise StateError(
            ErrorCode.NOT_FINISHED, f"The file {file.id!r} was not opened by a job yet.", retry_after_s=1.0
        )
    if not 1 <= page <= len(file.page_sizes):
        count = len(file.page_sizes)
        raise StateError(ErrorCode.PAGE_NOT_FOUND, f"The file {file.id!r} has pages 1 to {count}, not {page}.")
    return file.source_key
