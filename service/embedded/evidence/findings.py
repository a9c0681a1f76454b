"""A document and what was chosen in it: what the features of every value are taken from."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from service.domain.records import Scalar
from service.embedded.anchors.places import Evidence
from service.embedded.asked.fields import Ask
from service.embedded.candidates.proposals import Choice
from service.embedded.candidates.prose import Prose
from service.embedded.candidates.totals import printed_totals
from service.embedded.evidence.proofs import Proofs
from service.embedded.page.spans import Kind, Span
from service.embedded.tables.row_checks import Row
from service.embedded.words.normalise import squash

CENT = 0.011
"""Amounts nearer to each other are one."""
Values = dict[str, float]
"""Features by name."""


@dataclass(frozen=True)
class Leaf:
    """A value that was chosen for a place in the record, with its rivals behind it."""

    path: str
    """JSON Pointer in the record."""
    ask: Ask
    choices: Sequence[Choice]
    """The chosen one first; never empty."""
    value: Scalar
    """As the schema wants it."""
    single: bool = False
    """Whether it is neither a cell nor one of a list."""
    table: str = ""
    """Path of the table it is a cell of."""
    row: int = 0


@dataclass
class Findings:
    """A document and all that was chosen in it."""

    evidence: Evidence
    prose: Prose
    leaves: Sequence[Leaf]
    tables: Mapping[str, Sequence[Row]]
    asked: int
    """Leaves of the schema that are no columns."""
    proofs: Proofs
    """What the document proves of its own values."""
    columns: dict[str, tuple[Values, float, float]] = field(default_factory=dict[str, tuple[Values, float, float]])
    """Path of a column → what is so for all its cells, and their usual edges; filled as it is asked for."""

    def of(self, leaves: Sequence[Leaf]) -> Findings:
        """The same document where other values are chosen."""
        return Findings(self.evidence, self.prose, leaves, self.tables, self.asked, self.proofs)

    @cached_property
    def claims(self) -> Counter[int]:
        """How many leaves rest on a word, by its identity."""
        return Counter(id(t) for leaf in self.leaves for t in leaf.choices[0].span.tokens)

    @cached_property
    def amounts(self) -> dict[str, float]:
        """The amounts that were chosen for single fields, by what the first of their kind is for."""
        money = [(leaf.ask.concept, leaf.value) for leaf in self.leaves if leaf.single and leaf.ask.kind == "money"]
        return {c: float(v) for c, v in reversed(money) if c and isinstance(v, (int, float))}

    @cached_property
    def numbers(self) -> Counter[float]:
        """How often each amount is printed."""
        return Counter(
            round(float(s.value), 2)
            for s in self.evidence.spans.of(Kind.NUMBER)
            if isinstance(s.value, (int, float)) and not s.percent
        )

    @cached_property
    def ranks(self) -> dict[float, int]:
        """Each amount of money → its 0-based place among all, the largest first."""
        spans = self.evidence.spans.of(Kind.NUMBER)
        amounts = {abs(float(s.value)) for s in spans if s.money and isinstance(s.value, (int, float))}
        return {amount: place for place, amount in enumerate(sorted(amounts, reverse=True))}

    @cached_property
    def totals(self) -> frozenset[float]:
        """The amounts beside labels of totals."""
        return frozenset(round(v, 2) for v in printed_totals(self.evidence))

    @cached_property
    def summed_columns(self) -> frozenset[str]:
        """Paths of the columns whose numbers come to an amount beside a label of a total."""
        sums: dict[str, float] = defaultdict(float)
        for rows in self.tables.values():
            for path, cell in (pair for row in rows for pair in row.items()):
                if isinstance(cell.value, (int, float)):
                    sums[path] += float(cell.value)
        return frozenset(p for p, came in sums.items() if any(abs(came - total) < CENT for total in self.totals))

    @cached_property
    def text(self) -> str:
        """All letters and digits of the document."""
        return squash(" ".join(s.text for s in self.evidence.layout.segments))

    @cached_property
    def days_printed(self) -> frozenset[str]:
        """All printed days, ISO."""
        return frozenset(str(s.value)[:10] for s in self.evidence.spans.of(Kind.DATE))

    def dates_on(self, line: int) -> list[Span]:
        """The days that a line prints."""
        segments = self.evidence.layout.lines[line].segments
        return [d for s in segments for d in self.evidence.spans.inside(s, Kind.DATE)]

    @cached_property
    def document(self) -> Values:
        """What is so for every value of the document."""
        layout = self.evidence.layout
        words = sum(len(s.tokens) for s in layout.segments)
        certain = [t.certainty for s in layout.segments for t in s.tokens]
        singles = sum(not leaf.table for leaf in self.leaves)
        return {
            "scanned": float(layout.scanned),
            "prose": float(self.prose.is_prose),
            "words": float(np.log1p(words)),
            "pages": float(len(layout.pages)),
            "legible": sum(c >= 0.98 for c in certain) / len(certain) if certain else 1.0,
            "answered": singles / self.asked if self.asked else 0.0,
            "days": float(len(self.days_printed)),
        }
