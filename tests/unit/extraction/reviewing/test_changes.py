"""What differs between two results of one file."""

from __future__ import annotations

from service.domain.records import JsonObject, Record
from service.extraction.reviewing.changes import ChangedValue, compare_records


def a_record(values: JsonObject, index: int = 0) -> Record:
    """A record of these values."""
    return Record(id=f"rec-{index}", index=index, pages=(1,), values=values, fields={})


def test_values_come_go_change_or_stay() -> None:
    """Null is no value; 120 is 120.0; rows are compared by their place."""
    old = a_record({"a": 1, "b": "x", "c": None, "d": 120, "e": True, "rows": [{"p": 1.5}, {"p": 2}]})
    new = a_record({"b": "y", "c": "now", "d": 120.0, "e": 1, "rows": [{"p": 1.5}]})
    (found,) = compare_records([old], [new])
    assert found.added == ("/c",)
    assert found.removed == ("/a", "/rows/1/p")
    assert found.changed == (
        ChangedValue(path="/b", old="x", new="y"),
        ChangedValue(path="/e", old=True, new=1),
    )
    assert found.same == 2


def test_a_record_that_is_on_one_side_alone_came_or_went() -> None:
    """Documents are found anew by a run."""
    gone, come = compare_records([a_record({"a": 1}, 0)], [a_record({"a": 1, "b": 2}, 1)])
    assert (gone.index, gone.removed, gone.same) == (0, ("/a",), 0)
    assert (come.index, come.added) == (1, ("/a", "/b"))
