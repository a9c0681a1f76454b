"""PPTX to blocks: every slide a page, its shapes in place; notes are not read. In a sandbox only."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator

from pptx import Presentation
from pptx.shapes.base import BaseShape
from pptx.shapes.graphfrm import GraphicFrame
from pptx.shapes.group import GroupShape
from pptx.shapes.picture import Picture
from pptx.text.text import TextFrame

from service.documents.office.blocks import Block, Figure, Frame, OfficePage, Paragraph, Table

_EMU_A_POINT = 12_700
_WIDTH, _HEIGHT = 720.0, 540.0
_SIZE = 14.0


def read_pptx(data: bytes) -> list[OfficePage]:
    """One page a slide."""
    show = Presentation(io.BytesIO(data))
    width = (show.slide_width or 0) / _EMU_A_POINT or _WIDTH
    height = (show.slide_height or 0) / _EMU_A_POINT or _HEIGHT
    pages = [OfficePage(width, height, frames=tuple(_frames(slide.shapes, width))) for slide in show.slides]
    return pages or [OfficePage(width, height)]


def _frames(shapes: Iterable[BaseShape], width: float) -> Iterator[Frame]:
    for shape in shapes:
        if isinstance(shape, GroupShape):
            yield from _frames(shape.shapes, width)
            continue
        blocks = tuple(_blocks(shape))
        if blocks:
            left, top = (shape.left or 0) / _EMU_A_POINT, (shape.top or 0) / _EMU_A_POINT
            yield Frame(left, top, max(40.0, (shape.width or 0) / _EMU_A_POINT or width - left), blocks)


def _blocks(shape: BaseShape) -> Iterator[Block]:
    if isinstance(shape, Picture):
        yield Figure(shape.image.blob, (shape.width or 0) / _EMU_A_POINT, (shape.height or 0) / _EMU_A_POINT)
    elif isinstance(shape, GraphicFrame) and shape.has_table:
        yield Table(tuple(tuple(cell.text for cell in row.cells) for row in shape.table.rows))
    elif shape.has_text_frame:
        frame = getattr(shape, "text_frame", None)
        if isinstance(frame, TextFrame):
            yield from _paragraphs(frame)


def _paragraphs(frame: TextFrame) -> Iterator[Paragraph]:
    for paragraph in frame.paragraphs:
        text = paragraph.text.replace("\v", "\n")
        if text.strip():
            sizes = [run.font.size.pt for run in paragraph.runs if run.font.size is not None]
            yield Paragraph(text, min(max(sizes, default=_SIZE), 40.0), any(run.font.bold for run in paragraph.runs))
