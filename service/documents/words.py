"""From characters with boxes to words, and from words to printed lines in reading order. Pure."""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from service.documents.columns import Stretch, split_columns

_TWICE = 0.12
"""The same letter within this many font sizes is one letter drawn twice; two l in a row stand 0.2 apart."""
_GAP = 0.5
"""A white gap of more font sizes than this ends a word, whatever the file says."""
_SPACE = 0.1
"""A space that the engine supposes, where the file has none, needs a gap of more font sizes than this."""
_TOUCH = 0.09
"""Pieces of a line that stand nearer than this, in font sizes, and have no space between them are one word."""
_SAME_LINE = 0.4
"""Baselines nearer than this, in font sizes, are one printed line."""
_STRETCH = 0.9
"""A gap of fewer font sizes than this does not part columns."""
_STEP_BACK = 0.3
"""A letter that goes back further than this, in font sizes, begins a word of its own."""
_SAME_ANGLE = 2
"""Degrees."""
_ZERO_WIDTH = frozenset("\u200b\u200c\u200d\u200e\u200f\u2060\ufeff\ufffe\u00ad")


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


def build_words(glyphs: Iterable[Glyph]) -> list[Piece]:
    """Words in reading order, each with the index of its printed line; letters drawn twice are kept once."""
    return order_pieces(_split_words(_once(glyphs)))


def order_pieces(pieces: Sequence[Piece]) -> list[Piece]:
    """Group words by baseline, number the lines from the top and put each line's words in reading order.

    Columns of running text are read one after the other; the rows of tables and forms are kept whole.
    """
    if not pieces:
        return []
    main = _main_angle(pieces)
    lines = [line for group in _by_angle(pieces) for line in _group_lines(group)]
    lines.sort(key=lambda line: _line_position(line, main))
    if main == 0:
        lines = _in_columns(lines)
    ordered: list[Piece] = []
    for number, line in enumerate(lines):
        for piece in line:
            piece.line = number
        ordered.extend(line)
    return ordered


def _in_columns(lines: list[list[Piece]]) -> list[list[Piece]]:
    """Lines cut at the gutters between columns, column after column; as they are when there are none."""
    words = [piece for line in lines for piece in line]
    stretches = [stretch for stretch in _stretches(lines) if stretch.words]
    blocks = split_columns(stretches)
    if len(blocks) == 1:
        return lines
    line_of = {id(piece): number for number, line in enumerate(lines) for piece in line}
    ordered: list[list[Piece]] = []
    for block in blocks:
        rows: dict[int, list[Piece]] = {}
        for stretch in sorted(block, key=lambda s: (line_of[id(words[s.words[0]])], s.words)):
            rows.setdefault(line_of[id(words[stretch.words[0]])], []).extend(words[index] for index in stretch.words)
        ordered.extend(rows.values())
    return ordered


def _stretches(lines: list[list[Piece]]) -> Iterator[Stretch]:
    """Words of a line that stand near to one another."""
    index = 0
    for line in lines:
        start = index
        for number, piece in enumerate(line):
            index += 1
            following = line[number + 1] if number + 1 < len(line) else None
            if following is not None and _white_between(piece, following) < _STRETCH * piece.size:
                continue
            part = line[start - index + number + 1 : number + 1]
            yield Stretch(
                min(p.x0 for p in part),
                min(p.y0 for p in part),
                max(p.x1 for p in part),
                max(p.y1 for p in part),
                piece.size,
                sum(len(p.text) + 1 for p in part),
                tuple(range(start, index)),
            )
            start = index


def _white_between(piece: Piece, following: Piece) -> float:
    return max(following.x0 - piece.x1, piece.x0 - following.x1)


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
    seen: dict[tuple[str, int, int], list[tuple[float, float]]] = {}
    last: Glyph | None = None
    for glyph in glyphs:
        size = glyph.style.size
        if size <= 0 or glyph.text == " " or (last is not None and _same_sign(last, glyph)):
            yield glyph
            continue
        last = glyph
        x, y = (glyph.x0 + glyph.x1) / 2 / size, (glyph.y0 + glyph.y1) / 2 / size
        column, row = int(x), int(y)
        if any(_stands_at(seen.get((glyph.text, i, j)), x, y) for i in _near(x) for j in _near(y)):
            continue
        seen.setdefault((glyph.text, column, row), []).append((x, y))
        yield glyph


def _near(place: float) -> tuple[int, ...]:
    """Cells of side 1 that lie within reach of a place."""
    cell = int(place)
    part = place - cell
    return (cell, cell - 1) if part < _TWICE else (cell, cell + 1) if part > 1 - _TWICE else (cell,)


def _stands_at(places: Sequence[tuple[float, float]] | None, x: float, y: float) -> bool:
    return places is not None and any(abs(px - x) < _TWICE and abs(py - y) < _TWICE for px, py in places)


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
    piece.text += glyph.text
    piece.x0, piece.y0 = min(piece.x0, glyph.x0), min(piece.y0, glyph.y0)
    piece.x1, piece.y1 = max(piece.x1, glyph.x1), max(piece.y1, glyph.y1)
    piece.size = max(piece.size, glyph.style.size)
    piece.dark = piece.dark and glyph.style.dark


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
    a0, a1, c0, c1 = _along_across(last)
    b0, b1, d0, d1 = _along_across(glyph)
    if d0 > c1 + 0.3 * size or d1 < c0 - 0.3 * size or b0 - a1 > _GAP * size or a0 - b1 > _GAP * size:
        return False
    forward = (b0 + b1) / 2 - (a0 + a1) / 2
    return forward > -_STEP_BACK * size or _is_rtl(glyph.text) or _is_rtl(last.text)


def _gap(last: Glyph, glyph: Glyph) -> float:
    """White between two letters, along the text, in points."""
    a0, a1, _, _ = _along_across(last)
    b0, b1, _, _ = _along_across(glyph)
    return max(b0 - a1, a0 - b1)


def _stacked(last: Glyph, glyph: Glyph, size: float) -> bool:
    """Whether two wide (Chinese, Japanese, Korean) letters stand one under the other, as in vertical writing."""
    if glyph.text.isascii() or glyph.style.angle != 0 or not (_is_wide(glyph.text) and _is_wide(last.text)):
        return False
    apart = abs((glyph.x0 + glyph.x1) - (last.x0 + last.x1)) / 2
    return apart < 0.3 * size and -0.2 * size < glyph.y0 - last.y1 < 0.6 * size


def _along_across(item: Glyph | Piece) -> tuple[float, float, float, float]:
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


def _baseline(piece: Piece, angle: float) -> float:
    """Where the line stands, across the direction of the text, in points."""
    turn = math.radians(angle)
    return -piece.origin_x * math.sin(turn) + piece.origin_y * math.cos(turn)


def _main_angle(pieces: Sequence[Piece]) -> float:
    letters: dict[float, int] = {}
    for piece in pieces:
        letters[piece.angle] = letters.get(piece.angle, 0) + len(piece.text)
    return max(letters, key=lambda angle: letters[angle])


def _by_angle(pieces: Sequence[Piece]) -> list[list[Piece]]:
    groups: dict[tuple[float, bool], list[Piece]] = {}
    for piece in pieces:
        groups.setdefault((piece.angle, piece.vertical), []).append(piece)
    return list(groups.values())


def _group_lines(pieces: Sequence[Piece]) -> list[list[Piece]]:
    """Pieces of one direction, grouped by baseline."""
    if pieces[0].vertical:
        return [[piece] for piece in pieces]
    angle = pieces[0].angle
    lines: list[list[Piece]] = []
    start, size = 0.0, 0.0
    for piece in sorted(pieces, key=lambda p: _baseline(p, angle)):
        at = _baseline(piece, angle)
        if lines and at - start < _SAME_LINE * min(max(size, piece.size), 2 * piece.size):
            lines[-1].append(piece)
            if piece.size > size:
                start, size = at, piece.size
        else:
            lines.append([piece])
            start, size = at, piece.size
    return [_join(_reading_order(line)) for line in lines]


def _reading_order(line: list[Piece]) -> list[Piece]:
    """Left to right, or right to left with the left-to-right runs inside it kept forward."""
    line = sorted(line, key=lambda p: _along_across(p)[0])
    rtl = sum(len(p.text) for p in line if _is_rtl(p.text))
    letters = sum(len(p.text) for p in line if any(c.isalpha() for c in p.text))
    if rtl * 2 <= letters or rtl == 0:
        return line
    ordered: list[Piece] = []
    run: list[Piece] = []
    for piece in reversed(line):
        if _is_rtl(piece.text) or not any(c.isalpha() for c in piece.text):
            ordered += [*reversed(run), piece]
            run = []
        else:
            run.append(piece)
    return [*ordered, *reversed(run)]


def _join(line: list[Piece]) -> list[Piece]:
    """Make one word of pieces that touch and have no white space between them in the file."""
    joined: list[Piece] = []
    for piece in line:
        before = joined[-1] if joined else None
        if before is not None and _touches(before, piece):
            before.text += piece.text
            before.x0, before.y0 = min(before.x0, piece.x0), min(before.y0, piece.y0)
            before.x1, before.y1 = max(before.x1, piece.x1), max(before.y1, piece.y1)
            before.dark = before.dark and piece.dark
        else:
            joined.append(piece)
    return joined


def _touches(before: Piece, piece: Piece) -> bool:
    if not piece.joined or before.invisible != piece.invisible or _is_rtl(piece.text) or _is_rtl(before.text):
        return False
    if abs(before.size - piece.size) > 0.3 * max(before.size, piece.size):
        return False
    gap = _along_across(piece)[0] - _along_across(before)[1]
    return -0.05 * piece.size < gap < _TOUCH * piece.size


def _line_position(line: list[Piece], main: float) -> tuple[float, float]:
    """Where a line stands on the page when the page is held so that most of its text is upright."""
    first = line[0]
    if first.vertical:
        return first.y0, -first.x0
    turn = math.radians(main)
    x, y = (first.x0 + first.x1) / 2, (first.y0 + first.y1) / 2
    if first.angle == main:
        along, _, _, _ = _along_across(first)
        return _baseline(first, main), along
    return -x * math.sin(turn) + y * math.cos(turn), x * math.cos(turn) + y * math.sin(turn)


def _is_rtl(text: str) -> bool:
    return not text.isascii() and any(_is_rtl_letter(c) for c in text)


@lru_cache(maxsize=8192)
def _is_rtl_letter(char: str) -> bool:
    return unicodedata.bidirectional(char) in ("R", "AL")


@lru_cache(maxsize=8192)
def _is_wide(char: str) -> bool:
    return unicodedata.east_asian_width(char) == "W"
