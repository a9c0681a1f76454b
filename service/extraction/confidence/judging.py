"""An approved record against the machine's: which of the values that somebody looked at were right."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal

from service.domain.corrections import Mark
from service.domain.judgements import Tally
from service.domain.records import Confidence, FieldEntry, Origin, Record
from service.domain.schema import general_pointer
from service.extraction.reviewing.overlay import same_value

_BANDS = 10
Called = Literal["high", "low", "missing"]
_Alike = tuple[str, Called, int]


def judge(record: Record, machine: Record, marks: Mapping[str, Mark]) -> tuple[tuple[Tally, ...], int]:
    """Tallies by field, and how many values were changed.

    A value counts when a person confirmed or corrected it; a row that was added counts as missing, one that was
    deleted as wrong.

    Args:
        record: as it was approved.
        machine: as the model gave it.
        marks: pointer → who looked at the leaf.
    """
    approved, given = dict(_by_address(record)), dict(_by_address(machine))
    seen = _Seen()
    changed = 0
    for address, (pointer, entry) in approved.items():
        before = given[address][1] if address in given else None
        same = before is not None and same_value(before.value, entry.value)
        changed += not same and (entry.value is not None or before is not None)
        if pointer in marks or entry.origin is Origin.CORRECTED:
            seen.add(pointer, before, same=same)
    for address, (pointer, entry) in given.items():
        if address not in approved and entry.value is not None:
            changed += 1
            seen.add(pointer, entry, same=False)
    return seen.tallies(), changed


@dataclass(slots=True)
class _Seen:
    """Values that somebody looked at, by field, how the model called them, and tenth of the probability."""

    looked: Counter[_Alike] = field(default_factory=Counter[_Alike])
    right: Counter[_Alike] = field(default_factory=Counter[_Alike])
    told: dict[_Alike, float] = field(default_factory=dict[_Alike, float])

    def add(self, pointer: str, before: FieldEntry | None, *, same: bool) -> None:
        filled = before is not None and before.value is not None
        if not filled and same:
            return  # nothing was there, and nothing was said
        called: Called = "missing"
        if before is not None and filled:
            called = "high" if before.confidence is Confidence.HIGH else "low"
        probability = before.probability if before is not None and filled else None
        band = -1 if probability is None else min(_BANDS - 1, int(probability * _BANDS))
        key = (general_pointer(pointer), called, band)
        self.looked[key] += 1
        self.right[key] += same
        if probability is not None:
            self.told[key] = self.told.get(key, 0.0) + probability

    def tallies(self) -> tuple[Tally, ...]:
        return tuple(
            Tally(
                field=key[0],
                called=key[1],
                band=key[2],
                looked_at=count,
                right=self.right[key],
                told=round(self.told[key], 4) if key in self.told else None,
            )
            for key, count in sorted(self.looked.items())
        )


def _by_address(record: Record) -> Iterator[tuple[str, tuple[str, FieldEntry]]]:
    """Each leaf by an address that names rows by their ids, so that it is the same cell after rows came and went."""
    for pointer, entry in record.fields.items():
        prefix, address = "", ""
        for token in pointer.split("/")[1:]:
            ids = record.rows.get(prefix)
            address += f"/{ids[int(token)]}" if ids is not None and token.isdecimal() else f"/{token}"
            prefix += f"/{token}"
        yield address, (pointer, entry)
