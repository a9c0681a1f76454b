"""The ledger of pages: where each page of a file ended, none without a state."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from service.domain.pages import TextSource
from service.domain.records import Fields, PageCoverage, PageState


class SplitOutcome(StrEnum):
    """What became of a split."""

    DONE = "done"
    FAILED = "failed"
    """Truncated at the floor, withheld, or out of attempts."""
    OPEN = "open"
    """Not asked yet, or cancelled."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SplitCoverage:
    """A split, as far as the ledger asks; one that was halved is not in it, its halves are."""

    index: int
    pages: tuple[int, ...]
    """1-based."""
    outcome: SplitOutcome


def build_coverage(
    page_count: int,
    texts: Mapping[int, TextSource],
    splits: Sequence[SplitCoverage],
    fields: Iterable[Fields],
    *,
    left_out: Mapping[int, PageState] | None = None,
) -> tuple[PageCoverage, ...]:
    """The state of every page 1..page_count, in order.

    Args:
        texts: how the words of each page that was read came to be.
        fields: the entries of every record; a value counts on the page where it stands.
        left_out: pages that nothing was asked about, with the state that says why: beyond a limit, of a document that
            was given no schema, or left out by a person.
    """
    counts = Counter(
        entry.location.page
        for entries in fields
        for entry in entries.values()
        if entry.location is not None and entry.value is not None
    )
    by_page: dict[int, list[SplitCoverage]] = {}
    for split in splits:
        for page in split.pages:
            by_page.setdefault(page, []).append(split)
    left = left_out or {}
    return tuple(
        PageCoverage(
            page=page,
            text=texts.get(page, TextSource.NONE).value,
            splits=tuple(sorted({split.index for split in by_page.get(page, ())})),
            state=_state(texts.get(page), by_page.get(page, ()), counts[page], left.get(page)),
            fields=counts[page],
        )
        for page in range(1, page_count + 1)
    )


def _state(text: TextSource | None, splits: Sequence[SplitCoverage], fields: int, left: PageState | None) -> PageState:
    outcomes = {split.outcome for split in splits}
    if fields == 0 and text in _LOST and (not splits or SplitOutcome.DONE in outcomes):
        return _LOST[text]  # a model that saw the page found nothing either
    if SplitOutcome.FAILED in outcomes:
        return PageState.FAILED
    if SplitOutcome.OPEN in outcomes:
        return PageState.NOT_REACHED
    if splits:
        return PageState.EXTRACTED
    return left or PageState.NOT_REACHED


_LOST: dict[TextSource | None, PageState] = {
    TextSource.NONE: PageState.BLANK,
    TextSource.UNREADABLE: PageState.UNREADABLE,
    TextSource.FAILED: PageState.FAILED,
}
