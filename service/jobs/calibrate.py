"""Trust that reviews did not bear out is taken back, and values beyond a limit of the schema are never trusted."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from service.domain.jobs import Job
from service.domain.judgements import Judgement
from service.domain.records import Confidence, FieldEntry, Issue, Record, Stage
from service.domain.shares import Share
from service.extraction.judging import general
from service.extraction.review_policy import ReviewPolicy, parse_policy
from service.jobs.services import Services

DEFAULT_TARGET = 0.98
"""How often a value called `high` is to be right."""
_FEWEST = 20
"""Values that people looked at before anything is said of a field."""
_MOST_DOCUMENTS = 300
"""Approved documents of a schema, the newest, by which its fields are judged."""


def falls_short(high: Share, target: float) -> bool:
    """Whether reviews prove that values called `high` are right less often than they should be."""
    return high.count >= _FEWEST and high.most < target


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibrated:
    """Records whose `high` is borne out by reviews."""

    records: tuple[Record, ...]
    issues: tuple[Issue, ...]
    """What a reader should know."""
    demoted: Mapping[str, tuple[str, ...]]
    """Record id → pointers of what was `high` before."""


def calibrate(services: Services, job: Job, records: Sequence[Record]) -> Calibrated:
    """The records with `low` where `high` was not borne out or a limit is passed, and which these are.

    Args:
        services: of this process.
        job: whose records they are.
        records: as they were merged and checked.
    """
    done: list[Record] = []
    issues: list[Issue] = []
    demoted: dict[str, tuple[str, ...]] = {}
    schema_of, known = job.parsed_schemas(), dict[str, tuple[ReviewPolicy, Mapping[str, Share]]]()
    for record in records:
        schema = schema_of(record.index)
        if schema.name not in known:
            policy = parse_policy(schema)
            short = _short(services, job.tenant_id, schema.name, policy)
            issues += [_told(name, share, policy.targets.get(name, DEFAULT_TARGET)) for name, share in short.items()]
            known[schema.name] = (policy, short)
        policy, short = known[schema.name]
        fields = {p: _settled(p, e, policy, short) for p, e in record.fields.items()}
        done.append(replace(record, fields=fields))
        changed = tuple(path for path, entry in record.fields.items() if fields[path] is not entry)
        if changed:
            demoted[record.id] = changed
    return Calibrated(records=tuple(done), issues=tuple(dict.fromkeys(issues)), demoted=demoted)


def _short(services: Services, tenant_id: str, schema_name: str, policy: ReviewPolicy) -> Mapping[str, Share]:
    """Field → how often `high` was right in the newest reviews of the schema, where that is too seldom."""
    with services.store.read() as rows:
        judged: Sequence[Judgement] = rows.judgements.newest(tenant_id, schema_name=schema_name, most=_MOST_DOCUMENTS)
    found: dict[str, Share] = defaultdict(Share)
    for tally in (tally for judgement in judged for tally in judgement.tallies if tally.called == "high"):
        found[tally.field] += Share(tally.right, tally.looked_at)
    return {f: share for f, share in found.items() if falls_short(share, policy.targets.get(f, DEFAULT_TARGET))}


def _settled(pointer: str, entry: FieldEntry, policy: ReviewPolicy, short: Mapping[str, Share]) -> FieldEntry:
    if entry.confidence is Confidence.LOW or entry.value is None:
        return entry
    name = general(pointer)
    return replace(entry, confidence=Confidence.LOW) if name in short or policy.is_beyond(name, entry.value) else entry


def _told(name: str, share: Share, target: float) -> Issue:
    message = (
        f"Values of {name} that the model called high were right {share.right} of {share.count} times in review, "
        f"less often than the target of {target:.1%}: they are low until that is better."
    )
    return Issue(stage=Stage.CHECK, code="measured_low", message=message)
