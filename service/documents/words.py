"""From characters with boxes to words. Pure."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable

from service.documents.lines import order_pieces
from service.documents.pieces import Glyph, Piece, along_across, is_rtl, is_wide

_TWICE = 0.12
"""The same letter within this many font sizes is one letter drawn twice; two l in a row stand 0.2 apart."""
_GAP = 0.5
"""A white gap of more font sizes than this ends a word, whatever the file says."""
_SPACE = 0.1
"""A space that the engine supposes, where the file has none, needs a gap of more font sizes than this."""
_STEP_BACK = 0.3
"""A letter that goes back further than this, in font sizes, begins a word of its own."""
_LEVEL = 0.3
"""Letters of a word stand no further above or below one another than this, in font sizes."""
_SAME_ANGLE = 2
"""Degrees."""
_ZERO_WIDTH = frozenset("\u200b\u200c\u200d\u200e\u200f\u2060\ufeff\ufffe\u00ad")

_Seen = dict[tuple[str, int, int], list[tuple[float, float]]]
"""A letter and the cell of the page it stands in → where in it."""


def build_words(glyphs: Iterable[Glyph]) -> list[Piece]:
    """Words in reading order, each with the index of its printed line; letters drawn twice are kept once."""
    return order_pieces(_split_words(_once(glyphs)))


def readable(text: str) -> str:
    """Letters instead of presentation forms (ligatures, Arabic shapes); anything else as it is."""
    if text.isascii():
        return text
    if any("\ud800" <= char <= "\udfff" for char in text):
        text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return "".join(unicodedata.normalize("NFKC", c) if _is_presentation_form(c) else c for c in text)


def _is_presentation_form(char: str) -> bool:
    return "\ufb00" <= char <= "\ufdff" or "\ufe70" <= char <= "\ufeff"


def _once(glyphs: Iterable[Glyph]) -> Iterable[Glyph]:
    """Leave out a letter that stands where the same letter already stands."""
    seen: _Seen = {}
    last: Glyph | None = None
    for glyph in glyphs:
        text, x0, y0, x1, y1, style = glyph
        size = style.size
        if size <= 0 or text == " " or (last is not None and _same_sign(last, glyph)):
            yield glyph
            continue
        last = glyph
        x, y = (x0 + x1) / 2 / size, (y0 + y1) / 2 / size
        if not _is_taken(seen, text, x, y):
            seen.setdefault((text, int(x), int(y)), []).append((x, y))
            yield glyph


def _is_taken(seen: _Seen, text: str, x: float, y: float) -> bool:
    for column in _near(x):
        for row in _near(y):
            for there_x, there_y in seen.get((text, column, row), ()):
                if abs(there_x - x) < _TWICE and abs(there_y - y) < _TWICE:
                    return True
    return False


def _near(place: float) -> tuple[int, ...]:
    """Cells of side 1 that lie within reach of a place."""
    cell = int(place)
    part = place - cell
    return (cell, cell - 1) if part < _TWICE else (cell, cell + 1) if part > 1 - _TWICE else (cell,)


def _same_sign(last: Glyph, glyph: Glyph) -> bool:
    """Whether two letters in a row are one printed sign, a ligature such as ffi, that was taken apart."""
    return last.x0 == glyph.x0 and last.x1 == glyph.x1 and last.y0 == glyph.y0 and last.style is glyph.style


def _split_words(glyphs: Iterable[Glyph]) -> list[Piece]:
    pieces: list[Piece] = []
    current: Piece | None = None
    last: Glyph | None = None
    supposed = False
    for glyph in glyphs:
        text = glyph.text
        if text == " " or text < " " or text.isspace():
            if glyph.style.source or text in "\r\n":
                current, last = None, None
            else:
                supposed = True
            continue
        if text in _ZERO_WIDTH or glyph.x1 <= glyph.x0 or glyph.y1 <= glyph.y0:
            continue
        if supposed and last is not None and _gap(last, glyph) > _SPACE * max(glyph.size, last.size):
            current, last = None, None
        supposed = False
        if current is not None and last is not None and _continues(current, last, glyph):
            _extend(current, glyph)
        else:
            current = _begin(glyph, joined=last is not None)
            pieces.append(current)
        last = glyph
    for piece in pieces:
        piece.text = readable(piece.text)
    return pieces


def _begin(glyph: Glyph, *, joined: bool) -> Piece:
    style = glyph.style
    return Piece(
        text=glyph.text,
        x0=glyph.x0,
        y0=glyph.y0,
        x1=glyph.x1,
        y1=glyph.y1,
        origin_x=style.across[0],
        origin_y=style.across[1],
        size=style.size,
        angle=style.angle,
        bold=style.bold,
        invisible=style.invisible,
        dark=style.dark,
        joined=joined,
    )


def _extend(piece: Piece, glyph: Glyph) -> None:
    text, x0, y0, x1, y1, style = glyph
    piece.text += text
    if x0 < piece.x0:  # min and max take three times as long, and this is done for every letter
        piece.x0 = x0
    if y0 < piece.y0:
        piece.y0 = y0
    if x1 > piece.x1:
        piece.x1 = x1
    if y1 > piece.y1:
        piece.y1 = y1
    piece.size = max(piece.size, style.size)
    piece.dark = piece.dark and style.dark


def _continues(piece: Piece, last: Glyph, glyph: Glyph) -> bool:
    """Whether a character belongs to the word that the one before it belongs to."""
    if not piece.vertical and _is_next(last, glyph):
        return True
    if last.style is not glyph.style and (
        abs(glyph.angle - last.angle) > _SAME_ANGLE or glyph.style.invisible != last.style.invisible
    ):
        return False
    size = max(glyph.style.size, last.style.size)
    if _stacked(last, glyph, size):
        piece.vertical = True
        return True
    if piece.vertical:
        return False
    a0, a1, c0, c1 = along_across(last)
    b0, b1, d0, d1 = along_across(glyph)
    if d0 > c1 + _LEVEL * size or d1 < c0 - _LEVEL * size or b0 - a1 > _GAP * size or a0 - b1 > _GAP * size:
        return False
    forward = (b0 + b1) / 2 - (a0 + a1) / 2
    return forward > -_STEP_BACK * size or is_rtl(glyph.text) or is_rtl(last.text)


def _is_next(last: Glyph, glyph: Glyph) -> bool:
    """Whether a letter stands behind the one before it in the same upright text: most do, and this is told quickly."""
    text, b0, d0, b1, d1, style = glyph
    if last.style is not style or style.angle != 0 or not text.isascii():
        return False
    _, a0, c0, a1, c1, _ = last
    size = style.size
    level = d0 <= c1 + _LEVEL * size and d1 >= c0 - _LEVEL * size
    return level and b0 - a1 <= _GAP * size and (b0 + b1) / 2 - (a0 + a1) / 2 > -_STEP_BACK * size


def _gap(last: Glyph, glyph: Glyph) -> float:
    """White between two letters, along the text, in points."""
    a0, a1, _, _ = along_across(last)
    b0, b1, _, _ = along_across(glyph)
    return max(b0 - a1, a0 - b1)


def _stacked(last: Glyph, glyph: Glyph, size: float) -> bool:
    """Whether two wide (Chinese, Japanese, Korean) letters stand one under the other, as in vertical writing."""
    if glyph.text.isascii() or glyph.style.angle != 0 or not (is_wide(glyph.text) and is_wide(last.text)):
        return False
    apart = abs((glyph.x0 + glyph.x1) - (last.x0 + last.x1)) / 2
    return apart < 0.3 * size and -0.2 * size < glyph.y0 - last.y1 < 0.6 * size
