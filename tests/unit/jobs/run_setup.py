"""What a job of the simulated world is like."""

from __future__ import annotations

from dataclasses import dataclass

from service.domain.pages import PageRange, TextSource


@dataclass(frozen=True, slots=True, kw_only=True)
class Setup:
    """One job: its file and how it is cut."""

    pages: tuple[TextSource, ...]
    """What reading each page gives, from page 1."""
    chunk: int | None = None
    split: bool = False
    documents: int = 1
    """How many the file holds; only found when `split` is on."""
    io: bool = False
    """Whether the model is elsewhere, and so is sent pages without words too."""
    narrow: bool = False
    """Whether the model takes half of the schema at a time."""
    slow: bool = False
    """Whether who is to open the file in passing leaves it to another."""

    def read_as(self, page: int, run: int) -> TextSource:
        """What reading a page gives; a retry has more luck."""
        how = self.pages[page - 1]
        return TextSource.OCR if run > 1 and how in (TextSource.FAILED, TextSource.UNREADABLE) else how

    def boundaries(self) -> tuple[PageRange, ...]:
        """The documents inside the file, together all of its pages."""
        count = min(self.documents, len(self.pages))
        firsts = [1 + i * len(self.pages) // count for i in range(count)]
        return tuple(PageRange(a, b - 1) for a, b in zip(firsts, [*firsts[1:], len(self.pages) + 1], strict=True))
