"""What rows of a table prove, whichever columns the headers named: a product is the amount, a balance runs on."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import pairwise, permutations

from service.embedded.asked.fields import Ask
from service.embedded.candidates.proposals import Choice

Row = dict[str, Choice]
"""Column path → the cell; a number that nothing asks for by `#` and the index of its column."""

_CENT = 0.011
_COUNTED = re.compile(r"\d{1,3}(?:[.,]\d+)?\s+[^\d–-]")
"""A number before a text; before a dash it begins a range."""
_PRODUCT = ("quantity", "unit_price", "amount")


def telling(by_path: dict[str, Ask], rows: list[Row]) -> list[Row]:
    """The rows that hold more than their own number or that of a page."""
    counting = {path for path, ask in by_path.items() if ask.is_concept("position", "page")}
    return [row for row in rows if not counting.issuperset(row)]


def uncounted(by_path: dict[str, Ask], rows: list[Row]) -> list[Row]:
    """Descriptions without the count before them, where most rows have one and nothing asks for it."""
    text = next((p for p, a in by_path.items() if a.concept == "description"), None)
    counted = [row for row in rows if text in row and _COUNTED.match(str(row[text].value))]
    if text is None or len(counted) < 0.7 * len(rows):
        return rows
    return [{**row, text: _without_first(row[text])} if row in counted else row for row in rows]


def _without_first(cell: Choice) -> Choice:
    raw = cell.span.raw.partition(" ")[2]
    span = replace(cell.span, tokens=cell.span.tokens[1:], raw=raw)
    return replace(cell, span=span, value=raw)


def balanced(by_path: dict[str, Ask], rows: list[Row]) -> list[Row]:
    """Amount and balance put into the columns in which most rows add the amount to the balance before."""
    paths = {ask.concept: path for path, ask in by_path.items()}
    if not {"amount", "balance"} <= set(paths):
        return rows
    wanted = (paths["amount"], paths["balance"])
    keys = sorted({key for row in rows for key, cell in row.items() if isinstance(cell.value, (int, float))})
    orders = permutations([k for k in keys if k in wanted or k not in by_path], 2)
    best = max(orders, key=lambda order: _running(rows, order), default=wanted)
    if best == wanted or _running(rows, best) <= max(_running(rows, wanted), len(rows) // 2):
        return rows
    moves = dict(zip(best, wanted, strict=True))
    return [{moves.get(p, p): c for p, c in row.items() if p in moves or p not in wanted} for row in rows]


def _running(rows: list[Row], order: tuple[str, ...]) -> int:
    """Rows whose second number is that of the row before and their first."""
    amount, balance = order
    return sum(
        abs(_figure(before, balance) + _figure(row, amount) - _figure(row, balance)) < _CENT
        for before, row in pairwise(rows)
    )


def _figure(row: Row, path: str) -> float:
    value = row[path].value if path in row else None
    return float(value) if isinstance(value, (int, float)) else float("nan")


def solved(by_path: dict[str, Ask], rows: list[Row]) -> list[Row]:
    """Quantity, price and amount put into the numeric columns in which most rows multiply, if the headers did not."""
    paths = {ask.concept: path for path, ask in by_path.items()}
    if not set(_PRODUCT) <= set(paths):
        return [{p: c for p, c in row.items() if p in by_path} for row in rows]
    wanted = tuple(paths[name] for name in _PRODUCT)
    keys = sorted({key for row in rows for key, cell in row.items() if isinstance(cell.value, (int, float))})
    orders = permutations([k for k in keys if k in wanted or k not in by_path], 3)
    best = max(orders, key=lambda order: _product_score(rows, order, wanted), default=wanted)
    if _product_score(rows, best, wanted) <= _product_score(rows, wanted, wanted) + 0.5:
        best = wanted
    moves = dict(zip(best, wanted, strict=True))
    solved = [
        {moves.get(p, p): c for p, c in row.items() if p in moves or p not in wanted} if best != wanted else row
        for row in rows
    ]
    return [{p: c for p, c in row.items() if p in by_path} for row in solved]


def _product_score(rows: list[Row], order: tuple[str, ...], wanted: tuple[str, ...]) -> float:
    """Rows that multiply in these columns, and a little for every column that keeps its place."""
    held = sum(_holds(row, order) for row in rows if all(p in row for p in order))
    return held + 0.1 * sum(a == b for a, b in zip(order, wanted, strict=True))


def _three(by_path: dict[str, Ask], row: Row) -> dict[str, str] | None:
    """Concept → path, where quantity, price and amount of a row are all there."""
    roles = {by_path[path].concept: path for path in row}
    return roles if set(_PRODUCT) <= set(roles) else None


def _holds(row: Row, paths: tuple[str, ...]) -> bool:
    quantity, price, amount = (_figure(row, path) for path in paths)
    return abs(abs(quantity * price) - abs(amount)) <= _CENT + 0.001 * abs(amount)


def checked(by_path: dict[str, Ask], row: Row) -> Row:
    """Quantity times price that gives the amount makes the three surer."""
    roles = _three(by_path, row)
    if roles is None or not _holds(row, tuple(roles[n] for n in _PRODUCT)):
        return row
    raised = {roles[n]: replace(row[roles[n]], score=0.99, why="column +product") for n in _PRODUCT}
    return {**row, **raised}
