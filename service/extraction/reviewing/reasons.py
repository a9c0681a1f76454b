"""Why a person should look at a result; no reason, no review."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from service.domain.records import Confidence, FieldEntry, PageCoverage, PageState, Record, Verdict

_MOST_PER_RECORD = 100
"""A table of 2,000 doubtful rows is one finding, not 12,000; the rest is told as a number."""
_FINE_PAGES = (PageState.EXTRACTED, PageState.BLANK, PageState.IGNORED)


def review_reasons(
    records: Sequence[Record], coverage: Sequence[PageCoverage], *, several: bool = False
) -> tuple[str, ...]:
    """Reasons in the order a reviewer meets them; empty when there is none.

    `page:4:failed`, `conflict:/path`, `check:rule`, `low:/path`; `empty` when no record has any value. With several
    records the path or rule follows the record's 0-based position: `low:2:/path`. More than a hundred doubtful values
    of a record end in `low:+23`. A value that is absent, whatever the model's confidence, is no reason.

    Args:
        records: of one schema.
        coverage: of their pages.
        several: whether the job has other records besides.
    """
    reasons = [f"page:{row.page}:{row.state}" for row in coverage if row.state not in _FINE_PAGES]
    if not any(entry.value is not None for record in records for entry in record.fields.values()):
        reasons.append("empty")
    for record in records:
        which = f"{record.index}:" if several or len(records) > 1 else ""
        reasons += [f"conflict:{which}{conflict.path}" for conflict in record.conflicts]
        reasons += [f"check:{which}{check.rule}" for check in record.checks if not check.ok]
        reasons += _doubts(record, which)
    return tuple(dict.fromkeys(reasons))


def _doubts(record: Record, which: str) -> Iterator[str]:
    doubtful = [path for path, entry in record.fields.items() if is_doubtful(entry)]
    for path in doubtful[:_MOST_PER_RECORD]:
        yield f"low:{which}{path}"
    if len(doubtful) > _MOST_PER_RECORD:
        yield f"low:{which}+{len(doubtful) - _MOST_PER_RECORD}"


def is_doubtful(entry: FieldEntry) -> bool:
    """Whether a value, or that there is none, calls for a person."""
    if entry.value is None or entry.value == "":
        return entry.verdict in (Verdict.UNREADABLE, Verdict.AMBIGUOUS)
    return entry.confidence is Confidence.LOW or entry.verdict is Verdict.AMBIGUOUS
