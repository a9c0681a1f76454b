"""The printed characters of a PDF page, as PDFium tells them, in the page as displayed. In a sandbox only."""

from __future__ import annotations

import ctypes
import re
import sys
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from itertools import repeat

import numpy as np
import pypdfium2 as pdfium
import pypdfium2.raw as pdfium_c

from service.documents.frames import PageFrame
from service.documents.pdf.untyped_calls import untyped
from service.documents.text.pieces import Floats, Ints, Letters, TextStyle

_BOLD_NAME = re.compile(rb"bold|black|heavy|demi", re.IGNORECASE)
_FORCED_BOLD = 1 << 18
"""Font descriptor flag. Source: ISO 32000-1, table 123."""
_INVISIBLE_MODES = (3, 7)
"""Text render modes that paint nothing. Source: ISO 32000-1, table 106."""
_FILL_AND_STROKE = 2
_HYPHEN = 0x2
"""What PDFium gives for a hyphen at a line's end."""
_REPLACEMENT = 0xFFFD
_SURROGATES = 0xD800
_text_object = untyped(pdfium_c.FPDFText_GetTextObject, ctypes.c_size_t)
_unicode = untyped(pdfium_c.FPDFText_GetUnicode, ctypes.c_uint)
_char_box = untyped(pdfium_c.FPDFText_GetCharBox, None)
_char_matrix = untyped(pdfium_c.FPDFText_GetMatrix, None)
_char_origin = untyped(pdfium_c.FPDFText_GetCharOrigin, None)
_font_size: Callable[..., float] = untyped(pdfium_c.FPDFText_GetFontSize, ctypes.c_double)
_has_no_letter = untyped(pdfium_c.FPDFText_HasUnicodeMapError, ctypes.c_int)
_render_mode = untyped(pdfium_c.FPDFTextObj_GetTextRenderMode, ctypes.c_int)
_font = untyped(pdfium_c.FPDFTextObj_GetFont, ctypes.c_size_t)
_fill_colour = untyped(pdfium_c.FPDFPageObj_GetFillColor, ctypes.c_int)
_BLOCK = 2048
"""Characters whose edges are read at once."""
_memory = bytearray(8 * 4 * _BLOCK)
_edges = np.frombuffer(_memory, np.float64).reshape(4, _BLOCK)
_first_edge = ctypes.c_double.from_buffer(_memory)
_PLACES = tuple(
    tuple(ctypes.byref(_first_edge, 8 * n) for n in range(start, start + _BLOCK))
    for start in range(0, 4 * _BLOCK, _BLOCK)
)
"""Where PDFium writes the left, right, lower and upper edge of each character of a block."""
_matrix = pdfium_c.FS_MATRIX()
_at = (ctypes.c_double * 2)()
_colour = (ctypes.c_uint * 4)()
_MATRIX = ctypes.byref(_matrix)
_X, _Y = (ctypes.byref(_at, 8 * n) for n in range(2))
_CHANNELS = tuple(ctypes.byref(_colour, 4 * n) for n in range(4))
_DARK = 110
"""A fill whose brightest channel is below this, 0–255, is told apart from paper without looking."""
_LEFT_OVER = 100
"""Characters: spaces, mostly."""
_GENERATED = TextStyle(0, (0.0, 0.0), 0.0, 0.0, False, False, True, False)


@dataclass(frozen=True, slots=True)
class PageGlyphs:
    """All characters of a page, and how many of them have no trustworthy letter."""

    letters: Letters
    unmapped: int
    """Characters whose font has no mapping to Unicode."""


def read_glyphs(page: pdfium.PdfPage, frame: PageFrame) -> PageGlyphs:
    """Every character of the page's text, white space included."""
    text_page = page.get_textpage()
    try:
        return _GlyphReader(text_page, frame).read()
    finally:
        text_page.close()


def has_much_text(page: pdfium.PdfPage) -> bool:
    """Whether the page has more characters than a blank one may have left over; a look, not a reading."""
    text_page = page.get_textpage()
    try:
        return int(pdfium_c.FPDFText_CountChars(text_page)) > _LEFT_OVER
    finally:
        text_page.close()


class _GlyphReader:
    """Three calls of PDFium a character and no line of Python: a page has thousands. The rest once a text object."""

    def __init__(self, text_page: pdfium.PdfTextPage, frame: PageFrame) -> None:
        self._text = text_page.raw
        self._handle = ctypes.byref(text_page.raw.contents)
        self._count = max(0, int(pdfium_c.FPDFText_CountChars(text_page)))
        self._frame = frame
        self._matrix = frame.to_points()
        self._bold: dict[int, bool] = {}
        """Address of a font → whether it is bold."""

    def read(self) -> PageGlyphs:
        style_of, styles = self._read_styles()
        unmapped = int(np.array([style.unmapped for style in styles])[style_of].sum())
        return PageGlyphs(Letters(self._read_codes(style_of), self._read_edges(), style_of, styles), unmapped)

    def _read_codes(self, style_of: Ints) -> Ints:
        buffer = (ctypes.c_ushort * (self._count + 1))()
        written = pdfium_c.FPDFText_GetText(self._text, 0, self._count, buffer) - 1
        codes = np.array(buffer[: self._count], np.int64)
        if written != self._count or (codes >= _SURROGATES).any():  # some character is not one unit of this text
            codes = np.fromiter(map(_unicode, repeat(self._handle), range(self._count)), np.int64, self._count)
        codes[(codes == _HYPHEN) & (style_of > 0)] = ord("-")
        codes[(codes <= 0) | (codes > sys.maxunicode)] = _REPLACEMENT
        return codes

    def _read_edges(self) -> Floats:
        """Edges as displayed; PDFium writes each edge of each character straight to its place in a table."""
        table = np.empty((4, self._count))
        for start in range(0, self._count, _BLOCK):
            end = min(start + _BLOCK, self._count)
            _edges[:] = 0
            deque(map(_char_box, repeat(self._handle), range(start, end), *_PLACES), maxlen=0)
            table[:, start:end] = _edges[:, : end - start]
        x0, x1, y0, y1 = table
        a, b, c, d, e, f = self._matrix
        ax, ay = a * x0 + c * y0 + e, b * x0 + d * y0 + f
        bx, by = a * x1 + c * y1 + e, b * x1 + d * y1 + f
        return np.stack((np.minimum(ax, bx), np.minimum(ay, by), np.maximum(ax, bx), np.maximum(ay, by)))

    def _read_styles(self) -> tuple[Ints, tuple[TextStyle, ...]]:
        """The number of each character's text object, and what is known of the objects; number 0: of none."""
        found = map(_text_object, repeat(self._handle), range(self._count))
        addresses = np.fromiter(found, np.uint64, self._count)
        starts = np.flatnonzero(np.diff(addresses, prepend=~addresses[:1]))
        number: dict[int, int] = {0: 0}
        styles = [_GENERATED]
        numbers: list[int] = []
        for index, address in zip(starts.tolist(), addresses[starts].tolist(), strict=True):
            if address not in number:
                number[address] = len(styles)
                styles.append(self._read_style(index, address, len(styles)))
            numbers.append(number[address])
        lengths = np.diff(starts, append=self._count)
        return np.repeat(np.array(numbers, np.int64), lengths), tuple(styles)

    def _read_style(self, index: int, address: int, source: int) -> TextStyle:
        text_object = ctypes.c_void_p(address)
        _matrix.c = _matrix.d = _matrix.a = _matrix.b = 0.0
        _char_matrix(self._handle, index, _MATRIX)
        scale = (_matrix.c * _matrix.c + _matrix.d * _matrix.d) ** 0.5 * self._frame.user_unit
        mode = int(_render_mode(text_object))
        _at[:] = 0.0, 0.0
        _char_origin(self._handle, index, _X, _Y)
        x, y = _at
        a, b, c, d, e, f = self._matrix
        return TextStyle(
            source=source,
            across=(a * x + c * y + e, b * x + d * y + f),
            size=float(_font_size(self._handle, index)) * scale,
            angle=float(round(self._frame.direction(_matrix.a, _matrix.b)) % 360),
            bold=mode == _FILL_AND_STROKE or self._is_bold(text_object),
            invisible=mode in _INVISIBLE_MODES,
            dark=_is_dark(text_object),
            unmapped=_has_no_letter(self._handle, index) == 1,
        )

    def _is_bold(self, text_object: ctypes.c_void_p) -> bool:
        address = _font(text_object)
        if not address:
            return False
        if address not in self._bold:
            font = ctypes.cast(address, pdfium_c.FPDF_FONT)
            name = ctypes.create_string_buffer(128)
            pdfium_c.FPDFFont_GetBaseFontName(font, name, len(name))
            forced = bool(pdfium_c.FPDFFont_GetFlags(font) & _FORCED_BOLD)
            self._bold[address] = forced or _BOLD_NAME.search(name.value) is not None
        return self._bold[address]


def _is_dark(text_object: ctypes.c_void_p) -> bool:
    if not _fill_colour(text_object, *_CHANNELS):
        return False
    red, green, blue, alpha = _colour
    return max(red, green, blue) < _DARK and alpha > 200
