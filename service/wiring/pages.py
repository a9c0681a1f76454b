"""Where clients that take no files get pages from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from service.clients.base import PagesReference
from service.documents.reader import DocumentReader, RenderOptions
from service.domain.memory import NO_LESSONS, Lessons
from service.domain.pages import PageText
from service.jobs.learned.memory import lessons_of
from service.storage.blobs.base import BlobStore
from service.storage.pictures import PictureCache
from service.storage.store import Store

if TYPE_CHECKING:
    from service.clients.openai_compatible.client import PagePicture


@dataclass(frozen=True, slots=True, kw_only=True)
class PageSource:
    """Where clients that take no files get pages from."""

    store: Store
    blobs: BlobStore
    pictures: PictureCache
    reader: DocumentReader

    def load(self, reference: PagesReference) -> Sequence[PageText]:
        """The words that were read."""
        with self.store.read() as rows:
            return rows.pages.load(reference.source_key, reference.pages)

    def lessons(self, reference: PagesReference) -> Lessons:
        """What is remembered of their layout."""
        if not reference.memories:
            return NO_LESSONS
        with self.store.read() as rows:
            return lessons_of(rows.memories.find(reference.memories))

    def draw(self, wanted: PagePicture) -> bytes:
        """A page as JPEG, drawn once and kept while there is room."""
        with self.store.read() as rows:
            turns = rows.pages.turns(wanted.source_key)
        how = f"{turns.get(wanted.page, 0)}/{wanted.dpi}/{'grey' if wanted.grey else 'colour'}"
        variant = f"{wanted.page}/{how}/jpeg"

        def drawn() -> bytes:
            with self.blobs.local(wanted.source_key) as path:
                options = RenderOptions(dpi=wanted.dpi, grey=wanted.grey)
                return self.reader.render_page(path, wanted.page, options, turns=turns)

        return self.pictures.drawn_once(wanted.source_key, variant, drawn)
