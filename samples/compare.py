"""How right a record is: leaf by leaf against the truth, rows aligned in order."""

from __future__ import annotations

import datetime
import unicodedata
from collections.abc import Iterable

from service.domain.records import Json

CENT = 0.0051


def count_right(wanted: Json, got: Json) -> tuple[int, int]:
    """How many leaves of the truth are right, and how many it has; a null is not counted.

    Numbers are right to half a cent, dates as dates, text by its letters and digits.
    """
    if isinstance(wanted, dict):
        found = got if isinstance(got, dict) else {}
        return _sum(count_right(value, found.get(name)) for name, value in wanted.items())
    if isinstance(wanted, list):
        return _align(wanted, got if isinstance(got, list) else [])
    if wanted is None:
        return 0, 0
    return int(is_same(wanted, got)), 1


def is_same(wanted: Json, got: Json) -> bool:
    """Whether one value is right."""
    if isinstance(wanted, bool) or isinstance(got, bool):
        return wanted is got
    if isinstance(wanted, int | float):
        return isinstance(got, int | float) and abs(wanted - got) < CENT
    if got is None:
        return False
    return _text_key(wanted) == _text_key(got) or (_date(wanted) is not None and _date(wanted) == _date(got))


def _align(wanted: list[Json], got: list[Json]) -> tuple[int, int]:
    """The most leaves that can be right when rows keep their order and some are missing or too many."""
    best = [0] * (len(got) + 1)
    total = 0
    for row in wanted:
        total += count_right(row, None)[1]
        above, best = best, [0] * (len(got) + 1)
        for index, other in enumerate(got, start=1):
            best[index] = max(above[index], best[index - 1], above[index - 1] + count_right(row, other)[0])
    return best[-1], total


def _sum(pairs: Iterable[tuple[int, int]]) -> tuple[int, int]:
    right = total = 0
    for one_right, one_total in pairs:
        right, total = right + one_right, total + one_total
    return right, total


def _text_key(value: Json) -> str:
    return "".join(c for c in unicodedata.normalize("NFKC", str(value)).casefold() if c.isalnum())


def _date(value: Json) -> datetime.date | None:
    try:
        return datetime.date.fromisoformat(str(value)[:10])
    except ValueError:
        return None
