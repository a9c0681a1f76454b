"""The run as one page of HTML that needs nothing else: tables, and the reliability curve as a drawing."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

from service.evaluation.report import CurvePoint, Report
from service.evaluation.run import Run, SetReport
from service.evaluation.tables import REPORT_COLUMNS, TALLY_COLUMNS, field_rows, report_cells, tally_cells

_STYLE = """
:root { color-scheme: light dark; }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 84rem; margin: 2rem auto; padding: 0 1rem; }
h2 { margin-top: 3rem; } .wide { overflow-x: auto; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { padding: .25rem .7rem; text-align: right; border-bottom: 1px solid #8884; white-space: nowrap; }
th:first-child, td:first-child { text-align: left; } tr.part td { color: #777; }
tr.part td:first-child { padding-left: 2rem; }
tr.sum td { font-weight: 600; }
svg text { font: 11px system-ui, sans-serif; fill: currentColor; }
figure { margin: 1rem 0; } figcaption { color: #777; }
""".strip()
_SIDE = 260
_EDGE = 40
_LARGEST = 11.0
_SMALLEST = 3.0


def run_html(run: Run) -> str:
    """The whole run as a page."""
    title = f"Evaluation of {run.model}"
    body = [
        f"<h1>{escape(title)}</h1>",
        f"<p>Fieldmark {escape(run.engine)} · {escape(run.made_at)}</p>",
        _sets_table(run),
        _curve(run.pooled.whole, "all values of all sets"),
        *(part for one in run.sets for part in _set_section(one)),
    ]
    return (
        '<!doctype html>\n<html lang="en">\n<head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(title)}</title>\n<style>\n{_STYLE}\n</style></head>\n<body>\n"
        + "\n".join(body)
        + "\n</body></html>\n"
    )


def _set_section(one: SetReport) -> list[str]:
    rows = [("", name, tally_cells(tally)) for name, tally in field_rows(one.whole)]
    failed = "".join(f"<li>{escape(file)} [{escape(code)}]</li>" for file, code in one.whole.failed)
    return [
        f"<h2>{escape(one.name)}</h2>",
        _table("field", TALLY_COLUMNS, rows),
        _curve(one.whole, f"values of {one.name}"),
        f"<p>Without an answer:</p><ul>{failed}</ul>" if failed else "",
    ]


def _sets_table(run: Run) -> str:
    rows: list[tuple[str, str, list[str]]] = []
    for one in (*run.sets, run.pooled):
        for part, report in one.parts:
            kind = ("sum" if one.name == run.pooled.name else "") if part == "all" else "part"
            rows.append((kind, one.name if part == "all" else part, report_cells(report)))
    return _table("set", REPORT_COLUMNS, rows)


def _table(head: str, columns: Sequence[str], rows: Iterable[tuple[str, str, Sequence[str]]]) -> str:
    """Rows are: class, name, cells."""
    heads = "".join(f"<th>{escape(column)}</th>" for column in (head, *columns))
    lines = "\n".join(
        f'<tr class="{kind}">' + "".join(f"<td>{escape(cell)}</td>" for cell in (name, *cells)) + "</tr>"
        for kind, name, cells in rows
    )
    return f'<div class="wide"><table>\n<tr>{heads}</tr>\n{lines}\n</table></div>'


def _curve(report: Report, what: str) -> str:
    """Told against true: on the diagonal a probability is what it says; the larger a dot, the more values."""
    points = [p for p in report.curve if p.count]
    if not points:
        return ""
    most = max(p.count for p in points)
    dots = "".join(_dot(p, most) for p in points)
    line = " ".join(f"{_x(p.mean):.1f},{_y(p.right / p.count):.1f}" for p in points)
    ticks = "".join(
        f'<text x="{_x(v):.0f}" y="{_y(0) + 16:.0f}" text-anchor="middle">{v:g}</text>'
        f'<text x="{_x(0) - 6:.0f}" y="{_y(v) + 4:.0f}" text-anchor="end">{v:g}</text>'
        for v in (0.0, 0.5, 1.0)
    )
    width = _SIDE + 2 * _EDGE
    return (
        f'<figure><svg role="img" width="{width}" height="{width}" viewBox="0 0 {width} {width}">'
        f"<title>Reliability of {escape(what)}</title>"
        '<g fill="none" stroke="currentColor" opacity=".4">'
        f'<rect x="{_EDGE}" y="{_EDGE}" width="{_SIDE}" height="{_SIDE}"/>'
        f'<line x1="{_x(0)}" y1="{_y(0)}" x2="{_x(1)}" y2="{_y(1)}" stroke-dasharray="4 4"/></g>'
        f'<polyline points="{line}" fill="none" stroke="#2a78c2" stroke-width="2"/>{dots}{ticks}'
        f'<text x="{_x(0.5)}" y="{width - 6}" text-anchor="middle">probability told</text>'
        f'<text x="{_EDGE}" y="{_EDGE - 10}">share right</text></svg>'
        f"<figcaption>Reliability: {escape(what)}; each dot a band of probability</figcaption></figure>"
    )


def _dot(point: CurvePoint, most: int) -> str:
    radius = max(_SMALLEST, _LARGEST * (point.count / most) ** 0.5)
    share = point.right / point.count
    return (
        f'<circle cx="{_x(point.mean):.1f}" cy="{_y(share):.1f}" r="{radius:.1f}" fill="#2a78c2" fill-opacity=".75">'
        f"<title>{point.low:g} to {point.high:g}: {point.right} of {point.count} right ({share:.3f})</title></circle>"
    )


def _x(share: float) -> float:
    return _EDGE + share * _SIDE


def _y(share: float) -> float:
    return _EDGE + (1 - share) * _SIDE
