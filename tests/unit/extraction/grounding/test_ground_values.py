"""Where values stand: found on the page without the model's help."""

from __future__ import annotations

import pytest

from service.domain.geometry import Box
from service.domain.pages import PageSize, PageText, TextSource, Word
from service.domain.records import BoxCheck, Confidence, Origin
from service.extraction.grounding.ground import ground
from tests.unit.extraction.answers import extraction_of, schema_of
from tests.unit.extraction.grounding.grounded import assert_at, box_of, found, grounded
from tests.unit.extraction.printed_pages import LINE, line_box, page_of


@pytest.mark.parametrize(
    ("value", "printed"),
    [
        (1234.56, "1.234,56"),
        (1234.56, "1,234.56"),
        (1234.56, "1 234,56"),
        (1234.56, "1'234.56"),
        (1234.56, "1234.56"),
        (1234.56, "€1,234.56"),
        (1234.56, "1.234,56€"),
        (1234.56, "RM1,234.56"),
        (1234.56, "１，２３４．５６"),
        (1234.56, "١٢٣٤٫٥٦"),
        (-12.5, "(12.50)"),
        (-12.5, "12.50-"),
        (-12.5, "-12,50"),
        (-12.5, "−12.50"),
        (-12.5, "- 12.50"),
        (-12.5, "-$12.50"),
        (12, "12"),
        (12, "12.00"),
        (12.0, "12"),
        (0.075, "0,075"),
        (0.89, ",89"),
        (0.89, ".89"),
        (27.8, "27,80"),
        (1234567, "12,34,567"),
        (1234567, "1.234.567"),
        (10, "10mg"),
        (19, "19%"),
        (0.19, "19 %"),
        (1000, "1.000"),
        (1.0, "1.000"),
        (0, "0.00"),
        (5, "5x"),
    ],
)
def test_numbers_are_found_in_any_printed_form(value: float, printed: str) -> None:
    """Separators of every country, signs before, behind and as brackets, currencies, other digits."""
    entry = found(value, "number", "Some text before", f"Value: {printed} and more")
    assert (entry.box_check, entry.confidence, entry.origin) == (BoxCheck.MATCH, Confidence.HIGH, Origin.GROUNDED)
    assert box_of(entry).y0 == pytest.approx(3 * LINE, abs=1e-3)
    assert box_of(entry).x0 >= 0.06


@pytest.mark.parametrize(
    ("value", "printed"),
    [(5.0, "2.5.7"), (50, "12.50"), (7, "Room17"), (1234, "1234567"), (25, "2 5"), (34, "12,34"), (0, "no number")],
)
def test_parts_of_other_numbers_are_no_source(value: float, printed: str) -> None:
    """A zero or a fragment that nobody printed is not called sure."""
    entry = found(value, "number", f"Value {printed}")
    assert (entry.box_check, entry.confidence, entry.location) == (BoxCheck.NONE, Confidence.LOW, None)


def test_an_amount_whose_sign_differs_is_only_partly_right() -> None:
    """The page says -100, the model 100: a person should look."""
    entry = found(100.0, "number", "Credit -100.00")
    assert (entry.box_check, entry.confidence) == (BoxCheck.PARTIAL, Confidence.LOW)


def test_ambiguous_separators_follow_the_page() -> None:
    """Where decimals have commas, 1.500 is a thousand and a half, so the other reading ranks behind."""
    schema = schema_of(weight="number", price="number")
    page = page_of("12,50  7,25  weight 1,500", "price 1.500")
    fields = grounded({"weight": 1.5, "price": 1500}, schema, page)
    assert_at(fields["/weight"], 0, 20, 25)
    assert_at(fields["/price"], 1, 6, 11)


@pytest.mark.parametrize(
    "printed",
    [
        "2026-03-05",
        "05.03.2026",
        "5.3.2026",
        "05/03/2026",
        "03/05/2026",
        "05/03/26",
        "5 March 2026",
        "March 5, 2026",
        "Mar 5 2026",
        "05-Mar-2026",
        "05MAR2026",
        "5. März 2026",
        "5 mars 2026",
        "5 de marzo de 2026",
        "5 marzo 2026",
        "5 марта 2026",
        "2026年3月5日",
        "2026年3⽉5⽇",
        "2026년 3월 5일",
        "20260305",
        "05 03 2026",
        "5th day of March, 2026",
        "2026/03/05",
        "5 maart 2026",
        "5 marca 2026",
        "Mar05/26",
    ],
)
def test_days_are_found_in_any_printed_form(printed: str) -> None:
    """Orders, separators and month names of many languages, without asking which."""
    entry = found("2026-03-05", "string", f"Issued {printed} here", format="date")
    assert (entry.box_check, entry.raw) == (BoxCheck.MATCH, printed)


@pytest.mark.parametrize(
    ("printed", "raw"),
    [("05-03-201819:02:50", "05-03-2018"), ("#19-05/03/201819:02", "05/03/2018"), ("2- 05/03/2018", "05/03/2018")],
)
def test_a_day_is_found_beside_digits_that_were_read_without_a_space(printed: str, raw: str) -> None:
    """A time right behind it, a number and a dash before it, as scanners print them."""
    entry = found("2018-03-05", "string", f"Date {printed}", format="date")
    assert (entry.box_check, entry.raw) == (BoxCheck.MATCH, raw)


@pytest.mark.parametrize("printed", ["06.03.2026", "5 April 2026", "2025-03-05", "35.03.2026"])
def test_other_days_are_no_source(printed: str) -> None:
    """A neighbouring day does not count."""
    assert found("2026-03-05", "string", f"Issued {printed}", format="date").box_check is BoxCheck.NONE


def test_a_day_runs_over_a_line_break() -> None:
    """Contracts break lines inside dates."""
    entry = found("2026-03-05", "string", "made this 5th day of", "March, 2026 between", format="date")
    assert entry.box_check is BoxCheck.MATCH
    assert entry.location is not None
    assert len(entry.location.word_coordinates) == 5


@pytest.mark.parametrize(
    ("value", "lines"),
    [
        ("Blue Door GmbH & Co. KG", ["Seller BLUE DOOR GMBH & CO KG ends"]),
        ("document", ["this docu-", "ment"]),
        ("Main Street 5, 1000 Town", ["Main Street 5", "1000 Town"]),
        ("office flow", ["oﬃce ﬂow"]),
        ("Müller", ["Mu\u0308ller"]),
        ("東京都港区", ["住所東京都港区赤坂"]),
        ("長崎見本", ["⻑崎⾒本店"]),
        ("서울 특별시", ["주소: 서울특별시 강남구"]),
        ("ＡＢＣ１２", ["code ABC12"]),
        ("INV-77", ["No:INV-77"]),
        ("77", ["INV-77"]),
        ("café", ["CAFÉ"]),
        ("emoji 😀 name", ["emoji name"]),
    ],
)
def test_text_is_found_whatever_its_form(value: str, lines: list[str]) -> None:
    """Case, ligatures, widths, accents, hyphens, line breaks, and scripts that do not part words."""
    entry = found(value, "string", *lines)
    assert (entry.box_check, entry.confidence) == (BoxCheck.MATCH, Confidence.HIGH)


def test_the_box_of_a_part_of_a_long_word_covers_that_part() -> None:
    """A line without spaces is one word; the box is that of the value's own characters."""
    entry = found("東京都", "string", "住所東京都港区赤坂")
    assert_at(entry, 0, 2, 5)
    assert entry.raw == "東京都"


@pytest.mark.parametrize(
    ("value", "printed"),
    [
        ("שלום עולם", "םלוע םולש"), ("שלום עולם", "עולם שלום"), ("שלום עולם", "שלום עולם"), ("مكتب سلام", "مالس بتكم"),
        ("مكتب سلام", "م\ufefcس بتكم"), ("رقم 123", "123 مقر"),
    ],
)  # fmt: skip
def test_right_to_left_text_is_found_however_it_was_stored(value: str, printed: str) -> None:
    """As read, as seen, by words or by characters; ligatures and digits keep their own order."""
    assert found(value, "string", f"{printed}").box_check is BoxCheck.MATCH


def test_a_block_is_found_between_the_columns_of_another() -> None:
    """Two addresses side by side share their lines."""
    entry = found(
        "Long Road 12 3000 Town", "string", "Long Road 12        Short Street 9", "3000 Town           7000 City"
    )
    assert entry.box_check is BoxCheck.MATCH
    assert box_of(entry).x1 < 0.2


def test_a_misread_text_is_partly_right_and_never_sure() -> None:
    """A letter read wrongly is told; wrong digits are another value."""
    entry = found("International Trading House", "string", "Intemational Trading House")
    assert (entry.box_check, entry.confidence) == (BoxCheck.PARTIAL, Confidence.LOW)
    assert found("INVOICE-2026-1001", "string", "INVOICE-2026-1002").box_check is BoxCheck.NONE


def test_a_digit_misread_in_words_is_partly_right() -> None:
    """An address with one wrong digit has its place, and a person should look."""
    entry = found("12 Rose Lane, Little Harbour 5012", "string", "I2 Rose Lane, Little Harbour 5012")
    assert (entry.box_check, entry.confidence) == (BoxCheck.PARTIAL, Confidence.LOW)


def test_a_text_whose_lines_another_column_runs_through_is_found() -> None:
    """Readers may put the words of two lines of nearly one height in turns."""
    low = [Word(t, Box(x, 0.105, x + 0.06, 0.115), 0) for t, x in (("Owner", 0.1), ("Harbour", 0.3), ("Fund", 0.44))]
    high = [Word("Lane", Box(0.2, 0.1, 0.25, 0.11), 1), Word("Light", Box(0.37, 0.107, 0.43, 0.117), 1)]
    page = PageText(size=PageSize(1, 100, 140), source=TextSource.DIGITAL, words=(*low, *high))
    fields = grounded({"owner": "Harbour Light Fund"}, schema_of(owner="string"), page)
    assert fields["/owner"].box_check is BoxCheck.MATCH


def test_a_label_far_away_on_the_line_is_nearer_than_one_above() -> None:
    """Receipts print the amount at the other edge; the line below has a label of its own."""
    schema = schema_of(total={"type": "number", "description": "Total to pay"})
    page = page_of("Total" + " " * 75 + "8.20", "Cash:" + " " * 75 + "8.20")
    fields = grounded({"total": 8.2}, schema, page)
    assert_at(fields["/total"], 0, 80, 84)


def test_all_words_of_a_label_above_count() -> None:
    """Its last word may stand beside the value that its first one stands over."""
    schema = schema_of(
        citizenship={"type": "string", "description": "Country of citizenship"},
        home={"type": "string", "description": "Country of permanent residence"},
    )
    page = page_of("Country of permanent residence", "Westmark", "", "", "", "Country of citizenship", "Westmark")
    fields = grounded({"citizenship": "Westmark", "home": "Westmark"}, schema, page)
    assert_at(fields["/home"], 1, 0, 8)
    assert_at(fields["/citizenship"], 6, 0, 8)


def test_a_value_that_is_not_on_its_pages_is_never_high() -> None:
    """Neither when the page has other words, nor when it has none."""
    entry = found("Zebra Crossing", "string", "Nothing of the kind")
    assert (entry.box_check, entry.confidence, entry.value) == (BoxCheck.NONE, Confidence.LOW, "Zebra Crossing")
    empty = found("Zebra Crossing", "string")
    assert (empty.box_check, empty.confidence) == (BoxCheck.UNCHECKED, Confidence.LOW)


def test_pages_that_were_not_extracted_are_no_source() -> None:
    """A value of page 1 does not get its place from page 2."""
    schema = schema_of(name="string")
    given = extraction_of({"name": "Alpha"}, (1,))
    pages = {1: page_of("Beta", page=1), 2: page_of("Alpha", page=2)}
    assert ground(given, schema, pages).fields["/name"].location is None


def test_absent_fields_stay_as_they_are() -> None:
    """There is nothing to look for."""
    before = extraction_of({"name": None})
    assert ground(before, schema_of(name="string"), {1: page_of("Name")}).fields == before.fields


def test_a_currency_code_is_found_by_its_sign() -> None:
    """EUR is printed as a sign."""
    assert found("EUR", "string", "Total 12,50 €").box_check is BoxCheck.MATCH
    assert found("GBP", "string", "Total 12,50 €").box_check is BoxCheck.NONE


def test_the_label_decides_between_equal_texts() -> None:
    """The same amount stands beside net and beside total."""
    schema = schema_of(
        net={"type": "number", "description": "Net amount"}, total={"type": "number", "description": "Amount to pay"}
    )
    page = page_of("Total 50.00", "Other 50.00", "Net amount 50.00")
    fields = grounded({"net": 50.0, "total": 50.0}, schema, page)
    assert_at(fields["/net"], 2, 11, 16)
    assert_at(fields["/total"], 0, 6, 11)


def test_a_label_above_counts_too() -> None:
    """Boxes of a form have their captions on top."""
    schema = schema_of(order_date={"type": "string", "format": "date"}, due_date={"type": "string", "format": "date"})
    page = page_of("Due date       Order date", "2026-01-05     2026-01-05")
    fields = grounded({"order_date": "2026-01-05", "due_date": "2026-01-05"}, schema, page)
    assert_at(fields["/order_date"], 1, 15, 25)
    assert_at(fields["/due_date"], 1, 0, 10)


def test_doubled_letters_of_false_bold_do_not_hide_a_word() -> None:
    """Two words at one place, as old PDF writers print bold, are found once."""
    word = Word("Total", line_box(0, 0, 5), 0)
    page = PageText(
        size=PageSize(1, 100, 140), source=TextSource.DIGITAL, words=(word, word, Word("5", line_box(0, 8, 9), 0))
    )
    given = extraction_of({"field": "Total"})
    assert ground(given, schema_of(field="string"), {1: page}).fields["/field"].box_check is BoxCheck.MATCH
