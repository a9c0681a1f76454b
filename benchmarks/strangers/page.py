"""The language of a page: fills a kind's lines with the facts of one document.

# title   ## heading   = centred   > at the right edge   anything else: a paragraph
Label = {path}      a line of a block of labelled values; `:style` before it says how they stand to each other
| A | > B           a row of a table (`>`: right-aligned); a row with `{rows[].x}` is repeated; `:ruled` has rules
<< … || … >>        two columns
{path/cur} with its currency, {path/inline} on one line, {path?member} a box that is ticked for that member,
{rows[].*/list} with commas, {rows[].*/lines} under each other, {#} the row's number, <one/other> one of two wordings
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from benchmarks.strangers.values import Facts, Told

_SLOT = re.compile(r"\{~?([^{}/?]+)(?:/(\w+))?(?:\?(\w+))?\}")
_WORDING = re.compile(r"<([^<>]+/[^<>]+)>")
_PAIR = re.compile(r"(.+?) = ?(.*)")
STYLES = ("colon", "gap", "right", "dots", "above", "below", "below2", "grid", "box")
_ALIKE = {
    "colon": ("colon", "gap"),
    "gap": ("gap", "dots", "colon", "right"),
    "above": ("above", "box"),
    "grid": ("grid", "box"),
    "box": ("box", "above", "gap"),
}
"""Styles that one document of a kind may have for another."""


@dataclass(frozen=True)
class Filled:
    """A text and where values stand in it: path, first letter, behind its last."""

    text: str
    values: tuple[tuple[str, int, int], ...] = ()

    def part(self, start: int, end: int) -> Filled:
        """A piece of it, with the values that are whole in it."""
        inside = ((p, a - start, b - start) for p, a, b in self.values if start <= a and b <= end)
        return Filled(self.text[start:end], tuple(inside))

    def lines(self) -> list[Filled]:
        """It, line by line; of a value of several lines no place is known."""
        found: list[Filled] = []
        start = 0
        for line in self.text.split("\n"):
            found.append(self.part(start, start + len(line)))
            start += len(line) + 1
        return found

    def joined(self, between: str, other: Filled) -> Filled:
        """It and another one behind it."""
        start = len(self.text) + len(between)
        moved = tuple((path, first + start, end + start) for path, first, end in other.values)
        return Filled(self.text + between + other.text, self.values + moved)


@dataclass
class Text:
    """A line or paragraph; `look` is one of title, heading, centre, right, plain."""

    look: str
    filled: Filled


@dataclass
class Pairs:
    """Labelled values."""

    style: str
    pairs: list[tuple[Filled, Filled]] = field(default_factory=list)


@dataclass
class Table:
    """Rows of cells, the first one its header."""

    ruled: bool
    right: tuple[bool, ...]
    rows: list[list[Filled]] = field(default_factory=list)


@dataclass
class Columns:
    """Two columns."""

    left: list[Block] = field(default_factory=list)
    right: list[Block] = field(default_factory=list)


Block = Text | Pairs | Table | Columns
_LOOKS = {"# ": "title", "## ": "heading", "= ": "centre", "> ": "right"}


class Composer:
    """Makes the blocks of one document."""

    def __init__(self, facts: Facts, ticks: tuple[str, str]) -> None:
        self._facts, self._ticks = facts, ticks
        self._blanks = facts.rng.random() < 0.5
        """Whether a label stays where its value is lacking."""

    def blocks(self) -> list[Block]:
        """The page, from the top."""
        here: list[Block] = []
        outer, columns, style = here, Columns(), ""
        for line in self._facts.kind.page:
            if line == "<<":
                columns = Columns()
                outer, here = here, columns.left
            elif line == "||":
                here = columns.right
            elif line == ">>":
                here = outer
                here.append(columns)
            elif line.startswith(":"):
                style = line[1:]
                if style in STYLES:
                    here.append(Pairs(self._facts.rng.choice(_ALIKE.get(style, (style,)))))
            elif line.startswith("|"):
                self._row(here, line, ruled=style == "ruled")
                style = "" if "[]" in line else style
            elif line:
                self._line(here, line)
            else:
                here.append(Text("plain", Filled("")))
        return here

    def _line(self, here: list[Block], line: str) -> None:
        mark = next((mark for mark in _LOOKS if line.startswith(mark)), "")
        pair = None if mark else _PAIR.fullmatch(line)
        if pair and here and isinstance(here[-1], Pairs):
            filled = self._fill(pair[2])
            if filled is not None or self._blanks:
                here[-1].pairs.append((self._fill(pair[1]) or Filled(""), filled or Filled("")))
        elif (filled := self._fill(line.removeprefix(mark))) is not None:
            here.append(Text(_LOOKS.get(mark, "plain"), filled))

    def _row(self, here: list[Block], line: str, *, ruled: bool) -> None:
        cells = [cell.strip() for cell in line[1:].split("|")]
        table = here[-1] if here and isinstance(here[-1], Table) else None
        if table is None:
            table = Table(ruled or self._facts.rng.random() < 0.2, tuple(cell.startswith(">") for cell in cells))
            here.append(table)
        group = re.search(r"\{(\w+)\[\]", line)
        rows = self._facts.rows[group[1]] if group else [{}]
        for number, row in enumerate(rows, start=1):
            known = {f"{group[1]}[].{key}": told for key, told in row.items()} if group else {}
            known["#"] = Told(number, str(number))
            table.rows.append([self._fill(cell.removeprefix(">").strip(), known) or Filled("") for cell in cells])

    def _worded(self, text: str) -> str:
        return _WORDING.sub(lambda found: self._facts.rng.choice(found[1].split("/")), text)

    def _fill(self, template: str, row: Mapping[str, Told] | None = None) -> Filled | None:
        """The template with its values; None if one is lacking."""
        text, values, at = "", [], 0
        template = self._worded(template.replace("\\n", "\n"))
        for slot in _SLOT.finditer(template):
            if slot[1] in self._facts.lacking:
                return None
            text += template[at : slot.start()]
            written = self._written(slot, row or {})
            if not slot[3] and slot[1] in self._facts.singles:
                values.append((slot[1], len(text), len(text) + len(written)))
            text += written
            at = slot.end()
        return Filled(text + template[at:], tuple(values))

    def _written(self, slot: re.Match[str], row: Mapping[str, Told]) -> str:
        path, form, member = slot[1], slot[2], slot[3]
        if path.endswith("[].*"):
            each = (told["*"].text for told in self._facts.rows[path.removesuffix("[].*")])
            return ("\n" if form == "lines" else ", ").join(each)
        told = row[path] if path in row else self._facts.singles[path]
        if member:
            return self._ticks[str(told.value).lower() == member.lower()]
        if form == "cur":
            return self._facts.money(told)
        return told.text.replace("\n", ", ") if form == "inline" else told.text
