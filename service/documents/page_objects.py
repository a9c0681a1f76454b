"""What is drawn on a PDF page besides its text: pictures, rules and outlines. Only imported inside a sandbox."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass, field

import pypdfium2 as pdfium
import pypdfium2.raw as pdfium_c

from service.documents.frames import PageFrame, clip
from service.domain.geometry import Box

_MAX_OBJECTS = 20_000
"""Objects that are looked at; a drawing with more of them is judged by its beginning."""
_THIN = 2.5
"""Points: a filled shape thinner than this is a rule."""
_LONG = 18.0
"""Points: a rule is at least this long."""
_LETTER_HEIGHT = (3.0, 40.0)
"""Points: shapes of this height may be letters drawn as outlines."""


@dataclass(slots=True)
class Drawn:
    """The drawing of one page in numbers."""

    pictures: list[Box] = field(default_factory=list[Box])
    """Where pictures stand, fractions of the page."""
    fills: list[Box] = field(default_factory=list[Box])
    """Filled shapes large enough to lie behind or over text."""
    horizontal_rules: int = 0
    vertical_rules: int = 0
    outlines: int = 0

    @property
    def picture_share(self) -> float:
        """Part of the page under its largest picture, or under all strips of a picture cut into strips."""
        return min(1.0, sum(box.width * box.height for box in self.pictures))

    @property
    def ruled(self) -> bool:
        """Whether there may be a table drawn with lines."""
        return self.horizontal_rules >= 2 and self.vertical_rules >= 2


def read_drawing(page: pdfium.PdfPage, frame: PageFrame) -> Drawn:
    """Look at every object of the page and one level of its form objects."""
    drawn = Drawn()
    count = min(pdfium_c.FPDFPage_CountObjects(page), _MAX_OBJECTS)
    for index in range(count):
        found = pdfium_c.FPDFPage_GetObject(page, index)
        kind = pdfium_c.FPDFPageObj_GetType(found)
        if kind == pdfium_c.FPDF_PAGEOBJ_PATH:
            _add_path(drawn, found, frame)
        elif kind == pdfium_c.FPDF_PAGEOBJ_IMAGE or (kind == pdfium_c.FPDF_PAGEOBJ_FORM and _holds_picture(found)):
            box = _box(found, frame)
            if box is not None:
                drawn.pictures.append(box)
        elif kind == pdfium_c.FPDF_PAGEOBJ_FORM:
            _add_form_paths(drawn, found, frame)
    return drawn


def _holds_picture(form: object) -> bool:
    count = min(pdfium_c.FPDFFormObj_CountObjects(form), 50)
    kinds = (pdfium_c.FPDFPageObj_GetType(pdfium_c.FPDFFormObj_GetObject(form, i)) for i in range(count))
    return any(kind == pdfium_c.FPDF_PAGEOBJ_IMAGE for kind in kinds)


def _add_form_paths(drawn: Drawn, form: object, frame: PageFrame) -> None:
    """Paths of a form object; their bounds are in its own space, which serves to count them."""
    for index in range(min(pdfium_c.FPDFFormObj_CountObjects(form), _MAX_OBJECTS)):
        found = pdfium_c.FPDFFormObj_GetObject(form, index)
        if pdfium_c.FPDFPageObj_GetType(found) == pdfium_c.FPDF_PAGEOBJ_PATH:
            _add_path(drawn, found, frame)


def _add_path(drawn: Drawn, path: object, frame: PageFrame) -> None:
    box = _box(path, frame)
    if box is None:
        return
    width, height = box.width * frame.width, box.height * frame.height
    if height <= _THIN and width >= _LONG:
        drawn.horizontal_rules += 1
    elif width <= _THIN and height >= _LONG:
        drawn.vertical_rules += 1
    elif width >= _LONG and height >= _LETTER_HEIGHT[0]:
        if _is_rectangle(path):
            drawn.horizontal_rules += 2
            drawn.vertical_rules += 2
        drawn.fills.append(box)
    elif _LETTER_HEIGHT[0] <= height <= _LETTER_HEIGHT[1]:
        drawn.outlines += 1


def _is_rectangle(path: object) -> bool:
    return pdfium_c.FPDFPath_CountSegments(path) in (4, 5)


def _box(found: object, frame: PageFrame) -> Box | None:
    left, bottom, right, top = (ctypes.c_float() for _ in range(4))
    if not pdfium_c.FPDFPageObj_GetBounds(found, left, bottom, right, top):
        return None
    box = frame.box(left.value, bottom.value, right.value, top.value)
    x0, y0, x1, y1 = box.x0, box.y0, max(box.x1, box.x0 + 1e-6), max(box.y1, box.y0 + 1e-6)
    return clip(Box(x0, y0, x1, y1))
