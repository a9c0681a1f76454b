"""What a document does not say stays empty, whatever stands near."""

from __future__ import annotations

import pytest

from service.domain.pages import TextSource
from service.domain.records import JsonObject, Verdict
from tests.unit.embedded.asking import extract, values_of
from tests.unit.embedded.laid_out import page, rows

TERMED: JsonObject = {
    "type": "object",
    "properties": {
        "effective_date": {
            "type": "string",
            "format": "date",
            "description": "Date on which the agreement takes effect.",
        },
        "term": {"type": "string", "description": "How long the agreement lasts, for example '2 years'."},
    },
}
SILENT = (
    "Larkspur Mills, Inc. and its employee agree as follows. The employee has worked under the Supply Agreement, dated "
    "March 4, 2019 (the “Supply Agreement”), and has seen recipes of the mill. The employee shall keep them secret. "
    "Obligations under this section shall continue for two years following the termination of the employment. The "
    "employee shall not use what was learned for anything but the work. Every copy is returned on request. Nothing "
    "here gives a licence of any kind. If a part of it is void the rest stays in force. It binds those who follow the "
    "mill and may not be handed on to others without consent of the other side, which shall not be held back. No "
    "change is valid unless it is made in writing and signed by both, and to waive it once is not to waive it for good."
)


@pytest.mark.parametrize(
    ("own", "expected"),
    [
        ("", {"effective_date": None, "term": None}),
        (
            "This Agreement is dated as of May 6, 2021. This Agreement shall end and terminate three (3) years later. ",
            {"effective_date": "2021-05-06", "term": "3 years"},
        ),
    ],
)
def test_what_another_agreement_or_the_employment_says_is_not_taken(own: str, expected: JsonObject) -> None:
    """The date of an agreement that is referred to and what counts from the end of the work are no values."""
    words = (own + SILENT).split()
    lines = [" ".join(words[i : i + 14]) for i in range(0, len(words), 14)]
    assert values_of(TERMED, page([(60, 80 + 14 * i, line) for i, line in enumerate(lines)])) == expected


def test_what_a_form_prints_of_itself_is_no_value() -> None:
    """An empty box takes neither the form's edition nor the instruction beside it nor what stands in the box above."""
    properties: JsonObject = {
        "tax_number": {"type": "string", "description": "Line 5: tax number."},
        "reference_number": {"type": "string", "description": "Line 7: reference number."},
        "capacity": {"type": "string", "description": "Capacity in which the signer acts."},
    }
    form = page([
        (40, 100, "5 Tax number"), (40, 114, "123-45-6789"),
        (40, 128, "7 Reference number"),
        (40, 300, "Capacity in which acting"), (260, 300, "Cat. No. 25047Z"),
    ])  # fmt: skip
    found = values_of({"type": "object", "properties": properties}, form)
    assert found == {"tax_number": "123-45-6789", "reference_number": None, "capacity": None}


def test_the_days_of_a_table_are_no_date_of_the_document() -> None:
    """A label over a column of days is the header of rows."""
    schema: JsonObject = {
        "type": "object",
        "properties": {"date": {"type": "string", "format": "date", "description": "Date of issue."}},
    }
    days = tuple((f"{day:02}.11.2026", "Kreideweg 4", "20,00") for day in range(2, 12))
    table = rows((40, 200, 420), 100, 16, (("Date", "Stop", "Fare"), *days))
    assert values_of(schema, page(table)) == {"date": None}


@pytest.mark.parametrize(
    ("day", "expected"),
    [("May     , 2021", None), ("this ____ day of May, 2021", None), ("May 6, 2021", "2021-05-06")],
)
def test_the_day_of_signing_is_not_that_of_an_agreement_that_left_its_own_open(day: str, expected: str | None) -> None:
    """Where the sentence has a place for the day and nothing in it, the day beside a signature does not fill it."""
    words = f"This Agreement is made and entered into as of {day}, by and between the parties. {SILENT}".split()
    lines = [" ".join(words[i : i + 14]) for i in range(0, len(words), 14)]
    pieces = [(60.0, 80.0 + 14 * i, line) for i, line in enumerate(lines)]
    pieces.append((60.0, 120.0 + 14 * len(lines), "Dated: May 18, 2021"))
    assert values_of(TERMED, page(pieces))["effective_date"] == expected


def test_what_lasts_after_the_end_is_not_how_long_an_agreement_lasts() -> None:
    """A duty that survives the agreement by five years tells no term."""
    words = (
        f"{SILENT} This agreement and its duties continue in effect for five (5) years after such expiration.".split()
    )
    lines = [" ".join(words[i : i + 14]) for i in range(0, len(words), 14)]
    assert values_of(TERMED, page([(60.0, 80.0 + 14 * i, line) for i, line in enumerate(lines)]))["term"] is None


@pytest.mark.parametrize(
    ("head", "field"),
    [("Karl Repair Service Ltd", "airline"), ("Collaborative Works Ltd", "laboratory"), ("Gesamtbau Ltd", "authority")],
)
def test_words_inside_other_words_make_no_issuer_of_a_kind(head: str, field: str) -> None:
    """`Repair` is no airline, and a current account makes nobody a tenant."""
    schema: JsonObject = {"type": "object", "properties": {field: {"type": "string"}, "tenant": {"type": "string"}}}
    letter = page([
        (60, 60, head), (60, 74, "Mill Lane 12"), (60, 88, "LE2 3QB Dunstheim"),
        (60, 160, "Mr Jonas Ashdown"), (60, 174, "Elm Road 4"), (60, 188, "LE3 4QB Asthausen"),
        (60, 260, "Please pay into our current account, as your employer did."),
    ])  # fmt: skip
    assert values_of(schema, letter) == {field: None, "tenant": None}


@pytest.mark.parametrize(
    ("members", "lines"),
    [
        (["yes", "no"], ["Newsletter: ☒ yes ☐ no"]),
        (["good", "fair", "poor"], ["Staff: ☒ good ☐ fair ☐ poor", "Rooms: ☐ good ☐ fair ☒ poor"]),
    ],
)
def test_the_answer_to_another_question_is_not_taken(members: list[str], lines: list[str]) -> None:
    """Yes and no answer any question, and a scale that several lines are marked on tells nothing of another one."""
    schema: JsonObject = {
        "type": "object",
        "properties": {"garden_access": {"type": "string", "enum": [*members]}},
    }
    text = page([(60, 100 + 20 * i, line) for i, line in enumerate(lines)])
    assert values_of(schema, text) == {"garden_access": None}


@pytest.mark.parametrize(
    ("lines", "verdict"),
    [
        ([("Net amount:", "100.00"), ("Total:", "120.00")], Verdict.UNREADABLE),
        ([("Net amount:", "100.00"), ("Total:", "100.00")], Verdict.ABSENT),
        ([("Total:", "120.00")], Verdict.ABSENT),
    ],
)
def test_a_tax_that_the_amounts_leave_room_for_is_not_called_absent(
    lines: list[tuple[str, str]], verdict: Verdict
) -> None:
    """What lies between the net amount and the whole is there, though nothing names it."""
    schema: JsonObject = {
        "type": "object",
        "properties": {name: {"type": "number"} for name in ("net_amount", "vat_amount", "total_amount")},
    }
    head = [(60.0, 40.0, "Larkspur Mills Ltd"), (60.0, 60.0, "Invoice")]
    found = extract(schema, page([*head, *rows((60.0, 300.0), 100.0, 16.0, lines)]))
    entry = found.fields["/vat_amount"]
    assert (entry.value, entry.verdict) == (None, verdict)


@pytest.mark.parametrize(
    ("source", "verdict"), [(TextSource.OCR, Verdict.UNREADABLE), (TextSource.DIGITAL, Verdict.ABSENT)]
)
def test_a_scanned_paper_with_amounts_is_not_said_to_have_no_day(source: TextSource, verdict: Verdict) -> None:
    """It was misread rather than left out; where letters are certain, no day is no day."""
    asked: JsonObject = {"type": "object", "properties": {"date": {"type": "string", "format": "date"}}}
    text = page([(60, 40, "Larkspur Mills Ltd"), (60, 60, "Total"), (300, 60, "12.00")], source=source)
    entry = extract(asked, text).fields["/date"]
    assert (entry.value, entry.verdict) == (None, verdict)
