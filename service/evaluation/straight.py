"""Documents that need no eye: nothing that counts in them is in doubt, and whether it is right."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from service.domain.records import Extraction
from service.domain.schema import escape_pointer, general_pointer
from service.evaluation.cases import Case
from service.evaluation.compare import is_empty
from service.evaluation.metrics import ALL, Scorer
from service.extraction.reviewing.policy import parse_policy, unsure_together
from service.extraction.reviewing.reasons import is_doubtful


@dataclass(frozen=True, slots=True)
class Pass:
    """Whether a document passes without an eye, and wrongly so."""

    unseen: bool
    wrong: bool

    @property
    def unseen_wrong(self) -> bool:
        """Whether it passes with an error."""
        return self.unseen and self.wrong


@dataclass(frozen=True, slots=True)
class Passes:
    """A document by its single fields, and by the fields that its schema calls critical."""

    single: Pass
    critical: Pass


def critical_fields(case: Case) -> frozenset[str]:
    """Pointers, with `*` for rows, of the fields that the schema's `x-review` calls critical."""
    return parse_policy(case.schema).critical


def passes_unseen(case: Case, extraction: Extraction) -> Passes:
    """By its single fields and by its critical ones, these as sure together as the schema asks."""
    singles = {f"/{escape_pointer(f.name)}" for f in case.schema.root.properties if f.is_leaf}
    policy = parse_policy(case.schema)
    unsure = unsure_together(policy, extraction.fields, lambda entry: entry.probability)
    return Passes(
        _pass(case, extraction, singles.__contains__),
        _pass(case, extraction, policy.critical.__contains__, unsure),
    )


def _pass(
    case: Case, extraction: Extraction, counts: Callable[[str], bool], unsure: frozenset[str] = frozenset()
) -> Pass:
    """By the leaves whose pointer (`*` for rows) counts; at least one of them must be filled, none be in doubt."""
    told = {path: entry for path, entry in extraction.fields.items() if counts(path) or counts(general_pointer(path))}
    filled = [entry for entry in told.values() if not is_empty(entry.value)]
    doubted = unsure or any(is_doubtful(entry) for entry in told.values())
    unseen = bool(filled) and not doubted
    return Pass(unseen, unseen and _is_wrong(case, extraction, counts))


def _is_wrong(case: Case, extraction: Extraction, counts: Callable[[str], bool]) -> bool:
    scorer = Scorer()
    scorer.add(case, extraction)
    told = [
        tally
        for name, tally in scorer.tallies.items()
        if name != ALL and (counts(_pointer(name)) or counts(f"{_pointer(name)}/*"))
    ]
    return any(t.right < t.present or t.right < t.filled or t.false_fill for t in told)


def _pointer(name: str) -> str:
    """A tally's name, `lines[].amount`, as pointer."""
    return "/" + "/*/".join(escape_pointer(part) for part in name.split("[]."))
