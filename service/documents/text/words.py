"""From characters with boxes to words. Pure."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from enum import IntEnum

import numpy as np
import numpy.typing as npt

from service.documents.text.doubles import drawn_again
from service.documents.text.lines import order_pieces
from service.documents.text.pieces import Glyph, Ints, Letters, Piece, along_across, is_rtl, is_wide

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
_LATIN_END = 0x250
"""Characters below this are neither wide nor written from right to left."""
_ZERO_WIDTH = frozenset("\u200b\u200c\u200d\u200e\u200f\u2060\ufeff\ufffe\u00ad")


class _Kind(IntEnum):
    """What a character is to words."""

    PRINTED = 0
    SKIPPED = 1
    """Has no width, no place or no ink, or is drawn a second time."""
    WHITE = 2
    """White space of the file; ends a word."""
    SUPPOSED = 3
    """White space that the engine made up; ends a word if there is a gap."""


def build_words(letters: Letters) -> list[Piece]:
    """Words in reading order, each with the index of its printed line; letters drawn twice are kept once."""
    return order_pieces(_split_words(letters))


def readable(text: str) -> str:
    """Letters instead of presentation forms (ligatures, Arabic shapes); anything else as it is."""
    if text.isascii():
        return text
    if any("\ud800" <= char <= "\udfff" for char in text):
        text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return "".join(unicodedata.normalize("NFKC", c) if _is_presentation_form(c) else c for c in text)


def _is_presentation_form(char: str) -> bool:
    return "\ufb00" <= char <= "\ufdff" or "\ufe70" <= char <= "\ufeff"


def _kinds(letters: Letters) -> npt.NDArray[np.uint8]:
    """The kind of each character."""
    x0, y0, x1, y1 = letters.edges
    kinds = np.where((x1 <= x0) | (y1 <= y0), _Kind.SKIPPED, _Kind.PRINTED).astype(np.uint8)
    made_up = np.array([style.source == 0 for style in letters.styles])[letters.style_of]
    for code in np.unique(letters.codes).tolist():
        char = chr(code)
        if char < " " or char.isspace():
            which = letters.codes == code
            kinds[which] = _Kind.WHITE
            if char not in "\r\n":
                kinds[which & made_up] = _Kind.SUPPOSED
        elif char in _ZERO_WIDTH:
            kinds[letters.codes == code] = _Kind.SKIPPED
    kinds[drawn_again(letters)] = _Kind.SKIPPED
    return kinds


@dataclass(frozen=True, slots=True)
class _Printed:
    """The printed characters, and how each follows the one before it."""

    indexes: Ints
    """Among all characters."""
    parted: npt.NDArray[np.bool_]
    """White stands before it."""
    follows: npt.NDArray[np.bool_]
    """It goes on with the word in the plain way: the same upright text, on the same level, a little further."""


def _look_at(letters: Letters) -> _Printed:
    kinds = _kinds(letters)
    indexes = np.flatnonzero(kinds == _Kind.PRINTED)
    parted, follows = np.ones(len(indexes), np.bool_), np.zeros(len(indexes), np.bool_)
    if len(indexes) == 0:
        return _Printed(indexes, parted, follows)
    x0, y0, x1, y1 = letters.edges[:, indexes]
    style, size, codes = letters.style_of[indexes], letters.sizes()[indexes], letters.codes[indexes]
    larger = np.maximum(size[1:], size[:-1])
    upright = np.array([s.angle == 0 for s in letters.styles])[style]
    parted[1:] = np.diff(np.cumsum(kinds == _Kind.WHITE)[indexes]) > 0
    supposed = (np.diff(np.cumsum(kinds == _Kind.SUPPOSED)[indexes]) > 0) & ~parted[1:]
    wide_gap = np.maximum(x0[1:] - x1[:-1], x0[:-1] - x1[1:]) > _SPACE * larger
    for at in np.flatnonzero(supposed & ~(upright[1:] & upright[:-1])).tolist():
        gap = _gap(letters.glyph(int(indexes[at])), letters.glyph(int(indexes[at + 1])))
        wide_gap[at] = gap > _SPACE * larger[at]
    parted[1:] |= supposed & wide_gap
    level = (y0[1:] <= y1[:-1] + _LEVEL * larger) & (y1[1:] >= y0[:-1] - _LEVEL * larger)
    forward = (x0[1:] + x1[1:]) / 2 - (x0[:-1] + x1[:-1]) / 2 > -_STEP_BACK * larger
    plain = (style[1:] == style[:-1]) & upright[1:] & (codes[1:] < _LATIN_END) & (codes[:-1] < _LATIN_END)
    follows[1:] = plain & level & forward & (x0[1:] - x1[:-1] <= _GAP * larger) & ~parted[1:]
    return _Printed(indexes, parted, follows)


def _split_words(letters: Letters) -> list[Piece]:
    """Pieces in the order of the file: whole runs of letters that follow one another, joined where they belong."""
    printed = _look_at(letters)
    indexes = printed.indexes
    if len(indexes) == 0:
        return []
    starts = np.flatnonzero(~printed.follows)
    x0, y0, x1, y1 = letters.edges[:, indexes]
    lows = np.minimum.reduceat(np.stack((x0, y0)), starts, axis=1)
    highs = np.maximum.reduceat(np.stack((x1, y1)), starts, axis=1)
    edges: list[list[float]] = np.concatenate((lows, highs)).T.tolist()
    text = letters.text(indexes)
    tails = [(*s.across, s.size, s.angle, s.bold, s.invisible, s.dark) for s in letters.styles]
    ends = [*starts[1:].tolist(), len(indexes)]
    style_of = letters.style_of[indexes[starts]].tolist()
    pieces: list[Piece] = []
    for start, end, style, parted, (left, upper, right, lower) in zip(
        starts.tolist(), ends, style_of, printed.parted[starts].tolist(), edges, strict=True
    ):
        run = Piece(text[start:end], left, upper, right, lower, *tails[style], vertical=False, joined=not parted)
        if not parted and _continues(pieces[-1], *(letters.glyph(int(indexes[n])) for n in (start - 1, start))):
            _extend(pieces[-1], run)
        else:
            pieces.append(run)
    if not text.isascii():
        for piece in pieces:
            piece.text = readable(piece.text)
    return pieces


def _extend(piece: Piece, run: Piece) -> None:
    piece.text += run.text
    piece.x0, piece.y0 = min(piece.x0, run.x0), min(piece.y0, run.y0)
    piece.x1, piece.y1 = max(piece.x1, run.x1), max(piece.y1, run.y1)
    piece.size = max(piece.size, run.size)
    piece.dark = piece.dark and run.dark


def _continues(piece: Piece, last: Glyph, glyph: Glyph) -> bool:
    """Whether a character belongs to the word that the one before it belongs to."""
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
