"""The printed characters of a PDF page, as PDFium tells them, in the page as displayed. In a sandbox only."""

from __future__ import annotations

import ctypes
import re
from dataclasses import dataclass

import pypdfium2 as pdfium
import pypdfium2.raw as pdfium_c

from service.documents.frames import PageFrame
from service.documents.pieces import Glyph, TextStyle

_BOLD_NAME = re.compile(rb"bold|black|heavy|demi", re.IGNORECASE)
_FORCED_BOLD = 1 << 18
"""Font descriptor flag. Source: ISO 32000-1, table 123."""
_INVISIBLE_MODES = (3, 7)
"""Text render modes that paint nothing. Source: ISO 32000-1, table 106."""
_FILL_AND_STROKE = 2
_HYPHEN = 0x2
"""What PDFium gives for a hyphen at a line's end."""
_SURROGATES = 0xD800
"""Below it, and above the code for a hyphen, a code is a letter as it is."""
_text_object = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int)(
    ctypes.cast(pdfium_c.FPDFText_GetTextObject, ctypes.c_void_p).value or 0
)
"""PDFium's function, giving the address as a number: a typed pointer for each character takes twice the time."""
_DARK = 110
"""A fill whose brightest channel is below this, 0–255, is told apart from paper without looking."""


_GENERATED = TextStyle(0, (0.0, 0.0), 0.0, 0.0, False, False, True, False)


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
    """Three calls of PDFium a character, the rest once for each text object: a page has thousands of characters."""

    def __init__(self, text_page: pdfium.PdfTextPage, frame: PageFrame) -> None:
        self._text = text_page.raw
        self._frame = frame
        self._matrix = frame.to_points()
        self._styles: dict[int | None, TextStyle] = {None: _GENERATED}

    def read(self) -> PageGlyphs:
        text, styles, (a, b, c, d, e, f) = self._text, self._styles, self._matrix
        left, right, bottom, top = (ctypes.c_double() for _ in range(4))
        glyphs: list[Glyph] = []
        unmapped = 0
        handle = ctypes.cast(text, ctypes.c_void_p)
        for index in range(max(0, pdfium_c.FPDFText_CountChars(text))):
            address = _text_object(handle, index)
            style = styles.get(address)
            if style is None:
                style = styles[address] = self._read_style(index, len(styles))
            unmapped += style.unmapped
            pdfium_c.FPDFText_GetCharBox(text, index, left, right, bottom, top)
            x0, x1, y0, y1 = left.value, right.value, bottom.value, top.value
            ax, ay, bx, by = a * x0 + c * y0 + e, b * x0 + d * y0 + f, a * x1 + c * y1 + e, b * x1 + d * y1 + f
            if ax > bx:
                ax, bx = bx, ax
            if ay > by:
                ay, by = by, ay
            code = pdfium_c.FPDFText_GetUnicode(text, index)
            letter = chr(code) if _HYPHEN < code < _SURROGATES else _letter(code, style)
            glyphs.append(Glyph(letter, ax, ay, bx, by, style))
        return PageGlyphs(tuple(glyphs), unmapped)

    def _read_style(self, index: int, source: int) -> TextStyle:
        text_object = pdfium_c.FPDFText_GetTextObject(self._text, index)
        matrix = pdfium_c.FS_MATRIX()
        pdfium_c.FPDFText_GetMatrix(self._text, index, matrix)
        scale = (matrix.c * matrix.c + matrix.d * matrix.d) ** 0.5 * self._frame.user_unit
        mode = int(pdfium_c.FPDFTextObj_GetTextRenderMode(text_object))
        x, y = ctypes.c_double(), ctypes.c_double()
        pdfium_c.FPDFText_GetCharOrigin(self._text, index, x, y)
        a, b, c, d, e, f = self._matrix
        return TextStyle(
            source=source,
            across=(a * x.value + c * y.value + e, b * x.value + d * y.value + f),
            size=float(pdfium_c.FPDFText_GetFontSize(self._text, index)) * scale,
            angle=float(round(self._frame.direction(matrix.a, matrix.b)) % 360),
            bold=mode == _FILL_AND_STROKE or _is_bold(text_object),
            invisible=mode in _INVISIBLE_MODES,
            dark=_is_dark(text_object),
            unmapped=pdfium_c.FPDFText_HasUnicodeMapError(self._text, index) == 1,
        )


def _letter(code: int, style: TextStyle) -> str:
    if code == _HYPHEN and style.source:
        return "-"
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
