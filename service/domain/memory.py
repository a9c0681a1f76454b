"""What is remembered of a layout that people reviewed: how to know it again, and where its values stand."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from service.domain.geometry import Box
from service.domain.pages import PageText, Word
from service.domain.records import Scalar

_MOST_WORDS = 4
"""Words beside or above a value that tell its place."""
_SAME_LINE = 0.5
"""Share of the lower word's height from which two words stand on one line."""
_ABOVE = 3.0
"""Heights above a value within which its heading stands."""


class LessonKind(StrEnum):
    """What a lesson says about a field."""

    PLACE = "place"
    """Where its value stands."""
    ABSENT = "absent"
    """The layout does not have it: what stands at this place is something else."""
    CONSTANT = "constant"
    """A value that is the same for the layout and printed nowhere, such as a currency."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Surroundings:
    """The worded neighbours of a place, folded to their letters; empty where there are none."""

    before: str = ""
    """To its left on its line, the nearest last."""
    above: str = ""
    """On the nearest line above, over it."""
    after: str = ""
    """Right behind it on its line."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Lesson:
    """One field of a layout, as a person left it."""

    path: str
    """JSON Pointer of a single field."""
    kind: LessonKind
    value: Scalar = None
    """As it was on the document that it was learned from."""
    page: int = 0
    """1-based page within the document; 0: none."""
    last: bool = False
    """Whether that is the document's last page."""
    box: Box | None = None
    around: Surroundings = Surroundings()
    lines: int = 1
    """Printed lines that the value covers."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnLesson:
    """A column of a table: its path (`/lines/*/amount`), its header, and its range in fractions of the page's width."""

    path: str
    header: str
    """Words of the header over it, folded to their letters."""
    x0: float
    x1: float


@dataclass(frozen=True, slots=True, kw_only=True)
class TableLesson:
    """A table of a layout whose rows a person mended."""

    path: str
    columns: tuple[ColumnLesson, ...]


@dataclass(frozen=True, slots=True)
class Landmark:
    """A printed word without digits and the middle of its place, in fractions of the page."""

    text: str
    x: float
    y: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Memory:
    """What one approved document taught. Times are Unix seconds."""

    id: str
    tenant_id: str
    schema_name: str
    layout_id: str
    """Documents that look alike share it."""
    job_id: str
    record_index: int
    """0-based position of the document in its file."""
    title: str
    """The largest words at the top of its first page, by which a person knows it."""
    landmarks: tuple[Landmark, ...]
    lessons: tuple[Lesson, ...]
    tables: tuple[TableLesson, ...] = ()
    created_at: float
    created_by: str


@dataclass(frozen=True, slots=True)
class Lessons:
    """What is remembered for one document: of the newest memory of its layout first."""

    fields: tuple[Lesson, ...] = ()
    tables: tuple[TableLesson, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.fields or self.tables)


NO_LESSONS = Lessons()


def letters(text: str) -> str:
    """The letters of a text, folded; what has digits is no landmark and gives nothing."""
    return "" if any(c.isdigit() for c in text) else "".join(c for c in text.casefold() if c.isalpha())


def surroundings(page: PageText, box: Box) -> Surroundings:
    """The neighbours of a place on its page."""
    line = [w for w in page.words if _share(w.box, box) >= _SAME_LINE]
    left = sorted((w for w in line if w.box.x1 <= box.x0 + 0.002), key=lambda w: w.box.x0)
    right = sorted((w for w in line if w.box.x0 >= box.x1 - 0.002), key=lambda w: w.box.x0)
    return Surroundings(
        before=_worded(reversed(left), backwards=True),
        above=_worded(_over(page, box)),
        after=letters(right[0].text) if right and right[0].box.x0 - box.x1 < 2 * box.height else "",
    )


def _over(page: PageText, box: Box) -> list[Word]:
    height = min(box.height, 0.02)
    reach = box.y0 - _ABOVE * height
    over = [
        w
        for w in page.words
        if w.box.y1 <= box.y0 + 0.3 * height and w.box.y1 >= reach and min(w.box.x1, box.x1) - max(w.box.x0, box.x0) > 0
    ]
    if not over:
        return []
    nearest = max(w.box.y1 for w in over)
    return sorted((w for w in over if nearest - w.box.y1 < 0.6 * height), key=lambda w: w.box.x0)


def _worded(words: Iterable[Word], *, backwards: bool = False) -> str:
    found = [key for word in words if (key := letters(word.text))][:_MOST_WORDS]
    return " ".join(reversed(found) if backwards else found)


def _share(one: Box, other: Box) -> float:
    shared = min(one.y1, other.y1) - max(one.y0, other.y0)
    lower = min(one.height, other.height)
    return shared / lower if lower > 0 else 0.0
