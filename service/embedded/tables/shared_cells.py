"""Cells that hold two columns: a figure and the text of the next field, which a scan or a narrow page brought close."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise

from service.embedded.anchors.places import Evidence
from service.embedded.asked.fields import Ask
from service.embedded.candidates.proposals import TYPED, Choice
from service.embedded.page.layout import Token
from service.embedded.page.spans import Kind, Span
from service.embedded.tables.row_checks import Row
from service.embedded.tables.table_cells import NUMERIC

_MOSTLY = 0.7
"""Share of the rows in which a cell holds both, from which the column does."""
_LEAST = 2
Behind = Mapping[str, Sequence[Token]]
"""Path of a column of figures → the words behind a row's figure."""


def parted_cells(evidence: Evidence, asks: Sequence[Ask], rows: list[Row], behind: Sequence[Behind]) -> list[Row]:
    """The rows, where a field without any cell takes its part of those of the field beside it.

    Args:
        behind: of each row.
    """
    for figure, text in pairwise(asks):
        if figure.kind not in NUMERIC or text.kind in TYPED or len(rows) < _LEAST:
            continue
        if not any(figure.path in row for row in rows):
            numbers = {id(s.tokens[0]): s for s in evidence.spans.of(Kind.NUMBER) if len(s.tokens) == 1}
            found = [_leading_figure(numbers, figure, text, row) for row in rows]
        elif not any(text.path in row for row in rows):
            found = [
                _text_behind(figure, text, row, told.get(figure.path, ()))
                for row, told in zip(rows, behind, strict=True)
            ]
        else:
            continue
        if sum(part is not None for part in found) >= _MOSTLY * len(rows):
            rows = [row | part if part is not None else row for row, part in zip(rows, found, strict=True)]
    return rows


def _leading_figure(numbers: Mapping[int, Span], figure: Ask, text: Ask, row: Row) -> Row | None:
    """A text that begins with a figure, as two cells.

    Args:
        numbers: of one word, by its identity.
    """
    cell = row.get(text.path)
    if cell is None or len(cell.span.tokens) < _LEAST:
        return None
    first, rest = cell.span.tokens[0], cell.span.tokens[1:]
    number = numbers.get(id(first))
    if number is None or not rest[0].text[0].isalpha():
        return None
    raw = " ".join(token.text for token in rest)
    span = replace(cell.span, tokens=rest, raw=raw, value=raw, end=cell.span.end - 1)
    return {figure.path: Choice(number, number.value, 0.7, "column"), text.path: replace(cell, span=span, value=raw)}


def _text_behind(figure: Ask, text: Ask, row: Row, words: Sequence[Token]) -> Row | None:
    """The words behind a row's figure, as the cell of the next field."""
    cell = row.get(figure.path)
    if cell is None or not words or not words[0].text[0].isalpha():
        return None
    if words[0].x0 < cell.span.x1 - cell.span.segment.height:
        return None
    raw = " ".join(token.text for token in words)
    span = Span(Kind.TEXT, tuple(words), raw, raw, cell.span.segment, 0, len(words))
    return {text.path: Choice(span, raw, 0.7, "column")}
