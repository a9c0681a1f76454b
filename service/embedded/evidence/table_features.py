"""What speaks for and against a cell of a table: its column as a whole, and its place in its row."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np

from service.embedded.evidence.findings import CENT, Findings, Leaf, Values
from service.embedded.tables.row_checks import Row


def cell_features(findings: Findings, leaf: Leaf) -> Values:
    """How well its column is told, and how a cell stands in it and in its row."""
    rows = findings.tables[leaf.table]
    row, span = rows[leaf.row], leaf.choices[0].span
    height = max(1.0, span.segment.height)
    column, left, right = _column_of(findings, leaf)
    held = {id(t) for c in row.values() for t in c.span.tokens}
    near = findings.evidence.layout.lines[span.segment.line].segments
    spare = [t for s in near for t in s.tokens if id(t) not in held]
    return {
        **column,
        "spare words": float(len(spare)),
        "spare before": float(sum(t.x1 <= span.x0 for t in spare)),
        "spare beside": float(
            sum(-3 * height < t.x0 - span.x1 < 3 * height or -3 * height < span.x0 - t.x1 < 3 * height for t in spare)
        ),
        "row full": len(row) / column["columns"],
        "row proven": float(any(c.why.endswith("+product") for c in row.values())),
        "row runs": float(_runs_on(rows, leaf.row)),
        "edge row": float(leaf.row in (0, len(rows) - 1)),
        "in line": min(abs(span.x0 - left), abs(span.x1 - right)) / height,
        "lines": float(len({round(t.y0 / height) for t in span.tokens})),
        "row certain": min((t.certainty for c in row.values() for t in c.span.tokens), default=1.0),
    }


def _runs_on(rows: Sequence[Row], place: int) -> bool:
    """Whether two numbers of a row are an amount and the balance before it and after it."""
    row, before = rows[place], rows[place - 1] if place else {}
    return any(
        abs(now - then - amount) < CENT or abs(now - then + amount) < CENT
        for path, now in _figures(row)
        for other, then in _figures(before)
        if other == path
        for third, amount in _figures(row)
        if third != path and amount
    )


def _figures(row: Row) -> list[tuple[str, float]]:
    return [(path, float(c.value)) for path, c in row.items() if isinstance(c.value, (int, float))]


def _column_of(findings: Findings, leaf: Leaf) -> tuple[Values, float, float]:
    """What is so for every cell of a column, and where its cells usually begin and end, points."""
    path = leaf.ask.path
    if path not in findings.columns:
        rows = findings.tables[leaf.table]
        spans = [row[path].span for row in rows if path in row]
        edges = float(np.median([s.x0 for s in spans])), float(np.median([s.x1 for s in spans]))
        findings.columns[path] = (_column(findings, rows, path), *edges)
    return findings.columns[path]


def _column(findings: Findings, rows: Sequence[Row], path: str) -> Values:
    """How well a column is told: its header, how full and how even it is, what its numbers come to."""
    cells = [row[path] for row in rows if path in row]
    headers = [
        hit.strength
        for segment in findings.evidence.layout.segments
        for owner, hit in findings.evidence.labels.headers_in(segment)
        if owner == path
    ]
    figures = [float(c.value) for c in cells if isinstance(c.value, (int, float))]
    proven = sum(any(c.why.endswith("+product") for c in row.values()) for row in rows)
    decimals = Counter(c.span.decimals for c in cells)
    words = [len(c.span.tokens) for c in cells]
    return {
        "header": max(headers, default=0.0),
        "headers": float(len(headers)),
        "rows": float(len(rows)),
        "filled": len(cells) / len(rows),
        "row cells": sum(len(row) for row in rows) / len(rows),
        "columns": float(len({p for row in rows for p in row})),
        "proven rows": proven / len(rows),
        "sum printed": float(len(figures) > 1 and round(sum(figures), 2) in findings.numbers),
        "sum is total": float(path in findings.summed_columns),
        "even decimals": max(decimals.values(), default=0) / max(1, len(cells)),
        "numbered": sum(c.span.raw[:1].isdigit() for c in cells) / max(1, len(cells)),
        "usual words": float(np.median(words)) if words else 0.0,
        "longest words": float(max(words, default=0)),
        "certain rows": sum(min(t.certainty for t in c.span.tokens) >= 0.98 for c in cells) / max(1, len(cells)),
    }
