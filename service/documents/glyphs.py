"""The printed characters of a PDF page, as PDFium tells them, in the page as displayed. Only imported inside a sandbox."""

from __future__ import annotations

import ctypes
import re
from dataclasses import dataclass

import pypdfium2 as pdfium
import pypdfium2.raw as pdfium_c

from service.documents.frames import PageFrame
from service.documents.words import Glyph

_BOLD_NAME = re.compile(rb"bold|black|heavy|demi", re.IGNORECASE)
_FORCED_BOLD = 1 << 18
"""Font descriptor flag. Source: ISO 32000-1, table 123."""
_INVISIBLE_MODES = (3, 7)
"""Text render modes that paint nothing. Source: ISO 32000-1, table 106."""
_FILL_AND_STROKE = 2
_HYPHEN = 0x2
"""What PDFium gives for a hyphen at a line's end."""
_DARK = 110
"""A fill whose brightest channel is below this, 0–255, is told apart from paper without looking."""


@dataclass(frozen=True, slots=True)
class TextStyle:
    """What all characters of one text object share."""

    size: float
    """Points as displayed."""
    angle: float
    """Degrees clockwise at which the text runs on the displayed page."""
    bold: bool
    invisible: bool
    dark: bool
    source: int
    """Number of the text object on its page, from 1; 0: PDFium made the character up."""


_GENERATED = TextStyle(0.0, 0.0, False, False, True, 0)


@dataclass(frozen=True, slots=True)
class PageGlyphs:
    """All characters of a page in the order of its content, and how many of them have no trustworthy letter."""

    glyphs: tuple[Glyph, ...]
    unmapped: int
    """Characters whose font has no mapping to Unicode."""


def read_glyphs(page: pdfium.PdfPage, frame: PageFrame) -> PageGlyphs:
    """Every character of the page's text, white space included."""
    text_page = page.get_textpage()
    try:
        return _GlyphReader(text_page, frame).read()
    finally:
        text_page.close()


class _GlyphReader:
    def __init__(self, text_page: pdfium.PdfTextPage, frame: PageFrame) -> None:
        self._text = text_page.raw
        self._frame = frame
        self._styles: dict[int, TextStyle] = {}

    def read(self) -> PageGlyphs:
        text, frame = self._text, self._frame
        width, height = frame.width, frame.height
        left, right, bottom, top, x, y = (ctypes.c_double() for _ in range(6))
        glyphs: list[Glyph] = []
        unmapped = 0
        for index in range(max(0, pdfium_c.FPDFText_CountChars(text))):
            style = self._style(index)
            code = int(pdfium_c.FPDFText_GetUnicode(text, index))
            pdfium_c.FPDFText_GetCharBox(text, index, left, right, bottom, top)
            pdfium_c.FPDFText_GetCharOrigin(text, index, x, y)
            if style is not _GENERATED and pdfium_c.FPDFText_HasUnicodeMapError(text, index):
                unmapped += 1
            box = frame.box(left.value, bottom.value, right.value, top.value)
            origin = frame.point(x.value, y.value)
            glyphs.append(
                Glyph(
                    "-" if code == _HYPHEN and style is not _GENERATED else _letter(code),
                    box.x0 * width,
                    box.y0 * height,
                    box.x1 * width,
                    box.y1 * height,
                    origin.x * width,
                    origin.y * height,
                    style.size,
                    style.angle,
                    style.bold,
                    style.invisible,
                    style.dark,
                    style.source,
                )
            )
        return PageGlyphs(tuple(glyphs), unmapped)

    def _style(self, index: int) -> TextStyle:
        text_object = pdfium_c.FPDFText_GetTextObject(self._text, index)
        address = ctypes.cast(text_object, ctypes.c_void_p).value
        if address is None:
            return _GENERATED
        style = self._styles.get(address)
        if style is None:
            style = self._styles[address] = self._read_style(index, text_object)
        return style

    def _read_style(self, index: int, text_object: object) -> TextStyle:
        matrix = pdfium_c.FS_MATRIX()
        pdfium_c.FPDFText_GetMatrix(self._text, index, matrix)
        scale = (matrix.c * matrix.c + matrix.d * matrix.d) ** 0.5 * self._frame.user_unit
        mode = int(pdfium_c.FPDFTextObj_GetTextRenderMode(text_object))
        return TextStyle(
            size=float(pdfium_c.FPDFText_GetFontSize(self._text, index)) * scale,
            angle=round(self._frame.direction(matrix.a, matrix.b)) % 360,
            bold=mode == _FILL_AND_STROKE or _is_bold(text_object),
            invisible=mode in _INVISIBLE_MODES,
            dark=_is_dark(text_object),
            source=len(self._styles) + 1,
        )


def _letter(code: int) -> str:
    return chr(code) if 0 < code < 0x110000 else "\ufffd"


def _is_bold(text_object: object) -> bool:
    font = pdfium_c.FPDFTextObj_GetFont(text_object)
    if not font:
        return False
    name = ctypes.create_string_buffer(128)
    pdfium_c.FPDFFont_GetBaseFontName(font, name, len(name))
    return _BOLD_NAME.search(name.value) is not None or bool(pdfium_c.FPDFFont_GetFlags(font) & _FORCED_BOLD)


def _is_dark(text_object: object) -> bool:
    red, green, blue, alpha = (ctypes.c_uint() for _ in range(4))
    if not pdfium_c.FPDFPageObj_GetFillColor(text_object, red, green, blue, alpha):
        return False
    return max(red.value, green.value, blue.value) < _DARK and alpha.value > 200
