"""Values printed as parts of one, told by their unit, asked for by questions, or answered in other words."""

from __future__ import annotations

import pytest

from service.domain.records import Json
from service.domain.schema import parse_schema
from service.embedded.anchors.matching import Labels
from service.embedded.asked.plan import plan_of
from service.embedded.page.lines import build_layout
from service.embedded.words.labels import are_kin
from tests.unit.embedded.asking import DATE, NUMBER, TEXT, ask
from tests.unit.embedded.laid_out import page, rows

BOOLEAN: Json = {"type": "boolean"}


def enum(*members: str) -> Json:
    """A field with these answers."""
    return {"type": "string", "enum": list(members)}


@pytest.mark.parametrize("printed", ["-15 ... 45 °C", "-15 – 45 °C", "-15 to 45 °C", "-15 °C bis 45 °C"])
def test_the_ends_of_a_range(printed: str):
    """Whatever stands between them, and with the sign of the first."""
    pieces = rows((60, 150), 100, 16, (("Storage temperature", printed), ("Weight", "12 kg"), ("Colour", "green")))
    found = ask({"storage_temperature_min": NUMBER, "storage_temperature_max": NUMBER, "colour": TEXT}, pieces)
    assert found == {"storage_temperature_min": -15, "storage_temperature_max": 45, "colour": "green"}


def test_two_days_under_one_label_are_the_first_and_the_last():
    """Neither field's name is a word that is known to mean one end."""
    pieces = rows((60, 220), 100, 16, (("Hoarding permit", "QR-7711"), ("Hoarding", "04.03.2024 - 09.06.2024")))
    found = ask({"hoarding_alkaen": DATE, "hoarding_asti": DATE, "hoarding_permit": TEXT}, pieces)
    assert found["hoarding_alkaen"] == "2024-03-04"
    assert found["hoarding_asti"] == "2024-06-09"


@pytest.mark.parametrize(
    ("label", "printed"),
    [
        ("Size (W x H x D)", "80 x 120 x 45 cm"),
        ("Maße (B x H x T)", "80 × 120 × 45 cm"),
        ("Dimensions", "80 x 120 x 45 cm"),
    ],
)
def test_the_sides_of_a_size(label: str, printed: str):
    """By the letters of the label, or as the schema has them."""
    pieces = rows((60, 150), 100, 16, (("Brand", "Shelf Aurel"), (label, printed), ("Made in", "Norway")))
    found = ask({"brand": TEXT, "width_cm": NUMBER, "height_cm": NUMBER, "depth_cm": NUMBER}, pieces)
    assert found == {"brand": "Shelf Aurel", "width_cm": 80, "height_cm": 120, "depth_cm": 45}


def test_the_letters_of_a_size_go_before_the_order_of_the_schema():
    """A schema that has the width first does not make the first number one."""
    pieces = rows((60, 150), 100, 16, (("Brand", "Shelf Aurel"), ("Size (H x W)", "120 x 80 cm")))
    assert ask({"width": NUMBER, "height": NUMBER}, pieces) == {"width": 80, "height": 120}


def test_numbers_with_a_times_between_them_are_no_size_unless_something_says_so():
    """Neither a unit nor a word of a size is there: it may be a pack."""
    pieces = rows((60, 150), 100, 16, (("Brand", "Shelf Aurel"), ("Pack", "6x33"), ("Made in", "Norway")))
    assert ask({"width": NUMBER, "height": NUMBER}, pieces) == {"width": None, "height": None}


def test_a_label_that_names_two_things_has_a_value_of_two_parts():
    """The next label on the line is no value."""
    pieces = [
        (60, 100, "Vessel / Voyage"), (320, 100, "Agent"), (60, 114, "MV Dunlin / 418W"), (320, 114, "Harrow Ltd"),
        (60, 140, "Born on and in: 04.05.1971 Birkwell"),
    ]  # fmt: skip
    found = ask({"vessel": TEXT, "voyage": TEXT, "agent": TEXT}, pieces)
    assert found == {"vessel": "MV Dunlin", "voyage": "418W", "agent": "Harrow Ltd"}


def test_a_number_is_told_by_its_unit():
    """`Power` is not what it is called on the page, and the first number at the label has another unit."""
    pieces = rows(
        (60, 150), 100, 16, (("Type", "QX 750"), ("Yearly draw", "189 kWh"), ("Mains", "230 V / 50 Hz"))
    )  # fmt: skip
    found = ask({"type": TEXT, "electricity_kwh": NUMBER, "mains_hz": NUMBER, "mains_v": NUMBER}, pieces)
    assert found == {"type": "QX 750", "electricity_kwh": 189, "mains_hz": 50, "mains_v": 230}


def test_a_unit_alone_is_no_label():
    """The only number in months stands at another label, and two fields ask for months."""
    pieces = rows((60, 150), 100, 16, (("Customer", "Ottoline Marsh"), ("Notice", "3 months")))
    found = ask({"customer": TEXT, "warranty_months": NUMBER, "notice_months": NUMBER}, pieces)
    assert found == {"customer": "Ottoline Marsh", "warranty_months": None, "notice_months": 3}


@pytest.mark.parametrize("name", ["due_by", "payment_due_by"])
def test_by_when_is_no_question_for_who(name: str):
    """The day is found under another label that means it."""
    pieces = rows((60, 220), 100, 16, (("Invoice no.", "QR-7711"), ("Due date", "18.03.2024"), ("Total", "80.00")))
    assert ask({name: TEXT, "invoice_number": TEXT}, pieces) == {name: "18.03.2024", "invoice_number": "QR-7711"}


def test_from_when_is_no_question_for_who():
    """The word that names who did something names the first day of a period, too."""
    pieces = rows((60, 220), 100, 16, (("Rechnungsnr.", "QR-7711"), ("Zeitraum", "04.03.2024 - 09.06.2024")))
    found = ask({"zeitraum_von": TEXT, "zeitraum_bis": TEXT}, pieces)
    assert found == {"zeitraum_von": "04.03.2024", "zeitraum_bis": "09.06.2024"}


def test_a_question_is_the_label_of_its_answer():
    """The numbers of the question are none."""
    pieces = [
        (60, 100, "Who is your family dentist?"), (60, 114, "Ottoline Marsh"),
        (60, 240, "On a scale of 0 to 10, how strong is the dizziness? 4"),
    ]  # fmt: skip
    assert ask({"dentist": TEXT, "dizziness": NUMBER}, pieces) == {"dentist": "Ottoline Marsh", "dizziness": 4}


def test_a_label_goes_on_up_to_its_colon():
    """The next line, with a label of its own, is no answer to it."""
    pieces = [
        (60, 100, "Weaknesses told by the client: Leaks at the seam"),
        (60, 116, "The client allows repairs up to: 420.00"),
    ]
    assert ask({"weaknesses": TEXT}, pieces) == {"weaknesses": "Leaks at the seam"}


def test_words_beside_check_boxes_are_no_text():
    """They are answers to choose from."""
    pieces = [(60, 100, "Fragile cargo: [ ] Yes [x] No")]
    assert ask({"cargo": TEXT}, pieces) == {"cargo": None}


def test_a_dash_for_nothing_is_no_minus():
    """It stands where a unit would; behind an amount it is one."""
    pieces = rows((60, 200, 240, 330), 100, 16, (("Acidity", "6.3", "-", "5.9"), ("Hardness", "12", "mg", "20")))
    assert ask({"acidity": NUMBER}, pieces) == {"acidity": 6.3}


@pytest.mark.parametrize(
    ("members", "printed", "means"),
    [
        (("wire", "check"), "Wire transfer", "wire"),
        (("F", "M"), "Feminino", "F"),
        (("female", "male"), "F", "female"),
        (("approved", "declined"), "Approval", "approved"),
    ],
)
def test_an_answer_in_other_words(members: tuple[str, ...], printed: str, means: str):
    """By a word of the answer, by an initial either way, or by a kindred word."""
    pieces = rows((60, 150), 100, 16, (("Capacity", printed), ("Reference", "QX-750")))
    assert ask({"capacity": enum(*members)}, pieces) == {"capacity": means}


def test_a_word_is_no_grade_of_a_scale_of_letters():
    """Its first letter means nothing there."""
    pieces = rows((60, 150), 100, 16, (("Student", "Ottoline Marsh"), ("Grade", "Excellent")))
    assert ask({"grade": enum("A", "B", "C", "D", "E", "F")}, pieces) == {"grade": None}


def test_an_answer_that_denies_a_member_is_not_it():
    """A word of it alone would tell the opposite."""
    pieces = rows((60, 150), 100, 16, (("Priority", "not urgent"), ("Reference", "QX-750")))
    assert ask({"priority": enum("urgent", "routine")}, pieces) == {"priority": None}


def test_a_scale_is_answered_by_the_place_of_the_tick():
    """The schema counts the answers that the page words."""
    pieces = [(60, 100, "How do you like our service?"), (60, 116, "[ ] Poor [x] Fair [ ] Good [ ] Superb")]
    assert ask({"service": enum("1", "2", "3", "4")}, pieces) == {"service": "2"}


def test_ticked_answers_that_hold_the_members_in_other_words():
    """The field's word stands in each of them and is the label of none."""
    pieces = [(60, 100, "[x] School packed lunch [ ] Bringing own lunch")]
    assert ask({"lunch": enum("school", "own")}, pieces) == {"lunch": "school"}


def test_a_name_that_holds_the_fields_word():
    """It is no label of what stands under it; a title of such words is no name."""
    pieces = [(60, 60, "Stonebridge Primary School"), (60, 80, "Visit to the harbour"), (60, 110, "Pupil: Clara Marsh")]
    assert ask({"school": TEXT, "pupil": TEXT}, pieces) == {
        "school": "Stonebridge Primary School",
        "pupil": "Clara Marsh",
    }


def test_words_of_one_stem_are_kin_but_not_who_gives_and_who_takes():
    """Known words of the lexicon are compared by what they mean instead."""
    assert are_kin("smoke", "smoker")
    assert are_kin("zzertifikat", "zzertifikate")
    assert not are_kin("assignor", "assignee")
    assert not are_kin("operator", "operating")


def test_labels_in_a_line_of_thousands_of_words_are_found_in_linear_work():
    """Each label asks only those that share a word with it."""
    schema = parse_schema({"type": "object", "properties": {"total": NUMBER, "invoice_number": TEXT}})
    layout = build_layout([page([(0.0, 60.0, "Total: 1 Invoice number: 2 " * 2000)])])
    labels = Labels(layout, plan_of(schema).singles)
    most = max(len(labels.sharing(hit)) for ask_ in plan_of(schema).singles for hit in labels.of(ask_))
    assert 0 < most < 100
