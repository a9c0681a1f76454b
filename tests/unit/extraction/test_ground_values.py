"""Where values stand: found without the model's help, checked with it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from service.domain.geometry import Box, Point, quad_box, union_box
from service.domain.pages import CheckMark, PageSize, PageText, TextSource, Word
from service.domain.records import BoxCheck, Confidence, Extraction, FieldEntry, JsonObject, Origin, Scalar
from service.domain.schema import ExtractionSchema, parse_schema
from service.extraction.ground import ground
from tests.unit.extraction.answers import extraction_of, schema_of
from tests.unit.extraction.printed_pages import LINE, line_box, page_of


def grounded(values: JsonObject, schema: ExtractionSchema, *pages: PageText, **more: object) -> dict[str, FieldEntry]:
    """The entries of values that a sure model gave without places, after grounding."""
    found = extraction_of(values, tuple(page.page for page in pages), **more)
    return ground(found, schema, {page.page: page for page in pages}).fields


def found(value: Scalar, kind: str, *lines: str, description: str = "", **keywords: str) -> FieldEntry:
    """The entry of one value on a page of these lines."""
    schema = schema_of(field={"type": kind, "description": description, **keywords})
    return grounded({"field": value}, schema, page_of(*lines))["/field"]


def box_of(entry: FieldEntry) -> Box:
    """The box of a located entry."""
    assert entry.location is not None
    return quad_box(entry.location.coordinates)


def assert_at(entry: FieldEntry, line: int, start: int, end: int) -> None:
    """The entry's box is that of these characters."""
    want = line_box(line, start, end)
    assert box_of(entry).overlap(want) > 0.9, (box_of(entry), want)


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


ROWS = schema_of(lines=[{"text": "string", "qty": "integer", "price": "number", "amount": "number"}])


def row(text: str, qty: int, price: float, amount: float) -> JsonObject:
    """One row of the table."""
    return {"text": text, "qty": qty, "price": price, "amount": amount}


def test_equal_rows_have_places_of_their_own() -> None:
    """A real second coffee stands on its own line, and its price is not its amount."""
    page = page_of(
        "Item        Qty   Price   Amount",
        "Coffee      1     5.00    5.00",
        "Coffee      1     5.00    5.00",
        "Cake        2     2.50    5.00",
        "Coffee      1     5.00    5.00",
    )
    rows = [
        row("Coffee", 1, 5.0, 5.0),
        row("Coffee", 1, 5.0, 5.0),
        row("Cake", 2, 2.5, 5.0),
        row("Coffee", 1, 5.0, 5.0),
    ]
    fields = grounded({"lines": list(rows)}, ROWS, page)
    for number in range(4):
        for column, start, end in (("qty", 12, 13), ("price", 18, 22), ("amount", 26, 30)):
            assert_at(fields[f"/lines/{number}/{column}"], number + 1, start, end)


def test_wrapped_rows_keep_their_own_cells() -> None:
    """A description of three lines belongs to the row it began in."""
    page = page_of(
        "Chair with a very   1   10.00   10.00", "long", "name", "Table               2   10.00   20.00",
        "Chair with a very   3   10.00   30.00", "long", "name",
    )  # fmt: skip
    text = "Chair with a very long name"
    fields = grounded({"lines": [row(text, 1, 10, 10), row("Table", 2, 10, 20), row(text, 3, 10, 30)]}, ROWS, page)
    assert box_of(fields["/lines/0/text"]).y0 == pytest.approx(2 * LINE, abs=1e-3)
    assert box_of(fields["/lines/2/text"]).y0 == pytest.approx(6 * LINE, abs=1e-3)
    assert [entry.box_check for entry in fields.values()] == [BoxCheck.MATCH] * len(fields)


def test_a_number_far_from_its_row_is_no_source() -> None:
    """The figure of another row label is not this row's."""
    page = page_of("Apples    3    1.00    3.00", "Pears     4    1.00    4.00", "", "", "", "", "", "Sum   77.00")
    fields = grounded({"lines": [row("Apples", 3, 1, 3), row("Pears", 4, 1, 77)]}, ROWS, page)
    assert fields["/lines/1/amount"].box_check is BoxCheck.NONE
    assert fields["/lines/1/qty"].box_check is BoxCheck.MATCH


def test_a_day_printed_once_serves_the_rows_below_it() -> None:
    """Statements print the day of several entries once."""
    schema = schema_of(entries=[{"day": {"type": "string", "format": "date"}, "amount": "number"}])
    page = page_of("2026-01-02", "  Rent   -800.00", "  Power  -60.00", "2026-01-03", "  Food   -20.00")
    days = ["2026-01-02", "2026-01-02", "2026-01-03"]
    values: JsonObject = {
        "entries": [{"day": d, "amount": a} for d, a in zip(days, (-800.0, -60.0, -20.0), strict=True)]
    }
    fields = grounded(values, schema, page)
    assert [round(box_of(fields[f"/entries/{n}/day"]).y0 / LINE) for n in range(3)] == [2, 2, 5]


def test_a_list_of_words_is_found_in_order() -> None:
    """Equal members have places of their own."""
    fields = grounded({"tags": ["red", "blue", "red"]}, schema_of(tags=["string"]), page_of("red", "blue", "red"))
    assert [round(box_of(fields[f"/tags/{n}"]).y0 / LINE) for n in range(3)] == [2, 3, 4]


def test_a_table_of_two_thousand_rows_is_found_row_by_row() -> None:
    """Forty pages of rows that mostly repeat each other."""
    count, per_page = 2000, 50
    rows = [row(f"Item {n % 50}", n % 7 + 1, n % 11 + 0.5, (n % 7 + 1) * (n % 11 + 0.5)) for n in range(count)]
    texts = [f"{r['text']:<12} {r['qty']:>4} {r['price']:>8.2f} {r['amount']:>10.2f}" for r in rows]
    pages = [page_of(*texts[n : n + per_page], page=1 + n // per_page) for n in range(0, count, per_page)]
    fields = grounded({"lines": list(rows)}, ROWS, *pages)
    for number in range(count):
        for column in rows[0]:
            place = fields[f"/lines/{number}/{column}"].location
            assert place is not None
            assert place.page == 1 + number // per_page
            assert round(place.coordinates[0].y / LINE) == 2 + number % per_page


def located(value: Scalar, box: Box, *lines: str, kind: str = "string") -> FieldEntry:
    """The entry of a value for which the model gave a box on a page of these lines."""
    schema = schema_of(field=kind)
    given = extraction_of({"field": value}, (1,), {"/field": (1, box)})
    return ground(given, schema, {1: page_of(*lines)}).fields["/field"]


def test_a_right_box_of_the_model_stays() -> None:
    """It is checked and called a match; its printed text is added."""
    box = line_box(1, 4, 9)
    entry = located("Alpha", box, "Alpha one", "two Alpha")
    assert (entry.box_check, entry.origin, entry.confidence) == (BoxCheck.MATCH, Origin.MODEL, Confidence.HIGH)
    assert entry.raw == "Alpha"
    assert entry.location is not None
    assert entry.location.coordinates == box.quad()


def test_a_box_around_the_whole_table_is_narrowed_to_the_value() -> None:
    """Vendors give every cell the box of its table."""
    entry = located(7.25, Box(0, 0, 1, 1), "Item 3.50", "Item 7.25", kind="number")
    assert_at(entry, 1, 5, 9)
    assert (entry.box_check, entry.origin) == (BoxCheck.MATCH, Origin.GROUNDED)


def test_a_wrong_box_is_replaced_by_the_place_of_the_words() -> None:
    """The text under the box is another one."""
    entry = located("Alpha", line_box(0, 0, 4), "Beta", "", "Alpha")
    assert_at(entry, 2, 0, 5)
    assert (entry.box_check, entry.origin) == (BoxCheck.MATCH, Origin.GROUNDED)


def test_a_box_over_other_words_is_told_and_not_sure() -> None:
    """The value stands nowhere: the model's place is kept for the reviewer, with the verdict of the check."""
    entry = located("Alpha", line_box(0, 0, 4), "Beta", "Gamma")
    assert (entry.box_check, entry.confidence) == (BoxCheck.NONE, Confidence.LOW)
    assert entry.location is not None


def test_a_box_over_a_misread_word_is_partly_right() -> None:
    """The place is right, the reading is not."""
    entry = located("Rotterdam", line_box(0, 0, 9), "Rotterdarn")
    assert (entry.box_check, entry.confidence) == (BoxCheck.PARTIAL, Confidence.LOW)


def test_one_box_given_to_two_equal_rows_is_taken_apart() -> None:
    """Vendors resolve a repeated text to its first place."""
    box = line_box(0, 0, 6)
    schema = schema_of(lines=[{"text": "string", "amount": "number"}])
    values: JsonObject = {"lines": [{"text": "Coffee", "amount": 5.0}, {"text": "Coffee", "amount": 6.0}]}
    given = extraction_of(values, (1,), {"/lines/0/text": (1, box), "/lines/1/text": (1, box)})
    fields = ground(given, schema, {1: page_of("Coffee  5.00", "Coffee  6.00")}).fields
    assert_at(fields["/lines/0/text"], 0, 0, 6)
    assert_at(fields["/lines/1/text"], 1, 0, 6)


def with_mark(checked: bool, value: bool, *, located_: bool = True, label: str = "signed") -> FieldEntry:
    """The entry of a yes or no over a check box."""
    box = line_box(0, 0, 2)
    page = page_of(f"    {label}   2026-01-01")
    page = PageText(size=page.size, source=page.source, words=page.words, marks=(CheckMark(box, checked),))
    given = extraction_of({"signed": value}, (1,), {"/signed": (1, box)} if located_ else None)
    return ground(given, schema_of(signed="boolean"), {1: page}).fields["/signed"]


def test_a_yes_or_no_needs_evidence_of_its_own() -> None:
    """A date beside it proves nothing: only its own place, and a check box there agrees or not."""
    assert with_mark(True, True).box_check is BoxCheck.MATCH
    assert with_mark(True, True).confidence is Confidence.HIGH
    assert (with_mark(False, True).box_check, with_mark(False, True).confidence) == (BoxCheck.NONE, Confidence.LOW)


def test_a_yes_or_no_without_a_place_is_that_of_the_check_box_with_its_label() -> None:
    """It is sure only where the box shows the same; a box with another label says nothing."""
    found_ = with_mark(True, True, located_=False)
    assert (found_.box_check, found_.confidence, found_.origin) == (BoxCheck.MATCH, Confidence.HIGH, Origin.GROUNDED)
    assert_at(found_, 0, 0, 2)
    other = with_mark(False, True, located_=False)
    assert (other.box_check, other.confidence) == (BoxCheck.NONE, Confidence.LOW)
    foreign = with_mark(True, True, located_=False, label="delivered")
    assert (foreign.location, foreign.confidence) == (None, Confidence.LOW)


def test_each_of_several_yes_or_no_fields_has_a_check_box_of_its_own() -> None:
    """Labels stand on either side; the description names them."""
    line = "    Partnership        Trust/estate        C Corporation"
    boxes = [line_box(0, at, at + 2) for at in (0, 19, 39)]
    page = replace(page_of(line), marks=tuple(CheckMark(box, n == 1) for n, box in enumerate(boxes)))
    told = {"corp": "C Corporation", "trust": "Trust/estate", "partners": "Partnership"}
    schema = schema_of(**{n: {"type": "boolean", "description": f"Whether '{t}' is ticked."} for n, t in told.items()})
    fields = grounded({"corp": False, "trust": True, "partners": False}, schema, page)
    assert {entry.box_check for entry in fields.values()} == {BoxCheck.MATCH}
    assert [box_of(fields[f"/{name}"]).x0 for name in ("partners", "trust", "corp")] == [box.x0 for box in boxes]


@pytest.mark.parametrize(
    ("line", "page", "confidence"),
    [(0, 1, Confidence.HIGH), (1, 1, Confidence.LOW), (0, 2, Confidence.LOW)],
    ids=["over words", "over nothing", "on a page without words"],
)
def test_a_yes_or_no_is_sure_only_where_something_is_printed(line: int, page: int, confidence: Confidence) -> None:
    """Without a check box its words are the evidence; an empty place is none."""
    blank = PageText(size=PageSize(2, 100, 140), source=TextSource.OCR)
    given = extraction_of({"signed": True}, (1, 2), {"/signed": (page, line_box(line, 0, 6))})
    entry = ground(given, schema_of(signed="boolean"), {1: page_of("signed", ""), 2: blank}).fields["/signed"]
    assert entry.confidence is confidence


def test_doubled_letters_of_false_bold_do_not_hide_a_word() -> None:
    """Two words at one place, as old PDF writers print bold, are found once."""
    word = Word("Total", line_box(0, 0, 5), 0)
    page = PageText(
        size=PageSize(1, 100, 140), source=TextSource.DIGITAL, words=(word, word, Word("5", line_box(0, 8, 9), 0))
    )
    given = extraction_of({"field": "Total"})
    assert ground(given, schema_of(field="string"), {1: page}).fields["/field"].box_check is BoxCheck.MATCH


def test_word_boxes_lie_inside_the_value_s_box() -> None:
    """One polygon a word, clockwise from the top-left corner, and the box around them all."""
    entry = found("Blue Door Ltd", "string", "by Blue Door Ltd")
    assert entry.location is not None
    words = [quad_box(quad) for quad in entry.location.word_coordinates]
    assert len(words) == 3
    assert union_box(words) == box_of(entry)
    assert entry.location.coordinates[0] == Point(round(0.03, 4), round(2 * LINE, 4))


def test_nested_objects_and_rows_of_rows_are_grounded_too() -> None:
    """Every leaf has its entry before and after."""
    schema = parse_schema({
        "type": "object", "properties": {
            "buyer": {"type": "object", "properties": {"name": {"type": "string"}}},
            "groups": {"type": "array", "items": {"type": "object", "properties": {
                "name": {"type": "string"}, "parts": {"type": "array", "items": {"type": "string"}}}}},
        },
    })  # fmt: skip
    values: JsonObject = {"buyer": {"name": "Alpha"}, "groups": [{"name": "One", "parts": ["x1", "x2"]}]}
    given: Extraction = extraction_of(values)
    after = ground(given, schema, {1: page_of("Alpha", "One x1 x2")})
    assert after.fields.keys() == given.fields.keys()
    assert {entry.box_check for entry in after.fields.values()} == {BoxCheck.MATCH}
