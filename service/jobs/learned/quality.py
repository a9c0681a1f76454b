"""What reviews say about the model: accuracy by field and week, whether confidence holds, and what a review takes."""

from __future__ import annotations

import statistics
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from service.domain.jobs import ReviewState
from service.domain.judgements import Curve, Judgement, Tally
from service.domain.shares import Share
from service.jobs.learned.calibrate import DEFAULT_TARGET, curves_of, falls_short
from service.jobs.services import Services
from service.storage.rows.jobs import JobFilter

_WEEK_S = 7 * 86_400.0
_MOST_DOCUMENTS = 5000
_LONGEST_S = 3600.0
"""A claim that was older at the approval was not one sitting."""
_BANDS = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Week:
    """Values that people looked at within seven days."""

    begins: float
    """Unix seconds."""
    looked_at: Share


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldQuality:
    """One field of a schema."""

    schema_name: str
    field: str
    """JSON Pointer with `*` for rows."""
    looked_at: Share
    """All values that people looked at, those that were missing included."""
    high: Share
    """Those that the model called `high`."""
    is_demoted: bool
    """Whether values called `high` were wrong so often that they are `low` for now."""
    weeks: tuple[Week, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Quality:
    """A tenant's reviews of some time."""

    documents: int
    """Approved."""
    fields: tuple[FieldQuality, ...]
    weeks: tuple[Week, ...]
    high: Share
    low: Share
    bands: tuple[Share, ...]
    """By tenths of the probability, 0.0 to 0.1 first."""
    curves: Mapping[tuple[str, str], Curve]
    """What probabilities mean, by schema and model, where these reviews tell it."""
    straight: Share
    """Documents that went through without a person, among those whose run is over."""
    sample: Share
    """Right ones among the passed documents that a person saw all the same."""
    seconds: tuple[float, ...]
    """From taking a document in hand to its approval, in rising order."""

    @property
    def median_s(self) -> float | None:
        """Of `seconds`."""
        return statistics.median(self.seconds) if self.seconds else None


def quality(services: Services, tenant_id: str, *, schema_name: str | None, since: float) -> Quality:
    """What the reviews of a tenant say.

    Args:
        services: of this process.
        tenant_id: whose reviews.
        schema_name: None: of all schemas.
        since: Unix seconds; only approvals from then on count.
    """
    with services.store.read() as rows:
        judged = rows.judgements.newest(tenant_id, schema_name=schema_name, since=since, most=_MOST_DOCUMENTS)
        wanted = JobFilter(schema_name=schema_name, created_after=since)
        by_review = rows.jobs.count_by_review(tenant_id, wanted)
    tallies = [tally for judgement in judged for tally in judgement.tallies]
    sampled = [judgement for judgement in judged if judgement.sampled]
    timed = (j.seconds for j in judged if j.seconds is not None and j.seconds <= _LONGEST_S)
    return Quality(
        documents=len({judgement.job_id for judgement in judged}),
        fields=tuple(_fields(judged)),
        weeks=_weeks([(j.at, t) for j in judged for t in j.tallies]),
        high=_share(t for t in tallies if t.called == "high"),
        low=_share(t for t in tallies if t.called == "low"),
        bands=tuple(_share(t for t in tallies if t.band == band) for band in range(_BANDS)),
        curves=curves_of(judged),
        straight=Share(by_review.get(ReviewState.NOT_NEEDED, 0), sum(by_review.values())),
        sample=Share(sum(judgement.changed == 0 for judgement in sampled), len(sampled)),
        seconds=tuple(sorted(timed)),
    )


def _fields(judged: Sequence[Judgement]) -> Iterable[FieldQuality]:
    found: dict[tuple[str, str], list[tuple[float, Tally]]] = defaultdict(list)
    for judgement in judged:
        for tally in judgement.tallies:
            found[judgement.schema_name, tally.field].append((judgement.at, tally))
    for (schema_name, name), dated in sorted(found.items()):
        high = _share(tally for _, tally in dated if tally.called == "high")
        yield FieldQuality(
            schema_name=schema_name,
            field=name,
            looked_at=_share(tally for _, tally in dated),
            high=high,
            is_demoted=falls_short(high, DEFAULT_TARGET),
            weeks=_weeks(dated),
        )


def _weeks(dated: Sequence[tuple[float, Tally]]) -> tuple[Week, ...]:
    found: dict[int, list[Tally]] = defaultdict(list)
    for at, tally in dated:
        found[int(at // _WEEK_S)].append(tally)
    return tuple(Week(begins=week * _WEEK_S, looked_at=_share(found[week])) for week in sorted(found))


def _share(tallies: Iterable[Tally]) -> Share:
    return sum((Share(tally.right, tally.looked_at) for tally in tallies), Share())
