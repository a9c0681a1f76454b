"""Form fields and free text annotations of a PDF page: what a person sees in them. In a sandbox only."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

import pypdfium2 as pdfium
import pypdfium2.raw as pdfium_c

from service.documents.frames import PageFrame, clip
from service.documents.pdf.stand_ins import note_use, settle_stand_ins
from service.documents.text.lines import order_pieces
from service.documents.text.pieces import Piece
from service.domain.geometry import Box
from service.domain.pages import CheckMark, FormEntry

_NOT_SHOWN = 0x02 | 0x20
"""Annotation flags Hidden and NoView. Source: ISO 32000-1, table 165."""
_SECRET = 1 << 13
"""Field flag of a password field. Source: ISO 32000-1, table 228."""
_LETTER_WIDTH = 0.5
"""Width of a letter over its font size, where a value has no appearance to measure."""
_MAX_ANNOTATIONS = 5_000
_DRAWN_TEXT = (pdfium_c.FPDF_ANNOT_FREETEXT, pdfium_c.FPDF_ANNOT_STAMP)


@dataclass(frozen=True, slots=True)
class FieldText:
    """A filled-in value, or the words of a free text annotation, and its frame in fractions of the page."""

    text: str
    box: Box


@dataclass(slots=True)
class PageForm:
    """Everything a page's annotations show."""

    entries: list[FormEntry] = field(default_factory=list[FormEntry])
    texts: list[FieldText] = field(default_factory=list[FieldText])
    marks: list[CheckMark] = field(default_factory=list[CheckMark])
    drawn: bool = False
    """Whether text is drawn by annotations, and not by the page itself."""


def read_form(document: pdfium.PdfDocument, page: pdfium.PdfPage, frame: PageFrame) -> PageForm:
    """Look at every annotation of a loaded page; hidden ones are passed over."""
    found = PageForm()
    environment = document.formenv
    for index in range(min(pdfium_c.FPDFPage_GetAnnotCount(page), _MAX_ANNOTATIONS)):
        annotation = pdfium_c.FPDFPage_GetAnnot(page, index)
        if not annotation:
            continue
        try:
            _add(found, annotation, environment.raw if environment else None, frame)
        finally:
            pdfium_c.FPDFPage_CloseAnnot(annotation)
    return found


@contextmanager
def flattened(document: pdfium.PdfDocument, index: int) -> Generator[pdfium.PdfPage | None]:
    """A copy of a page (0-based) with its annotations drawn into it, so that their text is text of the page.

    The document itself stays as it is. None when PDFium cannot do it.
    """
    copy = pdfium.PdfDocument.new()
    try:
        copy.import_pages(document, [index])
        page = copy[0]
        done = pdfium_c.FPDFPage_Flatten(page, pdfium_c.FLAT_NORMALDISPLAY)
        page.close()
        note_use()
        settle_stand_ins()
        yield copy[0] if done != pdfium_c.FLATTEN_FAIL else None
    finally:
        note_use()
        copy.close()


def fill_in(pieces: Sequence[Piece], texts: Sequence[FieldText], frame: PageFrame) -> list[Piece]:
    """Words of the page with every value: one in single cells becomes one word, one without appearance is added."""
    kept = list(pieces)
    added: list[Piece] = []
    for value in texts:
        inside = [piece for piece in kept if _stands_in(piece, value.box, frame)]
        if not inside:
            added += _laid_out(value, frame)
        elif len(inside) > 1 and " " not in value.text and "".join(p.text for p in inside) == value.text:
            kept = _joined(kept, inside)
    return order_pieces([*kept, *added]) if added else kept


def _add(found: PageForm, annotation: object, environment: object | None, frame: PageFrame) -> None:
    kind = pdfium_c.FPDFAnnot_GetSubtype(annotation)
    box = _box(annotation, frame)
    if box is None or pdfium_c.FPDFAnnot_GetFlags(annotation) & _NOT_SHOWN:
        return
    if kind in _DRAWN_TEXT:
        text = _string(lambda b, n: pdfium_c.FPDFAnnot_GetStringValue(annotation, b"Contents", b, n))
        found.drawn = True
        if text.strip() and kind == pdfium_c.FPDF_ANNOT_FREETEXT:
            found.texts.append(FieldText(text.strip(), box))
    elif kind == pdfium_c.FPDF_ANNOT_WIDGET and environment is not None:
        _add_widget(found, annotation, environment, box)


def _add_widget(found: PageForm, widget: object, environment: object, box: Box) -> None:
    kind = pdfium_c.FPDFAnnot_GetFormFieldType(environment, widget)
    if kind in (pdfium_c.FPDF_FORMFIELD_CHECKBOX, pdfium_c.FPDF_FORMFIELD_RADIOBUTTON):
        state = _string(lambda b, n: pdfium_c.FPDFAnnot_GetStringValue(widget, b"AS", b, n))
        checked = bool(pdfium_c.FPDFAnnot_IsChecked(environment, widget)) or state not in ("", "Off")
        name = _string(lambda b, n: pdfium_c.FPDFAnnot_GetFormFieldName(environment, widget, b, n))
        found.marks.append(CheckMark(box, checked, name))
    elif kind in (
        pdfium_c.FPDF_FORMFIELD_TEXTFIELD,
        pdfium_c.FPDF_FORMFIELD_COMBOBOX,
        pdfium_c.FPDF_FORMFIELD_LISTBOX,
        pdfium_c.FPDF_FORMFIELD_SIGNATURE,
    ):
        if pdfium_c.FPDFAnnot_GetFormFieldFlags(environment, widget) & _SECRET:
            return
        text = _string(lambda b, n: pdfium_c.FPDFAnnot_GetFormFieldValue(environment, widget, b, n)).strip()
        label = _string(lambda b, n: pdfium_c.FPDFAnnot_GetFormFieldAlternateName(environment, widget, b, n)).strip()
        found.entries.append(FormEntry(box, text, label))
        if text:
            found.texts.append(FieldText(text, box))
            found.drawn = True
    elif kind == pdfium_c.FPDF_FORMFIELD_PUSHBUTTON:
        found.drawn = True  # its caption


def _string(get: Callable[[object, int], int]) -> str:
    """A UTF-16 string that PDFium gives in two calls: how long, then what."""
    length = get(None, 0)
    if length <= 2:
        return ""
    buffer = (ctypes.c_ushort * (length // 2))()
    get(buffer, length)
    return bytes(buffer)[: length - 2].decode("utf-16-le", "replace")


def _box(annotation: object, frame: PageFrame) -> Box | None:
    rect = pdfium_c.FS_RECTF()
    if not pdfium_c.FPDFAnnot_GetRect(annotation, rect):
        return None
    return clip(frame.box(rect.left, rect.bottom, rect.right, rect.top))


def _stands_in(piece: Piece, box: Box, frame: PageFrame) -> bool:
    x, y = (piece.x0 + piece.x1) / 2 / frame.width, (piece.y0 + piece.y1) / 2 / frame.height
    return box.x0 <= x <= box.x1 and box.y0 <= y <= box.y1


def _joined(pieces: Sequence[Piece], inside: Sequence[Piece]) -> list[Piece]:
    first, rest = inside[0], {id(piece) for piece in inside[1:]}
    for piece in inside[1:]:
        first.text += piece.text
        first.x0, first.y0 = min(first.x0, piece.x0), min(first.y0, piece.y0)
        first.x1, first.y1 = max(first.x1, piece.x1), max(first.y1, piece.y1)
    return [piece for piece in pieces if id(piece) not in rest]


def _laid_out(value: FieldText, frame: PageFrame) -> list[Piece]:
    """Words of a value without appearance, set from the left of its frame, a line a row."""
    rows = [row.split() for row in value.text.splitlines() if row.strip()]
    left, width = value.box.x0 * frame.width, value.box.width * frame.width
    top, height = value.box.y0 * frame.height, value.box.height * frame.height / max(len(rows), 1)
    pieces: list[Piece] = []
    for number, words in enumerate(rows):
        letters = sum(len(word) for word in words) + len(words) - 1
        size = min(height * 0.7, 12.0, width / max(letters * _LETTER_WIDTH, 1.0))
        x, base = left + 0.2 * size, top + (number + 0.5) * height + 0.35 * size
        for word in words:
            end = x + len(word) * _LETTER_WIDTH * size
            pieces.append(
                Piece(word, x, base - 0.75 * size, end, base + 0.2 * size, x, base, size, 0.0, False, False, True)
            )
            x = end + _LETTER_WIDTH * size
    return pieces
