"""Pages of kinds that no schema of the routing benchmark is for; the texts (`routing_strangers.txt`) are our own.

The first line is set as a heading, what stands four spaces apart as columns, the rest as running text.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from textwrap import wrap

from reportlab.lib.pagesizes import A4
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.cidfonts import UnicodeCIDFont
from reportlab.pdfgen.canvas import Canvas

_MARGIN, _LEADING, _COLUMNS = 60, 15, 90


@lru_cache(maxsize=1)
def texts() -> dict[str, str]:
    """Every text by name; the name ends in its language."""
    whole = Path(__file__).with_suffix(".txt").read_text("utf-8")
    parts = (part.partition("\n") for part in whole.split("~~~ ")[1:])
    return {name.strip(): text.strip() for name, _, text in parts}


def draw(name: str) -> bytes:
    """One of the texts as a PDF of one page."""
    out = io.BytesIO()
    canvas = Canvas(out, pagesize=A4, invariant=1)
    heading, *rest = texts()[name].split("\n")
    font = "HeiseiMin-W3" if name.endswith("_ja") else "Helvetica"
    if font != "Helvetica":
        pdfmetrics.registerFont(UnicodeCIDFont(font))
    is_code = name.startswith("code")
    canvas.setFont(font, 11 if is_code else 17)
    canvas.drawString(_MARGIN, 770, heading)
    canvas.setFont(font, 11)
    y = 735.0
    for cells in _lines(rest, wide=font != "Helvetica", is_code=is_code):
        for number, cell in enumerate(cells):
            canvas.drawString(_MARGIN + 110 * number + (160 if number else 0), y, cell)
        y -= _LEADING
    canvas.save()
    return out.getvalue()


def _lines(texts: list[str], *, wide: bool, is_code: bool) -> Iterator[list[str]]:
    for text in texts:
        if is_code:
            yield [text]
        elif "    " in text:
            yield [cell.strip() for cell in text.split("    ") if cell.strip()]
        else:
            yield from ([line] for line in wrap(text, _COLUMNS // 2 if wide else _COLUMNS))
