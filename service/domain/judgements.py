"""What reviews say about the model: of each field that a person looked at, whether it was right."""

from __future__ import annotations

from dataclasses import dataclass
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
