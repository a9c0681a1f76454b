"""Blank pages at the ends of a range are found before it is read, by the rules by which reading finds them."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path

import pytest
from PIL import Image
from reportlab.pdfgen.canvas import Canvas

from service.documents.reader import DocumentReader
from service.domain.pages import PageRange, TextSource
from tests.contracts.documents_made import pdf_of, text_page


def _blank(_canvas: Canvas) -> None:
    """Nothing."""


def _spaces(canvas: Canvas) -> None:
    """What word processors leave on an empty page."""
    canvas.drawString(60, 700, "   ")


def _white(canvas: Canvas) -> None:
    """Words that nobody sees."""
    canvas.setFillColorRGB(1, 1, 1)
    canvas.drawString(60, 700, "hidden words")


def _rules(canvas: Canvas) -> None:
    """An empty form's lines."""
    canvas.line(60, 700, 500, 700)
    canvas.line(60, 650, 500, 650)


def _shape(canvas: Canvas) -> None:
    """Something that may be a picture of words."""
    canvas.circle(200, 500, 60, fill=1)


_WORDS = text_page("Invoice 17", "Total 12.50")


@pytest.mark.parametrize(
    ("pages", "inked"),
    [
        ([_WORDS, _WORDS], PageRange(1, 2)),
        ([_blank, _spaces, _WORDS, _blank, _shape, _white, _rules], PageRange(3, 5)),
        ([_shape], PageRange(1, 1)),
        ([_blank, _white, _rules], None),
    ],
)
def test_blank_ends_are_those_that_reading_finds_blank(
    reader: DocumentReader, tmp_path: Path, pages: list[Callable[[Canvas], None]], inked: PageRange | None
) -> None:
    """What is left begins and ends with a page that shows something, and nothing outside it does."""
    path = tmp_path / "file.pdf"
    path.write_bytes(pdf_of(*pages))
    assert reader.inked(path, PageRange(1, len(pages))) == inked
    read = reader.read_pages(path, PageRange(1, len(pages)))
    shown = [text.page for text in read if text.source is not TextSource.NONE]
    assert (shown[:1], shown[-1:]) == (([inked.first], [inked.last]) if inked else ([], []))


def test_blank_frames_of_a_fax_are_left_out(reader: DocumentReader, tmp_path: Path) -> None:
    """A page of one colour shows nothing, whichever it is."""
    path = tmp_path / "fax.tif"
    pages = [Image.new("L", (200, 300), grey) for grey in (255, 255, 0)]
    pages[1].paste(0, (20, 20, 120, 40))
    buffer = io.BytesIO()
    pages[0].save(buffer, "TIFF", save_all=True, append_images=pages[1:])
    path.write_bytes(buffer.getvalue())
    assert reader.inked(path, PageRange(1, 3)) == PageRange(2, 2)
