"""What a review says about the machine's values."""

from __future__ import annotations

from service.domain.corrections import Mark, OperationKind
from service.domain.judgements import Tally
from service.domain.records import Confidence, FieldEntry, Json, Origin, Record, Scalar, Verdict
from service.extraction.confidence.judging import judge

SEEN = Mark(kind=OperationKind.CONFIRM, by="ada", at=1.0, operation="op")


def entry(value: Scalar, *, high: bool = True, probability: float | None = None, typed: bool = False) -> FieldEntry:
    """A leaf."""
    return FieldEntry(
        value=value,
        verdict=Verdict.FOUND,
        confidence=Confidence.HIGH if high else Confidence.LOW,
        probability=probability,
        origin=Origin.CORRECTED if typed else Origin.MODEL,
    )


def record(fields: dict[str, FieldEntry], rows: dict[str, tuple[str, ...]] | None = None) -> Record:
    """A record; its values play no part."""
    values: dict[str, Json] = {}
    return Record(id="rec", index=0, pages=(1,), values=values, fields=fields, rows=rows or {})


def test_only_what_somebody_looked_at_counts() -> None:
    """A value without a mark says nothing."""
    machine = record({"/a": entry(1.0, probability=0.99), "/b": entry(2.0)})
    tallies, changed = judge(machine, machine, {"/a": SEEN})
    assert tallies == (Tally(field="/a", called="high", band=9, looked_at=1, right=1, told=0.99),)
    assert changed == 0


def test_a_corrected_value_was_wrong_a_missing_one_is_missing() -> None:
    """By what the model called it."""
    machine = record({"/a": entry(1.0, probability=0.55, high=False), "/b": entry(None)})
    approved = record({"/a": entry(3.0, typed=True), "/b": entry("x", typed=True)})
    tallies, changed = judge(approved, machine, {})
    assert [(t.field, t.called, t.band, t.right) for t in tallies] == [("/a", "low", 5, 0), ("/b", "missing", -1, 0)]
    assert changed == 2


def test_rows_are_known_by_their_ids() -> None:
    """A row that came in above does not make those below it wrong; one that was deleted was."""
    machine = record({"/l/0/x": entry(1), "/l/1/x": entry(2)}, {"/l": ("r1", "r2")})
    approved = record({"/l/0/x": entry(9, typed=True), "/l/1/x": entry(2)}, {"/l": ("new", "r2")})
    tallies, changed = judge(approved, machine, {"/l/1/x": SEEN})
    assert [(t.field, t.called, t.looked_at, t.right) for t in tallies] == [
        ("/l/*/x", "high", 2, 1),
        ("/l/*/x", "missing", 1, 0),
    ]
    assert changed == 2
