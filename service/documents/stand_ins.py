"""PDFium's stand-ins for fonts that a file does not bring along, made the same for every page. In a sandbox only.

PDFium draws such fonts with two fonts of its own, one with serifs and one without, which it stretches to the widths
that the file tells. They stay as the last letter drawn, of whatever page or file, had them, and the boxes of letters
are measured on them as they happen to stand: a page read after another was drawn had other boxes.
"""

from __future__ import annotations

from itertools import count

import pypdfium2.raw as pdfium_c

_LETTER = 0xB6
_FONTS = ((b"Sans", 32, 567), (b"Serif", 34, 559))
"""Name, flags (ISO 32000-1, table 123) and width of a pilcrow: so wide, both stand as where nothing was drawn yet."""
_SLANT = b"-0000000"
_slants = count(1)


def settle_stand_ins() -> None:
    """Set both to the state in which letters are measured; to be called before a page is loaded (0.1 ms).

    The letter is slanted anew each time: one that PDFium remembers, as it does while a file is open, is not shaped
    again.
    """
    data = _DOCUMENT.replace(_SLANT, b"-%07d" % (next(_slants) % 10_000_000))
    document = pdfium_c.FPDF_LoadMemDocument64(data, len(data), None)
    page = pdfium_c.FPDF_LoadPage(document, 0)
    for index in range(len(_FONTS)):
        text_object = pdfium_c.FPDFPage_GetObject(page, index)
        pdfium_c.FPDFFont_GetGlyphPath(pdfium_c.FPDFTextObj_GetFont(text_object), _LETTER, 1.0)
    pdfium_c.FPDF_ClosePage(page)
    pdfium_c.FPDF_CloseDocument(document)


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
