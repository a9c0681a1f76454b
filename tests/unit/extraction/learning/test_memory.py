"""What a reviewed record teaches: how its layout is known again, and where its values stand."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from service.domain.corrections import Mark, OperationKind
from service.domain.geometry import Box
from service.domain.memory import LessonKind, surroundings
from service.domain.pages import PageSize, PageText, TextSource, Word
from service.domain.records import Confidence, FieldEntry, Location, Origin, Record, Scalar, Verdict
from service.domain.schema import parse_schema
from service.extraction.learning.memory import SAME_LAYOUT, Reviewed, landmarks, learn, likeness

SCHEMA = parse_schema({"type": "object", "properties": {"number": {"type": "string"}, "currency": {"type": "string"}}})
ABSENT = FieldEntry(value=None, verdict=Verdict.ABSENT, confidence=Confidence.HIGH)
FORM = (
    "Amberfold Mills",
    "Lowmarsh Lane Fennick",
    "Vorgang A7731/2",
    "Settle until 03.04.2026",
    "Piece Heap Worth",
    "Thank you for your trust",
)


def page(*lines: str, shift: float = 0.0) -> PageText:
    """Lines of words at fixed places."""
    words: list[Word] = []
    for row, line in enumerate(lines):
        x = 0.1 + shift
        for text in line.split():
            width = 0.012 * len(text)
            words.append(Word(text, Box(x, 0.1 + 0.05 * row + shift, x + width, 0.115 + 0.05 * row + shift), row))
            x += width + 0.01
    return PageText(size=PageSize(1, 595, 842), source=TextSource.DIGITAL, words=tuple(words))


def entry(value: Scalar, *, box: Box | None = None, origin: Origin = Origin.MODEL) -> FieldEntry:
    """A leaf."""
    location = Location(1, box.quad(), (box.quad(),)) if box else None
    return FieldEntry(value=value, verdict=Verdict.FOUND, confidence=Confidence.HIGH, location=location, origin=origin)


def reviewed(text: PageText, machine: dict[str, FieldEntry], approved: dict[str, FieldEntry]) -> Reviewed:
    """A record in which a person looked at each field."""

    def record(given: dict[str, FieldEntry]) -> Record:
        fields = {"/number": ABSENT, "/currency": ABSENT, **given}
        return Record(
            id="rec", index=0, pages=(1,), values={path[1:]: e.value for path, e in fields.items()}, fields=fields
        )

    mark = Mark(kind=OperationKind.SET, by="ada", at=1.0, operation="op")
    return Reviewed(
        record=record(approved),
        machine=record(machine),
        marks=dict.fromkeys(approved, mark),
        schema=SCHEMA,
        texts={1: text},
    )


def test_a_layout_is_known_again_with_other_values() -> None:
    """Numbers and dates are no landmarks; a scan that lies beside is the same layout."""
    known = landmarks(page(*FORM))
    other = page(*(line.replace("A7731/2", "C1180/9") for line in FORM), shift=0.02)
    assert all(not any(c.isdigit() for c in mark.text) for mark in known)
    assert likeness(known, landmarks(other)) > 0.9


def test_a_layout_is_known_again_when_it_is_misread() -> None:
    """One letter in each third word read wrong."""
    chance = random.Random(3)
    lines = [
        " ".join(w[:2] + "x" + w[3:] if len(w) > 4 and chance.random() < 0.34 else w for w in line.split())
        for line in FORM
    ]
    assert likeness(landmarks(page(*FORM)), landmarks(page(*lines))) >= SAME_LAYOUT


def test_another_layout_is_another_one() -> None:
    """The same words in another order, and other words in the same places."""
    known = landmarks(page(*FORM))
    assert likeness(known, landmarks(page(*reversed(FORM)))) < SAME_LAYOUT
    assert likeness(known, landmarks(page("Nettlebank Glass", "Quite other words", "stand here below"))) < SAME_LAYOUT


def test_a_typed_value_is_found_on_its_page() -> None:
    """The place is told by the words around it, though the reviewer pointed nowhere."""
    text = page(*FORM)
    found = reviewed(text, {"/number": entry("03.04.2026")}, {"/number": entry("A7731/2", origin=Origin.CORRECTED)})
    [lesson], tables = learn(found)
    assert (lesson.path, lesson.kind, lesson.around.before, lesson.page) == ("/number", LessonKind.PLACE, "vorgang", 1)
    assert tables == ()


def test_a_value_that_is_not_there_teaches_its_wrong_place() -> None:
    """Of a field that was marked absent the machine's place is remembered as the wrong one."""
    text = page(*FORM)
    box = next(w.box for w in text.words if w.text == "A7731/2")
    [lesson], _ = learn(reviewed(text, {"/number": entry("A7731/2", box=box)}, {"/number": ABSENT}))
    assert (lesson.kind, lesson.value, lesson.around) == (LessonKind.ABSENT, None, surroundings(text, box))


def test_a_value_that_is_printed_nowhere_is_a_constant() -> None:
    """A currency, say; a number is none, since it will be another one."""
    found = reviewed(page(*FORM), {}, {"/currency": entry("EUR", origin=Origin.CORRECTED)})
    assert [lesson.kind for lesson in learn(found)[0]] == [LessonKind.CONSTANT]
    assert learn(reviewed(page(*FORM), {}, {"/number": entry("9/2026", origin=Origin.CORRECTED)}))[0] == ()


@pytest.mark.parametrize("pointer", ["/number", "/currency"])
def test_nobody_looked_nothing_is_learned(pointer: str) -> None:
    """A field without a mark teaches nothing."""
    found = reviewed(page(*FORM), {}, {pointer: entry("Amberfold Mills")})
    assert learn(replace(found, marks={}))[0] == ()
