"""The run over cases and its report: per field, the reliability curve, straight-through documents, speed."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import pairwise

from service.domain.errors import ServiceError
from service.domain.records import Confidence, Extraction, JsonObject
from service.domain.schema import FieldType
from service.evaluation.cases import Case
from service.evaluation.compare import is_empty, is_same
from service.evaluation.metrics import ALL, Scorer, Tally

Extract = Callable[[Case], Extraction]
"""How a case is extracted; raises ServiceError where it cannot be."""

CURVE_STEPS = (0.0, 0.2, 0.4, 0.6, 0.8, 0.9, 0.95, 0.985, 1.0)
COLUMNS = ("present", "filled", "right", "precision", "recall", "f1", "false_fill_rate", "high_share", "high_precision",
           "box_hit_rate")  # fmt: skip


@dataclass(frozen=True, slots=True)
class CurvePoint:
    """Values whose probability lies in `low` (inclusive) to `high` (exclusive; inclusive at 1)."""

    low: float
    high: float
    count: int
    right: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """What a run came to."""

    documents: int
    answered: int
    """Documents that gave an extraction."""
    pages: int
    seconds: float
    fields: dict[str, Tally]
    """Field name → its counts; `*` over all leaves."""
    curve: tuple[CurvePoint, ...]
    straight_through: int
    """Documents whose single fields that are filled are all `high`, with at least one."""
    straight_through_wrong: int
    """Among these, documents with a wrong or missing single value."""

    @property
    def high_lower_bound(self) -> float | None:
        """Lower end of the 95 % interval (Wilson) of how often `high` is right."""
        total = self.fields[ALL]
        return wilson_lower(total.high_right, total.high + total.high_wrong_absent)

    def to_json(self) -> JsonObject:
        """The report as plain data."""
        return {
            "documents": self.documents,
            "answered": self.answered,
            "pages": self.pages,
            "seconds": round(self.seconds, 3),
            "straight_through": self.straight_through,
            "straight_through_wrong": self.straight_through_wrong,
            "high_lower_bound": self.high_lower_bound,
            "fields": {name: {**_row(tally)} for name, tally in sorted(self.fields.items())},
            "curve": [{"low": p.low, "high": p.high, "count": p.count, "right": p.right} for p in self.curve],
        }

    def to_text(self) -> str:
        """A table for a terminal."""
        lines = [
            f"{self.documents} documents, {self.answered} answered, {self.pages} pages in {self.seconds:.1f} s",
            f"{'field':<32}" + "".join(f"{c.removesuffix('_rate'):>15}" for c in COLUMNS),
        ]
        for name, tally in sorted(self.fields.items()):
            cells = "".join(f"{_cell(v):>15}" for v in _row(tally).values())
            lines.append(f"{name[:31]:<32}{cells}")
        return "\n".join(lines)


def _row(tally: Tally) -> dict[str, float | None]:
    return {
        "present": tally.present,
        "filled": tally.filled,
        "right": tally.right,
        "precision": tally.precision,
        "recall": tally.recall,
        "f1": tally.f1,
        "false_fill_rate": tally.false_fill_rate,
        "high_share": tally.high_share,
        "high_precision": tally.high_precision,
        "box_hit_rate": tally.box_hit_rate,
    }


def _cell(value: float | None) -> str:
    return "-" if value is None else str(value) if isinstance(value, int) else f"{value:.3f}"


def evaluate(cases: Iterable[Case], extract: Extract, *, clock: Callable[[], float] = time.perf_counter) -> Report:
    """Extract every case and count; a case that raises a ServiceError counts as empty."""
    scorer, started = Scorer(), clock()
    documents = answered = pages = straight = wrong = 0
    for case in cases:
        documents += 1
        extraction: Extraction | None = None
        with suppress(ServiceError):  # what cannot be extracted is counted as missing below
            extraction = extract(case)
        scorer.add(case, extraction)
        if extraction is not None:
            answered, pages = answered + 1, pages + len(extraction.pages)
            if _is_straight(case, extraction):
                straight += 1
                wrong += not _all_right(case, extraction)
    return Report(
        documents=documents,
        answered=answered,
        pages=pages,
        seconds=clock() - started,
        fields=scorer.tallies,
        curve=reliability(scorer.tallies[ALL].curve),
        straight_through=straight,
        straight_through_wrong=wrong,
    )


def _is_straight(case: Case, extraction: Extraction) -> bool:
    entries = [extraction.fields.get(f"/{f.name}") for f in case.schema.root.properties if f.is_leaf]
    filled = [e for e in entries if e is not None and not is_empty(e.value)]
    return bool(filled) and all(e.confidence is Confidence.HIGH for e in filled)


def _all_right(case: Case, extraction: Extraction) -> bool:
    for field in case.schema.root.properties:
        if field.type in (FieldType.ARRAY, FieldType.OBJECT) or field.name in case.ignored:
            continue
        got = extraction.values.get(field.name)
        if field.name in case.absent and not is_empty(got):
            return False
        if field.name in case.truth and not is_same(field, case.truth[field.name], got):
            return False
    return True


def reliability(points: Sequence[tuple[float, bool]]) -> tuple[CurvePoint, ...]:
    """How often values of each band of probability are right."""
    found: list[CurvePoint] = []
    for low, high in pairwise(CURVE_STEPS):
        band = [right for p, right in points if low <= p < high or (high == 1.0 and p == 1.0)]
        found.append(CurvePoint(low, high, len(band), sum(band)))
    return tuple(found)


def wilson_lower(right: int, count: int) -> float | None:
    """Lower end of the 95 % Wilson interval of a share; None without any."""
    if not count:
        return None
    z, share = 1.96, right / count
    middle = share + z * z / (2 * count)
    spread = z * math.sqrt(share * (1 - share) / count + z * z / (4 * count * count))
    return (middle - spread) / (1 + z * z / count)
