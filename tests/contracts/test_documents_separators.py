"""Separator sheets: bar codes and QR codes are seen, drawn and scanned; a code beside text parts nothing."""

from __future__ import annotations

import io
from pathlib import Path

import pypdfium2 as pdfium
import pytest
from reportlab.graphics import renderPDF
from reportlab.graphics.barcode import code128, qr
from reportlab.graphics.shapes import Drawing
from reportlab.pdfgen.canvas import Canvas

from benchmarks.reading import new_reader
from service.domain.pages import PageRange, PageText, TextSource
from service.extraction.splitting.boundaries import find_documents


def bars(canvas: Canvas, caption: str = "") -> None:
    """A sheet with a bar code in the middle."""
    code128.Code128("NEXT-0017", barHeight=60, barWidth=1.4).drawOn(canvas, 120, 420)
    canvas.drawString(120, 400, caption)


def square(canvas: Canvas, caption: str = "") -> None:
    """A sheet with a QR code in the middle."""
    drawing = Drawing(180, 180)
    drawing.add(qr.QrCodeWidget("next", barWidth=180, barHeight=180))
    renderPDF.draw(drawing, canvas, 200, 380)
    canvas.drawString(200, 360, caption)


def letter(canvas: Canvas, code: bool = False) -> None:
    """Running text without any sign of a begin or an end, and a code beside it if asked for."""
    for row in range(30):
        canvas.drawString(72, 780 - 18 * row, "and so the work in the long meadow went on as it had gone on before")
    if code:
        square(canvas)


def pile(*sheets: str) -> bytes:
    """A PDF of letters and separator sheets."""
    out = io.BytesIO()
    canvas = Canvas(out, invariant=1)
    draw = {
        "letter": letter,
        "letter with code": lambda canvas: letter(canvas, code=True),
        "bars": bars,
        "captioned bars": lambda canvas: bars(canvas, "Batch 0017"),
        "square": square,
        "captioned square": lambda canvas: square(canvas, "Insert before each document"),
        "blank": lambda _canvas: None,
        "word": lambda canvas: canvas.drawString(200, 500, "Trennblatt"),
    }
    for sheet in sheets:
        draw[sheet](canvas)
        canvas.showPage()
    canvas.save()
    return out.getvalue()


def scanned(data: bytes) -> bytes:
    """The same pages as pictures, as a scanner leaves them."""
    pages = [page.render(scale=150 / 72).to_pil().convert("L") for page in pdfium.PdfDocument(data)]
    out = io.BytesIO()
    pages[0].save(out, "PDF", save_all=True, append_images=pages[1:], resolution=150)
    return out.getvalue()


def read(data: bytes, folder: Path) -> list[PageText]:
    """All pages."""
    path = folder / "pile.pdf"
    path.write_bytes(data)
    reader = new_reader()
    try:
        count = len(reader.open(path).info.pages)
        return list(reader.read_pages(path, PageRange(1, count)))
    finally:
        reader.close()


@pytest.mark.parametrize("sheet", ["bars", "captioned bars", "square", "captioned square", "word"])
def test_a_separator_sheet_parts_documents_and_belongs_to_the_one_before(sheet: str, tmp_path: Path) -> None:
    """The pages on both sides are set alike: nothing else tells them apart."""
    pages = read(pile("letter", sheet, "letter", "letter", sheet, "letter"), tmp_path)
    assert find_documents(pages) == (PageRange(1, 2), PageRange(3, 5), PageRange(6, 6))


def test_scanned_sheets_part_documents_too(tmp_path: Path) -> None:
    """As most of them come."""
    pages = read(scanned(pile("letter", "bars", "letter", "captioned square", "letter")), tmp_path)
    assert [page.codes for page in pages] == [(), ("Code 128",), (), ("QR Code",), ()]
    assert pages[1].source is TextSource.NONE  # nothing is left unread
    assert find_documents(pages) == (PageRange(1, 2), PageRange(3, 4), PageRange(5, 5))


def test_a_code_beside_text_parts_nothing(tmp_path: Path) -> None:
    """Many documents have one."""
    pages = read(pile("letter", "letter with code", "letter"), tmp_path)
    assert find_documents(pages) == (PageRange(1, 3),)
    assert all(page.codes == () for page in pages)


def test_sheets_in_front_behind_and_side_by_side_make_no_documents_of_their_own(tmp_path: Path) -> None:
    """Every page is in one document, none is lost."""
    pages = read(pile("square", "letter", "square", "blank", "square", "letter", "square"), tmp_path)
    assert find_documents(pages) == (PageRange(1, 5), PageRange(6, 7))
