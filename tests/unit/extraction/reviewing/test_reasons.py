"""Why a person should look at a result."""

from __future__ import annotations

from service.domain.pages import TextSource
from service.domain.records import (
    CheckResult,
    Confidence,
    Conflict,
    FieldEntry,
    PageCoverage,
    PageState,
    Record,
    Verdict,
)
from service.extraction.merging.merge import merge
from service.extraction.reviewing.reasons import review_reasons
from tests.unit.extraction.answers import extraction_of, schema_of


def page(number: int, state: PageState) -> PageCoverage:
    """A page of the ledger that was read."""
    return PageCoverage(page=number, text=TextSource.DIGITAL, splits=(0,), state=state, fields=0)


def record(index: int = 0, **keys: object) -> Record:
    """A record of one sure value."""
    made = merge([extraction_of({"a": "1", "b": None})], schema_of(a="string", b="string"), index=index, record_id="r")
    return Record(**{**{n: getattr(made.record, n) for n in Record.__dataclass_fields__}, **keys})


def test_a_sure_and_complete_result_needs_no_review() -> None:
    """Blank pages and absent fields are no reason."""
    pages = [page(1, PageState.EXTRACTED), page(2, PageState.BLANK)]
    assert review_reasons([record()], pages) == ()


def test_every_reason_is_told_once_with_its_place() -> None:
    """Lost pages, conflicts, broken checks and doubtful values."""
    low = FieldEntry(value="x", verdict=Verdict.FOUND, confidence=Confidence.LOW)
    lost = FieldEntry(value=None, verdict=Verdict.UNREADABLE, confidence=Confidence.HIGH)
    doubtful = record(
        fields={"/a": low, "/b": lost},
        conflicts=(Conflict(path="/a", kept=low, other=low, rule="first"),) * 2,
        checks=(CheckResult(rule="a < b", ok=False, paths=()), CheckResult(rule="b < a", ok=True, paths=())),
    )
    pages = [page(1, PageState.EXTRACTED), page(2, PageState.FAILED)]
    assert review_reasons([doubtful], pages) == ("page:2:failed", "conflict:/a", "check:a < b", "low:/a", "low:/b")
    assert review_reasons([record(0), doubtful, record(2)], [])[0] == "conflict:0:/a"


def test_an_empty_result_is_not_passed_off_as_a_success() -> None:
    """No value at all is a reason by itself."""
    absent = FieldEntry(value=None, verdict=Verdict.ABSENT, confidence=Confidence.HIGH)
    assert review_reasons([record(fields={"/a": absent})], []) == ("empty",)
    assert review_reasons([], []) == ("empty",)


def test_a_long_table_of_doubts_ends_in_a_number() -> None:
    """The list is for people."""
    low = FieldEntry(value="x", verdict=Verdict.FOUND, confidence=Confidence.LOW)
    reasons = review_reasons([record(fields={f"/r/{n}": low for n in range(130)})], [])
    assert len(reasons) == 101
    assert reasons[-1] == "low:+30"
