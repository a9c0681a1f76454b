"""Characters and words on their way to lines: the shapes, and their edges as the text runs. Pure."""

from __future__ import annotations

import math
import unicodedata
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

Floats: TypeAlias = npt.NDArray[np.float64]
Ints: TypeAlias = npt.NDArray[np.int64]


class TextStyle(NamedTuple):
    """What all characters of one text object share."""

    source: int
    """Number of the text object on its page, from 1; 0: PDFium made the character up."""
    across: tuple[float, float]
    """A place on its baseline, in points of the page as displayed."""
    size: float
    """Points as displayed."""
    angle: float
    """Degrees clockwise at which the text runs on the displayed page."""
    bold: bool
    invisible: bool
    dark: bool
    unmapped: bool
    """Its font has no mapping to Unicode."""


class Glyph(NamedTuple):
    """One character; edges in points of the page as displayed, y downwards."""

    text: str
    x0: float
    y0: float
    x1: float
    y1: float
    style: TextStyle

    @property
    def angle(self) -> float:
        """As its style's."""
        return self.style.angle

    @property
    def size(self) -> float:
        """As its style's."""
        return self.style.size


@dataclass(frozen=True, slots=True)
class Letters:
    """All characters of a page in the order of its content, by columns: a page has thousands of them."""

    codes: Ints
    """Code points."""
    edges: Floats
    """Four rows: left, upper, right and lower edges, in points of the page as displayed, y downwards."""
    style_of: Ints
    """Indexes into `styles`."""
    styles: tuple[TextStyle, ...]

    def sizes(self) -> Floats:
        """The size of each character."""
        return np.array([style.size for style in self.styles])[self.style_of]

    def text(self, indexes: Ints) -> str:
        """These characters as a string."""
        return self.codes[indexes].astype("<u4").tobytes().decode("utf-32-le", "surrogatepass")

    def glyph(self, index: int) -> Glyph:
        """One character by itself."""
        x0, y0, x1, y1 = self.edges[:, index].tolist()
        return Glyph(chr(self.codes[index]), x0, y0, x1, y1, self.styles[self.style_of[index]])


@dataclass(slots=True)
class Piece:
    """A word being made: edges in points of the page as displayed."""

    text: str
    x0: float
    y0: float
    x1: float
    y1: float
    origin_x: float
    origin_y: float
    """A place on its baseline."""
    size: float
    angle: float
    bold: bool
    invisible: bool
    dark: bool
    vertical: bool = False
    """Letters stand upright, one under the other."""
    joined: bool = False
    """No white space stands between it and the piece before it in the file."""
    line: int = 0


def along_across(item: Glyph | Piece) -> tuple[float, float, float, float]:
    """Start and end along the text, upper and lower edge across it; points, in a frame turned by the angle."""
    angle = item.style.angle if isinstance(item, Glyph) else item.angle
    match angle:
        case 0:
            return item.x0, item.x1, item.y0, item.y1
        case 90:
            return item.y0, item.y1, -item.x1, -item.x0
        case 180:
            return -item.x1, -item.x0, -item.y1, -item.y0
        case 270:
            return -item.y1, -item.y0, item.x0, item.x1
        case _:
            return _slanted(item)


def _slanted(item: Glyph | Piece) -> tuple[float, float, float, float]:
    """The same for text at any angle: half of the box around a slanted letter is not the letter."""
    turn = math.radians(item.angle)
    x, y = (item.x0 + item.x1) / 2, (item.y0 + item.y1) / 2
    along, across = x * math.cos(turn) + y * math.sin(turn), -x * math.sin(turn) + y * math.cos(turn)
    reach = max(item.x1 - item.x0, item.y1 - item.y0) / 2
    half_height = min(reach, item.size / 2)
    half_width = 0.25 * item.size if isinstance(item, Glyph) else max(reach, 0.25 * item.size)
    return along - half_width, along + half_width, across - half_height, across + half_height


def is_rtl(text: str) -> bool:
    """Whether a letter of it belongs to a script that runs from right to left."""
    return not text.isascii() and any(_is_rtl_letter(c) for c in text)


@lru_cache(maxsize=8192)
def _is_rtl_letter(char: str) -> bool:
    return unicodedata.bidirectional(char) in ("R", "AL")


@lru_cache(maxsize=8192)
def is_wide(char: str) -> bool:
    """Whether it is a full-width letter: Chinese, Japanese, Korean."""
    return unicodedata.east_asian_width(char) == "W"
