"""What a schema's `x-review` asks for: which doubts call for a person, and how many documents pass."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from service.domain.errors import ErrorCode, InputError
from service.domain.records import Json
from service.domain.schema import ExtractionSchema
from service.extraction.shape import walk_fields

DEFAULT_SAMPLE = 0.02
_KEYS = frozenset({"critical", "mode", "sample"})


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewPolicy:
    """When a document goes to a person."""

    mode: Literal["doubts", "always", "never"] = "doubts"
    critical: frozenset[str] = frozenset()
    """Pointers with `*` for rows; when there are any, doubts about other fields call nobody."""
    sample: float = 0.0
    """Share of the documents without any doubt that are looked at all the same, 0–1."""


def parse_policy(schema: ExtractionSchema) -> ReviewPolicy:
    """Read `x-review`: `{"critical": ["/total", "/lines/*/amount"], "mode": "doubts", "sample": 0.02}`.

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
        sample=_sample(given.get("sample", DEFAULT_SAMPLE)),
    )


def _critical(given: Json, schema: ExtractionSchema) -> frozenset[str]:
    known = {path for path, _ in walk_fields(schema.root)}
    names = given if isinstance(given, list) else [] if given is None else [given]
    for name in names:
        if not isinstance(name, str) or name not in known:
            raise _fault(f"critical names {str(name)[:100]!r}, which is no field (write /total or /lines/*/amount)")
    return frozenset(name for name in names if isinstance(name, str))


def _sample(given: Json) -> float:
    if isinstance(given, bool) or not isinstance(given, (int, float)) or not 0 <= given <= 1:
        raise _fault("sample is a share from 0 to 1")
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
    return "/".join("*" if token.isdecimal() else token for token in path.split("/")) in critical


def _share(job_id: str) -> float:
    """A number from 0 to 1 that looks random and is always the same for a job."""
    return int.from_bytes(hashlib.blake2b(job_id.encode(), digest_size=6).digest()) / 2**48


def _fault(why: str) -> InputError:
    return InputError(ErrorCode.INVALID_SCHEMA, f"Invalid Schema: x-review {why}.", param="x-review")
