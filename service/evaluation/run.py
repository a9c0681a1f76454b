"""A run over sets: each as a whole and in its two halves, and all of them pooled."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from service.domain.records import JsonObject
from service.evaluation.answers import Answer
from service.evaluation.cases import Case
from service.evaluation.report import Report, measure, pool

POOLED = "all sets"


@dataclass(frozen=True, slots=True, kw_only=True)
class SetReport:
    """A set, and its halves: the one whose errors may be looked at, and the one that is only counted."""

    name: str
    whole: Report
    development: Report
    validation: Report

    @property
    def parts(self) -> tuple[tuple[str, Report], ...]:
        """Each with its name in tables and JSON."""
        return (("all", self.whole), ("development", self.development), ("validation", self.validation))

    def to_json(self) -> JsonObject:
        """The reports as plain data."""
        return {part: report.to_json() for part, report in self.parts}


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """One evaluation."""

    model: str
    engine: str
    made_at: str
    """RFC 3339, UTC."""
    sets: tuple[SetReport, ...]

    @property
    def pooled(self) -> SetReport:
        """All sets as one."""
        return SetReport(
            name=POOLED,
            whole=pool([s.whole for s in self.sets]),
            development=pool([s.development for s in self.sets]),
            validation=pool([s.validation for s in self.sets]),
        )

    def to_json(self) -> JsonObject:
        """The run as plain data, as `difference.py` reads it."""
        return {
            "model": self.model,
            "engine": self.engine,
            "made_at": self.made_at,
            "sets": {s.name: s.to_json() for s in self.sets},
            "pooled": self.pooled.to_json(),
        }


def measure_set(name: str, cases: Sequence[Case], answers: Sequence[Answer], *, seconds: float) -> SetReport:
    """Count a set and its halves; a half gets its share of the seconds, by what its documents took.

    Args:
        name: of the set.
        cases: of the set.
        answers: one a case, in the same order.
        seconds: what the clock took for the set.
    """
    waited = sum(answer.seconds for answer in answers) or 1.0

    def half(development: bool) -> Report:
        both = [(c, a) for c, a in zip(cases, answers, strict=True) if c.development is development]
        share = sum(answer.seconds for _, answer in both) / waited
        return measure([c for c, _ in both], [a for _, a in both], seconds=seconds * share)

    return SetReport(
        name=name,
        whole=measure(cases, answers, seconds=seconds),
        development=half(True),
        validation=half(False),
    )
