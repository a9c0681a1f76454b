"""Kinds of documents with a layout of their own: captions under lines, crossings, sentences, lists, answers to tick."""

from __future__ import annotations

from service.domain.records import Json
from tests.unit.embedded.asking import DATE, NUMBER, TEXT, ask
from tests.unit.embedded.laid_out import rows


def test_labels_under_the_lines_that_are_written_on():
    """What stands over a label is its value where all labels stand so, the next line's value is not."""
    cells = ["Bartok", "Ilona", "3 Mill Lane", "LE2 3QB", "0116 496 0233", "i.bartok@example.org"]
    labels = ["Surname", "First name", "Address", "Postcode", "Telephone", "E-mail"]
    pieces: list[tuple[float, float, str]] = [(60, 60, "APPLICATION")]
    for pair in range(3):
        top = 100 + 40 * pair
        pieces += rows((60, 320), top, 12, [cells[2 * pair : 2 * pair + 2], labels[2 * pair : 2 * pair + 2]])
    found = ask({"last_name": TEXT, "forename": TEXT, "postcode": TEXT, "phone": TEXT}, pieces)
    assert found == {"last_name": "Bartok", "forename": "Ilona", "postcode": "LE2 3QB", "phone": "0116 496 0233"}


def test_a_cell_that_its_row_and_its_column_name_together():
    """`federal_ytd` is neither the row's first number nor the column's."""
    table = [["Deductions", "This Period", "YTD"], ["Federal Withholding", "212.54", "1,863.22"],
             ["Medicare", "30.82", "270.17"]]  # fmt: skip
    assert ask({"medicare_ytd": NUMBER, "federal_ytd": NUMBER}, rows((60, 260, 360), 100, 14, table)) == {
        "medicare_ytd": 270.17,
        "federal_ytd": 1863.22,
    }


def test_numbers_and_dates_that_sentences_tell():
    """By the words around them; the number of a section is none."""
    pieces = [
        (60, 100, "3. Salary"),
        (60, 114, "Your salary is £34,500 per annum and will be paid on the last day of each month."),
        (60, 128, "Your employment will begin on 1 September 2025 and may be ended by either party."),
    ]
    found = ask({"annual_salary": NUMBER, "employment_begin": DATE}, pieces)
    assert found == {"annual_salary": 34500, "employment_begin": "2025-09-01"}


def test_a_party_is_found_by_the_role_that_it_is_given():
    """In brackets behind its name, or as the one that is called so hereafter."""
    pieces = [
        (60, 100, 'This lease is made between Harriet Lowe ("Landlord") and Samuel Ortiz ("Tenant") in writing.'),
        (60, 128, "The tenant takes care of the garden and keeps the paths free of snow and leaves."),
    ]
    assert ask({"landlord": TEXT, "tenant": TEXT}, pieces) == {"landlord": "Harriet Lowe", "tenant": "Samuel Ortiz"}


def test_letters_that_fold_into_two_move_no_name():
    """The words before `nachfolgend` are the name, however many `ß` stand before them."""
    pieces = [
        (60, 100, "Zwischen der Vermieterin in der Großen Straße, 10115 Dunstheim, und den übrigen Beteiligten,"),
        (60, 114, "und Herrn Ilja Morgenroth, wohnhaft in Asthausen, nachfolgend Mieter genannt, gilt das Folgende."),
    ]
    assert ask({"mieter": TEXT}, pieces) == {"mieter": "Ilja Morgenroth"}


def test_lists_under_a_heading_and_behind_a_colon():
    """Indented lines are values each, and so is what commas part."""
    pieces = [
        (60, 100, "Skills"), (90, 114, "• Welding"), (90, 128, "• Forklift"), (90, 142, "• First aid"),
        (60, 180, "Keywords: dune grass, salinity, inundation and Growth"),
    ]  # fmt: skip
    texts: Json = {"type": "array", "items": {"type": "string"}}
    assert ask({"skills": texts, "keywords": texts}, pieces) == {
        "skills": ["Welding", "Forklift", "First aid"],
        "keywords": ["dune grass", "salinity", "inundation", "Growth"],
    }


def test_names_that_are_joined_of_two_stay_whole():
    """An `&` or an `and` in one name parts no list; commas do."""
    pieces = [(60, 100, "Suppliers: Smith & Sons, Baker & Lowe"), (60, 140, "Sponsors: Fennel and Rye")]
    texts: Json = {"type": "array", "items": {"type": "string"}}
    assert ask({"suppliers": texts, "sponsors": texts}, pieces) == {
        "suppliers": ["Smith & Sons", "Baker & Lowe"],
        "sponsors": ["Fennel and Rye"],
    }


def test_only_an_office_is_cut_from_a_name():
    """Neither the first name behind a double surname nor what a product is made of."""
    pieces = rows((60, 240), 100, 16, [["Contact", "Ann Lee, Head of Sales"], ["Patient", "García López, María"],
                                       ["Product name", "Rye loaf, sliced"]])  # fmt: skip
    assert ask({"contact": TEXT, "patient": TEXT, "product_name": TEXT}, pieces) == {
        "contact": "Ann Lee",
        "patient": "García López, María",
        "product_name": "Rye loaf, sliced",
    }


def test_an_enum_whose_members_are_printed_with_boxes_needs_no_label():
    """The ticked one is meant, though the question is worded otherwise; yes and no may stand under the question."""
    pieces = [
        (60, 100, "Wie oft besuchen Sie uns?"),
        (60, 114, "☐ täglich ☒ wöchentlich ☐ monatlich"),
        (60, 150, "Haben Sie unsere App installiert?"),
        (60, 164, "☐ Ja ☒ Nein"),
    ]
    members: Json = {"type": "string", "enum": ["täglich", "wöchentlich", "monatlich"]}
    found = ask({"besuche": members, "app_installiert": {"type": "boolean"}}, pieces)
    assert found == {"besuche": "wöchentlich", "app_installiert": False}


def test_abbreviations_and_what_they_stand_for():
    """A field may be named by either."""
    pieces = rows((60, 240), 100, 16, [["Social security number", "512-55-0149"], ["PNR", "Q7KXLM"]])
    assert ask({"ssn": TEXT, "booking_reference": TEXT}, pieces) == {
        "ssn": "512-55-0149",
        "booking_reference": "Q7KXLM",
    }


def test_three_digits_behind_a_point_are_decimals_where_a_zero_stands_before_one():
    """`0.650` shows what `1.300` means."""
    pieces = rows((60, 240), 100, 16, [["Net weight", "1.300"], ["Tare weight", "0.650"]])
    assert ask({"net_weight": NUMBER}, pieces) == {"net_weight": 1.3}


def test_whom_a_letter_addresses_and_who_heads_it():
    """Without a label: an insurer by its name at the top, a patient by the title before the name."""
    pieces = [
        (60, 60, "Fernwood Mutual Insurance Company"),
        (60, 120, "Frau Katharina Ebner"),
        (60, 134, "Ringweg 4"),
        (60, 180, "Ihr Arzt hat uns eine Rechnung geschickt."),
    ]
    found = ask({"insurer": TEXT, "patient": TEXT}, pieces)
    assert found == {"insurer": "Fernwood Mutual Insurance Company", "patient": "Katharina Ebner"}


def test_a_statement_without_years_and_with_the_balance_carried_forward():
    """The line that only carries a balance is no row; a day without its year is told as it stands; one period."""
    table = [["Datum", "Text", "Betrag", "Saldo"], ["01.03.", "Saldovortrag", "", "4'218.55"],
             ["04.03.", "Miete", "-1'650.00", "2'568.55"], ["25.03.", "Lohn", "5'480.20", "8'048.75"]]  # fmt: skip
    pieces = [(60, 60, "Kontoauszug 01.03.2025 – 31.03.2025"), *rows((60, 130, 330, 450), 100, 14, table)]
    cells: Json = {"datum": TEXT, "text": TEXT, "betrag": NUMBER}
    listed: Json = {"type": "array", "items": {"type": "object", "properties": cells}}
    found = ask({"von": DATE, "bis": DATE, "buchungen": listed}, pieces)
    assert found == {
        "von": "2025-03-01",
        "bis": "2025-03-31",
        "buchungen": [
            {"datum": "04.03.", "text": "Miete", "betrag": -1650},
            {"datum": "25.03.", "text": "Lohn", "betrag": 5480.2},
        ],
    }


def test_amounts_as_india_and_scandinavia_print_them():
    """Lakhs with commas, thousands with blanks behind their currency."""
    pieces = rows((60, 240), 100, 16, [["Taxable value", "1,22,500.00"], ["Fare", "SEK 2 140"]])
    assert ask({"taxable_value": NUMBER, "fare": NUMBER}, pieces) == {"taxable_value": 122500, "fare": 2140}


def test_a_name_without_the_office_behind_it():
    """Nor a company with its place; a degree stays."""
    pieces = [
        (60, 100, "Authorized by: Corinne Abbott, Purchasing Agent"),
        (60, 120, "Applicant: Ashdown Labs, Inc., Salem (US)"),
        (60, 140, "Reviewed by: Raymond Tso, MD"),
    ]
    assert ask({"authorized_by": TEXT, "applicant": TEXT, "reviewed_by": TEXT}, pieces) == {
        "authorized_by": "Corinne Abbott",
        "applicant": "Ashdown Labs, Inc.",
        "reviewed_by": "Raymond Tso, MD",
    }


def test_not_every_heading_is_the_school_or_the_insurer():
    """Who heads a document is what is asked for only where the name or the text says so."""
    pieces = [(60, 60, "Tallow & Finch Trading Ltd"), (60, 80, "12 Dock Road, Hull HU1 2PE"), (60, 120, "Price list")]
    assert ask({"school": TEXT, "insurer": TEXT, "landlord": TEXT}, pieces) == {
        "school": None,
        "insurer": None,
        "landlord": None,
    }
