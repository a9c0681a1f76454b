"""Drawing a PDF page as displayed, and looking at the drawing. In a sandbox only."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pypdfium2 as pdfium

from service.documents.frames import PageFrame
from service.documents.pdf.stand_ins import note_use
from service.documents.pixels import bounded_scale
from service.domain.geometry import Box

if TYPE_CHECKING:
    from PIL import Image

_POINTS = 72.0


def draw_page(
    page: pdfium.PdfPage, frame: PageFrame, *, dpi: float, max_pixels: int, crop: Box | None = None
) -> Image.Image:
    """Draw a page as displayed, or a part of it, red-green-blue on white, at most that many pixels."""
    part = crop or Box(0.0, 0.0, 1.0, 1.0)
    scale = bounded_scale(frame.width * part.width, frame.height * part.height, dpi / _POINTS, max_pixels)
    width, height = frame.width / frame.user_unit, frame.height / frame.user_unit
    margins = (part.x0 * width, (1 - part.y1) * height, (1 - part.x1) * width, part.y0 * height)
    note_use()
    bitmap = page.render(
        scale=scale * frame.user_unit,  # pyright: ignore[reportArgumentType] - its default, 1, is taken for its type
        crop=margins,
        rev_byteorder=True,
        may_draw_forms=True,
    )
    try:
        return bitmap.to_pil().convert("RGB")
    finally:
        bitmap.close()


class Look:
    """A small grey picture of the page, to see whether a word stands out from what is behind it."""

    def __init__(self, image: Image.Image) -> None:
        self._image = image.convert("L")

    def contrast(self, box: Box | None = None) -> int:
        """Grey levels, 0–255, between the lightest and the darkest pixel in a box or on the whole page."""
        image = self._image
        if box is not None:
            width, height = image.size
            x0, y0 = int(box.x0 * width), int(box.y0 * height)
            x1, y1 = max(x0 + 1, round(box.x1 * width)), max(y0 + 1, round(box.y1 * height))
            image = image.crop((x0, y0, x1, y1))
        low, high = image.getextrema()
        assert isinstance(low, int)
        assert isinstance(high, int)
        return high - low
