"""What people taught about a layout, applied to the next document of it: values found where they stood before.

A lesson names a place by the words around it and by its position; a place is taken when either tells it clearly. So
much is never `high`: a person sees it once more.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from rapidfuzz import fuzz

from service.domain.geometry import Box, union_box
from service.domain.memory import ColumnLesson, Lesson, LessonKind, Lessons, Surroundings, letters, surroundings
from service.domain.pages import PageText
from service.domain.records import Confidence, Extraction, FieldEntry, Json, Origin, Verdict
from service.domain.schema import unescape_pointer
from service.embedded.anchors.places import Evidence
from service.embedded.asked.fields import Ask
from service.embedded.candidates.proposals import TYPED, Choice
from service.embedded.candidates.values import final_value
from service.embedded.choose import ACCEPT
from service.embedded.page.layout import Line, Token, lines_under
from service.embedded.page.overlap import shared_width
from service.embedded.page.spans import Kind, Span
from service.embedded.tables.row_checks import Row
from service.embedded.tables.table_cells import Column
from service.embedded.tables.table_header import Header, gutters
from service.embedded.tables.tables import read_under

REMEMBERED = "remembered"
"""Why a choice that rests on a lesson."""
_SCORE = 0.9
_CLEAR = 0.62
"""From here on a place is the one that was remembered."""
_ALIKE = 0.72
"""Likeness of the words beside a place, 0–1, from which they are the same label, however it was read."""
_X, _Y = 0.06, 0.12
"""Distance, in fractions of the page, at which a place is no longer near."""
_SAME_TEXT = 90.0
"""Similarity (0–100) from which a text is the one that a person wrote, misread."""
_HEADERS = 0.6
"""Share of a table's headers that must be over a line's columns."""
_HEADER_X = 0.08


@dataclass(frozen=True)
class Recall:
    """The lessons of a layout and the document that they are applied to."""

    evidence: Evidence
    pages: Mapping[int, PageText]
    lessons: Lessons

    def singles(self, asks: Sequence[Ask], chosen: Mapping[str, Sequence[Choice]]) -> dict[str, list[Choice]]:
        """The choices, those of remembered fields first; what another field took in their place goes to its next."""
        taught = {ask.path: found for ask in asks if (found := self._taught(ask, chosen[ask.path])) is not None}
        held = {word for found in taught.values() if found for word in found[0].span.ids}
        rest = {path: _leave(found, held) for path, found in chosen.items() if path not in taught}
        return {path: taught.get(path, rest.get(path, [])) for path in chosen}

    def rows(self, path: str, asks: Sequence[Ask]) -> list[Row]:
        """The rows under a remembered header; nothing where it is not there."""
        for table in self.lessons.tables:
            header = self._header(table.columns, asks) if table.path == path else None
            if header is not None:
                return read_under(self.evidence, asks, header)
        return []

    def constants(self, extraction: Extraction) -> Extraction:
        """What is the same on each document of the layout and printed nowhere, where nothing was found."""
        values, fields = extraction.values, dict(extraction.fields)
        for lesson in self.lessons.fields:
            entry = fields.get(lesson.path)
            if lesson.kind is LessonKind.CONSTANT and entry is not None and entry.value is None:
                fields[lesson.path] = FieldEntry(
                    value=lesson.value, verdict=Verdict.FOUND, confidence=Confidence.LOW, origin=Origin.DERIVED
                )
                _write(values, lesson.path, lesson.value)
        return replace(extraction, fields=fields)

    def _taught(self, ask: Ask, chosen: Sequence[Choice]) -> list[Choice] | None:
        """What the newest lesson says of a field; None where none says anything here."""
        lessons = [lesson for lesson in self.lessons.fields if lesson.path == ask.path]
        if lessons and lessons[0].kind is LessonKind.ABSENT:
            wrong = bool(chosen) and self._fit(lessons[0], chosen[0].span) >= _CLEAR
            return [] if wrong else None
        places = [lesson for lesson in lessons if lesson.kind is LessonKind.PLACE]
        best = max((self._best(ask, lesson) for lesson in places), key=lambda found: found[0], default=None)
        if best is None or best[1] is None or best[0] < _CLEAR:
            return None
        choice = best[1]
        if chosen and str(chosen[0].value) == str(choice.value):
            return list(chosen)  # the model sees it too, and its own reasons say how sure it is
        return [choice, *(other for other in chosen if str(other.value) != str(choice.value))]

    def _best(self, ask: Ask, lesson: Lesson) -> tuple[float, Choice | None]:
        ranked = sorted(
            ((self._fit(lesson, span), n, span) for n, span in enumerate(self._spans(ask, lesson))), reverse=True
        )
        for fit, _, span in ranked:
            choice = Choice(span, _taught_text(lesson, span), _SCORE * fit, REMEMBERED)
            if fit >= _CLEAR and final_value(ask, choice) is not None:
                return fit, choice
        return 0.0, None

    def _spans(self, ask: Ask, lesson: Lesson) -> Iterator[Span]:
        """What may be the value: spans of its kind, or of a text what stands between its neighbours."""
        kind = TYPED.get(ask.kind) or (Kind.DATE if ask.field.format == "date" else None)
        if kind is not None:
            yield from self.evidence.spans.of(kind)
            return
        for segment in self.evidence.layout.segments:
            before = lesson.around.before.split()
            for start in range(len(segment.tokens)):
                led = start == 0 or (bool(before) and _alike(letters(segment.tokens[start - 1].text), before[-1]))
                if led:
                    end = self._end(lesson, segment.tokens, start)
                    yield self._block(lesson, self.evidence.spans.cut(segment, start, end))

    def _end(self, lesson: Lesson, tokens: Sequence[Token], start: int) -> int:
        """One past the last word: the segment's end, or the word that stood behind the value."""
        after = lesson.around.after
        if after:
            for index in range(start + 1, len(tokens)):
                if _alike(letters(tokens[index].text), after):
                    return index
        return len(tokens)

    def _block(self, lesson: Lesson, span: Span) -> Span:
        """A text with its further lines, as many as it had."""
        if lesson.lines < 2:
            return span
        under = lines_under(self.evidence.layout, span.segment, span.x0, limit=lesson.lines - 1)
        tokens = (*span.tokens, *(token for segment in under for token in segment.tokens))
        text = ", ".join([str(span.value).strip(" ,"), *(segment.text.strip(" ,") for segment in under)])
        return replace(span, tokens=tokens, raw=text, value=text)

    def _fit(self, lesson: Lesson, span: Span) -> float:
        """How well a span's place is the remembered one, 0–1."""
        numbers = sorted(self.pages)
        page = self.pages[span.page]
        if lesson.box is None or span.page not in (numbers[min(lesson.page, len(numbers)) - 1], numbers[-1]):
            return 0.0
        box = _first_line(span)
        across = 1.0 - min(1.0, min(abs(box.x0 - lesson.box.x0), abs(box.x1 - lesson.box.x1)) / _X)
        down = 1.0 - min(1.0, abs(box.center.y - lesson.box.center.y) / _Y)
        words = _same_words(lesson.around, surroundings(page, box))
        if words is None:
            return (across + down) / 2 if min(across, down) > 0.5 else 0.0
        if words < _ALIKE:  # other words around it: only the very same place is still the same
            return 0.66 * min(across, down) if min(across, down) > 0.95 else 0.0
        return 0.6 * words + 0.3 * across + 0.1 * down

    def _header(self, columns: Sequence[ColumnLesson], asks: Sequence[Ask]) -> Header | None:
        """The line whose words stand over the remembered columns."""
        known = {ask.path for ask in asks}
        wanted = [column for column in columns if column.path in known]
        told = [column for column in wanted if column.header]
        best: tuple[float, Line | None] = (0.0, None)
        for line in self.evidence.layout.lines:
            share = self._headed(told, line) / max(1, len(told))
            if share > best[0]:
                best = (share, line)
        line = best[1]
        if line is None or best[0] < _HEADERS:
            return None
        made = self._columns(wanted, line)
        body = line.index + 1
        return Header(made, gutters(self.evidence, made, body), line.index, body, line.page, 2.0 * len(wanted))

    def _headed(self, told: Sequence[ColumnLesson], line: Line) -> int:
        width = self.evidence.layout.page(line.page).width
        placed = [(letters(t.text), t.x0 / width, t.x1 / width) for s in line.segments for t in s.tokens]
        return sum(
            any(
                _alike(text, word) and x1 > column.x0 - _HEADER_X and x0 < column.x1 + _HEADER_X
                for text, x0, x1 in placed
                for word in column.header.split()
            )
            for column in told
        )

    def _columns(self, wanted: Sequence[ColumnLesson], line: Line) -> tuple[Column, ...]:
        """The remembered columns, and what else the line heads, from left to right."""
        width = self.evidence.layout.page(line.page).width
        columns = sorted((Column(c.path, c.x0 * width, c.x1 * width) for c in wanted), key=lambda c: c.x0)
        parted = [
            replace(a, x1=min(a.x1, b.x0 - 1)) if a.x1 >= b.x0 else a
            for a, b in pairwise([*columns, Column("", 1e9, 1e9)])
        ]
        for segment in line.segments:
            if all(shared_width(segment, c) <= 0 for c in parted):
                at = bisect_left([c.x0 for c in parted], segment.x0)
                parted.insert(at, Column("", segment.x0, segment.x1))
        return tuple(parted)


def _first_line(span: Span) -> Box:
    boxes = [box for token in span.tokens if token.page == span.page for box in token.boxes]
    top = min(boxes, key=lambda b: b.y0)
    return union_box(b for b in boxes if b.center.y <= top.y1)


def _same_words(known: Surroundings, seen: Surroundings) -> float | None:
    """How alike the better of the two neighbourhoods is, 0–1; None where nothing was worded around the place."""
    pairs = [(a, b) for a, b in ((known.before, seen.before), (known.above, seen.above)) if a]
    if not pairs:
        return None
    return max(_words_alike(a, b) for a, b in pairs)


def _words_alike(known: str, seen: str) -> float:
    """Likeness of two neighbourhoods; the word next to the place counts alone too."""
    if not seen:
        return 0.0
    whole = fuzz.ratio(known, seen) / 100
    nearest = fuzz.ratio(known.split()[-1], seen.split()[-1]) / 100
    return max(whole, 0.9 * nearest if len(known.split()[-1]) > 2 else 0.0)


def _alike(one: str, other: str) -> bool:
    return bool(one) and fuzz.ratio(one, other) >= 100 * _ALIKE


def _taught_text(lesson: Lesson, span: Span) -> str | int | float | bool | None:
    """The value of a span; of a text that is the taught one misread, the taught one."""
    taught, seen = lesson.value, span.value
    worded = span.kind is Kind.TEXT and isinstance(seen, str) and isinstance(taught, str) and bool(letters(seen))
    return taught if worded and fuzz.ratio(str(seen).casefold(), str(taught).casefold()) >= _SAME_TEXT else seen


def _leave(found: Sequence[Choice], held: set[int]) -> list[Choice]:
    """Another field's choices without those that rest on words which a lesson gave away."""
    if not found or held.isdisjoint(found[0].span.ids):
        return list(found)
    rest = [choice for choice in found if held.isdisjoint(choice.span.ids)]
    return rest if rest and rest[0].score >= ACCEPT else []


def _write(values: dict[str, Json], path: str, value: str | int | float | bool | None) -> None:
    holder: Json = values
    *parents, name = (unescape_pointer(token) for token in path.split("/")[1:])
    for token in parents:
        holder = holder.get(token) if isinstance(holder, dict) else None
    if isinstance(holder, dict):
        holder[name] = value
