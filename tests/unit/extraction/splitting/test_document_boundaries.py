"""Where one document of a file ends and the next begins."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.domain.pages import PageSize, PageText, TextSource
from service.extraction.splitting.boundaries import find_documents
from tests.unit.extraction.printed_pages import page_of

BODY = ("Item         Qty    Amount", "Chair        1      10.00", "Table        2      20.00")


def invoice(number: str, *, part: str = "", company: str = "Blue Door Ltd", title: str = "INVOICE") -> tuple[str, ...]:
    """The first page of an invoice."""
    return (company, "12 Long Road", "", title, f"Invoice no: {number}", "", *BODY, "", "Total 30.00", *_foot(part))


def _foot(part: str) -> tuple[str, ...]:
    return (*[""] * 56, part) if part else ()


def ranges(*pages: tuple[str, ...]) -> list[str]:
    """The documents found in a file of these pages."""
    return [str(found) for found in find_documents([page_of(*lines, page=n) for n, lines in enumerate(pages, 1)])]


def test_page_numbers_that_start_again_part_documents() -> None:
    """Page 1 of 2 follows page 2 of 2."""
    pages = [(*BODY, *_foot(f"Page {n} of {m}")) for n, m in ((1, 2), (2, 2), (1, 1), (1, 3), (2, 3), (3, 3))]
    assert ranges(*pages) == ["1-2", "3", "4-6"]


@pytest.mark.parametrize(
    "form", ["Page {} of {}", "Seite {} von {}", "{}/{}", "Page {} / {}", "página {} de {}", "{} / {}"]
)
def test_page_numbers_in_the_usual_forms(form: str) -> None:
    """In several languages, and as bare figures in the foot."""
    pages = [(*BODY, *_foot(form.format(n, m))) for n, m in ((1, 2), (2, 2), (1, 2), (2, 2))]
    assert ranges(*pages) == ["1-2", "3-4"]


def test_three_invoices_of_one_firm_bound_together_are_three_documents() -> None:
    """The letterhead is the same; the number and the title tell."""
    assert ranges(invoice("A-1"), invoice("A-2"), invoice("A-3")) == ["1", "2", "3"]


def test_documents_of_different_firms_are_parted() -> None:
    """Another letterhead, another title, no numbers."""
    first = ("Blue Door Ltd", "12 Long Road", "RECEIPT", *[""] * 8, *BODY, "Total 30.00")
    second = ("Green Hill Cooperative", "7 Harbour Lane", "PURCHASE ORDER", *[""] * 8, *BODY, "Total 30.00")
    assert ranges(first, second) == ["1", "2"]


def test_contracts_are_parted_at_signature_and_title() -> None:
    """Prose without numbers: one ends with signatures, the next begins with its title."""
    clause = "the receiving party shall keep every piece of information it is given"
    first = ("NON-DISCLOSURE AGREEMENT", clause, clause)
    last = ("and so on until the end", "IN WITNESS WHEREOF the parties have signed")
    second = ("Mutual Confidentiality Agreement", "This agreement is made between", clause)
    assert ranges(first, last, second, (clause, clause)) == ["1-2", "3-4"]


def test_a_running_head_with_the_title_parts_nothing() -> None:
    """The title stands on top of every page."""
    clause = "the receiving party shall keep every piece of information it is given"
    assert ranges(*[("Service Agreement", clause, f"{clause} {n}") for n in range(4)]) == ["1-4"]


def test_an_unnumbered_page_after_the_last_of_n_begins_a_document() -> None:
    """Page 2 of 2 was the end."""
    letter = ("Green Hill Cooperative", "7 Harbour Lane", "Dear customer", "thank you")
    assert ranges(invoice("A-1", part="Page 1 of 2"), (*BODY, *_foot("Page 2 of 2")), letter) == ["1-2", "3"]


def test_a_table_that_goes_on_is_one_document() -> None:
    """The next page has rows and the total, under the same letterhead or none."""
    first = ("Blue Door Ltd", "12 Long Road", "", "INVOICE", "Invoice no: A-1", *BODY)
    assert ranges(first, (*BODY, "Total 60.00")) == ["1-2"]
    assert ranges(first, ("Blue Door Ltd", "12 Long Road", "", *BODY, "Total 60.00")) == ["1-2"]


def test_a_continued_document_that_repeats_its_title_and_number_is_one() -> None:
    """The same invoice number stands on each of its pages."""
    assert ranges(invoice("A-1"), invoice("A-1"), invoice("A-1")) == ["1-3"]


def test_numbering_overrules_looks() -> None:
    """Page 2 of 2 with a title of its own is no new document."""
    assert ranges(invoice("A-1", part="Page 1 of 2"), invoice("A-1", part="Page 2 of 2")) == ["1-2"]


def test_a_blank_page_belongs_to_the_document_before_it() -> None:
    """A separator sheet, or the back of a duplex scan."""
    assert ranges(invoice("A-1"), (), invoice("A-2"), ()) == ["1-2", "3-4"]
    assert ranges((), invoice("A-1")) == ["1-2"]


def test_a_separator_sheet_parts_documents() -> None:
    """It belongs to the document before it, whatever the page behind it looks like."""
    prose = "the parties agree that nothing in here shall ever be read as a title"
    assert ranges((prose,), ("* SEPARATOR SHEET *",), (prose,)) == ["1-2", "3"]
    assert ranges((prose,), (f"the separator is cleaned once a week as {prose}",), (prose,)) == ["1-3"]


def on_paper(width: float, height: float, *pages: tuple[str, ...], source: TextSource) -> list[PageText]:
    """Pages on paper of a size in points, as if each were alone."""
    return [replace(page_of(*lines, source=source), size=PageSize(1, width, height)) for lines in pages]


def bound(*pages: PageText) -> list[str]:
    """The documents found in these pages, numbered through."""
    found = find_documents([replace(p, size=replace(p.size, page=n)) for n, p in enumerate(pages, 1)])
    return [str(within) for within in found]


LETTER = tuple(
    (f"part {n} of our letter says that the fence along the field is to be mended", "before the winter comes")
    for n in ("one", "two", "three")
)
SLIPS = (("Corner Bakery", "Rolls 2.40", "Total 2.40"), ("Lake Kiosk", "Tea 1.90", "Total 1.90"))


def test_slips_are_documents_of_their_own() -> None:
    """Photos of till receipts behind each other, and behind a letter."""
    letter = on_paper(595, 842, *LETTER, source=TextSource.OCR)
    slips = [on_paper(200 + 40 * n, 560 + 90 * n, slip, source=TextSource.OCR)[0] for n, slip in enumerate(SLIPS)]
    assert bound(*letter, *slips) == ["1-3", "4", "5"]


def test_a_scanned_letter_is_not_cut_at_its_pages() -> None:
    """Scans differ by a hair's breadth, and one page may lie on its side."""
    pages = [on_paper(595 + n, 842 - n, lines, source=TextSource.OCR)[0] for n, lines in enumerate(LETTER)]
    assert bound(*pages) == ["1-3"]
    turned = replace(pages[1], size=PageSize(2, 842, 595))
    assert bound(pages[0], turned, pages[2]) == ["1-3"]


def test_another_paper_and_other_letters_part_documents() -> None:
    """Nothing printed tells, but everything is set otherwise."""
    large = on_paper(612, 1008, ("Minutes of the garden club", "we planted roses"), source=TextSource.DIGITAL)[0]
    large = replace(large, words=tuple(replace(word, size=16.0) for word in large.words))
    assert bound(*on_paper(595, 842, *LETTER, source=TextSource.DIGITAL), large) == ["1-3", "4"]


def test_a_page_number_that_does_not_follow_parts_documents() -> None:
    """Pages cut out of larger works keep their numbers."""
    mill, bees = ("The mill stood by the river", "", ""), ("Bees keep their queen warm in winter", "", "")
    pages = [(*text, *_foot(f"Page {n}")) for text, n in ((mill, 7), (mill, 8), (bees, 31))]
    assert ranges(*pages) == ["1-2", "3"]


def test_dates_and_fractions_are_no_page_numbers() -> None:
    """`03/12` in a date, a due date or a share counts no pages."""
    pages = [(*BODY, f"Due 01/03/2026 and 1/2 of it {n}", *_foot("01/12/2026")) for n in range(4)]
    assert ranges(*pages) == ["1-4"]


def test_a_text_without_signs_is_one_document() -> None:
    """Prose of many pages is not cut."""
    prose = "the parties agree that nothing in here shall ever be read as a title"
    assert ranges(*[(prose, f"{prose} {n}", prose) for n in range(9)]) == ["1-9"]


def test_no_pages_no_documents() -> None:
    """An empty file has none."""
    assert find_documents([]) == ()


LINES = st.sampled_from(
    ["INVOICE", "Invoice no: A-1", "Invoice no: B-2", "Total 5.00", "Page 1 of 2", "Page 2 of 2", "text", ""]
)


@given(st.lists(st.lists(LINES, max_size=5), min_size=1, max_size=9))
def test_documents_hold_every_page_once_in_order(files: list[list[str]]) -> None:
    """Whatever the pages say."""
    pages: list[PageText] = [page_of(*lines, page=n) for n, lines in enumerate(files, 1)]
    found = find_documents(pages)
    assert [page for within in found for page in within.numbers()] == list(range(1, len(pages) + 1))
