"""The ledger of pages: each ends in a named state."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.domain.geometry import Box
from service.domain.pages import TextSource
from service.domain.records import PageState
from service.extraction.merging.coverage import SplitCoverage, SplitOutcome, build_coverage
from tests.unit.extraction.answers import extraction_of

DONE, FAILED, OPEN = SplitOutcome.DONE, SplitOutcome.FAILED, SplitOutcome.OPEN
BOX = Box(0.1, 0.1, 0.2, 0.2)


def split(index: int, pages: tuple[int, ...], outcome: SplitOutcome) -> SplitCoverage:
    """A split of the ledger."""
    return SplitCoverage(index=index, pages=pages, outcome=outcome)


@pytest.mark.parametrize(
    ("text", "outcomes", "state"),
    [
        (TextSource.DIGITAL, [DONE], PageState.EXTRACTED),
        (TextSource.OCR, [DONE, FAILED], PageState.FAILED),
        (TextSource.DIGITAL, [DONE, OPEN], PageState.NOT_REACHED),
        (TextSource.DIGITAL, [FAILED], PageState.FAILED),
        (TextSource.DIGITAL, [], PageState.NOT_REACHED),
        (TextSource.NONE, [], PageState.BLANK),
        (TextSource.NONE, [DONE], PageState.BLANK),
        (TextSource.NONE, [FAILED], PageState.FAILED),
        (TextSource.UNREADABLE, [DONE], PageState.UNREADABLE),
        (TextSource.FAILED, [], PageState.FAILED),
        (None, [], PageState.NOT_REACHED),
        (None, [DONE], PageState.EXTRACTED),
    ],
)
def test_every_page_ends_in_a_named_state(
    text: TextSource | None, outcomes: list[SplitOutcome], state: PageState
) -> None:
    """By what was read of it and what became of its splits; the worst is told."""
    texts = {} if text is None else {1: text}
    (row,) = build_coverage(1, texts, [split(n, (1,), o) for n, o in enumerate(outcomes)], [])
    assert row.state is state
    assert row.splits == tuple(range(len(outcomes)))


def test_values_count_on_the_pages_where_they_stand() -> None:
    """A page that a model read although the readers could not is extracted."""
    fields = extraction_of({"a": "1", "b": "2"}, (1, 2), {"/a": (2, BOX), "/b": (2, BOX)}).fields
    texts = {1: TextSource.DIGITAL, 2: TextSource.UNREADABLE}
    rows = build_coverage(2, texts, [split(0, (1, 2), DONE)], [fields])
    assert [(row.fields, row.state) for row in rows] == [(0, PageState.EXTRACTED), (2, PageState.EXTRACTED)]


def test_pages_beyond_a_limit_say_so() -> None:
    """A skipped page is neither blank nor lost."""
    assert (
        build_coverage(2, {}, [split(0, (1,), DONE)], [], left_out={2: PageState.SKIPPED_LIMIT})[1].state
        is PageState.SKIPPED_LIMIT
    )


@given(
    st.integers(1, 30), st.dictionaries(st.integers(1, 30), st.sampled_from(TextSource)),
    st.lists(st.tuples(st.sets(st.integers(1, 30)), st.sampled_from(SplitOutcome))),
)  # fmt: skip
def test_no_page_is_missing_from_the_ledger(
    count: int, texts: dict[int, TextSource], given_: list[tuple[set[int], SplitOutcome]]
) -> None:
    """Each page 1..n has one row, in order, and no page of a failed split counts as extracted."""
    splits = [split(n, tuple(sorted(pages)), outcome) for n, (pages, outcome) in enumerate(given_)]
    rows = build_coverage(count, texts, splits, [])
    assert [row.page for row in rows] == list(range(1, count + 1))
    for row in rows:
        outcomes = {splits[n].outcome for n in row.splits}
        assert row.state is not PageState.EXTRACTED or outcomes == {DONE}
