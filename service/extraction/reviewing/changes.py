"""What differs between two results of one file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from service.domain.records import Record, Scalar
from service.domain.schema import walk_leaves
from service.extraction.reviewing.overlay import same_value


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangedValue:
    """A value that was there and is another now."""

    path: str
    old: Scalar
    new: Scalar


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordChanges:
    """What became of one record's values; null is no value."""

    index: int
    added: tuple[str, ...]
    """Pointers of values that were not there, in the order of the new record."""
    removed: tuple[str, ...]
    changed: tuple[ChangedValue, ...]
    same: int
    """How many values are as they were."""


def compare_records(old: Sequence[Record], new: Sequence[Record]) -> tuple[RecordChanges, ...]:
    """Each record of either side, by its index."""
    before = {record.index: _values(record) for record in old}
    after = {record.index: _values(record) for record in new}
    return tuple(_compare(n, before.get(n, {}), after.get(n, {})) for n in sorted({*before, *after}))


def _values(record: Record) -> dict[str, Scalar]:
    return {path: value for path, value in walk_leaves(record.values) if value is not None}


def _compare(index: int, old: dict[str, Scalar], new: dict[str, Scalar]) -> RecordChanges:
    both = [path for path in new if path in old]
    changed = [p for p in both if not same_value(old[p], new[p])]
    return RecordChanges(
        index=index,
        added=tuple(path for path in new if path not in old),
        removed=tuple(path for path in old if path not in new),
        changed=tuple(ChangedValue(path=p, old=old[p], new=new[p]) for p in changed),
        same=len(both) - len(changed),
    )
