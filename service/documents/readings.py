"""What the readers of single file kinds take and give; the same for every kind."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Protocol

from service.documents.pixels import RawPicture
from service.documents.text.judging import Route
from service.domain.geometry import Box
from service.domain.pages import DocumentInfo, PageRange, PageText, RuledTable

ImageFormat = Literal["jpeg", "webp", "png"]


@dataclass(frozen=True, slots=True)
class OpenedDocument:
    """A file that can be read. `converted` is the PDF made of an office file: store it and read that."""

    info: DocumentInfo
    converted: bytes | None
    blank: bool | None = None
    """Whether its only page shows nothing; None: it has several, or nobody looked."""


@dataclass(frozen=True, slots=True)
class PageReading:
    """A page as far as it can be read without OCR, and what OCR is to do."""

    page: PageText
    route: Route
    picture: RawPicture | None = None
    """The page's picture, when the route is not DIGITAL."""
    ruled: bool = False
    """Whether there may be tables drawn with lines, worth a request of its own."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RenderOptions:
    """How a page is to be drawn."""

    dpi: int
    crop: Box | None = None
    """The part to draw, fractions of the page as displayed; None: all of it."""
    image_format: ImageFormat = "jpeg"
    grey: bool = False


class OpenFile(Protocol):
    """One open file of some kind."""

    @property
    def page_count(self) -> int:
        """Pages in the file."""
        ...

    def info(self) -> DocumentInfo:
        """Kind and page sizes."""
        ...

    def read(self, index: int, *, by_picture: bool = False) -> PageReading:
        """Read a page (0-based); with `by_picture` whatever text it holds."""
        ...

    def read_plain(self, index: int) -> PageText | None:
        """A page (0-based) whose words are all in its text and in no ruled table; None if there is more to do."""
        ...

    def is_blank(self, index: int) -> bool:
        """Whether reading a page (0-based) would find that it shows nothing."""
        ...

    def tables(self, index: int) -> tuple[RuledTable, ...]:
        """Cells of the tables drawn with lines on a page (0-based), without texts."""
        ...

    def render(self, index: int, options: RenderOptions) -> bytes:
        """Draw a page (0-based) as a picture file."""
        ...

    def cut(self, pages: PageRange) -> bytes:
        """File bytes that hold only these pages."""
        ...

    def close(self) -> None:
        """Let go of the file."""
        ...
