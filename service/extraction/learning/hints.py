"""What is remembered of a layout, told in words to models that read descriptions."""

from __future__ import annotations

from service.domain.memory import Lesson, LessonKind, Lessons
from service.domain.records import Json, JsonObject
from service.domain.schema import unescape_pointer


def with_hints(source: JsonObject, lessons: Lessons, *, most_chars: int) -> JsonObject:
    """A schema whose descriptions say where people found the values on documents of this layout.

    A hint names printed labels, never a value. What would make the schema longer than a model takes is left out.

    Args:
        source: the JSON Schema of the request; it is not changed.
        lessons: the newest first; the first of a field counts.
        most_chars: characters that may be added.
    """
    hinted, left, done = source, most_chars, set[str]()
    for lesson in lessons.fields:
        hint = _hint(lesson)
        if not hint or lesson.path in done or len(hint) > left:
            continue
        done.add(lesson.path)
        hinted, left = _add(hinted, lesson.path.split("/")[1:], hint), left - len(hint)
    return hinted


def place_in_words(lesson: Lesson) -> str:
    """Where a lesson's value stands, such as `right of “total due” on page 1`."""
    around = lesson.around
    beside = f"right of “{around.before}”" if around.before else f"under “{around.above}”" if around.above else ""
    page = "on the last page" if lesson.last and lesson.page > 1 else f"on page {lesson.page}"
    return f"{beside} {page}".strip()


def _hint(lesson: Lesson) -> str:
    if lesson.kind is LessonKind.ABSENT:
        return f"Documents of this layout do not have it; what stands {place_in_words(lesson)} is something else."
    if lesson.kind is LessonKind.CONSTANT or not (lesson.around.before or lesson.around.above):
        return ""
    return f"On documents of this layout it stands {place_in_words(lesson)}."


def _add(node: JsonObject, names: list[str], hint: str) -> JsonObject:
    """A copy of a node with a hint at a property further down; the node itself where there is no such property."""
    if not names:
        said = node.get("description")
        return {**node, "description": f"{said} {hint}" if isinstance(said, str) and said else hint}
    properties = node.get("properties")
    name = unescape_pointer(names[0])
    child: Json = properties.get(name) if isinstance(properties, dict) else None
    if not isinstance(child, dict) or not isinstance(properties, dict):
        return node
    return {**node, "properties": {**properties, name: _add(child, names[1:], hint)}}
