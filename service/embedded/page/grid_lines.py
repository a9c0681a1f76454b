"""Printed lines that may be a table without rules: they follow each other closely and have several runs of words."""

from __future__ import annotations

import re
import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from service.embedded.page.layout import Line, Token

Cell = tuple[Token, ...]
"""The words of a cell in reading order; none in an empty one."""
_REACH = 2.2
"""Gap between two lines of one table, in text heights."""
OVERLAP = -0.1
"""Gap under which two lines overlap so far that they are one row, in text heights."""
_ABOVE = 1.4
"""Gap up to which a header may stand above the columns it heads, in text heights."""
_STEADY = 4
"""Lines that tell how far the lines of a table usually stand apart."""
_BLANK = 1.45
"""Gap from which, where it is far from usual, a table ends; one blank line is less. In text heights."""
_UNUSUAL = 3.0
"""Times the usual gap from which a gap is far from it."""
_LONE = 3
"""Lines of one run of words that may stand in a row inside a table."""
FEWEST_LINES = 3
LEAST_GAP = 2.0
"""Points."""
_FIGURES = 0.45
"""Gap that parts two figures, in text heights; one between thousands is narrower."""
_LONG = 14
"""Words from which a line of one run is text."""
_LEADER = re.compile(r"[.…_=─-]{3,}")
"""Dots between a label and its value, and rules made of characters."""
_FIGURE = r"[-–—+(<>]*[$€£¥]?(?:\s*[-–—])?[.,\s]*\d[\d.,\s]*+[%)*a-z†‡]{0,3}"
_NUMBER = re.compile(rf"{_FIGURE}(?:\s*\({_FIGURE}\))?|[-–—.*]+|[nN]/?[aA]|\(?[xXzDNS]\)?")


@dataclass(frozen=True)
class Printed:
    """One printed line: its runs of words, left to right."""

    runs: tuple[Cell, ...]

    @property
    def top(self) -> float:
        """Upper edge, points."""
        return min(t.y0 for run in self.runs for t in run)

    @property
    def bottom(self) -> float:
        """Lower edge, points."""
        return max(t.y1 for run in self.runs for t in run)

    @property
    def text(self) -> str:
        """Its words."""
        return "  ".join(t.text for run in self.runs for t in run)

    @property
    def height(self) -> float:
        """Height of the font of its first words, points."""
        return max(t.size for t in self.runs[0])


def is_number(cell: Cell) -> bool:
    """Whether a cell is a number or what stands for one, such as a dash."""
    return bool(cell) and _NUMBER.fullmatch(" ".join(t.text for t in cell)) is not None


def printed_runs(lines: Sequence[Line], taken: set[int]) -> list[list[Printed]]:
    """Lines that may be a table each, trimmed to those with several runs of words and the headers over them."""
    runs: list[list[Printed]] = [[]]
    heads: list[list[Printed]] = [[]]
    above: list[Printed] = []
    for line in lines:
        parts = _parts(line, taken)
        if parts is None:
            continue
        printed = Printed(parts)
        run = runs[-1]
        if run and _ends(run, printed):
            runs.append([])
            heads.append([])
        if len(parts) > 1 or runs[-1]:
            if not runs[-1]:
                heads[-1] = above
            runs[-1].append(printed)
            above = []
        else:
            above = [*above, printed]
    closed = [(head, _closed(run)) for head, run in zip(heads, runs, strict=True)]
    whole = [[*_over(head, run), *run] for head, run in closed if len(run) >= FEWEST_LINES]
    return [part for run in whole for part in _repeats(run)]


def _repeats(run: Sequence[Printed]) -> list[list[Printed]]:
    """Tables right under each other, told apart by the header that is printed again."""
    parts: list[list[Printed]] = []
    for printed in run:
        again = printed.text == run[0].text and any(c.isalpha() for c in printed.text)
        if again and (not parts or len(parts[-1]) >= FEWEST_LINES):
            parts.append([])
        if not parts:
            parts.append([])
        parts[-1].append(printed)
    return parts


def _parts(line: Line, taken: set[int]) -> tuple[Cell, ...] | None:
    """The runs of words of a line that belong to no other table; None for one of leaders and dashes alone."""
    runs = [tuple(t for t in s.tokens if id(t) not in taken and not _LEADER.fullmatch(t.text)) for s in line.segments]
    return tuple(part for run in runs if run for part in _figures_apart(run)) or None


def _ends(run: Sequence[Printed], printed: Printed) -> bool:
    """Whether a line is no longer of the same table."""
    gap = printed.top - run[-1].bottom
    if gap > (_REACH if len(run) < _STEADY else _BLANK) * printed.height:
        usual = statistics.median(below.top - line.bottom for line, below in pairwise(run)) if len(run) > 1 else 0.0
        return gap > _REACH * printed.height or gap > _UNUSUAL * usual
    alone = len(printed.runs) == 1
    return alone and (len(printed.runs[0]) > _LONG or all(len(p.runs) == 1 for p in run[-_LONE:]))


def _over(above: Sequence[Printed], run: Sequence[Printed]) -> list[Printed]:
    """The lines right above a table that head some of its columns, but not the first: they stand to the right."""
    left, right = min(r[0].x0 for p in run for r in p.runs), max(r[-1].x1 for p in run for r in p.runs)
    found: list[Printed] = []
    top = run[0].top
    for printed in reversed(above):
        (only,) = printed.runs
        middle = (only[0].x0 + only[-1].x1) / 2
        beside = middle > left + 0.53 * (right - left) and only[0].x0 > left + 1 and only[-1].x1 < right + LEAST_GAP
        if not beside or top - printed.bottom > _ABOVE * printed.height:
            break
        found.insert(0, printed)
        top = printed.top
    return found


def _figures_apart(run: Cell) -> list[Cell]:
    """A run of words, cut between figures that stand further apart than the words of a text."""
    parts: list[list[Token]] = [[run[0]]]
    for before, token in pairwise(run):
        figures = is_number((token,)) and is_number((before,))
        if figures and token.x0 - before.x1 > _FIGURES * token.size:
            parts.append([token])
        else:
            parts[-1].append(token)
    return [tuple(part) for part in parts]


def _closed(run: list[Printed]) -> list[Printed]:
    """Without lines of one run at the end, but for the rest of a cell that wraps."""
    end = len(run)
    while end and len(run[end - 1].runs) == 1:
        end -= 1
    while 0 < end < len(run) and run[end].top - run[end - 1].bottom < OVERLAP * run[end].height:
        end += 1
    return run[:end]
