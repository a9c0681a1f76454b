"""Bringing the words of a text layer and the words of a page's picture together. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from service.domain.geometry import Box, Point, union_box
from service.domain.pages import PageText, RuledTable, TextSource, Word

_SURE = 0.85
"""Pictures of things look like letters now and then: only words read with this certainty are believed."""
_SAMPLES = 6
_SAMPLE_LETTERS = 8
"""A line with fewer letters than this tells little about a text layer."""


def complete_page(page: PageText, read: Sequence[Word], *, keep_layer: bool) -> PageText:
    """The page with the words of its picture: alone, or beside the words of its text layer.

    Args:
        keep_layer: the layer's words are right; of the picture's words only those that stand elsewhere are added.
    """
    layer = page.words if keep_layer else ()
    added = [word for word in read if not any(_same_place(word.box, other.box) for other in layer)]
    if not layer and not added:
        return replace(page, source=TextSource.UNREADABLE, words=())
    if not added:
        return replace(page, source=TextSource.DIGITAL)
    words = (*read,) if not layer else _in_lines(layer, added)
    source = TextSource.OCR if len(added) > len(layer) else TextSource.DIGITAL
    return replace(page, source=source, words=tuple(words))


def add_picture_words(page: PageText, read: Sequence[Word]) -> PageText:
    """A digital page with the words of small pictures on it, those that are read with great certainty."""
    sure = [word for word in read if word.certainty >= _SURE and len(word.text) > 1]
    return complete_page(page, sure, keep_layer=True)


def sample_lines(page: PageText) -> list[tuple[Box, str]]:
    """Some lines spread over the page, each with its box, to be compared with the picture."""
    lines = [line for line in page.lines() if sum(len(word.text) for word in line) >= _SAMPLE_LETTERS]
    lines = lines or list(page.lines())
    step = max(1.0, len(lines) / _SAMPLES)
    chosen = [lines[int(i * step)] for i in range(min(_SAMPLES, len(lines)))]
    return [(union_box(word.box for word in line), " ".join(word.text for word in line)) for line in chosen]


def _same_place(box: Box, other: Box) -> bool:
    smaller = min(box.width * box.height, other.width * other.height)
    return box.intersection(other) > 0.4 * smaller


def _in_lines(layer: Sequence[Word], added: Sequence[Word]) -> list[Word]:
    """Words of both kinds from the top: a word of the picture joins the line it stands on, or makes a new one."""
    bands: list[tuple[float, float, list[Word]]] = []
    for word in sorted((*layer, *added), key=lambda w: w.box.center.y):
        middle = word.box.center.y
        band = next((b for b in reversed(bands[-3:]) if b[0] <= middle <= b[1]), None)
        if band is None:
            bands.append((word.box.y0 + word.box.height * 0.2, word.box.y1 - word.box.height * 0.2, [word]))
        else:
            band[2].append(word)
    return [
        replace(word, line=number)
        for number, (_, _, words) in enumerate(bands)
        for word in sorted(words, key=lambda w: w.box.x0)
    ]


def fill_tables(page: PageText, tables: Sequence[RuledTable]) -> PageText:
    """The page with its ruled tables, each cell with the words that stand in it; tables without a word are left out."""
    places = [(word.box.center, word) for word in page.words]
    filled: list[RuledTable] = []
    for table in tables:
        near = [(point, word) for point, word in places if table.box.contains(point)]
        cells = tuple(replace(cell, text=_cell_text(near, cell.box)) for cell in table.cells)
        if any(cell.text for cell in cells):
            filled.append(RuledTable(table.box, cells))
    return replace(page, tables=tuple(filled))


def _cell_text(places: Sequence[tuple[Point, Word]], box: Box) -> str:
    lines: dict[int, list[str]] = {}
    for point, word in places:
        if box.contains(point):
            lines.setdefault(word.line, []).append(word.text)
    return "\n".join(" ".join(texts) for texts in lines.values())
