"""What is remembered, in words for models that read descriptions."""

from __future__ import annotations

from service.domain.geometry import Box
from service.domain.memory import Lesson, LessonKind, Lessons, Surroundings
from service.domain.records import JsonObject
from service.extraction.learning.hints import with_hints

SOURCE: JsonObject = {
    "type": "object",
    "properties": {
        "total": {"type": "number", "description": "To pay."},
        "seller": {"type": "object", "properties": {"name": {"type": "string"}}},
    },
}
BOX = Box(0.5, 0.5, 0.6, 0.52)
TOTAL = Lesson(
    path="/total", kind=LessonKind.PLACE, value=425.4, page=1, box=BOX, around=Surroundings(before="to hand over")
)
NAME = Lesson(path="/seller/name", kind=LessonKind.PLACE, page=2, last=True, box=BOX, around=Surroundings(above="from"))


def described(source: JsonObject) -> tuple[object, object]:
    """The descriptions of both leaves."""
    text = str(source)
    return ("right of “to hand over” on page 1" in text, "under “from” on the last page" in text)


def test_hints_name_labels_and_never_a_value() -> None:
    """Behind what the schema says itself, also further down; the caller's own schema stays as it is."""
    hinted = with_hints(SOURCE, Lessons((TOTAL, NAME)), most_chars=1000)
    assert described(hinted) == (True, True)
    assert described(SOURCE) == (False, False)
    assert "To pay. On documents" in str(hinted)
    assert "425" not in str(hinted)


def test_the_newest_lesson_of_a_field_counts() -> None:
    """An older one says nothing beside it."""
    older = Lesson(path="/total", kind=LessonKind.ABSENT, page=1, box=BOX, around=Surroundings(before="else"))
    assert "else" not in str(with_hints(SOURCE, Lessons((TOTAL, older)), most_chars=1000))


def test_a_schema_grows_no_longer_than_the_model_takes() -> None:
    """What does not fit is left out; a constant and a place without words say nothing."""
    constant = Lesson(path="/total", kind=LessonKind.CONSTANT, value="EUR")
    bare = Lesson(path="/total", kind=LessonKind.PLACE, page=1, box=BOX)
    assert with_hints(SOURCE, Lessons((TOTAL, NAME)), most_chars=10) == SOURCE
    assert with_hints(SOURCE, Lessons((constant, bare)), most_chars=1000) == SOURCE
    gone = Lesson(path="/other", kind=LessonKind.PLACE, page=1, box=BOX, around=Surroundings(before="x"))
    assert with_hints(SOURCE, Lessons((gone,)), most_chars=1000) == SOURCE
