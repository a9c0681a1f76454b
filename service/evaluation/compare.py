"""When a value is right: the rules that every published figure rests on."""

from __future__ import annotations

import datetime as dt
import re
import unicodedata
from collections.abc import Sequence

from service.domain.geometry import Box
from service.domain.records import Json, JsonObject
from service.domain.schema import FieldType, SchemaField

HALF_CENT = 0.0051
ROW_WEIGHT = 0.01
"""What pairing two rows is worth without any cell that agrees."""


def is_empty(value: Json) -> bool:
    """Whether a value says nothing: null, an empty text, list or object."""
    return value is None or value in ("", [], {})


def text_key(value: Json) -> str:
    """Letters and digits of a text after NFKC and case folding."""
    folded = unicodedata.normalize("NFKC", str(value)).casefold()
    return "".join(c for c in folded if c.isalnum())


def is_same(field: SchemaField, want: Json, got: Json) -> bool:
    """Numbers to half a cent, dates as dates, booleans as such, everything else by letters and digits."""
    if field.type in (FieldType.NUMBER, FieldType.INTEGER):
        a, b = _number(want), _number(got)
        return a is not None and b is not None and abs(a - b) < HALF_CENT
    if field.type is FieldType.BOOLEAN:
        return isinstance(got, bool) and got == want
    if field.format == "date":
        first, second = _date(want), _date(got)
        if first and second:
            return first == second
    return text_key(want) == text_key(got)


def _number(value: Json) -> float | None:
    if isinstance(value, bool):
        return None
    if isinstance(value, (int, float)):
        return float(value)
    return float(str(value)) if re.fullmatch(r"\s*-?\d+(\.\d+)?\s*", str(value)) else None


def _date(value: Json) -> dt.date | None:
    try:
        return dt.date.fromisoformat(str(value)[:10])
    except ValueError:
        return None


def align_rows(
    item: SchemaField, want: Sequence[JsonObject], got: Sequence[JsonObject]
) -> list[tuple[int | None, int | None]]:
    """Pair rows in order so that the most cells agree; a row without a partner is paired with None."""
    best = [[0.0] * (len(got) + 1) for _ in range(len(want) + 1)]
    worth = [[_row_worth(item, w, g) for g in got] for w in want]
    for i in range(len(want) - 1, -1, -1):
        for j in range(len(got) - 1, -1, -1):
            best[i][j] = max(best[i + 1][j], best[i][j + 1], best[i + 1][j + 1] + worth[i][j])
    pairs: list[tuple[int | None, int | None]] = []
    i = j = 0
    while i < len(want) and j < len(got):
        if best[i][j] == best[i + 1][j + 1] + worth[i][j]:
            pairs.append((i, j))
            i, j = i + 1, j + 1
        elif best[i][j] == best[i + 1][j]:
            pairs.append((i, None))
            i += 1
        else:
            pairs.append((None, j))
            j += 1
    return [*pairs, *((k, None) for k in range(i, len(want))), *((None, k) for k in range(j, len(got)))]


def _row_worth(item: SchemaField, want: JsonObject, got: JsonObject) -> float:
    agreed = 0
    for name, value in want.items():
        cell = item.property(name)
        if cell is not None and not is_empty(value):
            agreed += is_same(cell, value, got.get(name))
    return ROW_WEIGHT + agreed


def boxes_meet(a: Box, b: Box) -> bool:
    """Whether two boxes mean the same place: half of their union is shared, or each holds the other's middle."""
    return a.overlap(b) >= 0.5 or (a.contains(b.center) and b.contains(a.center))
