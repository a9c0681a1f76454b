"""Office files by way of LibreOffice: what it lays out is read, and what it cannot open is read without it."""

from __future__ import annotations

import shutil
from pathlib import Path

import docx
import openpyxl
import pytest
from pptx import Presentation
from pptx.util import Pt

from service.documents.reader import DocumentReader
from service.domain.pages import MediaKind, PageRange
from tests.contracts.test_documents_office import saved

# Several hundred MB; `.ci/run` installs it. Without it our own readers do this work, and they are tested always.
pytestmark = pytest.mark.skipif(shutil.which("soffice") is None, reason="LibreOffice (soffice) is not installed here")


def letter() -> bytes:
    """Two pages of a text document, with a table."""
    document = docx.Document()
    document.add_paragraph("Delivery to Łukasz – 12 €")
    table = document.add_table(1, 2)
    table.cell(0, 0).text, table.cell(0, 1).text = "Board", "14.20"
    document.add_page_break()
    document.add_paragraph("On the second page")
    return saved(document)


def book() -> bytes:
    """A workbook with a formula, whose value only a program that computes knows."""
    whole = openpyxl.Workbook()
    sheet = whole.active
    assert sheet is not None
    sheet.append(["Board", 14.2])
    sheet.append(["Nails", 5.8])
    sheet.append(["Sum", "=B1+B2"])
    return saved(whole)


def slides() -> bytes:
    """A presentation of one slide."""
    show = Presentation()
    slide = show.slides.add_slide(show.slide_layouts[6])
    box = slide.shapes.add_textbox(Pt(50), Pt(50), Pt(400), Pt(60))
    box.text_frame.text = "Harbour plan 2026"
    return saved(show)


@pytest.mark.parametrize(
    ("data", "kind", "wanted"),
    [
        (letter(), MediaKind.DOCX, [["Łukasz", "12", "€", "14.20"], ["second"]]),
        (book(), MediaKind.XLSX, [["Board", "14.2", "Sum", "20"]]),
        (slides(), MediaKind.PPTX, [["Harbour", "2026"]]),
    ],
    ids=["docx", "xlsx", "pptx"],
)
def test_words_of_an_office_file_have_places(
    reader: DocumentReader, tmp_path: Path, data: bytes, kind: MediaKind, wanted: list[list[str]]
) -> None:
    """On the pages that LibreOffice lays out; a formula by its result."""
    path, made = tmp_path / "file.bin", tmp_path / "made.pdf"
    path.write_bytes(data)
    opened = reader.open(path)
    assert opened.info.kind is kind
    assert opened.converted is not None
    made.write_bytes(opened.converted)
    pages = list(reader.read_pages(made, PageRange(1, len(opened.info.pages))))
    assert len(pages) == len(wanted)
    for page, words in zip(pages, wanted, strict=True):
        found = {word.text for word in page.words}
        assert set(words) <= found, found
        assert all(word.box.x0 < word.box.x1 and word.box.y0 < word.box.y1 for word in page.words)


def test_a_macro_or_a_link_is_not_followed(reader: DocumentReader, tmp_path: Path) -> None:
    """A cell that would fetch something from elsewhere stays text or an error; the file is read all the same."""
    whole = openpyxl.Workbook()
    sheet = whole.active
    assert sheet is not None
    sheet.append(["before", '=WEBSERVICE("http://127.0.0.1:9/x")', "behind"])
    path = tmp_path / "file.bin"
    path.write_bytes(saved(whole))
    opened = reader.open(path)
    assert opened.converted is not None
    made = tmp_path / "made.pdf"
    made.write_bytes(opened.converted)
    (page,) = reader.read_pages(made, PageRange(1, 1))
    assert {"before", "behind"} <= {word.text for word in page.words}
