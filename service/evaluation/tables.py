"""The run as tables of plain text."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from service.evaluation.metrics import ALL, Tally
from service.evaluation.report import Report
from service.evaluation.run import Run, SetReport

TALLY_COLUMNS = ("present", "precision", "recall", "F1", "false fill", "high share", "high prec.", "box hit")
REPORT_COLUMNS = ("documents", *TALLY_COLUMNS, "high ≥ 95 %", "straight", "its error", "seconds", "pages/s")
"""`high ≥ 95 %`: lower end of the interval of `high precision`; `straight`: share of documents that need no eye."""
_NAME_WIDTH = 34
_CELL_WIDTH = 12
_MOST_FAILURES = 10


def run_text(run: Run) -> str:
    """The whole run: the sets with their halves and the pooled row, then each set by its fields."""
    parts = [f"model {run.model} · Fieldmark {run.engine} · {run.made_at}", _sets_table(run)]
    for one in run.sets:
        parts.append(_fields_table(one))
        parts.extend(_failures(one.whole))
    return "\n\n".join(parts)


def report_cells(report: Report) -> list[str]:
    """A row of `REPORT_COLUMNS`."""
    return [
        str(report.documents),
        *tally_cells(report.total),
        share_cell(report.high_lower_bound),
        share_cell(report.straight_through_share),
        share_cell(report.straight_through_error),
        f"{report.seconds:.1f}",
        "–" if report.pages_per_second is None else f"{report.pages_per_second:.2f}",
    ]


def tally_cells(tally: Tally) -> list[str]:
    """A row of `TALLY_COLUMNS`."""
    shares = (
        tally.precision,
        tally.recall,
        tally.f1,
        tally.false_fill_rate,
        tally.high_share,
        tally.high_precision,
        tally.box_hit_rate,
    )
    return [str(tally.present), *(share_cell(share) for share in shares)]


def share_cell(share: float | None) -> str:
    """Three decimals, a dash where nothing was counted."""
    return "–" if share is None else f"{share:.3f}"


def field_rows(report: Report) -> list[tuple[str, Tally]]:
    """Fields by name, without the sum."""
    return [(name, tally) for name, tally in sorted(report.fields.items()) if name != ALL]


def _sets_table(run: Run) -> str:
    rows: list[tuple[str, list[str]]] = []
    for one in (*run.sets, *([run.pooled] if len(run.sets) > 1 else [])):
        for part, report in one.parts:
            rows.append((one.name if part == "all" else f"  {part}", report_cells(report)))
    return text_table("set", REPORT_COLUMNS, rows)


def _fields_table(one: SetReport) -> str:
    rows = [(name, tally_cells(tally)) for name, tally in field_rows(one.whole)]
    return text_table(one.name, TALLY_COLUMNS, rows)


def text_table(head: str, columns: Sequence[str], rows: Iterable[tuple[str, Sequence[str]]]) -> str:
    """Columns of one width, under their names."""
    lines = [head[: _NAME_WIDTH - 1].ljust(_NAME_WIDTH) + "".join(c.rjust(_CELL_WIDTH) for c in columns)]
    for name, cells in rows:
        lines.append(name[: _NAME_WIDTH - 1].ljust(_NAME_WIDTH) + "".join(c.rjust(_CELL_WIDTH) for c in cells))
    return "\n".join(lines)


def _failures(report: Report) -> list[str]:
    if not report.failed:
        return []
    lines = [f"no answer: {file} [{code}]" for file, code in report.failed[:_MOST_FAILURES]]
    left = len(report.failed) - len(lines)
    return ["\n".join([*lines, *([f"and {left} further ones"] if left else [])])]
