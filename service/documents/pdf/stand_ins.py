"""PDFium's stand-ins for fonts that a file does not bring along, made the same for every page. In a sandbox only.

PDFium draws such fonts with two fonts of its own, one with serifs and one without, which it stretches to the widths
that the file tells. They stay as the last letter drawn, of whatever page or file, had them, and the boxes of letters
are measured on them as they happen to stand: a page read after another was drawn had other boxes.

Fonts that come with the file leave them alone, and so do the standard ones, for which PDFium has fonts that it does not
stretch: after a page that has no others, nothing need be set anew.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from itertools import count

import pypdfium2 as pdfium
import pypdfium2.raw as pdfium_c

from service.documents.pdf.untyped_calls import untyped

_LETTER = 0xB6
_FONTS = ((b"Sans", 32, 567), (b"Serif", 34, 559))
"""Name, flags (ISO 32000-1, table 123) and width of a pilcrow: so wide, both stand as where nothing was drawn yet."""
_SLANT = b"-0000000"
_slants = count(1)
_STANDARD = frozenset(
    family + style
    for family, styles in (
        (b"Courier", (b"", b"-Bold", b"-BoldOblique", b"-Oblique")),
        (b"Helvetica", (b"", b"-Bold", b"-BoldOblique", b"-Oblique")),
        (b"Times", (b"-Roman", b"-Bold", b"-BoldItalic", b"-Italic")),
    )
    for style in styles
)
"""Names of the standard fonts that hold letters. Source: ISO 32000-1, 9.6.2.2."""
_MOST_OBJECTS = 5_000
"""Objects of a page that are looked at; one with more is taken to have moved the stand-ins."""

_object_at = untyped(pdfium_c.FPDFPage_GetObject, ctypes.c_size_t)
_kind = untyped(pdfium_c.FPDFPageObj_GetType, ctypes.c_int)
_font_of = untyped(pdfium_c.FPDFTextObj_GetFont, ctypes.c_size_t)


class _State:
    """Of this process's PDFium."""

    settled = False
    """Whether both stand as they are to since they were last set."""


def settle_stand_ins() -> None:
    """Set both to the state in which letters are measured, if they may have moved; call it before a page is loaded.

    It takes 0.2 to 0.5 ms, with what it puts out of the processor's caches. The letter is slanted anew each time: one
    that PDFium remembers, as it does while a file is open, is not shaped again.
    """
    if _State.settled:
        return
    data = _DOCUMENT.replace(_SLANT, b"-%07d" % (next(_slants) % 10_000_000))
    document = pdfium_c.FPDF_LoadMemDocument64(data, len(data), None)
    page = pdfium_c.FPDF_LoadPage(document, 0)
    for index in range(len(_FONTS)):
        text_object = pdfium_c.FPDFPage_GetObject(page, index)
        pdfium_c.FPDFFont_GetGlyphPath(pdfium_c.FPDFTextObj_GetFont(text_object), _LETTER, 1.0)
    pdfium_c.FPDF_ClosePage(page)
    pdfium_c.FPDF_CloseDocument(document)
    _State.settled = True


def note_loaded(page: pdfium.PdfPage) -> None:
    """Note that a page was loaded, whose letters may be measured."""
    _State.settled = _State.settled and _is_plain(page)


def note_use() -> None:
    """Note that letters of any fonts may have been measured or drawn."""
    _State.settled = False


def _is_plain(page: pdfium.PdfPage) -> bool:
    """Whether no letter of a page is measured on a stand-in; in doubt it is not."""
    if pdfium_c.FPDFPage_GetAnnotCount(page) > 0:
        return False
    seen: set[int] = set()
    for number, found in enumerate(_objects(page)):
        kind = _kind(found)
        if number >= _MOST_OBJECTS or kind == pdfium_c.FPDF_PAGEOBJ_FORM:
            return False
        if kind != pdfium_c.FPDF_PAGEOBJ_TEXT:
            continue
        font = _font_of(found)
        if font not in seen and not _is_steady(font):
            return False
        seen.add(font)
    return True


def _objects(page: pdfium.PdfPage) -> Iterator[ctypes.c_void_p]:
    for index in range(pdfium_c.FPDFPage_CountObjects(page)):
        yield ctypes.c_void_p(_object_at(page.raw, index))


def _is_steady(address: int) -> bool:
    """Whether letters of a font are measured on itself, or on a standard font of PDFium's."""
    if not address:
        return False
    font = ctypes.cast(address, pdfium_c.FPDF_FONT)
    buffer = ctypes.create_string_buffer(128)
    pdfium_c.FPDFFont_GetBaseFontName(font, buffer, len(buffer))
    name = buffer.value  # a font drawn by the file (Type 3), whose letters may hold others, has none
    return name in _STANDARD or (name != b"" and pdfium_c.FPDFFont_GetIsEmbedded(font) == 1)


def _document() -> bytes:
    """A PDF of one page with a letter in each of two fonts that nobody has."""
    names = [b"/F%d" % number for number in range(len(_FONTS))]
    content = b" ".join(b"BT %b 1 Tf (%c) Tj ET" % (name, _LETTER) for name in names)
    fonts = b" ".join(b"%b %b" % (name, _font(*font)) for name, font in zip(names, _FONTS, strict=True))
    objects = (
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]/Contents 4 0 R/Resources<</Font<<%b>>>>>>" % fonts,
        b"<</Length %d>>stream\n%b\nendstream" % (len(content), content),
    )
    made, places = b"%PDF-1.4\n", b"0000000000 65535 f \n"
    for number, each in enumerate(objects, 1):
        places += b"%010d 00000 n \n" % len(made)
        made += b"%d 0 obj%b endobj\n" % (number, each)
    end = b"trailer<</Root 1 0 R/Size %d>>\nstartxref\n%d\n%%%%EOF" % (len(objects) + 1, len(made))
    return made + b"xref\n0 %d\n" % (len(objects) + 1) + places + end


def _font(name: bytes, flags: int, width: int) -> bytes:
    shape = b"/ItalicAngle %b/StemV 80/Ascent 700/Descent -200/CapHeight 700/FontBBox[0 -200 1000 700]" % _SLANT
    described = b"<</Type/FontDescriptor/FontName/Fieldmark%b/Flags %d%b>>" % (name, flags, shape)
    return (
        b"<</Type/Font/Subtype/TrueType/BaseFont/Fieldmark%b/Encoding/WinAnsiEncoding"
        b"/FirstChar %d/LastChar %d/Widths[%d]/FontDescriptor %b>>"
    ) % (name, _LETTER, _LETTER, width, described)


_DOCUMENT = _document()
