"""An invented document: what it says, and the sheets it is printed on."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from random import Random

from service.domain.pages import PageText
from service.domain.records import Json
from training.sheet import Look, Sheet
from training.values import Habit, Told, new_habit, some_value
from training.vocabulary import LANGUAGES, pick, slots

A4, LETTER = (595.0, 842.0), (612.0, 792.0)
_PERIOD = ("start_date", "end_date")
MORE_HEIGHT = 1.45
"""From one line to the next, in letter sizes."""


@dataclass(frozen=True)
class Column:
    """A column of a document's table."""

    key: str
    kind: str
    label: str


@dataclass
class Table:
    """Rows as the schema wants them; a cell may be missing."""

    columns: list[Column] = field(default_factory=list[Column])
    rows: list[dict[str, Json]] = field(default_factory=list[dict[str, Json]])


@dataclass
class Paper:
    """One document while it is made."""

    kind: str
    rng: Random
    habit: Habit
    look: Look
    facts: dict[str, Told] = field(default_factory=dict[str, Told])
    """Key of a slot → what the document says, if it is shown."""
    shown: set[str] = field(default_factory=set[str])
    """Keys of the slots that are printed."""
    others: dict[str, tuple[str, Told]] = field(default_factory=dict[str, tuple[str, Told]])
    """Label of something that no slot knows → kind and what the document says."""
    ticks: dict[str, bool] = field(default_factory=dict[str, bool])
    """Words beside a check box → whether it is ticked."""
    empty: list[str] = field(default_factory=list[str])
    """Labels with nothing behind them."""
    table: Table = field(default_factory=Table)
    parties: list[str] = field(default_factory=list[str])
    prose: dict[str, Told] = field(default_factory=dict[str, Told])
    """What a contract tells in sentences: effective_date, term, governing_law."""
    sheets: list[Sheet] = field(default_factory=list[Sheet])
    quality: float | None = None
    """How well it was scanned, 0–1; None for a digital document."""

    @property
    def language(self) -> str:
        """Of its labels."""
        return self.habit.language

    @property
    def sheet(self) -> Sheet:
        """The page that is written on."""
        return self.sheets[-1]

    @property
    def step(self) -> float:
        """Distance of lines, points."""
        return MORE_HEIGHT * self.look.size

    @property
    def american(self) -> bool:
        """Whether it prints the month before the day."""
        return self.habit.currency == "USD"

    @property
    def format(self) -> tuple[float, float]:
        """Width and height of its sheets, points: paper tells where a document comes from."""
        return LETTER if self.american else A4

    def chance(self, share: float) -> bool:
        """True that often."""
        return self.rng.random() < share

    def fact(self, key: str) -> Told:
        """What it says in a slot, invented where it is not known yet."""
        if key not in self.facts:
            self.facts[key] = some_value(self.rng, slots()[key].kind, self.habit)
        return self.facts[key]

    def show(self, key: str) -> Told:
        """As `fact`, of what is printed."""
        self.shown.add(key)
        return self.fact(key)

    def label(self, key: str) -> str:
        """How it labels a slot, in capitals where that is its habit."""
        return self.cased(slots()[key].label(self.rng, self.language))

    def cased(self, text: str) -> str:
        """A label in the document's letters."""
        return text.upper() if self.habit.capitals else text

    def new_sheet(self, width: float, height: float) -> Sheet:
        """A further page."""
        self.sheets.append(Sheet(width, height, number=len(self.sheets) + 1))
        return self.sheet

    def pages(self) -> tuple[PageText, ...]:
        """As they are read."""
        if self.quality is None:
            return tuple(sheet.digital() for sheet in self.sheets)
        return tuple(sheet.scanned(self.rng, self.quality) for sheet in self.sheets)


def new_paper(rng: Random, kind: str, *, scanned: float, english: float = 0.5) -> Paper:
    """A document without content; `scanned` and `english` are how often it is."""
    language = "en" if rng.random() < english else rng.choice(LANGUAGES)
    look = Look(rng.choice((8.0, 9.0, 10.0, 11.0)), rng.choice((0.85, 1.0, 1.0, 1.0, 1.12)))
    paper = Paper(kind, rng, new_habit(rng, language), look)
    if rng.random() < scanned:
        paper.quality = rng.choice((0.5, 0.7, 0.8, 0.9, 0.95, 1.0, 1.0))
    return paper


def some_keys(paper: Paper, keys: Iterable[str], share: float) -> list[str]:
    """About so many of some slots, in a new order."""
    chosen = [key for key in keys if paper.chance(share)]
    paper.rng.shuffle(chosen)
    return chosen


@dataclass(frozen=True)
class Pairing:
    """How labels and values stand to each other in one block."""

    style: str
    """`colon`, `gap`, `right`, `above` or `grid`."""
    reach: float
    """From the label's left edge to the value's (its right edge, for `right`), points."""
    bold: bool
    """Whether labels are bold."""


def some_pairing(paper: Paper, reach: float) -> Pairing:
    """One way of setting labels and values."""
    style = paper.rng.choice(("colon", "colon", "gap", "gap", "right", "above", "grid"))
    return Pairing(style, reach, paper.chance(0.4))


def put_pairs(paper: Paper, pairs: Sequence[tuple[str, Told]], x: float, y: float, pairing: Pairing) -> float:
    """Write labelled values under each other (or labels in a row over their values); where the next line stands."""
    if pairing.style == "grid":
        return _put_grid(paper, pairs, x, y, pairing)
    label_look = replace(paper.look, bold=pairing.bold)
    colon = ":" if pairing.style == "colon" or paper.chance(0.3) else ""
    for label, told in pairs:
        lines = told.lines
        if not label:
            pass
        elif pairing.style == "above":
            paper.sheet.write(x, y, label, replace(label_look, size=0.85 * paper.look.size))
            y += 0.8 * paper.step
        elif pairing.style == "colon" and len(lines) == 1:
            tight = "" if paper.chance(0.1) else " "
            paper.sheet.write(x, y, f"{label}:{tight}{lines[0]}", paper.look)
            y += paper.step
            continue
        else:
            paper.sheet.write(x, y, label + colon, label_look)
        at = x if pairing.style == "above" or not label else x + pairing.reach
        for line in lines:
            paper.sheet.write(at, y, line, paper.look, "right" if pairing.style == "right" and label else "left")
            y += paper.step
        y += 0.5 * paper.step * (pairing.style == "above")
    return y


def _put_grid(paper: Paper, pairs: Sequence[tuple[str, Told]], x: float, y: float, pairing: Pairing) -> float:
    """Labels in a row, each value under its own; as many to a row as fit."""
    width = max(
        70.0,
        *(
            paper.look.width_of(max(label, *told.lines, key=len)) + 14
            for label, told in pairs or [("", Told("", ("",)))]
        ),
    )
    across = max(1, min(len(pairs), int((paper.sheet.width - x - 20) / width)))
    for start in range(0, len(pairs), across):
        row = pairs[start : start + across]
        for place, (label, told) in enumerate(row):
            paper.sheet.write(x + place * width, y, label, replace(paper.look, bold=pairing.bold))
            for depth, line in enumerate(told.lines):
                paper.sheet.write(x + place * width, y + (1 + depth) * paper.step, line, paper.look)
        y += paper.step * (2.4 + max(len(told.lines) - 1 for _, told in row))
    return y


def labelled(paper: Paper, keys: Iterable[str]) -> list[tuple[str, Told]]:
    """Slots that are to be printed, with their label and value."""
    keys = list(keys)
    if not set(_PERIOD) <= set(keys) or not paper.chance(0.5):
        return [(paper.label(key), paper.show(key)) for key in keys]
    pairs = labelled(paper, (key for key in keys if key not in _PERIOD))
    pairs.insert(min(keys.index(key) for key in _PERIOD), _period(paper))
    return pairs


def _period(paper: Paper) -> tuple[str, Told]:
    """The first and the last day of a period side by side, under one label."""
    first, last = (paper.show(key).text for key in _PERIOD)
    text = f"{first}{paper.rng.choice((' - ', ' – ', '-', ' to ', ' / '))}{last}"
    return paper.cased(pick(paper.rng, f"period_{paper.language}")), Told(text, (text,))
