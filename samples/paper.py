"""A sheet of paper that remembers where each value was written.

A page is a list of strokes in points, origin top-left,
y downwards; `render_pdf` and `render_image` put the same strokes on
paper. What is written with a `field` is the truth of that field's place.
"""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Literal

import reportlab
from PIL import Image, ImageDraw, ImageFont
from reportlab.lib.utils import ImageReader
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.ttfonts import TTFont
from reportlab.pdfgen.canvas import Canvas

A4 = (595.28, 841.89)
ASCENT, DESCENT = 0.74, 0.21
"""Height of letters above and below the baseline, in parts of the font size."""

Value = str | int | float | bool | None
Values = dict[str, "Value | list[dict[str, Value]]"]
Colour = tuple[float, float, float]
Rect = tuple[float, float, float, float]
BLACK: Colour = (0.1, 0.1, 0.1)
GREY: Colour = (0.45, 0.45, 0.45)
Face = Literal["sans", "sans-bold", "sans-italic", "serif", "serif-bold", "serif-italic", "mono", "ticks"]

PRINTED: Mapping[Face, str] = {
    "sans": "Helvetica",
    "sans-bold": "Helvetica-Bold",
    "sans-italic": "Helvetica-Oblique",
    "serif": "Times-Roman",
    "serif-bold": "Times-Bold",
    "serif-italic": "Times-Italic",
    "mono": "Courier",
    "ticks": "ZapfDingbats",
}
PHOTOGRAPHED: Mapping[Face, str] = {"sans": "Vera", "sans-bold": "VeraBd", "sans-italic": "VeraIt"}
"""The faces that come inside reportlab, so that a picture is the same on every machine."""

FONT_FOLDER = Path(reportlab.__file__).parent / "fonts"
for _name in PHOTOGRAPHED.values():
    pdfmetrics.registerFont(TTFont(_name, str(FONT_FOLDER / f"{_name}.ttf")))


@dataclass(frozen=True)
class Letters:
    """How letters look, and on which side of a place they stand."""

    size: float = 9
    face: Face = "sans"
    align: Literal["left", "right", "centre"] = "left"
    colour: Colour = BLACK


PLAIN = Letters()


@dataclass(frozen=True)
class Text:
    """One run of letters; `x` is its left end, `y` its baseline."""

    x: float
    y: float
    text: str
    font: str
    size: float
    colour: Colour


@dataclass(frozen=True)
class Line:
    """A straight stroke."""

    x0: float
    y0: float
    x1: float
    y1: float
    width: float
    colour: Colour


@dataclass(frozen=True)
class Block:
    """A rectangle, filled or only outlined."""

    rect: Rect
    colour: Colour
    filled: bool


@dataclass
class Page:
    """One page while it is written."""

    number: int = 1
    size: tuple[float, float] = A4
    fonts: Mapping[Face, str] = field(default_factory=lambda: PRINTED)
    strokes: list[Text | Line | Block] = field(default_factory=list)
    marks: dict[str, Rect] = field(default_factory=dict)
    """JSON Pointer → box in points around all that was written for it."""

    def width_of(self, text: str, size: float = 9, face: Face = "sans") -> float:
        """Points from the left end of the first letter to the right end of the last."""
        return pdfmetrics.stringWidth(text, self.fonts[face], size)

    def text(self, x: float, y: float, text: str, how: Letters = PLAIN, field: str | None = None) -> None:
        """Write at a baseline; with `field`, remember the place under that JSON Pointer."""
        width = self.width_of(text, how.size, how.face)
        left = x - {"left": 0.0, "right": width, "centre": width / 2}[how.align]
        self.strokes.append(Text(left, y, text, self.fonts[how.face], how.size, how.colour))
        if field is not None:
            self.mark(field, (left, y - ASCENT * how.size, left + width, y + DESCENT * how.size))

    def mark(self, field: str, rect: Rect) -> None:
        """Remember a place; further places of the same field widen it."""
        old = self.marks.get(field, rect)
        x0, y0 = min(old[0], rect[0]), min(old[1], rect[1])
        self.marks[field] = (x0, y0, max(old[2], rect[2]), max(old[3], rect[3]))

    def line(self, x0: float, y0: float, x1: float, y1: float, *, width: float = 0.5, colour: Colour = BLACK) -> None:
        """Draw a stroke."""
        self.strokes.append(Line(x0, y0, x1, y1, width, colour))

    def block(self, rect: Rect, *, colour: Colour = BLACK, filled: bool = True) -> None:
        """Draw a rectangle."""
        self.strokes.append(Block(rect, colour, filled))

    def fraction(self, rect: Rect) -> Rect:
        """A box in points as fractions of the page."""
        width, height = self.size
        return (rect[0] / width, rect[1] / height, rect[2] / width, rect[3] / height)


@dataclass(frozen=True)
class Picture:
    """A scanned page: the JPEG bytes and the size of its page in points."""

    jpeg: bytes
    size: tuple[float, float]


@dataclass(frozen=True)
class Sample:
    """Everything that is written into one folder."""

    name: str
    file_name: str
    content: bytes
    schema: dict[str, object]
    records: list[dict[str, object]]
    story: str
    """What the document is and what it tries, for SOURCE.md."""


def locations(pages: Sequence[Page]) -> dict[str, object]:
    """The places of all marked fields, as `expected.json` holds them."""
    return {
        path: {"page": page.number, "box": [round(v, 4) for v in page.fraction(rect)]}
        for page in pages
        for path, rect in page.marks.items()
    }


def record(values: Values, pages: Sequence[Page]) -> dict[str, object]:
    """One record of `expected.json`."""
    return {"pages": [p.number for p in pages], "values": values, "locations": locations(pages)}


def render_pdf(pages: Sequence[Page | Picture], title: str) -> bytes:
    """Pages in order as one PDF; the same bytes on every run."""
    target = io.BytesIO()
    canvas = Canvas(target, invariant=1, pageCompression=1)
    canvas.setTitle(title)
    canvas.setAuthor("Fieldmark samples")
    for page in pages:
        canvas.setPageSize(page.size)
        if isinstance(page, Picture):
            canvas.drawImage(ImageReader(io.BytesIO(page.jpeg)), 0, 0, *page.size)
        else:
            for stroke in page.strokes:
                _print(canvas, stroke, page.size[1])
        canvas.showPage()
    canvas.save()
    return target.getvalue()


def _print(canvas: Canvas, stroke: Text | Line | Block, height: float) -> None:
    if isinstance(stroke, Text):
        canvas.setFillColorRGB(*stroke.colour)
        canvas.setFont(stroke.font, stroke.size)
        canvas.drawString(stroke.x, height - stroke.y, stroke.text)
        return
    canvas.setStrokeColorRGB(*stroke.colour)
    if isinstance(stroke, Line):
        canvas.setLineWidth(stroke.width)
        canvas.line(stroke.x0, height - stroke.y0, stroke.x1, height - stroke.y1)
        return
    x0, y0, x1, y1 = stroke.rect
    canvas.setFillColorRGB(*stroke.colour)
    canvas.setLineWidth(0.6)
    canvas.rect(x0, height - y1, x1 - x0, y1 - y0, stroke=0 if stroke.filled else 1, fill=1 if stroke.filled else 0)


def render_image(page: Page, dpi: int, paper: tuple[int, int, int] = (252, 251, 247)) -> Image.Image:
    """A page as a clean picture, before a camera or scanner sees it."""
    scale = dpi / 72
    image = Image.new("RGB", (round(page.size[0] * scale), round(page.size[1] * scale)), paper)
    draw = ImageDraw.Draw(image)
    for stroke in page.strokes:
        colour = tuple(round(255 * part) for part in stroke.colour)
        if isinstance(stroke, Text):
            font = ImageFont.truetype(FONT_FOLDER / f"{stroke.font}.ttf", stroke.size * scale)
            draw.text((stroke.x * scale, stroke.y * scale), stroke.text, fill=colour, font=font, anchor="ls")
        elif isinstance(stroke, Line):
            ends = [v * scale for v in (stroke.x0, stroke.y0, stroke.x1, stroke.y1)]
            draw.line(ends, fill=colour, width=max(1, round(stroke.width * scale)))
        else:
            corners = [v * scale for v in stroke.rect]
            draw.rectangle(corners, fill=colour if stroke.filled else None, outline=colour, width=2)
    return image


def money(amount: Decimal, country: str) -> str:
    """An amount as it is printed in `en`, `de` or `fr`."""
    english = f"{amount:,.2f}"
    if country == "en":
        return english
    thousands = "." if country == "de" else "\u00a0"
    return english.replace(",", "~").replace(".", ",").replace("~", thousands)


def day(when: date, country: str) -> str:
    """A date as it is printed in `en`, `de` or `fr`."""
    if country == "en":
        return f"{when.day} {when:%B %Y}"
    return f"{when:%d.%m.%Y}" if country == "de" else f"{when:%d/%m/%Y}"
