"""Corrections laid over a record: any order of them gives what a plain list of rows would."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.domain.corrections import Operation, OperationKind, ReviewAction, ReviewEvent
from service.domain.errors import InputError
from service.domain.records import Confidence, FieldEntry, Origin, Record, Verdict
from service.domain.schema import FieldType, SchemaField, parse_schema, walk_leaves
from service.extraction.reviewing.correcting import make_correction
from service.extraction.reviewing.draft import Draft
from service.extraction.reviewing.overlay import close, lay_over
from service.extraction.reviewing.policy import ReviewPolicy, apply_policy
from service.extraction.reviewing.typed import Habits, read_habits, read_typed

SCHEMA = parse_schema(
    {
        "type": "object",
        "properties": {
            "a/b": {"type": "string"},
            "rows": {"type": "array", "items": {"type": "object", "properties": {"n": {"type": "integer"}}}},
        },
    }
)


def record(numbers: list[int]) -> Record:
    """A record with a row for each number."""
    values: dict[str, Any] = {"a/b": "x", "rows": [{"n": n} for n in numbers]}
    low = {p: FieldEntry(value=v, verdict=Verdict.FOUND, confidence=Confidence.LOW) for p, v in walk_leaves(values)}
    ids = {"/rows": tuple(f"row_{n}" for n in numbers)}
    return Record(id="rec_1", index=0, pages=(1,), values=values, fields=low, rows=ids)


def event(draft: Draft, operation: Operation, run: int = 1) -> ReviewEvent:
    """An operation as it would be stored."""
    return ReviewEvent(
        job_id="j",
        tenant_id="t",
        run=run,
        revision=2,
        action=ReviewAction.CORRECT,
        by="ada",
        at=1.0,
        client_id=operation.id,
        correction=make_correction(draft, operation, digest=""),
        detail={},
    )


_STEPS = st.lists(st.tuples(st.sampled_from(["set", "insert", "delete", "move"]), st.integers(0, 9)), max_size=12)


@given(_STEPS, st.data())
def test_rows_end_as_in_a_plain_list(steps: list[tuple[str, int]], data: st.DataObject) -> None:
    """Values, entries and ids agree after every operation, and so does a replay of all of them."""
    machine = record([1, 2, 3])
    draft = Draft.of(machine, SCHEMA)
    plain = [("row_1", 1), ("row_2", 2), ("row_3", 3)]
    events: list[ReviewEvent] = []
    for number, (what, value) in enumerate(steps):
        if not plain and what != "insert":
            continue
        at = data.draw(st.integers(0, len(plain) - 1)) if plain else 0
        name = plain[at][0] if plain else ""
        before = data.draw(st.sampled_from([None, *(row for row, _ in plain if row != name)]))
        kinds = {
            "set": Operation(id=f"o{number}", kind=OperationKind.SET, path=f"/rows/{name}/n", value=value),
            "insert": Operation(
                id=f"o{number}", kind=OperationKind.INSERT_ROW, path="/rows", value={"n": value}, before=before
            ),
            "delete": Operation(id=f"o{number}", kind=OperationKind.DELETE_ROW, path=f"/rows/{name}"),
            "move": Operation(id=f"o{number}", kind=OperationKind.MOVE_ROW, path=f"/rows/{name}", before=before),
        }
        done = event(draft, kinds[what])
        draft.apply(done)
        events.append(done)
        if what == "set":
            plain[at] = (name, value)
        elif what == "delete":
            del plain[at]
        else:
            assert done.correction is not None
            row = (done.correction.row or "", value) if what == "insert" else plain.pop(at)
            where = next((n for n, (other, _) in enumerate(plain) if other == before), len(plain))
            plain.insert(where, row)
    laid = lay_over([machine], events, lambda _document: SCHEMA, run=1, turns={})
    for found in (close(draft), close(laid.drafts[0])):
        assert found.values["rows"] == [{"n": value} for _, value in plain]
        assert found.rows["/rows"] == tuple(name for name, _ in plain)
        assert [p for p in found.fields if p.startswith("/rows")] == [f"/rows/{n}/n" for n in range(len(plain))]
        assert [found.fields[f"/rows/{n}/n"].value for n in range(len(plain))] == [value for _, value in plain]
    assert machine == record([1, 2, 3])


def test_names_with_slashes_are_reached_by_their_escapes() -> None:
    """As RFC 6901 writes them."""
    draft = Draft.of(record([]), SCHEMA)
    draft.apply(event(draft, Operation(id="1", kind=OperationKind.SET, path="/a~1b", value="y")))
    assert close(draft).values["a/b"] == "y"
    assert close(draft).fields["/a~1b"].origin is Origin.CORRECTED


def test_another_run_is_corrected_where_the_cell_still_holds_what_was_seen() -> None:
    """A cell with another value, and a row that is gone, are told as unplaced."""
    first = Draft.of(record([1, 2]), SCHEMA)
    events = [
        event(first, Operation(id="1", kind=OperationKind.SET, path="/rows/row_1/n", value=7)),
        event(first, Operation(id="2", kind=OperationKind.SET, path="/rows/row_2/n", value=8)),
        event(first, Operation(id="3", kind=OperationKind.CONFIRM, path="/a~1b")),
    ]
    machine = record([1])
    machine.values["a/b"] = "other"
    laid = lay_over([machine], events, lambda _document: SCHEMA, run=2, turns={})
    assert close(laid.drafts[0]).values["rows"] == [{"n": 7}]
    assert [(item.event.client_id, item.why) for item in laid.unplaced] == [
        ("2", "its row is not there"),
        ("3", "its cell holds another value"),
    ]


def _leaf(kind: FieldType, **more: Any) -> SchemaField:
    return SchemaField(name="f", type=kind, **more)


def test_what_can_be_read_in_two_ways_is_read_as_the_document_writes() -> None:
    """A comma that divides elsewhere divides here; a month in front elsewhere is in front here."""
    number, day = _leaf(FieldType.NUMBER), _leaf(FieldType.STRING, format="date")
    european, american = read_habits(["12,50", "21.03.2026"]), read_habits(["1,212.50", "03/21/2026"])
    assert (european, american) == (Habits(",", False), Habits(".", True))
    assert [read_typed("1.234", number, habits) for habits in (european, american)] == [1234, 1.234]
    assert [read_typed("1,234", number, habits) for habits in (european, american)] == [1.234, 1234]
    assert [read_typed("03/04/2026", day, habits) for habits in (european, american)] == ["2026-04-03", "2026-03-04"]


@given(
    st.decimals(allow_nan=False, allow_infinity=False, min_value=-(10**9), max_value=10**9, places=2).map(
        lambda d: f"{d:f}"
    )
)
def test_a_number_in_the_schemas_own_form_is_itself(number: str) -> None:
    """Whatever the document's habits are, `1234.50` is that."""
    for mark in ("", "."):
        assert read_typed(number, _leaf(FieldType.NUMBER), Habits(mark)) == float(number)


def test_lists_and_whole_numbers_are_kept() -> None:
    """A member in another case is the member; another word is refused."""
    assert read_typed("eur", _leaf(FieldType.STRING, enum=("EUR", "USD")), Habits()) == "EUR"
    for value, leaf in (
        ("GBP", _leaf(FieldType.STRING, enum=("EUR",))),
        ("1.5", _leaf(FieldType.INTEGER)),
        (True, _leaf(FieldType.NUMBER)),
        ("maybe", _leaf(FieldType.BOOLEAN)),
        ("", _leaf(FieldType.STRING)),
        (["a"], _leaf(FieldType.STRING)),
    ):
        with pytest.raises(InputError):
            read_typed(value, leaf, Habits())


def test_the_policy_decides_which_doubts_count() -> None:
    """Critical fields, always, never, and a sample that is the same for a job each time."""
    reasons = ("low:/total", "low:1:/lines/3/amount", "low:/note", "check:a < b")
    critical = ReviewPolicy(critical=frozenset({"/total", "/lines/*/amount"}))
    assert apply_policy(critical, reasons, job_id="j") == ("low:/total", "low:1:/lines/3/amount", "check:a < b")
    assert apply_policy(ReviewPolicy(mode="never"), reasons, job_id="j") == ()
    assert apply_policy(ReviewPolicy(mode="always"), (), job_id="j") == ("always",)
    drawn = [apply_policy(ReviewPolicy(sample=0.1), (), job_id=f"job_{n}") == ("sample",) for n in range(2000)]
    assert 150 < sum(drawn) < 250
    assert drawn == [apply_policy(ReviewPolicy(sample=0.1), (), job_id=f"job_{n}") == ("sample",) for n in range(2000)]
