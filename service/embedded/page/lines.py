"""Words into lines, and lines into segments, by where they stand alone."""

from __future__ import annotations

import re
import statistics
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from service.domain.pages import FormEntry, PageText, TextSource, Word
from service.embedded.page.layout import Layout, Line, PageLayout, Segment, Token
from service.embedded.page.word_gaps import goes_on, in_boxes, parted
from service.embedded.words.normalise import squash

SEGMENT_GAP = 1.05
"""Gap that parts two segments of a line, in heights of the words beside it."""
NARROW_GAP = 0.55
"""The same where an edge beside the gap is one of a column."""
FIGURE_GAP = 0.75
"""The same between a figure and a text, where rows around have it at the same place."""
_MOST_LETTERS = 500
"""Letters of a word, the rest is left out: patterns would look at a word without an end again from each letter."""
_AROUND = 3
"""Rows above and below among which an edge is looked for again."""
_COLUMNS = 3
"""Edges of a row that may well be a header."""
_SHORT = 3
"""Letters up to which a word may be taller than wide and lie as the others do."""
_AMOUNT = re.compile(r"[-+]?[$€£]?(?:\d{1,3}(?:[.,'’]\d{3})+|\d+)[.,]\d{2}-?")
"""Two such words side by side are never one value."""


Part = tuple[list[Token], FormEntry | None]
"""Words of a row side by side, and the field of the form that they are filled into."""


Edges = tuple[list[float], list[float]]
"""Left and right edges, points."""


def build_layout(pages: Sequence[PageText]) -> Layout:
    """Lines and segments of all pages, built from the words' places alone."""
    layouts: list[PageLayout] = []
    lines: list[Line] = []
    segments: list[Segment] = []
    for page in pages:
        width, height = page.size.width or 1.0, page.size.height or 1.0
        optical = page.source is TextSource.OCR
        tokens = [
            _token(part, page.page, width, height)
            for word in map(_shortened, page.words) if word.text.strip()
            for part in parted(word, scanned=optical)
        ]  # fmt: skip
        if optical:
            tokens = _straightened(tokens, page.words)
        first = len(lines)
        for parts in _aligned([_split_row(_glued(row), page.entries) for row in _rows(tokens, scanned=optical)]):
            made = [
                Segment(len(segments) + i, len(lines), page.page, tuple(words), entry)
                for i, (words, entry) in enumerate(parts)
            ]
            segments.extend(made)
            lines.append(Line(len(lines), page.page, tuple(made)))
        layouts.append(
            PageLayout(page.page, width, height, tuple(lines[first:]), page.tables, page.marks, page.entries)
        )
    heights = [t.height for s in segments for t in s.tokens]
    scanned = any(page.source.value == "ocr" for page in pages)
    usual = statistics.median(heights) if heights else 0.0
    return Layout(tuple(layouts), tuple(lines), tuple(segments), usual or 10.0, scanned)


def _straightened(tokens: list[Token], words: Sequence[Word]) -> list[Token]:
    """Words of a tilted page moved up or down as if it lay straight; their boxes stay where they were read."""
    lines: dict[int, list[Word]] = {}
    for word in words:
        lines.setdefault(word.line, []).append(word)
    scale = [(t.x1 - t.x0, t.boxes[0].width, t.height, t.boxes[0].height) for t in tokens if t.boxes[0].width > 0]
    if not scale:
        return tokens
    width, height = (statistics.median(a / b for a, b in pairs) for pairs in (
        [(s[0], s[1]) for s in scale], [(s[2], max(s[3], 1e-9)) for s in scale]))  # fmt: skip
    slopes: list[float] = []
    for line in lines.values():
        left, right = min(line, key=lambda w: w.box.x0).box, max(line, key=lambda w: w.box.x0).box
        run = (right.center.x - left.center.x) * width
        if len(line) > 1 and run > 6 * left.height * height:
            slopes.append((right.center.y - left.center.y) * height / run)
    slope = statistics.median(slopes) if len(slopes) >= 3 else 0.0
    if not 0.004 < abs(slope) < 0.25:
        return tokens
    return [replace(t, y0=t.y0 - slope * t.x0, y1=t.y1 - slope * t.x0) for t in tokens]


def _shortened(word: Word) -> Word:
    return replace(word, text=word.text[:_MOST_LETTERS]) if len(word.text) > _MOST_LETTERS else word


def _token(word: Word, page: int, width: float, height: float) -> Token:
    box, high = word.box, (word.box.y1 - word.box.y0) * height
    place = box.x0 * width, box.y0 * height, box.x1 * width, box.y1 * height
    return Token(word.text.strip(), page, *place, word.bold, word.certainty, max(word.size, high), (box,))


def _rows(tokens: list[Token], *, scanned: bool) -> list[list[Token]]:
    """Words side by side, followed from left to right so that a tilted line stays one line."""
    turned = [[t] for t in tokens if scanned and _is_turned(t)]
    rows: list[list[Token]] = []
    for token in sorted((t for t in tokens if not (scanned and _is_turned(t))), key=lambda t: (t.x0, t.y0)):
        best, best_share = None, 0.5
        for row in rows:
            share = _vertical_share(row[-1], token)
            if share > best_share and token.x0 >= row[-1].x1 - 0.6 * token.height:
                best, best_share = row, share
        if best is None:
            rows.append([token])
        else:
            best.append(token)
    rows += turned
    return sorted(rows, key=lambda row: (statistics.fmean(t.middle for t in row[:3]), row[0].x0))


def _is_turned(token: Token) -> bool:
    """Whether a word runs up or down the page, as a stamp at its margin: it is on no line with others."""
    return len(token.text) > _SHORT and token.height > 2 * (token.x1 - token.x0)


def _vertical_share(a: Token, b: Token) -> float:
    shared = min(a.y1, b.y1) - max(a.y0, b.y0)
    lower = min(a.height, b.height)
    return shared / lower if lower > 0 else 0.0


def _glued(row: list[Token]) -> list[Token]:
    """Words that a loose text layer took apart at a decimal sign or hyphen, as one: `500`, `.`, `00`."""
    glued: list[Token] = []
    for index, token in enumerate(row):
        last = glued[-1] if glued else None
        following = row[index + 1].text if index + 1 < len(row) else ""
        near = last is not None and token.x0 - last.x1 < 0.9 * token.height
        if (last is not None and near and last.text[-1].isdigit() and (
            (token.text in ".," and following[:1].isdigit())
            or (re.fullmatch(r"-\d{1,2}", token.text) and re.fullmatch(r"\d{5,}", last.text))
        )) or (
            last is not None
            and near
            and re.search(r"\d[.,]$", last.text)
            and len(last.boxes) > 1
            and token.text[0].isdigit()
        ):  # fmt: skip
            glued[-1] = _joined(last, token)
        else:
            glued.append(token)
    return glued


def _joined(a: Token, b: Token) -> Token:
    return Token(
        a.text + b.text, a.page, a.x0, min(a.y0, b.y0), b.x1, max(a.y1, b.y1), a.bold, min(a.certainty, b.certainty),
        a.size,
        (*a.boxes, *b.boxes),
    )  # fmt: skip


def _entry_of(token: Token, entries: Sequence[FormEntry]) -> FormEntry | None:
    """The field of the form that a word is filled into; the smallest that holds its middle and has it in its text."""
    held = [e for e in entries if e.box.contains(token.boxes[0].center) and squash(token.text) in squash(e.text)]
    return min((e for e in held if e.text), key=lambda e: e.box.width * e.box.height, default=None)


_LEADER = re.compile(r"[.·…‥]{4,}")
"""Dots that lead from a label to its value."""


def _split_row(row: list[Token], entries: Sequence[FormEntry]) -> list[Part]:
    """The parts of a row, each with the field of the form that it is filled into; leaders part as wide gaps do."""
    led = {id(after) for leader, after in pairwise(row) if _LEADER.fullmatch(leader.text)}
    row = [token for token in row if not _LEADER.fullmatch(token.text)] or row
    held = [_entry_of(token, entries) for token in row] if entries else [None] * len(row)
    parts, joined = [([row[0]], held[0])], goes_on(row)
    for place, ((left, before), (right, entry)) in enumerate(pairwise(zip(row, held, strict=True)), start=1):
        size = max(4.0, min(left.size, right.size))
        wide = right.x0 - left.x1 > SEGMENT_GAP * size and place not in joined
        if before is not entry or ((wide or id(right) in led) and entry is None):
            parts.append(([right], entry))
        else:
            parts[-1][0].append(right)
    return parts


def _aligned(rows: list[list[Part]]) -> list[list[Part]]:
    """Rows parted further where a gap is only just too narrow and what is beside it stands in a column."""
    for _ in range(2):  # what is parted shows columns to the rows around it
        edges = [_edges(row) for row in rows]
        rows = [
            [piece for part in row for piece in _parted_at_edges(part, _near(edges, index))]
            for index, row in enumerate(rows)
        ]
    return rows


def _edges(row: list[Part]) -> Edges:
    """Where the parts of a row begin but the first, and where they end but the last, points.

    A text far behind a figure counts as a part: one in rows above each other is a column.
    """
    begins, ends = [words[0].x0 for words, _ in row[1:]], [words[-1].x1 for words, _ in row[:-1]]
    for left, right in (pair for words, _ in row for pair in pairwise(words)):
        far = right.x0 - left.x1 > FIGURE_GAP * max(4.0, min(left.size, right.size))
        if far and left.text[-1].isdigit() and right.text[0].isalpha():
            begins.append(right.x0)
            ends.append(left.x1)
    return begins, ends


def _near(edges: list[Edges], index: int) -> Edges:
    """The edges in the rows around one; those of several columns right above or below it count twice."""
    found: Edges = ([], [])
    for other in range(max(0, index - _AROUND), min(len(edges), index + _AROUND + 1)):
        if other == index:
            continue
        times = 2 if abs(other - index) == 1 and len(edges[other][0]) >= _COLUMNS else 1
        for side in (0, 1):
            found[side].extend(edges[other][side] * times)
    return found


def _parted_at_edges(part: Part, near: Edges) -> list[Part]:
    words, entry = part
    if in_boxes(words):
        return [part]
    pieces = [[words[0]]]
    for left, right in pairwise(words):
        size = max(4.0, min(left.size, right.size))
        gap, close = right.x0 - left.x1, 0.15 * size
        starts = sum(abs(right.x0 - x) < close for x in near[0]) > 1
        ends = sum(abs(left.x1 - x) < close for x in near[1]) > 1
        amounts = bool(_AMOUNT.fullmatch(left.text) and _AMOUNT.fullmatch(right.text))
        if entry is None and ((gap > NARROW_GAP * size and (starts or ends)) or (amounts and gap > 0.45 * size)):
            pieces.append([right])
        else:
            pieces[-1].append(right)
    return [(piece, entry) for piece in pieces]
