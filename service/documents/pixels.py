"""Raw pictures on their way between processes, and the limits on their size. Pure but for Pillow's own pictures."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from PIL import Image

OCR_DPI = 200.0
OCR_MAX_PIXELS = 14_000_000
"""Pixels of the picture of a page that is read; a larger page is drawn at a lower resolution."""
OCR_TALL_MAX_PIXELS = 30_000_000
"""The same for a page so long and narrow that it is read in tiles."""
RENDER_MAX_PIXELS = 40_000_000
"""Pixels of a page drawn for a viewer or a model."""
LOOK_DPI = 72.0
LOOK_MAX_PIXELS = 3_000_000
"""Pixels of the picture of a page that is only looked at: is it blank, does a word stand out."""


@dataclass(frozen=True, slots=True)
class RawPicture:
    """Pixels row by row from the top, without padding; 1 (grey) or 3 (red, green, blue) bytes each."""

    width: int
    height: int
    channels: int
    pixels: bytes


def raw_picture(image: Image.Image) -> RawPicture:
    """The pixels of a picture in mode L or RGB."""
    return RawPicture(image.width, image.height, 1 if image.mode == "L" else 3, image.tobytes())


def bounded_scale(width: float, height: float, wanted: float, max_pixels: int) -> float:
    """Pixels a unit at which a page of that size keeps below the limit.

    Args:
        width: in any unit, as `height`.
        wanted: pixels a unit if the limit allows.
    """
    return min(wanted, math.sqrt(max_pixels / max(width * height, 1e-9)))
