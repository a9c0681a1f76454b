"""What a set came to: per field, the reliability curve, straight-through documents, speed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from service.domain.records import JsonObject
from service.domain.shares import Share
from service.evaluation.answers import Answer
from service.evaluation.cases import Case
from service.evaluation.metrics import ALL, Scorer, Tally
from service.evaluation.straight import Passes, critical_fields, passes_unseen

CURVE_STEPS = (0.0, 0.2, 0.4, 0.6, 0.8, 0.9, 0.95, 0.985, 1.0)


@dataclass(frozen=True, slots=True)
class CurvePoint:
    """Values whose probability lies in `low` (inclusive) to `high` (exclusive; inclusive at 1)."""

    low: float
    high: float
    count: int
    right: int
    mean: float
    """Of the probabilities; the middle of the band where it has no value."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """What the cases of a set, or of several, came to."""

    documents: int
    failed: tuple[tuple[str, str], ...]
    """File and error code of documents that gave no extraction."""
    pages: int
    seconds: float
    """Of the clock, several documents at once."""
    fields: dict[str, Tally]
    """Field name → its counts; `*` over all leaves."""
    straight_through: int
    """Documents whose single fields that are filled are all `high`, with at least one."""
    straight_through_wrong: int
    """Among these, documents with a wrong or missing single value."""
    critical: int = 0
    """Documents whose schema names critical fields (`x-review`)."""
    critical_through: int = 0
    """Among these, documents whose critical fields that are filled are all `high`, with at least one."""
    critical_through_wrong: int = 0
    """Among these, documents with a wrong or missing critical value."""

    @property
    def total(self) -> Tally:
        """Over all leaves."""
        return self.fields[ALL]

    @property
    def answered(self) -> int:
        """Documents that gave an extraction."""
        return self.documents - len(self.failed)

    @property
    def pages_per_second(self) -> float | None:
        """Of the clock."""
        return self.pages / self.seconds if self.seconds > 0 else None

    @property
    def high_lower_bound(self) -> float | None:
        """Lower end of the 95 % interval (Wilson) of how often `high` is right."""
        return wilson_lower(self.total.high_right, self.total.high + self.total.high_wrong_absent)

    @property
    def straight_through_share(self) -> float | None:
        """Documents that need no eye, among all."""
        return self.straight_through / self.documents if self.documents else None

    @property
    def straight_through_error(self) -> float | None:
        """Wrong ones among the documents that need no eye."""
        return self.straight_through_wrong / self.straight_through if self.straight_through else None

    @property
    def critical_through_share(self) -> float | None:
        """Documents that need no eye if only critical fields count, among those that name some."""
        return self.critical_through / self.critical if self.critical else None

    @property
    def curve(self) -> tuple[CurvePoint, ...]:
        """How often values of each band of probability are right."""
        return reliability(self.total.curve)

    def to_json(self) -> JsonObject:
        """The report as plain data."""
        return {
            "documents": self.documents,
            "answered": self.answered,
            "failed": [{"file": file, "code": code} for file, code in self.failed],
            "pages": self.pages,
            "seconds": round(self.seconds, 3),
            "pages_per_second": rounded(self.pages_per_second),
            "high_lower_bound": rounded(self.high_lower_bound),
            "straight_through": self.straight_through,
            "straight_through_share": rounded(self.straight_through_share),
            "straight_through_wrong": self.straight_through_wrong,
            "straight_through_error": rounded(self.straight_through_error),
            "critical": self.critical,
            "critical_through": self.critical_through,
            "critical_through_share": rounded(self.critical_through_share),
            "critical_through_wrong": self.critical_through_wrong,
            "fields": {name: {**figures(tally)} for name, tally in sorted(self.fields.items())},
            "curve": [
                {"low": p.low, "high": p.high, "mean": round(p.mean, 4), "count": p.count, "right": p.right}
                for p in self.curve
            ],
        }


def figures(tally: Tally) -> dict[str, float | None]:
    """The columns of a row, by their name in JSON."""
    return {
        "present": tally.present,
        "filled": tally.filled,
        "right": tally.right,
        "precision": rounded(tally.precision),
        "recall": rounded(tally.recall),
        "f1": rounded(tally.f1),
        "absent": tally.absent,
        "false_fill": rounded(tally.false_fill_rate),
        "high": tally.high + tally.high_wrong_absent,
        "high_share": rounded(tally.high_share),
        "high_precision": rounded(tally.high_precision),
        "boxed": tally.boxed,
        "box_hit": rounded(tally.box_hit_rate),
    }


def rounded(share: float | None) -> float | None:
    """To four decimals."""
    return None if share is None else round(share, 4)


def measure(cases: Sequence[Case], answers: Sequence[Answer], *, seconds: float) -> Report:
    """Count the answers of a set.

    Args:
        cases: of the set, in any order.
        answers: one a case, in the same order; one without an extraction counts as empty.
        seconds: what the clock took for all of them.
    """
    scorer = Scorer()
    failed: list[tuple[str, str]] = []
    passes: list[Passes] = []
    pages = 0
    for case, answer in zip(cases, answers, strict=True):
        found = answer.extraction
        scorer.add(case, found)
        if found is None:
            failed.append((case.file, answer.code or "no_record"))
            continue
        pages += len(found.pages)
        passes.append(passes_unseen(case, found))
    return Report(
        documents=len(cases),
        failed=tuple(failed),
        pages=pages,
        seconds=seconds,
        fields=scorer.tallies,
        straight_through=sum(p.single.unseen for p in passes),
        straight_through_wrong=sum(p.single.unseen_wrong for p in passes),
        critical=sum(bool(critical_fields(case)) for case in cases),
        critical_through=sum(p.critical.unseen for p in passes),
        critical_through_wrong=sum(p.critical.unseen_wrong for p in passes),
    )


def pool(reports: Sequence[Report]) -> Report:
    """Several sets as one; fields of different sets are different things, so only the sum over all leaves is kept."""
    total = Tally()
    for report in reports:
        total.add(report.total)
    return Report(
        documents=sum(r.documents for r in reports),
        failed=tuple(failure for r in reports for failure in r.failed),
        pages=sum(r.pages for r in reports),
        seconds=sum(r.seconds for r in reports),
        fields={ALL: total},
        straight_through=sum(r.straight_through for r in reports),
        straight_through_wrong=sum(r.straight_through_wrong for r in reports),
        critical=sum(r.critical for r in reports),
        critical_through=sum(r.critical_through for r in reports),
        critical_through_wrong=sum(r.critical_through_wrong for r in reports),
    )


def reliability(points: Sequence[tuple[float, bool]]) -> tuple[CurvePoint, ...]:
    """How often values of each band of probability are right."""
    found: list[CurvePoint] = []
    for low, high in pairwise(CURVE_STEPS):
        band = [(p, right) for p, right in points if low <= p < high or (high == 1.0 and p == 1.0)]
        mean = sum(p for p, _ in band) / len(band) if band else (low + high) / 2
        found.append(CurvePoint(low, high, len(band), sum(right for _, right in band), mean))
    return tuple(found)


def wilson_lower(right: int, count: int) -> float | None:
    """Lower end of the 95 % Wilson interval of a share; None without any."""
    return Share(right, count).least if count else None
