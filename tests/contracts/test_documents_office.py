"""Office files without LibreOffice: every paragraph, sheet and slide stands on a page of the PDF made of them."""

from __future__ import annotations

import datetime
import io
from collections.abc import Iterator
from pathlib import Path

import docx
import openpyxl
import pytest
from docx.oxml import OxmlElement
from docx.oxml.ns import qn
from pptx import Presentation
from pptx.util import Pt

from service.documents.reader import DocumentReader
from service.domain.errors import ErrorCode, InputError
from service.domain.pages import MediaKind, PageRange, PageText
from tests.contracts.documents_made import LIMITS


@pytest.fixture(scope="module")
def reader() -> Iterator[DocumentReader]:
    """One warm reader for all of this file, which finds no LibreOffice."""
    patch = pytest.MonkeyPatch()
    patch.setenv("PATH", "")
    made = DocumentReader(LIMITS)
    yield made
    made.close()
    patch.undo()


def read(reader: DocumentReader, folder: Path, data: bytes, kind: MediaKind) -> list[PageText]:
    """All pages of the PDF made of an office file."""
    path, made = folder / "file.bin", folder / "made.pdf"
    path.write_bytes(data)
    opened = reader.open(path)
    assert opened.info.kind is kind
    assert opened.converted is not None
    made.write_bytes(opened.converted)
    return list(reader.read_pages(made, PageRange(1, len(opened.info.pages))))


def saved(document: object) -> bytes:
    """The bytes of an office document of any of the three libraries."""
    buffer = io.BytesIO()
    document.save(buffer)
    return buffer.getvalue()


def test_docx_paragraphs_tables_headers_and_breaks(reader: DocumentReader, tmp_path: Path) -> None:
    """In their order; a page break begins a page; a table has cells."""
    document = docx.Document()
    document.sections[0].header.paragraphs[0].text = "Harbour office"
    document.add_heading("Delivery", 1)
    document.add_paragraph("Grüße an Łukasz – 12 €")
    table = document.add_table(2, 2)
    for number, text in enumerate(("Item", "Price", "Board", "14.20")):
        table.cell(number // 2, number % 2).text = text
    document.add_page_break()
    document.add_paragraph("On the second page")
    first, second = read(reader, tmp_path, saved(document), MediaKind.DOCX)
    assert first.text().splitlines() == [
        "Harbour office",
        "Delivery",
        "Grüße an Łukasz – 12 €",
        "Item Price",
        "Board 14.20",
    ]
    assert [cell.text for cell in first.tables[0].cells] == ["Item", "Price", "Board", "14.20"]
    assert second.text() == "On the second page"


def test_docx_with_tracked_changes_reads_as_accepted(reader: DocumentReader, tmp_path: Path) -> None:
    """Inserted text is there, deleted text is not."""
    document = docx.Document()
    paragraph = document.add_paragraph("The sum is ")
    for tag, inner, text in (("w:del", "w:delText", "90"), ("w:ins", "w:t", "95")):
        change, run, part = OxmlElement(tag), OxmlElement("w:r"), OxmlElement(inner)
        change.set(qn("w:id"), "1")
        part.text = text
        run.append(part)
        change.append(run)
        paragraph._p.append(change)
    (page,) = read(reader, tmp_path, saved(document), MediaKind.DOCX)
    assert page.text() == "The sum is 95"


def test_a_long_docx_flows_over_pages_and_loses_nothing(reader: DocumentReader, tmp_path: Path) -> None:
    """Four hundred paragraphs, in order, on as many pages as they need."""
    document = docx.Document()
    for number in range(400):
        document.add_paragraph(f"Clause {number} says what clause {number} says.")
    pages = read(reader, tmp_path, saved(document), MediaKind.DOCX)
    assert len(pages) > 4
    lines = [line for page in pages for line in page.text().splitlines()]
    assert lines == [f"Clause {number} says what clause {number} says." for number in range(400)]


def test_xlsx_sheets_as_they_are_shown(reader: DocumentReader, tmp_path: Path) -> None:
    """Numbers and dates in the form a spreadsheet shows them; hidden sheets are not seen; every other one is a page."""
    book = openpyxl.Workbook()
    sheet = book.active
    assert sheet is not None
    sheet.title = "March"
    sheet.append(["Item", "Day", "Price", "Share"])
    sheet.append(["Board", datetime.date(2026, 3, 9), 1234.5, 0.25])
    for cell, pattern in (("B2", "dd/mm/yyyy"), ("C2", '"€"#,##0.00'), ("D2", "0%")):
        sheet[cell].number_format = pattern
    book.create_sheet("April").append(["nothing yet"])
    hidden = book.create_sheet("Secret")
    hidden.append(["not for you"])
    hidden.sheet_state = "hidden"
    march, april = read(reader, tmp_path, saved(book), MediaKind.XLSX)
    assert march.text().splitlines() == ["March", "Item Day Price Share", "Board 09/03/2026 €1,234.50 25%"]
    assert april.text().splitlines() == ["April", "nothing yet"]


def test_pptx_slides_are_pages(reader: DocumentReader, tmp_path: Path) -> None:
    """Text stands on its slide, at its place; tables are read."""
    show = Presentation()
    for number in (1, 2):
        slide = show.slides.add_slide(show.slide_layouts[6])
        box = slide.shapes.add_textbox(Pt(100), Pt(300), Pt(400), Pt(60))
        box.text_frame.text = f"Slide number {number}"
    table = show.slides[1].shapes.add_table(1, 2, Pt(100), Pt(100), Pt(300), Pt(40)).table
    table.cell(0, 0).text, table.cell(0, 1).text = "Left", "Right"
    first, second = read(reader, tmp_path, saved(show), MediaKind.PPTX)
    assert first.text() == "Slide number 1"
    assert 0.5 < first.words[0].box.y0 < 0.6
    assert second.text().splitlines() == ["Left Right", "Slide number 2"]


def test_chinese_and_korean_survive(reader: DocumentReader, tmp_path: Path) -> None:
    """Letters outside Latin are letters in the PDF too."""
    document = docx.Document()
    document.add_paragraph("합계 금액 总金额")
    (page,) = read(reader, tmp_path, saved(document), MediaKind.DOCX)
    assert page.text() == "합계 금액 总金额"


def test_a_damaged_office_file_says_so(reader: DocumentReader, tmp_path: Path) -> None:
    """Half a file is no document."""
    document = docx.Document()
    document.add_paragraph("whole")
    data = bytearray(saved(document))
    data[200:1200] = bytes(1000)
    path = tmp_path / "half.docx"
    path.write_bytes(bytes(data))
    with pytest.raises(InputError) as caught:
        reader.open(path)
    assert caught.value.code is ErrorCode.DAMAGED_FILE
