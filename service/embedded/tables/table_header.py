"""Headers of tables: which line heads a table, what its columns are, and where they part."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from service.embedded.anchors.hits import Hit
from service.embedded.anchors.places import Evidence
from service.embedded.asked.column_roles import is_code
from service.embedded.asked.fields import Ask
from service.embedded.page.layout import Line, Segment, Token
from service.embedded.page.overlap import shared_width
from service.embedded.page.spans import Kind, token_currency
from service.embedded.tables.column_order import all_in_order, in_order
from service.embedded.tables.table_cells import NUMERIC, Column, kinds_within, wordless
from service.embedded.words.labels import read_word
from service.embedded.words.normalise import word_set

STOP_OWNERS = word_set(
    "concept:total_net concept:total_gross concept:total_tax concept:amount_due concept:closing_balance"
)
LIGHT = 1.0
"""Weight of a word on a line with few cells: as much may cross a wide strip that is better than a narrow one."""
HEAVY = 3.0
"""Weight of a header cell, and of a word on a line with many cells."""
WORD_GAP = 0.6
"""Text heights between two words of one header."""
GUTTER_LINES = 40
"""Lines under a header that are looked at to find where its columns part."""


@dataclass(frozen=True)
class Header:
    """A header row and the line its body starts on."""

    columns: tuple[Column, ...]
    gutters: tuple[float, ...]
    """Between each two columns the place that the fewest words of the body cross, points; one less than columns."""
    line: int
    """The 0-based index of its first line."""
    body: int
    """The 0-based index of the line after it."""
    page: int
    strength: float


def find_header(evidence: Evidence, asks: Sequence[Ask], line: Line) -> Header | None:
    """The line as a header, with what the line under it adds."""
    by_path = {ask.path: ask for ask in asks}
    hits = _line_hits(evidence, line, set(by_path))
    if not hits or _has_value(line):
        return None
    lines = [line]
    following = evidence.layout.lines[line.index + 1] if line.index + 1 < len(evidence.layout.lines) else None
    if following is not None and _close_under(line, following, _UNDER) and not _has_value(following):
        hits += _line_hits(evidence, following, set(by_path))
        lines.append(following)
    scored = _assign(evidence, hits, by_path, lines[-1].index + 1)
    chosen = {path: hit for path, (_, hit) in scored.items()}
    needed = 2 if len(asks) > 1 else 1
    dated = {a.path for a in asks if a.kind == "date"}
    if len(chosen) < needed or (dated and dated.isdisjoint(chosen) and 5 * len(chosen) < 3 * len(asks)):
        return None
    strength = sum(h.strength for h in chosen.values()) + 0.001 * len(line.segments)
    body = lines[-1].index + 1
    columns = _ordered(evidence, asks, line, body, scored)
    if not columns:
        columns = in_order(evidence, asks, _inferred(evidence, by_path, _columns(lines, chosen), body), body)
    return Header(columns, gutters(evidence, columns, body), line.index, body, line.page, strength)


def _ordered(
    evidence: Evidence, asks: Sequence[Ask], line: Line, body: int, scored: Mapping[str, tuple[float, Hit]]
) -> tuple[Column, ...]:
    """A header's cells in the order of the fields, where they are of their kinds and no clear label says otherwise."""
    columns = all_in_order(evidence, asks, line, body)
    best: dict[int, float] = {}
    for score, hit in scored.values():
        best[hit.segment.index] = max(score, best.get(hit.segment.index, _CLEAR))
    clear = {path: hit for path, (score, hit) in scored.items() if score >= best[hit.segment.index]}
    held = all(shared_width(hit, column) > 0 for column in columns for hit in [clear.get(column.path)] if hit)
    return columns if held else ()


_CLEAR = 0.6
"""How well a header and what is under it fit a field from which they are taken for it, whatever the order says."""


def shaped_header(evidence: Evidence, asks: Sequence[Ask], line: Line) -> Header | None:
    """A line as a header that no word tells, by the order and kinds of its columns alone."""
    body = _body_under(evidence, line)
    columns = () if _has_value(line) else all_in_order(evidence, asks, line, body)
    return Header(columns, gutters(evidence, columns, body), line.index, body, line.page, 0.0) if columns else None


def _body_under(evidence: Evidence, line: Line) -> int:
    """The first line under a header, without those in which its cells go on or tell their units."""
    body, above = line.index + 1, line
    for following in evidence.layout.lines[body : body + _HEADER_LINES - 1]:
        partial = len(following.segments) < len(line.segments) and not any(map(str.isdigit, following.text))
        within = all(sum(shared_width(s, c) > 0 for c in line.segments) == 1 for s in following.segments)
        units = all(_accompanies(t) for s in following.segments for t in s.tokens)
        if not (partial and within and _close_under(above, following, _UNITS_UNDER if units else _UNDER)):
            break
        body, above = following.index + 1, following
    return body


_HEADER_LINES = 3
_UNDER, _UNITS_UNDER = 0.8, 1.8
"""Gap between two lines of a header, and over one that only tells units, in text heights."""


def _line_hits(evidence: Evidence, line: Line, paths: set[str]) -> list[tuple[str, Hit]]:
    return [
        (path, hit) for segment in line.segments if len(segment.tokens) <= 14
        for path, hit in evidence.labels.headers_in(segment) if path in paths and hit.strength >= 0.55
    ]  # fmt: skip


def _assign(
    evidence: Evidence, hits: list[tuple[str, Hit]], by_path: dict[str, Ask], body: int
) -> dict[str, tuple[float, Hit]]:
    """One header for each column, with how well it fits: what they say and what is under them fits best in sum."""
    width = evidence.layout.page(hits[0][1].segment.page).width if hits else 1.0
    options: dict[str, list[tuple[float, Hit]]] = {}
    for path, hit in hits:
        score = hit.strength * _suiting(evidence, by_path[path], hit, body)
        score += 0.08 * hit.tokens[0].x0 / width * (by_path[path].concept == "amount")
        if score >= 0.3:
            options.setdefault(path, []).append((score, hit))
    ranked = [(path, sorted(found, key=lambda c: -c[0])[:3]) for path, found in options.items()]
    chosen = _best_sum(ranked, ())[1]
    return {path: next(one for one in options[path] if one[1] is hit) for path, hit in chosen.items()}


def _best_sum(
    options: list[tuple[str, list[tuple[float, Hit]]]], taken: tuple[Hit, ...]
) -> tuple[float, dict[str, Hit]]:
    """The choice of at most one hit a path without shared words that has the highest sum of squared scores."""
    if not options:
        return 0.0, {}
    (path, found), rest = options[0], options[1:]
    best = _best_sum(rest, taken)
    for score, hit in found:
        if any(hit.meets(other) for other in taken):
            continue
        total, chosen = _best_sum(rest, (*taken, hit))
        if total + score * score > best[0]:
            best = (total + score * score, {path: hit, **chosen})
    return best


def _suiting(evidence: Evidence, ask: Ask, hit: Hit, body: int) -> float:
    """How well what stands under a header is of the column's kind, 0.1–1; 1 where nothing stands there."""
    end = hit.segment.x1 if hit.end == len(hit.segment.tokens) else hit.tokens[-1].x1
    found = kinds_within(evidence, (hit.tokens[0].x0, end), body)
    if not found:
        return 0.9
    if ask.kind == "date":
        return 0.15 + 0.85 * found.count("date") / len(found)
    if ask.kind in NUMERIC:
        numbers = found.count("money") + (0.7 if ask.kind == "money" else 1.0) * found.count("number")
        return 0.15 + 0.85 * numbers / len(found)
    figures = 0.0 if is_code(ask) else (found.count("date") + found.count("money")) / len(found)
    if ask.concept == "description":
        figures = max(figures, wordless(evidence, (hit.tokens[0].x0, end), body))
    return 1.0 - 0.5 * figures


def _close_under(line: Line, following: Line, gap: float) -> bool:
    last = max(line.segments, key=lambda s: s.y1)
    return following.page == line.page and following.segments[0].y0 - last.y1 < gap * last.height


def _has_value(line: Line) -> bool:
    """Whether it holds an amount, or digits in several places that no letter leads: then it is no header."""
    with_digits = [s.text for s in line.segments if re.search(r"(?<![^\W\d_])\d", s.text)]
    return len(with_digits) > 1 or any(re.search(r"\d[.,/]\d", text) for text in with_digits)


def _columns(lines: list[Line], chosen: dict[str, Hit]) -> tuple[Column, ...]:
    """The chosen headers, widened by the words beside them, and what no field asks for."""
    ranges = {path: (hit.tokens[0].x0, hit.tokens[-1].x1) for path, hit in chosen.items()}
    others: list[Column] = []
    for segment in (s for line in lines for s in line.segments):
        owners = sorted(((h.start, h.end, path) for path, h in chosen.items() if h.segment is segment))
        for start, end in _free_runs(segment, chosen):
            x0, x1 = segment.tokens[start].x0, segment.tokens[end - 1].x1
            before = [path for _, stop, path in owners if stop <= start]
            path = before[-1] if before else owners[0][2] if owners else None
            if path is not None and (
                _beside(segment, start, end) or all(_accompanies(t) for t in segment.tokens[start:end])
            ):
                ranges[path] = (min(ranges[path][0], x0), max(ranges[path][1], x1))
            elif not any(min(x1, b) - max(x0, a) > 0 for a, b in ranges.values()):
                others.append(Column("", x0, x1))
    columns = [Column(path, x0, x1) for path, (x0, x1) in ranges.items()]
    others = [o for o in others if not any(shared_width(o, c) > 0 for c in columns)]
    return tuple(sorted([*columns, *others], key=lambda c: c.x0))


def _beside(segment: Segment, start: int, end: int) -> bool:
    """Whether words stand as near to a word before or behind them as the words of one header do."""
    edges = [i for i in (start, end) if 0 < i < len(segment.tokens)]
    gaps = (segment.tokens[i].x0 - segment.tokens[i - 1].x1 for i in edges)
    return any(gap < WORD_GAP * segment.height for gap in gaps)


def _inferred(
    evidence: Evidence, by_path: dict[str, Ask], columns: tuple[Column, ...], body: int
) -> tuple[Column, ...]:
    """The last column of money is the amount, whatever its header says, if no header was read as that."""
    ask = next((a for a in by_path.values() if a.concept == "amount"), None)
    known = {c.path for c in columns}
    if ask is None or ask.path in known or not columns or columns[-1].path:
        return columns
    last = columns[-1]
    kinds = kinds_within(evidence, (last.x0, last.x1), body)
    if not kinds or kinds.count("money") < 0.6 * len(kinds):
        return columns
    return (*columns[:-1], replace(last, path=ask.path))


def _accompanies(token: Token) -> bool:
    """Whether a word only belongs to the header beside it: a currency, a unit in brackets, a short word."""
    text = token.text
    return token_currency(text) is not None or text[0] in "([/%*#" or not read_word(text) or len(text) <= 2


def gutters(evidence: Evidence, columns: tuple[Column, ...], body: int) -> tuple[float, ...]:
    """Between each two columns the middle of the widest strip that the fewest words and header cells cross."""
    own = [(column.x0, column.x1, HEAVY) for column in columns]
    edges = np.array([*own, *_body_words(evidence, len(columns), body)], dtype=float).reshape(-1, 3)
    found: list[float] = []
    for left, right in pairwise(columns):
        low, high = (left.x0 + left.x1) / 2, (right.x0 + right.x1) / 2
        places = np.arange(low, max(high, low + 1.0), 1.0)
        crossing = (edges[:, :1] < places) & (places < edges[:, 1:2])
        crossed = (crossing * edges[:, 2:]).sum(axis=0)
        best = places[crossed <= crossed.min() + LIGHT]
        runs = np.split(best, np.flatnonzero(np.diff(best) > 1.5) + 1)
        widest = max(runs, key=len)
        found.append(float(widest[0] + widest[-1]) / 2)
    return tuple(found)


def _body_words(evidence: Evidence, columns: int, body: int) -> Iterator[tuple[float, float, float]]:
    """Left edge, right edge and weight of the words under a header; lines with many cells weigh more."""
    for line in evidence.layout.lines[body : body + GUTTER_LINES]:
        bare = len(line.segments) > 2 and not _has_value(line)
        if (
            line.page != evidence.layout.lines[body - 1].page
            or (line.index > body + 2 and bare)
            or stops(evidence, line)
        ):
            return
        heavy = HEAVY if len(line.segments) >= min(3, columns) else 1.0
        for token in (t for s in line.segments for t in s.tokens):
            yield token.x0, token.x1, heavy


def _free_runs(segment: Segment, chosen: dict[str, Hit]) -> list[tuple[int, int]]:
    taken = {i for hit in chosen.values() if hit.segment is segment for i in range(hit.start, hit.end)}
    runs: list[tuple[int, int]] = []
    for index in range(len(segment.tokens)):
        if index in taken:
            continue
        if runs and runs[-1][1] == index:
            runs[-1] = (runs[-1][0], index + 1)
        else:
            runs.append((index, index + 1))
    return runs


def stops(evidence: Evidence, line: Line) -> bool:
    """Whether a line gives a total of the table: such a label beside an amount."""
    amounts = any(n.money for s in line.segments for n in evidence.spans.inside(s, Kind.NUMBER))
    return amounts and any(
        hit.strength >= 0.74 and owner in STOP_OWNERS and 2 * _worded(hit.tokens) >= _worded(segment.tokens)
        for segment in line.segments
        for owner, hit in evidence.labels.in_segment(segment)
    )


def _worded(tokens: Sequence[Token]) -> int:
    return sum(any(c.isalpha() for c in t.text) for t in tokens)
