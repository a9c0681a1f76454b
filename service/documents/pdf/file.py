"""PDF files through PDFium: opening, page frames, rendering, cutting. In a sandbox only.

PDFium crashes when two threads use it and on some hostile files; both are kept from the service by the process border.
"""

from __future__ import annotations

import io
import mmap
import re
import zlib
from collections.abc import Generator, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import pypdfium2 as pdfium
import pypdfium2.raw as pdfium_c
from pypdfium2.raw import FS_RECTF

from service.documents.frames import PageFrame
from service.documents.pdf.stand_ins import note_loaded, note_use, settle_stand_ins
from service.domain.errors import ErrorCode, InputError
from service.domain.pages import PageRange, PageSize, Turns

DEFAULT_WIDTH, DEFAULT_HEIGHT = 612.0, 792.0
"""Size of a page whose own boxes are empty. Source: PDFium's own default, US Letter."""
_ROTATED = re.compile(rb"/Rotate\s*(?!0\s*[/>])")
_OBJECT_STREAM = re.compile(rb"/ObjStm\b.{0,400}?stream\r?\n", re.DOTALL)
_USER_UNIT = re.compile(rb"/UserUnit\b")
_NEEDS_RENDERING = re.compile(rb"/NeedsRendering\s+true\b")
_OBJECT_STREAMS = 200
_OBJECT_STREAM_BYTES = 500_000
"""As much of one object stream as is unpacked while looking for a page attribute."""


@dataclass(frozen=True, slots=True)
class PageTraits:
    """Page attributes that PDFium does not tell without loading every page; found by looking at the file's bytes."""

    rotated: bool
    needs_rendering: bool
    """The catalogue says that a form engine must draw the pages."""
    user_units: dict[int, float]
    """Page index (0-based) → user unit, for the pages that have one."""


class PdfFile:
    """One open PDF. Close it; pages are loaded and closed one by one."""

    def __init__(self, path: Path, password: str | None) -> None:
        """Open a file.

        Raises:
            InputError: `password_required`, `password_wrong`, `damaged_file` or `no_pages`.
        """
        self._document = _open(path, password)
        self.traits = _traits(path)
        self._rebuilt = not pdfium_c.FPDF_DocumentHasValidCrossReferenceTable(self._document)
        """Whether the table of objects is broken, and PDFium made up the document from those it found."""
        if self._rebuilt and all(self._has_lost_content(index) for index in range(self.page_count)):
            self.close()
            raise _damaged()

    @property
    def document(self) -> pdfium.PdfDocument:
        """PDFium's own object."""
        return self._document

    @property
    def page_count(self) -> int:
        """Pages in the file."""
        return len(self._document)

    def close(self) -> None:
        """Let PDFium forget the file."""
        self._document.close()

    def turn(self, turns: Turns) -> None:
        """Turn pages, for as long as the file is open and in what is cut from it; one that cannot be loaded stays."""
        for number, degrees in turns.items():
            note_use()
            with suppress(pdfium.PdfiumError):
                page = self._document[number - 1]
                page.set_rotation((page.get_rotation() + degrees) % 360)
                page.close()

    def sizes(self) -> tuple[PageSize, ...]:
        """The size of every page; a page that cannot be loaded gets the default size."""
        return tuple(self._size(index) for index in range(self.page_count))

    def _size(self, index: int) -> PageSize:
        unit = self.traits.user_units.get(index, 1.0)
        if self.traits.rotated:
            try:
                with self.page(index, measured=False) as (_, frame):
                    return frame.size(index + 1)
            except InputError:
                return PageSize(index + 1, DEFAULT_WIDTH, DEFAULT_HEIGHT)
        size = pdfium_c.FS_SIZEF()
        known = pdfium_c.FPDF_GetPageSizeByIndexF(self._document, index, size)
        if not known or size.width <= 0 or size.height <= 0:
            return PageSize(index + 1, DEFAULT_WIDTH, DEFAULT_HEIGHT)
        return PageSize(index + 1, round(size.width * unit, 2), round(size.height * unit, 2))

    def _has_lost_content(self, index: int) -> bool:
        try:
            with self.page(index, measured=False):
                return False
        except InputError:
            return True

    @contextmanager
    def page(self, index: int, *, measured: bool = True) -> Generator[tuple[pdfium.PdfPage, PageFrame]]:
        """Load a page (0-based) and close it again; `measured`: its letters are looked at.

        Raises:
            InputError: `damaged_file`; the page cannot be loaded, or is empty in a file that is damaged.
        """
        try:
            page = self._loaded(index, measured=measured)
        except pdfium.PdfiumError as error:
            raise InputError(
                ErrorCode.DAMAGED_FILE, f"Page {index + 1} of the file is damaged and cannot be opened."
            ) from error
        try:
            if self._rebuilt and not _shows_anything(page):
                raise InputError(
                    ErrorCode.DAMAGED_FILE,
                    f"The file is damaged, and page {index + 1} has lost its content; send it again or repair it.",
                )
            if _bounds(page) is None:
                page = self._with_default_box(page, index)
            yield page, self._frame(page, index)
        finally:
            page.close()

    def _with_default_box(self, page: pdfium.PdfPage, index: int) -> pdfium.PdfPage:
        page.set_mediabox(0, 0, DEFAULT_WIDTH, DEFAULT_HEIGHT)
        page.set_cropbox(0, 0, DEFAULT_WIDTH, DEFAULT_HEIGHT)
        page.close()
        return self._loaded(index)

    def _loaded(self, index: int, *, measured: bool = True) -> pdfium.PdfPage:
        if measured:
            settle_stand_ins()
        page = self._document[index]
        note_loaded(page)
        return page

    def _frame(self, page: pdfium.PdfPage, index: int) -> PageFrame:
        left, bottom, right, top = _bounds(page) or (0.0, 0.0, DEFAULT_WIDTH, DEFAULT_HEIGHT)
        return PageFrame(
            left=left,
            bottom=bottom,
            right=right,
            top=top,
            rotation=page.get_rotation(),
            user_unit=self.traits.user_units.get(index, 1.0),
        )

    def cut(self, pages: PageRange) -> bytes:
        """A PDF that holds only these pages, without a password."""
        part = pdfium.PdfDocument.new()
        try:
            part.import_pages(self._document, [number - 1 for number in pages.numbers()])
            buffer = io.BytesIO()
            part.save(buffer)
            return buffer.getvalue()
        finally:
            part.close()

    @property
    def is_dynamic_form(self) -> bool:
        """Whether the file is an XFA form whose pages are drawn by a reader this is not (Adobe LiveCycle)."""
        return self.traits.needs_rendering or self._document.get_formtype() == pdfium_c.FORMTYPE_XFA_FULL


def _shows_anything(page: pdfium.PdfPage) -> bool:
    return bool(pdfium_c.FPDFPage_CountObjects(page) or pdfium_c.FPDFPage_GetAnnotCount(page))


def _bounds(page: pdfium.PdfPage) -> tuple[float, float, float, float] | None:
    rect = FS_RECTF()
    if not pdfium_c.FPDF_GetPageBoundingBox(page, rect):
        return None
    left, right = min(rect.left, rect.right), max(rect.left, rect.right)
    bottom, top = min(rect.bottom, rect.top), max(rect.bottom, rect.top)
    return (left, bottom, right, top) if right - left > 0 and top - bottom > 0 else None


def _open(path: Path, password: str | None) -> pdfium.PdfDocument:
    # When a file has no page PDFium leaves its last error as it was: an error no existing file can cause marks that.
    pdfium_c.FPDF_LoadDocument(b"", None)
    try:
        document = pdfium.PdfDocument(path, password=password)
        note_use()
        document.init_forms()
        count = len(document)
    except pdfium.PdfiumError as error:
        raise _open_error(error, password) from error
    if count == 0:
        document.close()
        raise _no_pages()
    return document


def _open_error(error: pdfium.PdfiumError, password: str | None) -> InputError:
    code = getattr(error, "err_code", None)
    if code == pdfium_c.FPDF_ERR_PASSWORD:
        if password:
            return InputError(ErrorCode.PASSWORD_WRONG, "The password does not open the file.", param="password")
        return InputError(
            ErrorCode.PASSWORD_REQUIRED, "The file is encrypted; give its password in `password`.", param="password"
        )
    if code in (pdfium_c.FPDF_ERR_SUCCESS, pdfium_c.FPDF_ERR_FILE):
        return _no_pages()
    if code == pdfium_c.FPDF_ERR_SECURITY:
        return InputError(ErrorCode.UNSUPPORTED_FORMAT, "The file is encrypted in a way that is not supported.")
    return _damaged()


def _damaged() -> InputError:
    return InputError(
        ErrorCode.DAMAGED_FILE,
        "The file is not a readable PDF: it is damaged or incomplete; send it again or repair it.",
    )


def _no_pages() -> InputError:
    return InputError(ErrorCode.NO_PAGES, "The PDF is valid but has no page; there is nothing to read.")


def _traits(path: Path) -> PageTraits:
    rotated = units = needs_rendering = False
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        for part in _object_bytes(data):
            rotated = rotated or part is None or _ROTATED.search(part) is not None
            units = units or (part is not None and _USER_UNIT.search(part) is not None)
            needs_rendering = needs_rendering or (part is not None and _NEEDS_RENDERING.search(part) is not None)
    return PageTraits(rotated, needs_rendering, _user_units(path) if units else {})


def _object_bytes(data: mmap.mmap) -> Iterator[mmap.mmap | bytes | None]:
    """The file as it is, then every packed stream of objects; None for one that cannot be unpacked."""
    yield data
    for count, match in enumerate(_OBJECT_STREAM.finditer(data)):
        if count >= _OBJECT_STREAMS:
            yield None
            return
        packed = data[match.end() : match.end() + _OBJECT_STREAM_BYTES]
        try:
            yield zlib.decompressobj().decompress(packed, _OBJECT_STREAM_BYTES)
        except zlib.error:
            yield None


def _user_units(path: Path) -> dict[int, float]:
    from pdfminer.pdfdocument import PDFDocument  # late: costs 100 ms, for files that are rare
    from pdfminer.pdfpage import PDFPage
    from pdfminer.pdfparser import PDFParser

    units: dict[int, float] = {}
    with path.open("rb") as file:
        try:
            for index, page in enumerate(PDFPage.create_pages(PDFDocument(PDFParser(file)))):
                unit = page.attrs.get("UserUnit")
                if isinstance(unit, (int, float)) and 0 < unit < 10_000:
                    units[index] = float(unit)
        except Exception:  # any damage that pdfminer trips over: PDFium reads on with the default unit
            return units
    return units
