"""Values of documents that are no invoices, by their labels alone: beside, under, in boxes, over several lines."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from service.domain.geometry import Box
from service.domain.pages import PageText, TextSource, Word
from service.domain.records import JsonObject
from service.domain.schema import parse_schema
from service.embedded.model import EmbeddedModel
from tests.unit.embedded.asking import values_of
from tests.unit.embedded.laid_out import page

Piece = tuple[float, float, str]
KINDS = {"text": {"type": "string"}, "date": {"type": "string", "format": "date"}, "number": {"type": "number"}}


def read(form: PageText, **fields: tuple[str, str]) -> JsonObject:
    """The model's values for fields, each given by its kind and its description."""
    properties: JsonObject = {name: {**KINDS[kind], "description": told} for name, (kind, told) in fields.items()}
    return values_of({"type": "object", "properties": properties}, form)


BILL = {
    "customer_number": ("text", "Customer number", "Customer number", "7710 4432", "7710 4432"),
    "meter_number": ("text", "Number of the meter", "Meter number", "S 81K 20394", "S 81K 20394"),
    "tariff": ("text", "Name of the tariff", "Tariff", "Green Fixed", "Green Fixed"),
    "standing_charge": ("number", "Standing charge", "Standing charge", "£52.10", 52.1),
    "bill_date": ("date", "Date of the bill", "Bill date", "3 November 2026", "2026-11-03"),
    "due_date": ("date", "Date by which to pay", "Please pay by", "17 November 2026", "2026-11-17"),
    "previous_reading": ("number", "Previous meter reading", "Previous reading", "44,120", 44120.0),
    "current_reading": ("number", "Current meter reading", "Current reading", "45,002", 45002.0),
}


@pytest.mark.parametrize("seed", range(5))
def test_pairs_in_two_columns_in_any_order(seed: int) -> None:
    """A list of labels with their values far to the right; no label takes the value of its neighbour."""
    names = random.Random(seed).sample(sorted(BILL), len(BILL))
    pieces: list[Piece] = [(50, 40, "Glimmer Energy"), (50, 54, "Your bill")]
    for row, name in enumerate(names):
        pieces += [(50.0, 100.0 + 14 * row, BILL[name][2]), (300.0, 100.0 + 14 * row, BILL[name][3])]
    values = read(page(pieces), **{name: BILL[name][:2] for name in names})
    assert values == {name: BILL[name][4] for name in names}


def test_numbered_boxes_of_a_claim() -> None:
    """The number of a box belongs to its label; the next box is no value; dates and amounts in boxes have blanks."""
    form = page([
        (50, 40, "HEALTH INSURANCE CLAIM FORM"),
        (50, 70, "1. Insured’s ID number"), (300, 70, "2. Patient’s name (Last, First)"),
        (55, 82, "YHB 4471 902"), (305, 82, "Calloway, Ruth"),
        (50, 104, "3. Patient’s birth date"), (300, 104, "4. Insured’s name"),
        (55, 116, "08 14 1957"), (305, 116, "Calloway, Peter"),
        (50, 138, "5. Patient’s address"), (300, 138, "6. Relationship to insured"),
        (55, 150, "66 Quarry Lane"), (300, 150, "Spouse"),
        (50, 172, "7. Diagnosis"), (300, 172, "8. Date of current illness"),
        (55, 184, "J45.20"), (305, 184, "09 30 2026"),
        (50, 206, "9. Total charge"), (300, 206, "10. Amount paid"),
        (55, 218, "$ 412 00"), (305, 218, "$ 50 00"),
    ])  # fmt: skip
    assert read(
        form,
        insured_id=("text", "ID number of the insured"),
        patient_name=("text", "Name of the patient"),
        patient_birth_date=("date", "Date of birth of the patient"),
        patient_address=("text", "Address of the patient"),
        diagnosis=("text", "Diagnosis code"),
        illness_date=("date", "Date of the current illness"),
        total_charge=("number", "Total charge"),
        amount_paid=("number", "Amount paid"),
    ) == {
        "insured_id": "YHB 4471 902",
        "patient_name": "Calloway, Ruth",
        "patient_birth_date": "1957-08-14",
        "patient_address": "66 Quarry Lane",
        "diagnosis": "J45.20",
        "illness_date": "2026-09-30",
        "total_charge": 412.0,
        "amount_paid": 50.0,
    }


def test_labels_over_their_values() -> None:
    """Names are no dates, whatever else `last` and `first` mean; codes keep their blanks; ranges are texts."""
    form = page([
        (50, 70, "Last Name"), (220, 70, "First Name"), (400, 70, "Apt"),
        (50, 84, "Brannock"), (220, 84, "Delia"), (400, 84, "4B"),
        (50, 104, "NI Number"), (220, 104, "Tax Code"), (400, 104, "Account type"),
        (50, 118, "QQ 12 34 56 C"), (220, 118, "1257L"), (400, 118, "Current account"),
        (50, 138, "Manufacturer:"), (200, 138, "Vexa Instruments"),
        (50, 152, "Range:"), (200, 152, "0 to 10 bar"),
        (50, 166, "Authorized by: R. Ellery"),
    ])  # fmt: skip
    assert read(
        form,
        last_name=("text", "Last name"),
        first_name=("text", "First name"),
        apartment=("text", "Apartment"),
        ni_number=("text", "National insurance number"),
        tax_code=("text", "Tax code"),
        account_type=("text", "Type of account"),
        manufacturer=("text", "Manufacturer"),
        instrument_range=("text", "Range"),
        authorized_by=("text", "Who authorized it"),
    ) == {
        "last_name": "Brannock",
        "first_name": "Delia",
        "apartment": "4B",
        "ni_number": "QQ 12 34 56 C",
        "tax_code": "1257L",
        "account_type": "Current account",
        "manufacturer": "Vexa Instruments",
        "instrument_range": "0 to 10 bar",
        "authorized_by": "R. Ellery",
    }


def test_a_text_goes_on_in_the_lines_under_it() -> None:
    """As long as the lines are full; the value of the next label is not a part of it."""
    form = page([
        (50, 80, "Message:"), (120, 80, "The pump was taken apart and cleaned on both sides, then"),
        (120, 91, "put together again with new seals."),
        (50, 110, "Remarks:"), (120, 110, "Greta Gianforte of the Harbour Board (H7)"),
        (50, 121, "Agency:"), (120, 121, "Medium Buying"),
    ])  # fmt: skip
    assert read(form, message=("text", "Message"), remarks=("text", "Remarks"), agency=("text", "Agency")) == {
        "message": "The pump was taken apart and cleaned on both sides, then put together again with new seals.",
        "remarks": "Greta Gianforte of the Harbour Board (H7)",
        "agency": "Medium Buying",
    }


def test_a_quoted_label_is_the_one_that_is_printed_so() -> None:
    """Of several labels with the same letters the one with the quoted capitals and colon, with the value beside it."""
    form = page([
        (50, 40, "FAX TRANSMISSION"), (50, 80, "FAX NUMBER: 555-0101"),
        (50, 700, "Harbour Street 9 Tel 555-0142 Fax 555-0143"),
    ])  # fmt: skip
    told = 'The value written on the form for "{}".'
    values = read(form, tel=("text", told.format("Tel")), fax=("text", told.format("Fax")))
    assert values == {"tel": "555-0142", "fax": "555-0143"}


def test_short_forms_of_labels_and_values_of_unknown_form() -> None:
    """A description may give the printed label in brackets; an identifier need not have a form that is known."""
    form = page([
        (50, 70, "B/L Number"), (220, 70, "VIN"), (400, 70, "Steuer-ID"),
        (50, 84, "CPLU7781204"), (220, 84, "1C4RJFBG7LC123456"), (400, 84, "12 345 678 901"),
        (50, 104, "Place of birth"), (220, 104, "Date of birth"), (400, 104, "Interest rate"),
        (50, 118, "Carrow General Hospital"), (220, 118, "July 8, 2026"), (400, 118, "6.250%"),
    ])  # fmt: skip
    assert read(
        form,
        bill=("text", "Number of the bill of lading (B/L number)"),
        vehicle=("text", "Vehicle identification number (VIN)"),
        tax_id=("text", "Steuer-ID"),
        place_of_birth=("text", "Place of birth"),
        birth_date=("date", "Date of birth"),
        interest_rate=("number", "Interest rate in percent"),
    ) == {
        "bill": "CPLU7781204",
        "vehicle": "1C4RJFBG7LC123456",
        "tax_id": "12 345 678 901",
        "place_of_birth": "Carrow General Hospital",
        "birth_date": "2026-07-08",
        "interest_rate": 6.25,
    }


@pytest.mark.parametrize(
    ("line", "fields"),
    [
        ("Widget number: L-17", {"customer_number": "Number of the customer", "person_number": "Number of the person"}),
        ("Widget date: 2026-03-04", {"phone": "Telephone", "fax": "Fax number"}),
    ],
)
def test_what_is_labelled_as_something_else_fills_nothing(line: str, fields: dict[str, str]) -> None:
    """Words that say whose a thing is are what tells it from others; a date is no telephone."""
    form = page([(50, 40, line)])
    assert read(form, **{name: ("text", told) for name, told in fields.items()}) == dict.fromkeys(fields)


def test_digits_in_boxes_of_their_own_are_one_number() -> None:
    """A number that is written into the boxes of a form, in groups, is read whole; digits of a table are not joined."""
    member = [(60.0 + 12 * i + 22 * (i > 2) + 22 * (i > 4), 114.0, digit) for i, digit in enumerate("412907735")]
    company = [(330.0 + 12 * i + 24 * (i > 1), 114.0, digit) for i, digit in enumerate("853310427")]
    scores = [(60.0 + 60 * i, 300.0, digit) for i, digit in enumerate("12345")]
    text = page(
        [(60, 100, "Member number"), (330, 100, "Company number"), *member, *company, (20, 300, "Marks"), *scores]
    )
    found = read(text, member_number=("text", "Member number"), company_number=("text", "Company number"))
    assert found == {"member_number": "412907735", "company_number": "853310427"}


@pytest.mark.parametrize("left", [40.0, 64.0])
def test_an_amount_stands_at_the_far_edge_of_its_box_behind_the_currency(left: float) -> None:
    """The sign of a currency opens a box, the amount closes it."""
    text = page([
        (60, 100, "3 Rent received"), (230, 100, "4 Tax kept back"),
        (60, 114, "$"), (left + 60, 114, "1,250"), (230, 114, "$"), (left + 240, 114, "75"),
    ])  # fmt: skip
    found = read(text, rent=("number", "Box 3: rent received"), tax=("number", "Box 4: tax kept back"))
    assert found == {"rent": 1250.0, "tax": 75.0}


def test_a_scanned_value_that_touches_its_label_comes_off_it() -> None:
    """What is typed right behind a printed label in capitals is read as one word with it."""
    text = page(
        [(60, 100, "STARTING DATEOctober 27, 2026"), (60, 120, "NAME OF THE WORKSHarbour wall")], source=TextSource.OCR
    )
    found = read(
        text, starts=("text", 'Written behind "STARTING DATE"'), works=("text", 'Written behind "NAME OF THE WORKS"')
    )
    assert found == {"starts": "October 27, 2026", "works": "Harbour wall"}


def test_the_code_of_a_company_is_no_name() -> None:
    """A field that asks for the code of somebody takes the code beside its label."""
    text = page([(60, 100, "Supplier code (if any)"), (220, 100, "3"), (60, 130, "Fennel & Rye LLC")])
    assert read(text, SupplierCode=("text", "Line 4: supplier code.")) == {"SupplierCode": "3"}


def test_all_lines_that_are_written_beside_a_quoted_label_are_its_value() -> None:
    """Down to the next label, and not those of another column."""
    text = page([
        (60, 100, "CC:"), (120, 100, "Anna Quarry"), (300, 100, "Region: North"),
        (120, 112, "Ben Fellow"), (300, 112, "Route: 7"),
        (120, 124, "Cleo Rand"),
        (60, 150, "RE:"), (120, 150, "Harbour wall"),
        (60, 164, "Copies:"), (120, 164, "three"),
    ])  # fmt: skip
    found = read(text, cc=("text", 'Written behind "CC:"'), subject=("text", 'Written behind "RE:"'))
    assert found == {"cc": "Anna Quarry Ben Fellow Cleo Rand", "subject": "Harbour wall"}


@pytest.mark.parametrize("printed", ["OATE WANTEO", "DATE WANTED", "0ATE WANTED"])
def test_a_quoted_label_is_known_by_the_shape_of_its_letters(printed: str) -> None:
    """Optical reading takes D, O and 0 for each other."""
    text = page([(60, 100, printed), (60, 114, "As soon as may be"), (300, 100, "ORDER NO.")], source=TextSource.OCR)
    assert read(text, wanted=("text", 'Written under "DATE WANTED"')) == {"wanted": "As soon as may be"}


def test_a_stamp_that_runs_up_the_margin_is_no_value() -> None:
    """It stands beside some label and belongs to none."""
    form = page([(60, 100, "FORMS BROUGHT UP TO DATE BY:"), (80, 126, "Wayne Osier")], source=TextSource.OCR)
    stamp = Word("2051119008", Box(0.92, 0.09, 0.945, 0.2), line=99, size=10.0)
    found = read(replace(form, words=(*form.words, stamp)), by=("text", 'Written at "FORMS BROUGHT UP TO DATE BY:"'))
    assert found == {"by": "Wayne Osier"}


def test_several_values_under_a_label_that_has_another_beside_it() -> None:
    """The label on the right does not end what stands under the one on the left."""
    text = page([(60, 100, "SHIPPED TO"), (330, 100, "DATE WANTED"), (60, 114, "Fennel Mill"), (60, 128, "Rye Works")])
    schema: JsonObject = {
        "type": "object",
        "properties": {
            "to": {"type": "array", "items": {"type": "string"}, "description": 'Values written under "SHIPPED TO".'},
            "date": {"type": "string", "description": 'Value written under "DATE WANTED".'},
        },
    }
    assert EmbeddedModel().extract(parse_schema(schema), [text]).values["to"] == ["Fennel Mill", "Rye Works"]
