"""Turning pictures of any mode into plain grey or red-green-blue, and into bytes for a viewer. In a sandbox only."""

from __future__ import annotations

import io

from PIL import Image

from service.documents.readings import ImageFormat

_QUALITY = 85
_WHITE = (255, 255, 255, 255)


def plain(image: Image.Image) -> Image.Image:
    """The same picture in mode L or RGB: alpha over white, deep greys scaled to 8 bit, ink colours turned to light."""
    if image.mode in ("L", "RGB"):
        return image if "transparency" not in image.info else _over_white(image)
    if image.mode == "1":
        return image.convert("L")
    if image.mode.startswith("I") or image.mode == "F":
        return _scaled(image)
    if image.mode in ("RGBA", "LA", "PA", "RGBa", "La") or "transparency" in image.info:
        return _over_white(image)
    return image.convert("RGB")


def encode(image: Image.Image, image_format: ImageFormat, *, grey: bool) -> bytes:
    """The bytes of a picture file."""
    buffer = io.BytesIO()
    ready = image.convert("L") if grey else image
    if image_format == "png":
        ready.save(buffer, "PNG", compress_level=1)
    elif image_format == "webp":
        ready.save(buffer, "WEBP", quality=_QUALITY, method=2)
    else:
        ready.save(buffer, "JPEG", quality=_QUALITY)
    return buffer.getvalue()


def _over_white(image: Image.Image) -> Image.Image:
    layered = image.convert("RGBA")
    paper = Image.new("RGBA", layered.size, _WHITE)
    paper.alpha_composite(layered)
    return paper.convert("RGB")


def _scaled(image: Image.Image) -> Image.Image:
    """12, 16 and 32 bit greys by their own range, so that a 12 bit scan in 16 bit does not come out black."""
    deep = image.convert("F")
    low, high = deep.getextrema()
    assert isinstance(low, float)
    assert isinstance(high, float)
    if high <= low:
        return Image.new("L", image.size, 255 if high > 0 else 0)
    bottom = min(low, 0.0)
    scale = 255.0 / (high - bottom)
    return deep.point(lambda value: value * scale - bottom * scale).convert("L")
