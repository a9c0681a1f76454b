"""PDF files for the sandbox's server: fills what every kind of file offers."""

from __future__ import annotations

from pathlib import Path

from service.documents.pdf.drawing import draw_page
from service.documents.pdf.file import PdfFile
from service.documents.pdf.glyphs import has_much_text
from service.documents.pdf.page_objects import read_drawing
from service.documents.pdf.reading import PdfPageReader
from service.documents.pixels import RENDER_MAX_PIXELS
from service.documents.readings import PageReading, RenderOptions
from service.domain.errors import ErrorCode, InputError
from service.domain.pages import NO_TURNS, DocumentInfo, MediaKind, PageRange, PageText, RuledTable, Turns


class PdfPages:
    """One open PDF."""

    def __init__(self, path: Path, password: str | None, turns: Turns = NO_TURNS) -> None:
        """Open a file, with some of its pages turned.

        Raises:
            InputError: as `PdfFile`, and `placeholder_document`.
        """
        self._file = PdfFile(path, password)
        self._file.turn(turns)
        if self._file.is_dynamic_form:
            self._file.close()
            raise InputError(
                ErrorCode.PLACEHOLDER_DOCUMENT,
                "The PDF is a dynamic XFA form (Adobe LiveCycle): its pages hold only a notice to open it in another "
                "program. Print it to a PDF from there and send that.",
            )

    @property
    def page_count(self) -> int:
        """Pages in the file."""
        return self._file.page_count

    def info(self) -> DocumentInfo:
        """Page sizes."""
        return DocumentInfo(kind=MediaKind.PDF, pages=self._file.sizes())

    def read(self, index: int, *, by_picture: bool = False) -> PageReading:
        """Read a page (0-based).

        Raises:
            InputError: `damaged_file`; the page cannot be loaded.
        """
        with self._file.page(index) as (page, frame):
            return PdfPageReader(self._file, index, page, frame).read(by_picture=by_picture)

    def read_plain(self, index: int) -> PageText | None:
        """A page (0-based) whose words are all in its text and in no ruled table; None if there is more to do.

        Raises:
            InputError: `damaged_file`; the page cannot be loaded.
        """
        with self._file.page(index) as (page, frame):
            return PdfPageReader(self._file, index, page, frame).read_plain()

    def is_blank(self, index: int) -> bool:
        """Whether reading a page (0-based) would find that it shows nothing.

        Raises:
            InputError: `damaged_file`; the page cannot be loaded.
        """
        with self._file.page(index) as (page, frame):
            return not has_much_text(page) and PdfPageReader(self._file, index, page, frame).is_blank()

    def tables(self, index: int) -> tuple[RuledTable, ...]:
        """Cells of the tables drawn with lines on a page (0-based).

        Raises:
            ReadingError: as `find_tables`.
        """
        from service.documents.pdf.tables import PageExtent, find_tables  # late: loads slowly, for some pages only

        with self._file.page(index) as (page, frame):
            drawn = read_drawing(page, frame)
            return find_tables(drawn.rules, PageExtent(frame.width, frame.height))

    def render(self, index: int, options: RenderOptions) -> bytes:
        """Draw a page (0-based), or the part of it that is asked for."""
        from service.documents.pictures import encode  # late: most pages are read, not drawn

        with self._file.page(index) as (page, frame):
            image = draw_page(page, frame, dpi=options.dpi, max_pixels=RENDER_MAX_PIXELS, crop=options.crop)
        return encode(image, options.image_format, grey=options.grey)

    def cut(self, pages: PageRange) -> bytes:
        """A PDF that holds only these pages."""
        return self._file.cut(pages)

    def close(self) -> None:
        """Let go of the file."""
        self._file.close()
