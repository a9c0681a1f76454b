"""What an office file says, in the order a reader meets it: the shape between its readers and the page layout. Pure."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeAlias


@dataclass(frozen=True, slots=True)
class Paragraph:
    """Text that flows over the page; `size` in points."""

    text: str
    size: float = 10.0
    bold: bool = False


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of cells, drawn with lines; a cell that a merged one covers is empty."""

    rows: tuple[tuple[str, ...], ...]
    ruled: bool = True


@dataclass(frozen=True, slots=True)
class Figure:
    """A picture file; width and height in points as the document shows it."""

    data: bytes
    width: float
    height: float


@dataclass(frozen=True, slots=True)
class PageBreak:
    """What follows stands on a new page."""


Block: TypeAlias = Paragraph | Table | Figure | PageBreak


@dataclass(frozen=True, slots=True)
class Frame:
    """Blocks at a place of their own, as on a slide; points from the top-left corner of the page."""

    left: float
    top: float
    width: float
    blocks: tuple[Block, ...]


@dataclass(frozen=True, slots=True)
class OfficePage:
    """A page of fixed size: a slide, or the start of a flow that may need more pages."""

    width: float
    height: float
    blocks: tuple[Block, ...] = ()
    frames: tuple[Frame, ...] = field(default=())
