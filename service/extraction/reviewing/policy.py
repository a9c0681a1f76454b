"""What a schema's `x-review` asks for: which doubts call for a person, and how many documents pass."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from service.domain.errors import ErrorCode, InputError
from service.domain.records import Confidence, FieldEntry, Fields, Json, Record, Scalar
from service.domain.schema import ExtractionSchema, FieldType, general_pointer
from service.extraction.schema.shape import walk_fields

DEFAULT_SAMPLE = 0.02
_LEAST_CHANCE = 1e-9
_KEYS = frozenset({"critical", "limits", "mode", "sample", "sure"})


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewPolicy:
    """When a document goes to a person."""

    mode: Literal["doubts", "always", "never"] = "doubts"
    critical: frozenset[str] = frozenset()
    """Pointers with `*` for rows; when there are any, doubts about other fields call nobody."""
    sample: float = 0.0
    """Share of the documents without any doubt that are looked at all the same, 0–1."""
    targets: Mapping[str, float] = field(default_factory=dict[str, float])
    """How often a critical field is to be right where it is called `high`, 0–1, where the schema says so."""
    limits: Mapping[str, tuple[float | None, float | None]] = field(
        default_factory=dict[str, tuple[float | None, float | None]]
    )
    """Least and most value of a field that passes without a person."""
    sure: float = 0.0
    """Least chance that all critical values of a document are right together, 0–1, for it to pass; 0: none is asked."""

    def is_beyond(self, name: str, value: Scalar) -> bool:
        """Whether a value of a field (pointer with `*` for rows) is beyond its limits."""
        least, most = self.limits.get(name, (None, None))
        if isinstance(value, (bool, str)) or value is None:
            return False
        return (least is not None and value < least) or (most is not None and value > most)


def parse_policy(schema: ExtractionSchema) -> ReviewPolicy:
    """Read `x-review`: `{"critical": ["/total", "/lines/*/amount"], "mode": "doubts", "sample": 0.02, "sure": 0.95}`.

    `critical` may give a target precision with each field, `{"/total": 0.995}`, and `limits` what passes unseen,
    `{"/total": {"below": 0, "above": 10000}}`.

    Raises:
        InputError: `invalid_schema`; the message says what is wrong with it.
    """
    given = schema.source.get("x-review")
    if given is None:
        return ReviewPolicy()
    if not isinstance(given, dict) or not given.keys() <= _KEYS:
        raise _fault(f"is an object with {', '.join(sorted(_KEYS))}")
    mode = given.get("mode", "doubts")
    if mode not in ("doubts", "always", "never"):
        raise _fault("mode is 'doubts', 'always' or 'never'")
    return ReviewPolicy(
        mode="always" if mode == "always" else "never" if mode == "never" else "doubts",
        critical=_critical(given.get("critical"), schema),
        sample=_share_of(given.get("sample", DEFAULT_SAMPLE), "sample"),
        targets=_targets(given.get("critical")),
        limits=_limits(given.get("limits"), schema),
        sure=_share_of(given.get("sure", 0), "sure"),
    )


def _critical(given: Json, schema: ExtractionSchema) -> frozenset[str]:
    known = {path for path, _ in walk_fields(schema.root)}
    names = [*given] if isinstance(given, (list, dict)) else [] if given is None else [given]
    for name in names:
        if not isinstance(name, str) or name not in known:
            raise _fault(f"critical names {str(name)[:100]!r}, which is no field (write /total or /lines/*/amount)")
    return frozenset(name for name in names if isinstance(name, str))


def _targets(given: Json) -> Mapping[str, float]:
    targets: dict[str, float] = {}
    for name, target in given.items() if isinstance(given, dict) else ():
        if isinstance(target, bool) or not isinstance(target, (int, float)) or not 0 < target < 1:
            raise _fault(f"critical gives {name[:100]!r} a target that is no share between 0 and 1, such as 0.995")
        targets[name] = float(target)
    return targets


def _limits(given: Json, schema: ExtractionSchema) -> Mapping[str, tuple[float | None, float | None]]:
    if given is None:
        return {}
    numeric = {path for path, leaf in walk_fields(schema.root) if leaf.type in (FieldType.NUMBER, FieldType.INTEGER)}
    limits: dict[str, tuple[float | None, float | None]] = {}
    for name, limit in given.items() if isinstance(given, dict) else [("", None)]:
        if name not in numeric or not isinstance(limit, dict) or not limit or not limit.keys() <= {"below", "above"}:
            raise _fault('limits is an object such as {"/total": {"below": 0, "above": 10000}}, of fields with numbers')
        ends = [limit.get(key) for key in ("below", "above")]
        if any(isinstance(end, (bool, str, list, dict)) for end in ends):
            raise _fault(f"limits of {name[:100]!r} are numbers")
        least, most = (float(end) if isinstance(end, (int, float)) else None for end in ends)
        limits[name] = (least, most)
    return limits


def limit_reasons(policy: ReviewPolicy, records: Sequence[Record], *, several: bool) -> Iterator[str]:
    """`limit:/total` for each value beyond its limits that nobody looked at yet; named as in `review_reasons`."""
    for record in records if policy.limits else ():
        which = f"{record.index}:" if several or len(records) > 1 else ""
        for path, entry in record.fields.items():
            if entry.confidence is Confidence.LOW and policy.is_beyond(general_pointer(path), entry.value):
                yield f"limit:{which}{path}"


def unsure_together(
    policy: ReviewPolicy, fields: Fields, chance_of: Callable[[FieldEntry], float | None]
) -> frozenset[str]:
    """Pointers of critical values that are `high` each, but not sure enough all together: the least sure ones.

    Args:
        policy: of the schema; without critical fields all values count.
        fields: of one record.
        chance_of: how likely a value is right, 0–1; one of which nobody knows it takes no part.
    """
    told = [
        (chance, path)
        for path, entry in fields.items()
        if entry.confidence is Confidence.HIGH
        and entry.value is not None
        and (not policy.critical or general_pointer(path) in policy.critical)
        and (chance := chance_of(entry)) is not None
    ]
    together = math.prod(chance for chance, _ in told)
    unsure: set[str] = set()
    for chance, path in sorted(told):
        if together >= policy.sure:
            break
        unsure.add(path)
        together /= max(chance, _LEAST_CHANCE)
    return frozenset(unsure)


def _share_of(given: Json, key: str) -> float:
    if isinstance(given, bool) or not isinstance(given, (int, float)) or not 0 <= given <= 1:
        raise _fault(f"{key} is a share from 0 to 1")
    return float(given)


def apply_policy(policy: ReviewPolicy, reasons: Sequence[str], *, job_id: str) -> tuple[str, ...]:
    """The reasons that count, and those that the policy adds (`always`, `sample`); empty: no review.

    Args:
        policy: of the schema.
        reasons: as `review_reasons` gives them.
        job_id: decides about the sample, so that the same job is always drawn or never.
    """
    if policy.mode == "never":
        return ()
    kept = tuple(reason for reason in reasons if _counts(reason, policy.critical))
    if policy.mode == "always":
        return (*kept, "always")
    if not kept and _share(job_id) < policy.sample:
        return ("sample",)
    return kept


def _counts(reason: str, critical: frozenset[str]) -> bool:
    kind, _, rest = reason.partition(":")
    if not critical or kind != "low" or "/" not in rest:
        return True
    path = rest[rest.index("/") :]
    return general_pointer(path) in critical


def _share(job_id: str) -> float:
    """A number from 0 to 1 that looks random and is always the same for a job."""
    return int.from_bytes(hashlib.blake2b(job_id.encode(), digest_size=6).digest()) / 2**48


def _fault(why: str) -> InputError:
    return InputError(ErrorCode.INVALID_SCHEMA, f"Invalid Schema: x-review {why}.", param="x-review")
