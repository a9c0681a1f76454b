"""Blocks of an office file set on the pages of a PDF. In a sandbox only.

The pages are not those of the program that wrote the file, but hold all its text in order, and tables with lines.
"""

from __future__ import annotations

import io
from collections.abc import Iterable, Sequence

from PIL import Image
from reportlab.lib.utils import ImageReader
from reportlab.pdfgen.canvas import Canvas

from service.documents.office.blocks import Block, Figure, Frame, OfficePage, PageBreak, Paragraph, Table
from service.documents.office.fonts import OfficeFonts
from service.documents.pictures import plain

_MARGIN = 40.0
_LEADING = 1.25
_CELL_SIZE = 8.0
_PAD = 3.0
_FIGURE_PIXELS = 40_000_000
_MAX_PAGES = 20_000


def lay_out(pages: Iterable[OfficePage]) -> bytes:
    """The bytes of a PDF with all blocks; every page given starts a new page."""
    buffer = io.BytesIO()
    canvas = Canvas(buffer, pageCompression=1, invariant=1)
    fonts = OfficeFonts()
    for page in pages:
        canvas.setPageSize((page.width, page.height))
        if page.frames:
            for frame in page.frames:
                _Column(canvas, fonts, page, frame).add(frame.blocks)
            canvas.showPage()
            continue
        flow = _Column(canvas, fonts, page, None)
        flow.add(page.blocks)
        canvas.showPage()
    canvas.save()
    return buffer.getvalue()


class _Column:
    """A place that blocks are set into from the top; a flow over whole pages takes further pages, a frame does not."""

    def __init__(self, canvas: Canvas, fonts: OfficeFonts, page: OfficePage, frame: Frame | None) -> None:
        self._canvas = canvas
        self._fonts = fonts
        self._page = page
        self._flows = frame is None
        self._left = frame.left if frame is not None else _MARGIN
        self._width = frame.width if frame is not None else page.width - 2 * _MARGIN
        self._top = frame.top + _PAD if frame is not None else _MARGIN
        self._y = self._top
        self._fresh = True

    def add(self, blocks: Iterable[Block]) -> None:
        """Set blocks one under the other."""
        for block in blocks:
            match block:
                case Paragraph():
                    self._paragraph(block)
                case Table():
                    self._table(block)
                case Figure():
                    self._figure(block)
                case PageBreak():
                    if not self._fresh:
                        self._next_page()

    def _paragraph(self, block: Paragraph) -> None:
        for line in self._fonts.wrap(block.text, block.size, self._width, bold=block.bold):
            self._room(block.size * _LEADING)
            self._write(self._left, line, block.size, bold=block.bold)
            self._y += block.size * _LEADING
        self._y += 0.4 * block.size

    def _table(self, table: Table) -> None:
        columns = max((len(row) for row in table.rows), default=0)
        if columns == 0:
            return
        widths = self._column_widths(table.rows, columns)
        for row in table.rows:
            self._row(row, widths, ruled=table.ruled)
        self._y += _CELL_SIZE

    def _column_widths(self, rows: Sequence[Sequence[str]], columns: int) -> list[float]:
        """Widths by the longest text of each column, shrunk or stretched to fill the place."""
        wanted = [30.0] * columns
        for row in rows[:500]:
            for index, text in enumerate(row):
                longest = max((len(line) for line in text.splitlines()), default=0)
                wanted[index] = max(wanted[index], min(longest, 40) * _CELL_SIZE * 0.55 + 2 * _PAD)
        scale = self._width / sum(wanted)
        return [width * min(scale, 1.6) for width in wanted]

    def _row(self, row: Sequence[str], widths: Sequence[float], *, ruled: bool) -> None:
        cells = [
            self._fonts.wrap(text, _CELL_SIZE, width - 2 * _PAD, bold=False)
            for text, width in zip((*row, *[""] * (len(widths) - len(row))), widths, strict=True)
        ]
        step = _CELL_SIZE * _LEADING
        most = max(1, int((self._page.height - 2 * _MARGIN - 2 * _PAD) / step)) if self._flows else 10_000
        deepest = max((len(lines) for lines in cells), default=1)
        for start in range(0, max(deepest, 1), most):
            part = [lines[start : start + most] for lines in cells]
            height = max(1, *(len(lines) for lines in part)) * step + 2 * _PAD
            self._room(height)
            self._cells(part, widths, height, ruled=ruled)
            self._y += height

    def _cells(self, cells: Sequence[Sequence[str]], widths: Sequence[float], height: float, *, ruled: bool) -> None:
        x, top = self._left, self._y
        for lines, width in zip(cells, widths, strict=True):
            if ruled:
                self._canvas.setLineWidth(0.5)
                self._canvas.rect(x, self._page.height - top - height, width, height)
            for number, line in enumerate(lines):
                self._y = top + _PAD + number * _CELL_SIZE * _LEADING
                self._write(x + _PAD, line, _CELL_SIZE, bold=False)
            x += width
        self._y = top
        self._fresh = False

    def _figure(self, figure: Figure) -> None:
        try:
            with Image.open(io.BytesIO(figure.data)) as image:
                if image.width * image.height > _FIGURE_PIXELS:
                    return
                picture = plain(image)
        except (OSError, ValueError, SyntaxError):
            return  # a drawing in a format of its own (EMF, SVG), or damaged
        width, height = min(figure.width, self._width), figure.height
        if width <= 0 or height <= 0:
            return
        height = min(height * width / figure.width, self._page.height - 2 * _MARGIN)
        self._room(height)
        at = self._page.height - self._y - height
        self._canvas.drawImage(ImageReader(picture), self._left, at, width, height)
        self._y += height + _PAD
        self._fresh = False

    def _write(self, x: float, line: str, size: float, *, bold: bool) -> None:
        baseline = self._page.height - self._y - size
        for font, text in self._fonts.runs(line, bold=bold):
            self._canvas.setFont(font, size)
            self._canvas.drawString(x, baseline, text)
            x += self._fonts.width(text, font, size)
        self._fresh = False

    def _room(self, height: float) -> None:
        if self._flows and not self._fresh and self._y + height > self._page.height - _MARGIN:
            self._next_page()

    def _next_page(self) -> None:
        if not self._flows or self._canvas.getPageNumber() > _MAX_PAGES:
            return
        self._canvas.showPage()
        self._canvas.setPageSize((self._page.width, self._page.height))
        self._y = self._top
        self._fresh = True
