"""What is read of a page is told by the file's bytes alone, whatever the process read and drew before."""

from __future__ import annotations

from pathlib import Path

import pypdfium2 as pdfium
import pytest

from service.documents.reader import DocumentReader, RenderOptions
from service.domain.pages import PageRange, PageText
from tests.contracts.documents_made import absent_font, raw_pdf

WORDS = b"BT /F1 12 Tf 20 250 Td (AMOUNT WAGON) Tj 0 -40 Td /F2 14 Tf (GRAND MEMO) Tj ET"


def absent_fonts(width: int) -> bytes:
    """Two fonts that have to be stood in for, with serifs and without."""
    return absent_font(b"F1", width=width) + b" " + absent_font(b"F2", width=width, serif=True)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Two pages in fonts that the file does not bring, wide ones and narrow ones."""
    made = tmp_path / "absent.pdf"
    whole = pdfium.PdfDocument.new()
    for width in (800, 640):
        whole.import_pages(pdfium.PdfDocument(raw_pdf(WORDS, fonts=absent_fonts(width))))
    whole.save(made)
    whole.close()
    return made


def read_all(reader: DocumentReader, path: Path) -> list[PageText]:
    """Both pages."""
    return list(reader.read_pages(path, PageRange(1, 2)))


def test_drawing_its_own_pages_moves_no_box(fresh_reader: DocumentReader, path: Path) -> None:
    """A page has the same words in the same places after it was drawn for a screen."""
    fresh = read_all(fresh_reader, path)
    assert [word.text for word in fresh[0].words] == ["AMOUNT", "WAGON", "GRAND", "MEMO"]
    for page in (1, 2):
        fresh_reader.render_page(path, page, RenderOptions(dpi=100))
    assert read_all(fresh_reader, path) == fresh


@pytest.mark.parametrize("width", [300, 900])
def test_other_files_move_no_box(fresh_reader: DocumentReader, path: Path, tmp_path: Path, width: int) -> None:
    """Nor after files with narrower or wider letters were read and drawn."""
    fresh = read_all(fresh_reader, path)
    other = tmp_path / "other.pdf"
    other.write_bytes(raw_pdf(WORDS, pages=2, fonts=absent_fonts(width)))
    read_all(fresh_reader, other)
    fresh_reader.render_page(other, 2, RenderOptions(dpi=72))
    assert read_all(fresh_reader, path) == fresh


def test_a_page_is_the_same_before_and_after_another(fresh_reader: DocumentReader, path: Path) -> None:
    """A range may be read in parts, by other processes, in any order."""
    fresh = list(fresh_reader.read_pages(path, PageRange(2, 2)))
    fresh_reader.close()
    for dpi in (60, 90, 120):
        fresh_reader.render_page(path, 1, RenderOptions(dpi=dpi))
    assert list(fresh_reader.read_pages(path, PageRange(2, 2))) == fresh
