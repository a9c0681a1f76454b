"""Tables that lie on their side: each line is a field with its label, each column a row, as years beside each other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from service.domain.schema import FieldType
from service.embedded.anchors.places import Evidence
from service.embedded.asked.fields import Ask
from service.embedded.candidates.proposals import TYPED, Choice
from service.embedded.page.layout import Line, Segment
from service.embedded.page.overlap import shared_width
from service.embedded.page.spans import Kind
from service.embedded.tables.row_checks import Row

_LABEL = 0.6
"""How well the first cell of a line must say what is asked for."""
_SCORE = 0.75
_LEAST = 2
"""Fields with a line, and columns of one, that such a table has at least."""
_LINES = 40
_MISSES = 6
"""Lines in a row that nothing asks for, after which the table has ended."""


@dataclass
class _Turned:
    """Columns with what was read under each."""

    heads: tuple[Segment, ...]
    rows: list[Row] = field(default_factory=list[Row])
    paths: set[str] = field(default_factory=set[str])

    def take(self, evidence: Evidence, ask: Ask, cells: Sequence[Segment]) -> bool:
        """Read the line of a field; False where it has hardly a value of its kind under the heads."""
        placed = {at: cell for cell in cells if (at := self._column(cell)) is not None}
        found = {at: choice for at, cell in placed.items() if (choice := _value(evidence, ask, cell)) is not None}
        if ask.path in self.paths or len(found) < _LEAST:
            return False
        self.paths.add(ask.path)
        for at, choice in found.items():
            self.rows[at][ask.path] = choice
        return True

    def _column(self, cell: Segment) -> int | None:
        return next((at for at, head in enumerate(self.heads) if shared_width(head, cell) > 0), None)


def read_turned(evidence: Evidence, asks: Sequence[Ask]) -> list[Row]:
    """The rows of the table on its side that has most of the fields; nothing where no two of them have a line."""
    lines = [line for line in evidence.layout.lines if len(line.segments) > 1]
    labels = {line.index: ask for line in lines if (ask := _asked_by(evidence, asks, line.segments[0])) is not None}
    if len(asks) <= _LEAST or len({ask.path for ask in labels.values()}) < _LEAST:
        return []
    tables = [table for line in lines if (table := _at(evidence, asks, labels, line)) is not None]
    best = max(tables, key=lambda table: len(table.paths), default=None)
    return [row for row in best.rows if row] if best is not None else []


def _at(evidence: Evidence, asks: Sequence[Ask], labels: Mapping[int, Ask], line: Line) -> _Turned | None:
    """The table whose columns begin in a line: behind a label, or as the heads of a field that has none."""
    own = labels.get(line.index)
    heads = line.segments if own is None else line.segments[1:]
    table = _Turned(heads, [{} for _ in heads])
    if len(heads) < _LEAST or (own is not None and not table.take(evidence, own, heads)):
        return None
    _fill(evidence, labels, line, table)
    labelled = len(table.paths)
    if own is None and labelled >= _LEAST:
        free = [ask for ask in asks if ask.path not in table.paths]
        named = next((ask for ask in free if all(_value(evidence, ask, head) is not None for head in heads)), None)
        if named is None or not table.take(evidence, named, heads):
            return None
    return table if labelled >= _LEAST and 2 * len(table.paths) > len(asks) else None


def _fill(evidence: Evidence, labels: Mapping[int, Ask], line: Line, table: _Turned) -> None:
    """Read the lines under the first one."""
    misses = 0
    for following in evidence.layout.lines[line.index + 1 : line.index + 1 + _LINES]:
        label, cells = following.segments[0], following.segments[1:]
        ask = labels.get(following.index) if label.x1 <= table.heads[0].x1 else None
        if following.page != line.page or misses > _MISSES:
            return
        misses = 0 if ask is not None and table.take(evidence, ask, cells) else misses + 1


def _asked_by(evidence: Evidence, asks: Sequence[Ask], label: Segment) -> Ask | None:
    """The field that a cell is the label of."""
    by_path = {ask.path: ask for ask in asks}
    hits = [
        (hit.strength, path) for path, hit in evidence.labels.headers_in(label)
        if path in by_path and hit.strength >= _LABEL and 2 * (hit.end - hit.start) >= len(label.tokens)
    ]  # fmt: skip
    return by_path[max(hits)[1]] if hits else None


def _value(evidence: Evidence, ask: Ask, cell: Segment) -> Choice | None:
    """What a cell holds for a field, if it is of its kind."""
    kind = TYPED.get(ask.kind)
    if ask.field.type in (FieldType.NUMBER, FieldType.INTEGER):
        kind = Kind.NUMBER
    if kind is None:
        span = evidence.spans.cut(cell, 0, len(cell.tokens))
        return Choice(span, span.raw, _SCORE, "column") if any(map(str.isalnum, span.raw)) else None
    spans = evidence.spans.inside(cell, kind)
    return Choice(spans[0], spans[0].value, _SCORE, "column") if len(spans) == 1 else None
