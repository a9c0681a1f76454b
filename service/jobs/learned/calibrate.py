"""Trust that reviews did not bear out, or that a policy finds too little, is taken back; probabilities are mended."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from service.domain.jobs import Job
from service.domain.judgements import Curve, Judgement, Tally
from service.domain.records import Confidence, FieldEntry, Issue, Record, Stage
from service.domain.schema import general_pointer
from service.domain.shares import Share
from service.extraction.confidence.curves import FEWEST, fit_curve
from service.extraction.reviewing.policy import ReviewPolicy, parse_policy, unsure_together
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
    curves: Mapping[str, Curve]
    """Schema name → what the model's probabilities mean, where reviews tell it."""


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
    schema_of, known = job.parsed_schemas(), dict[str, tuple[ReviewPolicy, Mapping[str, Share], Curve]]()
    curves: dict[str, Curve] = {}
    for record in records:
        schema = schema_of(record.index)
        if schema.name not in known:
            policy = parse_policy(schema)
            judged = _judged(services, job.tenant_id, schema.name)
            short = _short(judged, policy)
            curve = _curve(services, job, schema.name, judged)
            curves |= {schema.name: curve} if curve.tells else {}
            issues += [_told(name, share, policy.targets.get(name, DEFAULT_TARGET)) for name, share in short.items()]
            known[schema.name] = (policy, short, curve)
        policy, short, curve = known[schema.name]
        fields = {p: _settled(p, e, policy, short) for p, e in record.fields.items()}
        unsure = unsure_together(policy, fields, partial(_chance, curve))
        fields |= {p: replace(fields[p], confidence=Confidence.LOW) for p in unsure}
        done.append(replace(record, fields=fields))
        changed = tuple(path for path, entry in record.fields.items() if fields[path] is not entry)
        if changed:
            demoted[record.id] = changed
    return Calibrated(records=tuple(done), issues=tuple(dict.fromkeys(issues)), demoted=demoted, curves=curves)


def curves_of(judged: Sequence[Judgement]) -> Mapping[tuple[str, str], Curve]:
    """What each model's probabilities mean on each schema, by schema and model, where these reviews tell it."""
    by_model: dict[str, dict[str, list[Tally]]] = defaultdict(lambda: defaultdict(list))
    for judgement in judged:
        by_model[judgement.model][judgement.schema_name] += judgement.tallies
    fitted = {
        (name, model): fit_curve(tallies, [t for other, more in schemas.items() if other != name for t in more])
        for model, schemas in by_model.items()
        for name, tallies in schemas.items()
    }
    return {key: curve for key, curve in sorted(fitted.items()) if curve.tells}


def _judged(services: Services, tenant_id: str, schema_name: str | None) -> Sequence[Judgement]:
    with services.store.read() as rows:
        return rows.judgements.newest(tenant_id, schema_name=schema_name, most=_MOST_DOCUMENTS)


def _curve(services: Services, job: Job, schema_name: str, judged: Sequence[Judgement]) -> Curve:
    """What the probabilities of the job's model mean on a schema; other schemas are asked only where that helps."""
    model = services.models.canonical(job.options.model)
    own = [j for j in judged if j.model == model]
    if sum(tally.looked_at for j in own for tally in j.tallies) < FEWEST:
        return Curve()
    others = [j for j in _judged(services, job.tenant_id, None) if j.schema_name != schema_name]
    return curves_of([*own, *(j for j in others if j.model == model)]).get((schema_name, model), Curve())


def _short(judged: Sequence[Judgement], policy: ReviewPolicy) -> Mapping[str, Share]:
    """Field → how often `high` was right in the newest reviews of the schema, where that is too seldom."""
    found: dict[str, Share] = defaultdict(Share)
    for tally in (tally for judgement in judged for tally in judgement.tallies if tally.called == "high"):
        found[tally.field] += Share(tally.right, tally.looked_at)
    return {f: share for f, share in found.items() if falls_short(share, policy.targets.get(f, DEFAULT_TARGET))}


def _settled(pointer: str, entry: FieldEntry, policy: ReviewPolicy, short: Mapping[str, Share]) -> FieldEntry:
    if entry.confidence is Confidence.LOW or entry.value is None:
        return entry
    name = general_pointer(pointer)
    return replace(entry, confidence=Confidence.LOW) if name in short or policy.is_beyond(name, entry.value) else entry


def _chance(curve: Curve, entry: FieldEntry) -> float | None:
    return curve.chance_of(entry.probability, entry.confidence)


def _told(name: str, share: Share, target: float) -> Issue:
    message = (
        f"Values of {name} that the model called high were right {share.right} of {share.count} times in review, "
        f"less often than the target of {target:.1%}: they are low until that is better."
    )
    return Issue(stage=Stage.CHECK, code="measured_low", message=message)
