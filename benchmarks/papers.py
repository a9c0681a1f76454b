"""Files for the benchmarks: pages of a business letter's density, as many different files as wanted."""

from __future__ import annotations

import io
import random

from reportlab.pdfgen.canvas import Canvas

_LINES, _WORDS = 42, 8
_SYLLABLES = ["ba", "ke", "li", "mo", "nu", "ra", "se", "ti", "vo", "wen", "dor", "gal", "hin", "jus", "pel", "zan"]


def draw_pages(count: int) -> bytes:
    """A PDF of `count` pages with about 340 words each; the same one every time."""
    chance = random.Random(7)
    buffer = io.BytesIO()
    canvas = Canvas(buffer, invariant=1)
    for page in range(1, count + 1):
        text = canvas.beginText(60, 780)
        text.setFont("Helvetica", 10)
        text.textLine(f"Page {page} of {count}")
        for _ in range(_LINES):
            text.textLine(" ".join(_word(chance) for _ in range(_WORDS)))
        canvas.drawText(text)
        canvas.showPage()
    canvas.save()
    return buffer.getvalue()


def copy_of(pdf: bytes, number: int) -> bytes:
    """The same pages in other bytes, so that nothing that was read of one serves another."""
    return pdf + b"\n%% copy %d\n" % number


def _word(chance: random.Random) -> str:
    if chance.random() < 0.15:
        return f"{chance.randrange(100, 99_999) / 100:.2f}"
    return "".join(chance.choice(_SYLLABLES) for _ in range(chance.randrange(1, 4)))
