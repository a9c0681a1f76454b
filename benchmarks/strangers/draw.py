"""Draws the blocks of a page with reportlab, and remembers where each value was written."""

from __future__ import annotations

import io
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from reportlab.lib.pagesizes import A4
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.cidfonts import UnicodeCIDFont
from reportlab.pdfbase.ttfonts import TTFError, TTFont
from reportlab.pdfgen.canvas import Canvas

from benchmarks.strangers.page import Block, Columns, Filled, Pairs, Table, Text

Place = tuple[int, tuple[float, float, float, float]]
"""Page from 1, box in fractions of the page from its top left."""
WITH_TICKS = "DejaVuSans"
"""The face that has boxes to tick."""
FACES = (WITH_TICKS, "DejaVuSerif")
"""Those that have the letters of every language that is written in Latin ones."""
OWN_FACE = "Vera"
"""The one that comes with reportlab; it lacks boxes to tick and some letters of Polish and Czech."""
_FILES = {**{face: (face, f"{face}-Bold") for face in FACES}, OWN_FACE: (OWN_FACE, "VeraBd")}
"""Face → the names of its font files, plain and bold."""
WESTERN_FACES = ("Helvetica", "Times-Roman")
"""Those that every reader of PDF brings."""
WESTERN = ("en", "de", "fr", "es", "it", "nl", "pt", "sv", "da", "fi")
"""Languages whose letters these have."""
ASIAN = {"ko": "HYSMyeongJo-Medium", "ja": "HeiseiMin-W3", "zh": "STSong-Light"}
_PAD = 5.0


@dataclass(frozen=True)
class Look:
    """How one document looks; sizes in points."""

    face: str
    size: float = 10.0
    margin: float = 55.0

    @property
    def step(self) -> float:
        """From one line to the next."""
        return 1.4 * self.size


@dataclass(frozen=True)
class _Letters:
    """One way of writing: font and size."""

    font: str
    size: float

    def width(self, text: str) -> float:
        return pdfmetrics.stringWidth(text, self.font, self.size)


def draw(blocks: Sequence[Block], look: Look) -> tuple[bytes, dict[str, list[Place]]]:
    """The PDF, the same bytes for the same blocks, and the places of the values that stand on one line."""
    pen = _Pen(look)
    pen.put(blocks, look.margin, A4[0] - look.margin)
    return pen.end(), dict(pen.places)


@cache
def _fonts(face: str) -> tuple[str, str]:
    """The registered names of a face, plain and bold."""
    if face in ASIAN.values():
        pdfmetrics.registerFont(UnicodeCIDFont(face))
        return face, face
    if face not in _FILES:
        return face, f"{face.removesuffix('-Roman')}-Bold"
    files = _FILES[face]
    for file in files:
        try:
            pdfmetrics.registerFont(TTFont(file, f"{file}.ttf"))
        except TTFError as error:
            raise SystemExit(f"The DejaVu fonts (Debian: fonts-dejavu-core) are needed: {error}") from error
    return files


class _Pen:
    """Writes from the top of a page to its bottom; `y` is from the page's top."""

    def __init__(self, look: Look) -> None:
        self._out = io.BytesIO()
        self._canvas = Canvas(self._out, pagesize=A4, invariant=1)
        self._look, self._page, self._y = look, 1, 50.0
        plain, bold = _fonts(look.face)
        self._plain, self._bold = _Letters(plain, look.size), _Letters(bold, look.size)
        self._small = _Letters(plain, 0.72 * look.size)
        self._looks = {"title": _Letters(bold, 1.5 * look.size), "heading": _Letters(bold, 1.15 * look.size),
                       "centre": _Letters(bold, 1.1 * look.size)}  # fmt: skip
        self.places: defaultdict[str, list[Place]] = defaultdict(list)

    def end(self) -> bytes:
        self._canvas.save()
        return self._out.getvalue()

    def put(self, blocks: Sequence[Block], left: float, right: float) -> None:
        """Write blocks between two edges."""
        for block in blocks:
            match block:
                case Text():
                    self._text(block, left, right)
                case Pairs():
                    getattr(self, f"_{block.style}")(block.pairs, left, right)
                    self._y += 0.4 * self._look.step
                case Table():
                    self._table(block, left, right)
                case Columns():
                    self._columns(block, left, right)

    def _columns(self, block: Columns, left: float, right: float) -> None:
        middle = left + 0.52 * (right - left)
        top = self._y
        self.put(block.left, left, middle - 12)
        lowest, self._y = self._y, top
        self.put(block.right, middle + 12, right)
        self._y = max(lowest, self._y) + 0.5 * self._look.step

    def _text(self, block: Text, left: float, right: float) -> None:
        letters = self._looks.get(block.look, self._plain)
        if block.look in ("title", "heading"):
            self._y += 0.5 * letters.size
        for line in self._wrapped(block.filled, right - left, letters):
            self._room()
            spare = right - left - letters.width(line.text)
            self._write(left + {"centre": spare / 2, "right": spare}.get(block.look, 0.0), line, letters)
            self._y += 1.4 * letters.size
        self._y += 0.15 * self._look.step

    def _colon(self, pairs: Sequence[tuple[Filled, Filled]], left: float, right: float) -> None:
        for label, filled in pairs:
            self._lines(label.joined(": ", filled), left, right)

    def _gap(self, pairs: Sequence[tuple[Filled, Filled]], left: float, right: float) -> None:
        widest = max((self._plain.width(label.text) for label, _ in pairs), default=0.0)
        at = left + min(widest + 14, 0.6 * (right - left))
        for label, filled in pairs:
            top = self._y
            self._lines(label, left, at - 4)
            below, self._y = self._y, top
            self._lines(filled, at, right)
            self._y = max(below, self._y)

    def _right(self, pairs: Sequence[tuple[Filled, Filled]], left: float, right: float) -> None:
        start = left + 0.35 * (right - left)
        for label, filled in pairs:
            self._room()
            self._write(start, label, self._plain)
            for line in filled.lines():
                self._write(right - self._plain.width(line.text), line, self._plain)
                self._y += self._look.step

    def _dots(self, pairs: Sequence[tuple[Filled, Filled]], left: float, right: float) -> None:
        widest = max((self._plain.width(label.text) for label, _ in pairs), default=0.0)
        at = left + max(0.5 * (right - left), widest + 24)
        for label, filled in pairs:
            dots = "." * max(3, int((at - 6 - left - self._plain.width(label.text)) / self._plain.width(".")))
            self._room()
            self._write(left, label.joined(f" {dots}", Filled("")), self._plain)
            self._lines(filled, at, right)

    def _above(self, pairs: Sequence[tuple[Filled, Filled]], left: float, right: float) -> None:
        for label, filled in pairs:
            self._room()
            self._write(left, label, self._small)
            self._y += 0.85 * self._look.step
            self._lines(filled, left, right)
            self._y += 0.35 * self._look.step

    def _below(self, pairs: Sequence[tuple[Filled, Filled]], left: float, right: float, across: int = 1) -> None:
        width = (right - left) / 2
        for number, (label, filled) in enumerate(pairs):
            x = left + number % across * width
            if number % across == 0:
                self._room()
                self._y += 0.6 * self._look.step
            self._write(x, filled, self._plain)
            self._rule(x, x + width - 20, self._y + 3)
            self._write(x, label, self._small, down=self._look.size)
            if number % across == across - 1 or number == len(pairs) - 1:
                self._y += 2 * self._look.step

    def _below2(self, pairs: Sequence[tuple[Filled, Filled]], left: float, right: float) -> None:
        self._below(pairs, left, right, across=2)

    def _grid(self, pairs: Sequence[tuple[Filled, Filled]], left: float, right: float) -> None:
        self._room()
        for number, (label, filled) in enumerate(pairs):
            x = left + number * (right - left) / len(pairs)
            self._write(x, label, self._bold)
            self._write(x, filled, self._plain, down=self._look.step)
        self._y += 2.4 * self._look.step

    def _box(self, pairs: Sequence[tuple[Filled, Filled]], left: float, right: float) -> None:
        width = (right - left) / 2
        for first in range(0, len(pairs), 2):
            self._room()
            row = pairs[first : first + 2]
            lines = [self._wrapped(filled, width - 2 * _PAD, self._plain) for _, filled in row]
            height = self._look.size * 1.5 + max(len(one) for one in lines) * self._look.step
            for number, (label, _) in enumerate(row):
                x = left + number * width
                wide = width if len(row) == 2 else 2 * width
                self._canvas.rect(x, A4[1] - (self._y - self._look.size) - height, wide, height)
                self._write(x + _PAD, label, self._small)
                for depth, line in enumerate(lines[number]):
                    self._write(x + _PAD, line, self._plain, down=(depth + 1) * self._look.step)
            self._y += height
        self._y += 0.5 * self._look.step

    def _table(self, table: Table, left: float, right: float) -> None:
        widths = self._widths(table, right - left)
        edges = [left + sum(widths[:number]) for number in range(len(widths) + 1)]
        if table.ruled:
            self._rule(left, edges[-1], self._y - self._look.size - 1)
        for number, row in enumerate(table.rows):
            letters = self._bold if number == 0 else self._plain
            self._room()
            cells = [self._wrapped(c, w - 2 * _PAD + 1, letters) for c, w in zip(row, widths, strict=False)]
            for place, cell in enumerate(cells):
                for depth, line in enumerate(cell):
                    spare = widths[place] - 2 * _PAD - letters.width(line.text)
                    x = edges[place] + _PAD + (spare if table.right[place] else 0.0)
                    self._write(x, line, letters, down=depth * self._look.step)
            top = self._y - self._look.size - 1
            self._y += max(len(cell) for cell in cells) * self._look.step + 2
            if table.ruled:
                self._rule(left, edges[-1], self._y - self._look.size - 1)
                for edge in edges:
                    self._canvas.line(edge, A4[1] - top, edge, A4[1] - (self._y - self._look.size - 1))
        self._y += 0.7 * self._look.step

    def _widths(self, table: Table, room: float) -> list[float]:
        """Of the columns: as wide as they need to be, the widest one narrower if all do not fit."""
        count = len(table.right)
        widths = [
            max(self._bold.width(row[place].text) for row in table.rows if place < len(row)) + 2 * _PAD + 4
            for place in range(count)
        ]
        while sum(widths) > room:
            widest = max(range(count), key=widths.__getitem__)
            widths[widest] *= 0.9
        spare = (room - sum(widths)) / count if table.ruled or sum(widths) > 0.6 * room else 18.0
        return [width + spare for width in widths]

    def _lines(self, filled: Filled, left: float, right: float) -> None:
        for line in self._wrapped(filled, right - left, self._plain):
            self._room()
            self._write(left, line, self._plain)
            self._y += self._look.step

    def _wrapped(self, filled: Filled, width: float, letters: _Letters) -> list[Filled]:
        found: list[Filled] = []
        for line in filled.lines():
            start = 0
            while letters.width(line.text[start:]) > width and " " in line.text[start:].strip():
                end = len(line.text)
                while letters.width(line.text[start:end]) > width and (cut := line.text.rfind(" ", start, end)) > start:
                    end = cut
                if end == len(line.text):
                    break
                found.append(line.part(start, end))
                start = end + 1
            found.append(line.part(start, len(line.text)))
        return found

    def _write(self, x: float, filled: Filled, letters: _Letters, down: float = 0.0) -> None:
        y = self._y + down
        self._canvas.setFont(letters.font, letters.size)
        self._canvas.drawString(x, A4[1] - y, filled.text)
        for path, start, end in filled.values:
            if end > start:
                first, last = x + letters.width(filled.text[:start]), x + letters.width(filled.text[:end])
                box = (first / A4[0], (y - 0.8 * letters.size) / A4[1], last / A4[0], (y + 0.2 * letters.size) / A4[1])
                self.places[path].append((self._page, box))

    def _rule(self, x0: float, x1: float, y: float) -> None:
        self._canvas.setLineWidth(0.5)
        self._canvas.line(x0, A4[1] - y, x1, A4[1] - y)

    def _room(self) -> None:
        """Go on overleaf where the page ends."""
        if self._y > A4[1] - 60:
            self._canvas.showPage()
            self._page, self._y = self._page + 1, 50.0
