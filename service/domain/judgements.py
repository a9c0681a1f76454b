"""What reviews say about the model: of each field that a person looked at, whether it was right."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal


@dataclass(frozen=True, slots=True, kw_only=True)
class Tally:
    """Values of one field of a document that were alike in what the model said of them."""

    field: str
    """JSON Pointer with `*` for rows."""
    called: Literal["high", "low", "missing"]
    """How the model called them; `missing`: it gave none."""
    band: int
    """Tenth of the probability, 0–9 (9: from 0.9 on); -1 where the model gave none."""
    looked_at: int
    right: int
    told: float | None = None
    """Sum of their probabilities; None: there are none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Curve:
    """What a model's probabilities mean on documents of one schema, as reviews show it."""

    slope: float = 1.0
    shift: float = 0.0
    """The log odds of what is told become `slope` times as large, and `shift` is added."""
    reviewed: int = 0
    """Values with a probability that people looked at; 0: too few, and what is told stays."""
    untold: Mapping[str, tuple[float, int]] = field(default_factory=dict[str, tuple[float, int]])
    """`high` or `low` of values without a probability → how often such are right, and of how many that is known."""

    @property
    def tells(self) -> bool:
        """Whether enough was looked at to say anything."""
        return self.reviewed > 0 or bool(self.untold)

    def chance_of(self, told: float | None, called: str) -> float | None:
        """How likely a value is right, 0–1; None: nobody knows.

        Args:
            told: the model's own probability.
            called: `high` or `low`.
        """
        if told is None:
            return self.untold[called][0] if called in self.untold else None
        return round(odds_to_chance(self.slope * log_odds(told) + self.shift), 4) if self.reviewed else told


_NEVER_SURE = 0.005
"""No probability is taken for nearer to 0 or 1 than this."""


def log_odds(chance: float) -> float:
    """Of a probability."""
    chance = min(max(chance, _NEVER_SURE), 1 - _NEVER_SURE)
    return math.log(chance / (1 - chance))


def odds_to_chance(odds: float) -> float:
    """The inverse of `log_odds`, as near to 0 and 1 as that takes them."""
    most = log_odds(1.0)
    return 1 / (1 + math.exp(-min(max(odds, -most), most)))


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """One approved document. Times are Unix seconds."""

    job_id: str
    tenant_id: str
    record_index: int
    schema_name: str
    model: str
    at: float
    by: str
    seconds: float | None
    """From taking the document in hand to the approval; None: nobody took it."""
    passed: bool
    """Whether nothing about the machine's answer called for a person."""
    sampled: bool
    """Whether it passed and a person saw it all the same: the blind sample."""
    changed: int
    """Values that were not as approved, or were missing."""
    tallies: tuple[Tally, ...]
