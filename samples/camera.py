"""What a camera or a scanner does to a clean page: slant, blur, noise and uneven light."""

from __future__ import annotations

import io
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from paper import Page, Rect
from PIL import Image, ImageFilter

Corner = tuple[float, float]
Corners = tuple[Corner, Corner, Corner, Corner]
"""Top-left, top-right, bottom-right, bottom-left."""


@dataclass(frozen=True)
class Shot:
    """How one picture is taken; sizes in pixels, brightness in grey levels."""

    size: tuple[int, int]
    corners: Corners
    """Where the page's corners lie in the picture."""
    blur: float
    noise: float
    shadow: float
    """How much of the light is lost at the darkest corner, 0–1."""
    table: tuple[int, int, int]
    """Colour of what the page lies on."""
    seed: int
    quality: int = 62


def photograph(clean: Image.Image, shot: Shot) -> bytes:
    """The JPEG bytes of a picture of the page."""
    source: Corners = ((0, 0), (clean.width, 0), (clean.width, clean.height), (0, clean.height))
    back = tuple(float(v) for v in homography(shot.corners, source).ravel()[:8])
    warped = clean.transform(shot.size, Image.Transform.PERSPECTIVE, back, Image.Resampling.BICUBIC)
    paper = Image.new("L", clean.size, 255).transform(shot.size, Image.Transform.PERSPECTIVE, back)
    paper = paper.filter(ImageFilter.GaussianBlur(1.2))
    picture = Image.composite(warped, Image.new("RGB", shot.size, shot.table), paper)
    picture = picture.filter(ImageFilter.GaussianBlur(shot.blur))
    rng = np.random.default_rng(shot.seed)
    pixels = np.asarray(picture, dtype=np.float64) * _light(shot)[:, :, None]
    grain = rng.normal(0.0, shot.noise, pixels.shape[:2])[:, :, None]
    seen = Image.fromarray(np.clip(pixels + grain, 0, 255).astype(np.uint8))
    target = io.BytesIO()
    seen.save(target, "JPEG", quality=shot.quality, optimize=True)
    return target.getvalue()


def _light(shot: Shot) -> NDArray[np.float64]:
    """Brightness factors: full at the upper left, a soft hand's shadow below."""
    width, height = shot.size
    y, x = np.mgrid[0:height, 0:width]
    slope = (0.35 * x / width + 0.65 * y / height) ** 1.6
    hand = 0.5 * np.exp(-(((x / width - 0.85) / 0.3) ** 2) - ((y / height - 0.7) / 0.22) ** 2)
    return 1.0 - shot.shadow * np.minimum(1.0, slope + hand)


def homography(start: Corners, end: Corners) -> NDArray[np.float64]:
    """The 3 × 3 matrix that carries four points to four others."""
    rows: list[list[float]] = []
    right: list[float] = []
    for (x, y), (u, v) in zip(start, end, strict=True):
        rows.append([x, y, 1, 0, 0, 0, -u * x, -u * y])
        rows.append([0, 0, 0, x, y, 1, -v * x, -v * y])
        right.extend((u, v))
    solved = np.linalg.solve(np.array(rows), np.array(right))
    return np.append(solved, 1.0).reshape(3, 3)


def move_marks(page: Page, shot: Shot) -> Page:
    """The page's truth in the picture: a page of the picture's size, upright boxes around the slanted ones."""
    width, height = page.size
    matrix = homography(((0, 0), (width, 0), (width, height), (0, height)), shot.corners)
    moved = Page(number=page.number, size=(float(shot.size[0]), float(shot.size[1])))
    for path, (x0, y0, x1, y1) in page.marks.items():
        moved.marks[path] = _around(matrix, ((x0, y0), (x1, y0), (x1, y1), (x0, y1)))
    return moved


def _around(matrix: NDArray[np.float64], corners: Corners) -> Rect:
    points = np.array([[x, y, 1.0] for x, y in corners]) @ matrix.T
    flat = points[:, :2] / points[:, 2:]
    return (float(flat[:, 0].min()), float(flat[:, 1].min()), float(flat[:, 0].max()), float(flat[:, 1].max()))
