"""Check boxes and crosses: which belongs to which printed words, whether it is ticked, and what that answers."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from service.domain.pages import CheckMark
from service.domain.records import Scalar
from service.embedded.anchors.hits import Hit, is_prose
from service.embedded.anchors.places import Evidence
from service.embedded.asked.fields import Ask
from service.embedded.candidates.members import closest_member, member_among, member_on_scale, told_member
from service.embedded.candidates.proposals import Choice
from service.embedded.page.layout import Segment, Token
from service.embedded.page.spans import Span
from service.embedded.words.normalise import fold, parse_boolean

_TICKED = re.compile(r"[☒☑✓✔✗✘■◼●◉⊠]|\[[xX✓*]\]|\([xX✓]\)|_+[xX✓]_+")
_EMPTY = re.compile(r"[☐□◻○◯❏❑]|\[_?\]|\(_?\)|_{2,}")
_CROSS = re.compile(r"[xX]")
_FAR = 12.0
"""Text heights within which a box belongs to the words beside it."""
_HEADERS_UP = 25
"""Lines above a cross among which the header of its column is looked for."""


@dataclass(frozen=True)
class Tick:
    """A check box, or a cross that stands for a ticked one; edges in points."""

    x0: float
    x1: float
    middle: float
    checked: bool
    mark: CheckMark | None = None
    """None: it is written with letters or signs."""


@dataclass(frozen=True)
class _Answer:
    """Words that a check box belongs to."""

    span: Span
    tick: Tick | None


def boolean_choices(evidence: Evidence, ask: Ask) -> list[Choice]:
    """A ticked yes or no after the label, a check mark beside it, or a yes/no word alone."""
    found: list[Choice] = []
    for hit in evidence.labels.of(ask)[:6]:
        answers = list(_answers(evidence, hit))
        said = [(a, value) for a in answers if (value := parse_boolean(a.span.raw)) is not None]
        ticked = [(a, value) for a, value in said if a.tick is not None and a.tick.checked]
        tick = _beside(evidence, hit)
        if len(said) > 1 or ticked:
            found += [
                Choice(a.span, v, hit.strength * 0.95, "ticked", hit, a.tick and a.tick.mark)
                for a, v in ticked if len(ticked) == 1
            ]  # fmt: skip
        elif tick is not None:
            span = evidence.spans.cut(hit.segment, hit.start, hit.end)
            found.append(Choice(span, tick.checked, hit.strength * 0.95, "mark", hit, tick.mark))
        elif said:
            found.append(Choice(said[0][0].span, said[0][1], hit.strength * 0.85, "yes/no word", hit))
    return found


def enum_choices(evidence: Evidence, ask: Ask, beside: list[Choice]) -> list[Choice]:
    """Members of an enum: the ticked one, what stands beside the label, or the one member the document prints."""
    found: list[Choice] = []
    for hit in evidence.labels.of(ask)[:6]:
        answers = list(_answers(evidence, hit))
        ticked = [(at, a.tick) for at, a in enumerate(answers) if a.tick is not None and a.tick.checked]
        for at, tick in ticked:
            member = _member(ask, [a.span.raw for a in answers], at)
            if member is not None:
                found.append(Choice(answers[at].span, member, hit.strength * 0.97, "ticked", hit, tick.mark))
        if ticked or len(answers) > 1:
            beside = [c for c in beside if c.label is not hit]
    found.extend(_ticked_members(evidence, ask))
    found.extend(_said_members(evidence, ask, beside))
    for segment in evidence.layout.segments:
        if len(segment.tokens) > 8:
            continue
        member = closest_member(ask, segment.text, cutoff=95)
        if member is not None:
            found.append(Choice(evidence.spans.cut(segment, 0, len(segment.tokens)), member, 0.56, "member printed"))
    return found


def _member(ask: Ask, texts: Sequence[str], at: int) -> Scalar:
    """The member that answer `at` of several means."""
    means = closest_member(ask, texts[at]), member_among(ask, texts, at), member_on_scale(ask, texts, at)
    return next((member for member in means if member is not None), None)


def _said_members(evidence: Evidence, ask: Ask, beside: Sequence[Choice]) -> Iterator[Choice]:
    """The members that texts at a label say; answers that are ticked or not say theirs elsewhere."""
    for choice in beside:
        member = closest_member(ask, str(choice.value))
        if member is None and not ticks_beside(evidence, choice.span.segment):
            member = told_member(ask, str(choice.value))
        if member is not None:
            yield replace(choice, value=member)


def _ticked_members(evidence: Evidence, ask: Ask) -> list[Choice]:
    """The ticked answer of the only line whose answers are members of the enum, whatever the question is called.

    Yes and no, and a scale that several lines are marked on, tell nothing without their question.
    """
    if all(parse_boolean(str(member)) is not None for member in ask.field.enum or () if member is not None):
        return []
    found: list[Choice] = []
    for line in evidence.layout.lines:
        first = line.segments[0]
        ticks = ticks_beside(evidence, first)
        answers = list(_paired(list(_worded(evidence, Hit(first, 0, 0, 1.0), ticks)), ticks)) if ticks else []
        said = [_behind_colon(a.span.raw) for a in answers]
        members = [(a, member_among(ask, said, at)) for at, a in enumerate(answers)]
        known = [(a, member) for a, member in members if member is not None]
        ticked = [(a, member) for a, member in known if a.tick is not None and a.tick.checked]
        if len(known) > 1 and len(ticked) == 1:
            answer, member = ticked[0]
            found.append(Choice(answer.span, member, 0.9, "ticked member", None, answer.tick and answer.tick.mark))
    return found if len(found) == 1 else []


def _behind_colon(text: str) -> str:
    """An answer without the question that stands before it on its line."""
    return text.rpartition(":")[2].strip() or text


def ticks_beside(evidence: Evidence, segment: Segment) -> list[Tick]:
    """The check boxes and crosses on the line of a segment, left to right."""
    page = evidence.layout.page(segment.page)
    middle, reach = (segment.y0 + segment.y1) / 2, 0.9 * max(segment.height, segment.tokens[0].height)
    drawn = [
        Tick(m.box.x0 * page.width, m.box.x1 * page.width, y, m.checked, m)
        for m in page.marks if abs((y := m.box.center.y * page.height) - middle) < reach
    ]  # fmt: skip
    written = [
        Tick(tokens[0].x0, tokens[-1].x1, tokens[0].middle, checked)
        for part in evidence.layout.lines[segment.line].segments for tokens, checked in _written(part)
        if not any(t.x0 - 2 <= tokens[0].x0 and tokens[-1].x1 <= t.x1 + 2 for t in drawn)
    ]  # fmt: skip
    return sorted([*drawn, *written], key=lambda t: t.x0)


def _written(segment: Segment) -> Iterator[tuple[Sequence[Token], bool]]:
    """Words of a segment that are a check box, over up to three words as in `[ x ]`, and whether it is ticked."""
    tokens, index = segment.tokens, 0
    while index < len(tokens):
        size = next((n for n in (3, 2, 1) if _state(tokens[index : index + n], n) is not None), 0)
        state = _state(tokens[index : index + size], size)
        if state is not None:
            yield tokens[index : index + size], state
        elif _CROSS.fullmatch(tokens[index].text) and index in (0, len(tokens) - 1):
            yield tokens[index : index + 1], True
        index += max(1, size)


def _state(tokens: Sequence[Token], size: int) -> bool | None:
    text = "".join(t.text for t in tokens)
    if size == 0 or len(tokens) < size:
        return None
    return True if _TICKED.fullmatch(text) else False if _EMPTY.fullmatch(text) else None


def _beside(evidence: Evidence, hit: Hit) -> Tick | None:
    """The check box of a label: left of its line, right of it, or the only one in its cell."""
    line = hit.upper or hit.segment
    ticks = ticks_beside(evidence, line)
    whole = hit.upper is not None or is_prose(line) or hit.start < 6
    start, height = line.tokens[0].x0 if whole else hit.tokens[0].x0, line.tokens[0].height
    end = line.x1 if hit.upper is not None else hit.tokens[-1].x1
    best: tuple[float, Tick] | None = None
    for tick in ticks:
        inside = start <= tick.x0 < hit.tokens[0].x0 and hit.upper is None
        left, right = hit.tokens[0].x0 - tick.x1 if inside else start - tick.x1, tick.x0 - end
        cross = tick.mark is None and tick.checked
        mine = right > -2 and not (cross and _before_words(evidence, line, tick, right))
        distance = max(0.0, left) if inside or left > -2 else 1.5 * right + height if mine else None
        if distance is not None and (best is None or distance < best[0]):
            best = (distance, tick)
    if best is not None:
        return best[1] if best[0] <= _FAR * height else None
    cell, marks = evidence.layout.cell(hit.segment), evidence.layout.page(hit.segment.page).marks
    inside_cell = [m for m in marks if cell is not None and cell.contains(m.box.center)]
    if len(inside_cell) == 1:
        return Tick(0.0, 0.0, 0.0, inside_cell[0].checked, inside_cell[0])
    drawn_empty = not marks and cell is None and _aligned_with_ticked(evidence, hit)
    return Tick(0.0, 0.0, 0.0, checked=False) if drawn_empty else None


def _before_words(evidence: Evidence, line: Segment, tick: Tick, gap: float) -> bool:
    """Whether words stand right of a box nearer to it than the label on its left, `gap` points away, does."""
    words = (t for s in evidence.layout.lines[line.line].segments for t in s.tokens if any(c.isalpha() for c in t.text))
    return any(tick.x1 - 2 <= t.x0 < tick.x1 + gap for t in words)


def _aligned_with_ticked(evidence: Evidence, hit: Hit) -> bool:
    """Whether a statement starts where another one does that has a tick before it: its own box is drawn and empty."""
    start = hit.segment.x0
    return any(
        _TICKED.fullmatch(a.text) and abs(b.x0 - start) < a.height and segment.page == hit.segment.page
        for segment in evidence.layout.segments
        for a, b in pairwise(segment.tokens[:2])
    )


def _answers(evidence: Evidence, hit: Hit) -> Iterator[_Answer]:
    """The answers after a label on its line, each with its check box; one without words has the header above it."""
    ticks = [t for t in ticks_beside(evidence, hit.segment) if t.x0 >= hit.tokens[-1].x1 - 2]
    spans = list(_worded(evidence, hit, ticks))
    if not ticks:
        spans, ticks = _under(evidence, hit) or (spans, ticks)
    if not spans and len(ticks) == 1 and not ticks[0].checked:
        return
    if not spans:
        for tick in ticks:
            header = _header(evidence, hit, tick)
            if header is not None:
                yield _Answer(header, tick)
        return
    yield from _paired(spans, ticks)


def _paired(spans: Sequence[Span], ticks: Sequence[Tick]) -> Iterator[_Answer]:
    """Each run of words with the check box nearest to it, all before or all behind their words."""
    behind = bool(ticks) and bool(spans) and spans[0].x0 < ticks[0].x0 and spans[-1].x1 <= ticks[-1].x0 + 2
    for span in spans:
        height = span.tokens[0].height
        gaps = [(t.x0 - span.x1 if behind else span.x0 - t.x1, n) for n, t in enumerate(ticks)]
        near = min(((g, n) for g, n in gaps if -height < g < 2.5 * height), default=None)
        yield _Answer(span, ticks[near[1]] if near is not None else None)


def _under(evidence: Evidence, hit: Hit) -> tuple[list[Span], list[Tick]] | None:
    """The answers right under a label with their check boxes, up to the next label on its line; None: no box there."""
    line = evidence.layout.lines[hit.segment.line].segments
    right = next((s.x0 for s in line if s.index > hit.segment.index), float("inf"))
    below = next((s for s in evidence.layout.below(hit.segment, reach=1.5) if s.line != hit.segment.line), None)
    if below is None:
        return None
    first = Hit(below, 0, 0, hit.strength)
    left = hit.segment.x0 if hit.segment.text.rstrip().endswith("?") else hit.tokens[0].x0
    ticks = [t for t in ticks_beside(evidence, below) if left - below.height <= t.x0 < right]
    return ([s for s in _worded(evidence, first, ticks) if s.x0 < right], ticks) if ticks else None


def _worded(evidence: Evidence, hit: Hit, ticks: Sequence[Tick]) -> Iterator[Span]:
    """The words right of a label, in runs that check boxes and gaps part."""
    for segment in evidence.layout.lines[hit.segment.line].segments:
        if segment.index < hit.segment.index:
            continue
        start = hit.end if segment is hit.segment else 0
        for index in range(start, len(segment.tokens) + 1):
            token = segment.tokens[index] if index < len(segment.tokens) else None
            if token is not None and not any(t.x0 - 2 <= token.x0 and token.x1 <= t.x1 + 2 for t in ticks):
                continue
            if any(c.isalnum() for t in segment.tokens[start:index] for c in t.text):
                yield evidence.spans.cut(segment, start, index)
            start = index + 1


def _header(evidence: Evidence, hit: Hit, tick: Tick) -> Span | None:
    """The nearest words above a box that are set over it and say yes or no, or no label of the row's own."""
    line, height = hit.segment.line, hit.segment.height
    for above in reversed(evidence.layout.lines[max(0, line - _HEADERS_UP) : line]):
        if above.page != hit.segment.page:
            return None
        for segment in above.segments:
            over = min(segment.x1, tick.x1 + height) - max(segment.x0, tick.x0 - height)
            if over > 0 and segment.x0 > hit.tokens[-1].x1 - 2 and re.search(r"[^\W\d]{2}", fold(segment.text)):
                return evidence.spans.cut(segment, 0, len(segment.tokens))
    return None
