"""What is drawn on a PDF page besides its text: pictures, rules, fills and outlines. In a sandbox only."""

from __future__ import annotations

import ctypes
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TypeAlias

import pypdfium2 as pdfium
import pypdfium2.raw as pdfium_c

from service.documents.frames import PageFrame, clip
from service.domain.geometry import Box

Matrix: TypeAlias = tuple[float, float, float, float, float, float]

_IDENTITY: Matrix = (1.0, 0.0, 0.0, 1.0, 0.0, 0.0)
_MAX_OBJECTS = 20_000
"""Objects that are looked at; a drawing with more of them is judged by its beginning."""
_MAX_DEPTH = 4
"""Form objects inside form objects."""
_MAX_SEGMENTS = 400
"""Corners of one path; a path with more is a drawing, not a rule."""
_THIN = 2.5
"""Points: a shape thinner than this is a rule."""
_LONG = 12.0
"""Points: a rule is at least this long."""
_STRAIGHT = 0.7
"""Points by which the ends of a straight rule may differ."""
_LETTER_HEIGHT = (3.0, 40.0)
"""Points: shapes of this height may be letters drawn as outlines."""
_FEWEST_BARS = 12
"""Lines side by side that may be a bar code."""
_WHOLE_PAGE = 0.9
"""Share of the page: a frame larger than this is the page's edge, not a table."""
_TRIED_PIXELS = 40_000_000


@dataclass(slots=True)
class Drawn:
    """The drawing of one page."""

    pictures: list[Box] = field(default_factory=list[Box])
    """Where pictures stand, fractions of the page."""
    fills: int = 0
    """Filled shapes large enough to lie behind or over text."""
    rules: list[Box] = field(default_factory=list[Box])
    """Straight horizontal and vertical lines, sides of rectangles among them: boxes without height or width."""
    outlines: int = 0
    """Shapes of a letter's size."""

    @property
    def picture_share(self) -> float:
        """Part of the page under pictures, 0–1; a picture cut into strips counts as a whole."""
        return min(1.0, sum(box.width * box.height for box in self.pictures))

    @property
    def only_rules(self) -> bool:
        """Whether nothing but straight lines is drawn: no letter can be among it."""
        plain = not self.pictures and self.fills == 0 and self.outlines == 0
        return bool(self.rules) and plain and not self.barred

    @property
    def barred(self) -> bool:
        """Whether many upright lines stand side by side between the same two heights, as those of a bar code do."""
        upright = Counter((round(rule.y0, 3), round(rule.y1, 3)) for rule in self.rules if rule.width == 0)
        return any(count >= _FEWEST_BARS for count in upright.values())

    @property
    def ruled(self) -> bool:
        """Whether there may be a table drawn with lines."""
        level = sum(1 for rule in self.rules if rule.width > 0)
        return level >= 2 and len(self.rules) - level >= 2


def read_drawing(page: pdfium.PdfPage, frame: PageFrame) -> Drawn:
    """Look at every object of the page, form objects included."""
    drawn = Drawn()
    for found, matrix in _objects(page):
        kind = pdfium_c.FPDFPageObj_GetType(found)
        if kind == pdfium_c.FPDF_PAGEOBJ_PATH:
            _add_path(drawn, found, matrix, frame)
        elif kind == pdfium_c.FPDF_PAGEOBJ_IMAGE:
            shown = _bounds(found, matrix, frame)
            box = clip(shown) if shown is not None else None
            if box is not None:
                drawn.pictures.append(box)
    return drawn


def has_broken_picture(page: pdfium.PdfPage) -> bool:
    """Whether one of the page's pictures cannot be unpacked; too large ones are not tried."""
    width, height = ctypes.c_uint(), ctypes.c_uint()
    for found, _ in _objects(page):
        if pdfium_c.FPDFPageObj_GetType(found) != pdfium_c.FPDF_PAGEOBJ_IMAGE:
            continue
        if not pdfium_c.FPDFImageObj_GetImagePixelSize(found, width, height):
            return True
        if 0 < width.value * height.value <= _TRIED_PIXELS:
            bitmap = pdfium_c.FPDFImageObj_GetBitmap(found)
            if not bitmap:
                return True
            pdfium_c.FPDFBitmap_Destroy(bitmap)
    return False


def _objects(page: pdfium.PdfPage) -> Iterator[tuple[object, Matrix]]:
    """Objects of the page and of its form objects, each with the matrix from its surroundings to the page."""
    left = _MAX_OBJECTS
    waiting: list[tuple[object, Matrix, int]] = []
    for index in range(min(pdfium_c.FPDFPage_CountObjects(page), left)):
        waiting.append((pdfium_c.FPDFPage_GetObject(page, index), _IDENTITY, 0))
    waiting.reverse()
    while waiting and left > 0:
        left -= 1
        found, matrix, depth = waiting.pop()
        if pdfium_c.FPDFPageObj_GetType(found) != pdfium_c.FPDF_PAGEOBJ_FORM:
            yield found, matrix
        elif depth < _MAX_DEPTH:
            inner = _chain(_matrix(found), matrix)
            count = min(pdfium_c.FPDFFormObj_CountObjects(found), left)
            for index in reversed(range(count)):
                waiting.append((pdfium_c.FPDFFormObj_GetObject(found, index), inner, depth + 1))


def _add_path(drawn: Drawn, path: object, matrix: Matrix, frame: PageFrame) -> None:
    box = _bounds(path, matrix, frame)
    filled, stroked = _painted(path)
    if box is None or not (filled or stroked):
        return
    width, height = box.width * frame.width, box.height * frame.height
    if height <= _THIN and width >= _LONG:
        drawn.rules.append(Box(box.x0, box.center.y, box.x1, box.center.y))
        return
    if width <= _THIN and height >= _LONG:
        drawn.rules.append(Box(box.center.x, box.y0, box.center.x, box.y1))
        return
    if width >= _LONG and height >= _LETTER_HEIGHT[0]:
        drawn.fills += filled
        if box.width * box.height < _WHOLE_PAGE:
            drawn.rules += _sides(path, _chain(_matrix(path), matrix), frame)
    elif _LETTER_HEIGHT[0] <= height <= _LETTER_HEIGHT[1]:
        drawn.outlines += 1


def _sides(path: object, matrix: Matrix, frame: PageFrame) -> list[Box]:
    """The straight horizontal and vertical segments of a path."""
    count = pdfium_c.FPDFPath_CountSegments(path)
    if not 2 <= count <= _MAX_SEGMENTS:
        return []
    x, y = ctypes.c_float(), ctypes.c_float()
    sides: list[Box] = []
    start = last = (0.0, 0.0)
    for index in range(count):
        segment = pdfium_c.FPDFPath_GetPathSegment(path, index)
        pdfium_c.FPDFPathSegment_GetPoint(segment, x, y)
        here = _apply(matrix, x.value, y.value)
        kind = pdfium_c.FPDFPathSegment_GetType(segment)
        if kind == pdfium_c.FPDF_SEGMENT_MOVETO:
            start = here
        elif kind == pdfium_c.FPDF_SEGMENT_LINETO:
            _add_side(sides, last, here, frame)
        if pdfium_c.FPDFPathSegment_GetClose(segment):
            _add_side(sides, here, start, frame)
        last = here
    return sides


def _add_side(sides: list[Box], a: tuple[float, float], b: tuple[float, float], frame: PageFrame) -> None:
    box = frame.box(*a, *b)
    width, height = box.width * frame.width, box.height * frame.height
    if height <= _STRAIGHT and width >= _LONG:
        sides.append(Box(box.x0, box.center.y, box.x1, box.center.y))
    elif width <= _STRAIGHT and height >= _LONG:
        sides.append(Box(box.center.x, box.y0, box.center.x, box.y1))


def _painted(path: object) -> tuple[bool, bool]:
    """Whether a path is filled and whether it is stroked; one that only clips is neither."""
    fill, stroke = ctypes.c_int(), ctypes.c_int()
    pdfium_c.FPDFPath_GetDrawMode(path, fill, stroke)
    return fill.value != pdfium_c.FPDF_FILLMODE_NONE, bool(stroke.value)


def _matrix(found: object) -> Matrix:
    matrix = pdfium_c.FS_MATRIX()
    if not pdfium_c.FPDFPageObj_GetMatrix(found, matrix):
        return _IDENTITY
    return matrix.a, matrix.b, matrix.c, matrix.d, matrix.e, matrix.f


def _chain(first: Matrix, then: Matrix) -> Matrix:
    a, b, c, d, e, f = first
    ta, tb, tc, td, te, tf = then
    return (
        a * ta + b * tc,
        a * tb + b * td,
        c * ta + d * tc,
        c * tb + d * td,
        e * ta + f * tc + te,
        e * tb + f * td + tf,
    )


def _apply(matrix: Matrix, x: float, y: float) -> tuple[float, float]:
    a, b, c, d, e, f = matrix
    return a * x + c * y + e, b * x + d * y + f


def _bounds(found: object, matrix: Matrix, frame: PageFrame) -> Box | None:
    """The box around an object, fractions of the page; parts may lie off the page."""
    left, bottom, right, top = (ctypes.c_float() for _ in range(4))
    if not pdfium_c.FPDFPageObj_GetBounds(found, left, bottom, right, top):
        return None
    a = _apply(matrix, left.value, bottom.value)
    b = _apply(matrix, right.value, top.value)
    return frame.box(*a, *b)
