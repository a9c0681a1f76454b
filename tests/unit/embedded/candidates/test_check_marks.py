"""Check boxes, drawn or written, before or behind their words, and crosses in columns."""

from __future__ import annotations

import pytest

from service.domain.pages import CheckMark, PageText
from service.domain.records import Extraction, JsonObject
from service.domain.schema import parse_schema
from service.embedded.model import EmbeddedModel
from tests.unit.embedded.asking import extract
from tests.unit.embedded.laid_out import page, place

SCHEMA: JsonObject = {
    "type": "object",
    "properties": {
        "smoker": {"type": "boolean", "description": "Whether the applicant smokes (smoker)."},
        "insured": {"type": "boolean", "description": "Whether the applicant was insured before."},
        "status": {"type": "string", "enum": ["single", "married", "widowed"], "description": "Marital status."},
    },
}


def read(form: PageText) -> Extraction:
    """The model's answer."""
    return extract(SCHEMA, form)


@pytest.mark.parametrize(
    ("empty", "ticked"), [("☐", "☒"), ("[ ]", "[x]"), ("( )", "(X)"), ("□", "■"), ("[ ]", "[ x ]"), ("___", "_X_")]
)
@pytest.mark.parametrize("behind", [False, True])
def test_a_written_box_belongs_to_the_words_beside_it(empty: str, ticked: str, *, behind: bool) -> None:
    """Before its words or behind them, whatever signs it is written with."""

    def answer(box: str, word: str) -> str:
        return f"{word} {box}" if behind else f"{box} {word}"

    form = page([
        (60, 60, "Questions for new members"),
        (60, 100, "Smoker"), (200, 100, answer(empty, "Yes")), (300, 100, answer(ticked, "No")),
        (60, 130, "Insured before"), (200, 130, answer(ticked, "Yes")), (300, 130, answer(empty, "No")),
        (60, 160, "Marital status"), (200, 160, answer(empty, "single")), (300, 160, answer(ticked, "married")),
        (400, 160, answer(empty, "widowed")),
    ])  # fmt: skip
    assert read(form).values == {"smoker": False, "insured": True, "status": "married"}


def test_a_box_that_was_read_as_one_with_its_words() -> None:
    """As optical reading gives boxes that stand close to what they are for."""
    form = page([
        (60, 60, "Questions for new members"),
        (60, 100, "Smoker"), (200, 100, "☐Yes"), (300, 100, "☑No"),
        (60, 160, "Marital status"), (200, 160, "□single □divorced"), (330, 160, "☒married"), (420, 160, "□widowed"),
    ])  # fmt: skip
    assert read(form).values == {"smoker": False, "insured": None, "status": "married"}


def test_a_cross_in_a_column_says_what_heads_the_column() -> None:
    """The rows are the questions, the columns the answers."""
    form = page([
        (60, 60, "Questions for new members"), (260, 80, "Yes"), (330, 80, "No"),
        (60, 100, "Smoker"), (332, 100, "X"),
        (60, 120, "Insured before"), (265, 120, "X"),
        (60, 140, "Deaf"), (332, 140, "X"),
    ])  # fmt: skip
    assert read(form).values == {"smoker": False, "insured": True, "status": None}


def test_a_drawn_box_is_where_the_answer_is() -> None:
    """The place of a yes or no is its box; a label of two lines has it before the first."""
    boxes = [place(50, 100, 60, 110), place(50, 140, 60, 150)]
    marks = [CheckMark(boxes[0], checked=False), CheckMark(boxes[1], checked=True)]
    schema: JsonObject = {
        "type": "object",
        "properties": {
            "resident": {"type": "boolean", "description": "Box 'Resident of the district or of a village nearby'."},
            "guest": {"type": "boolean", "description": "Whether the box 'Guest' is checked."},
        },
    }  # fmt: skip
    form = page(
        [(65, 100, "Resident of the district or"), (65, 112, "of a village nearby"), (65, 140, "Guest")], marks=marks
    )
    found = EmbeddedModel().extract(parse_schema(schema), [form])
    assert found.values == {"resident": False, "guest": True}
    places = [found.fields[path].location for path in ("/resident", "/guest")]
    assert [p.coordinates for p in places if p is not None] == [box.quad() for box in boxes]


def test_a_cross_before_the_next_words_is_theirs() -> None:
    """Where empty boxes are drawn and not read, the one cross on a line says nothing of the words left of it."""
    form = page([(60, 100, "Smoker"), (130, 100, "✔"), (146, 100, "Insured before")])
    values = read(form).values
    assert (values["smoker"], values["insured"]) == (None, True)
