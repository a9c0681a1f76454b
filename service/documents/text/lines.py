"""From words to printed lines in reading order: by baseline, by column, right to left where the script does. Pure."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from operator import itemgetter

from service.documents.text.columns import Stretch, split_columns
from service.documents.text.pieces import Piece, along_across, is_rtl

_TOUCH = 0.09
"""Pieces of a line that stand nearer than this, in font sizes, and have no space between them are one word."""
_SAME_LINE = 0.4
"""Baselines nearer than this, in font sizes, are one printed line."""
_STRETCH = 0.9
"""A gap of fewer font sizes than this does not part columns."""


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
            if number + 1 < len(line):
                following, near = line[number + 1], _STRETCH * piece.size
                if following.x0 - piece.x1 < near and piece.x0 - following.x1 < near:
                    continue
            part = line[start - index + number + 1 : number + 1]
            first = part[0]
            x0, y0, x1, y1, letters = first.x0, first.y0, first.x1, first.y1, 0
            for word in part:
                x0 = word.x0 if word.x0 < x0 else x0
                y0 = word.y0 if word.y0 < y0 else y0
                x1 = word.x1 if word.x1 > x1 else x1
                y1 = word.y1 if word.y1 > y1 else y1
                letters += len(word.text) + 1
            yield Stretch(
                x0,
                y0,
                x1,
                y1,
                piece.size,
                letters,
                tuple(range(start, index)),
            )
            start = index


def _main_angle(pieces: Sequence[Piece]) -> float:
    if len({piece.angle for piece in pieces}) == 1:
        return pieces[0].angle
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
    placed = [(_baseline(piece, angle), piece) for piece in pieces]
    for at, piece in sorted(placed, key=itemgetter(0)):
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
    line = sorted(line, key=(lambda p: p.x0) if line[0].angle == 0 else (lambda p: along_across(p)[0]))
    rtl = sum([len(p.text) for p in line if not p.text.isascii() and is_rtl(p.text)])
    if rtl == 0:
        return line
    letters = sum(len(p.text) for p in line if any(c.isalpha() for c in p.text))
    if rtl * 2 <= letters:
        return line
    ordered: list[Piece] = []
    run: list[Piece] = []
    for piece in reversed(line):
        if is_rtl(piece.text) or not any(c.isalpha() for c in piece.text):
            ordered += [*reversed(run), piece]
            run = []
        else:
            run.append(piece)
    return [*ordered, *reversed(run)]


def _join(line: list[Piece]) -> list[Piece]:
    """Make one word of pieces that touch and have no white space between them in the file."""
    if not any([piece.joined for piece in line]):
        return line
    joined: list[Piece] = []
    for piece in line:
        before = joined[-1] if joined else None
        if piece.joined and before is not None and _touches(before, piece):
            before.text += piece.text
            before.x0, before.y0 = min(before.x0, piece.x0), min(before.y0, piece.y0)
            before.x1, before.y1 = max(before.x1, piece.x1), max(before.y1, piece.y1)
            before.dark = before.dark and piece.dark
        else:
            joined.append(piece)
    return joined


def _touches(before: Piece, piece: Piece) -> bool:
    if before.invisible != piece.invisible or is_rtl(piece.text) or is_rtl(before.text):
        return False
    if abs(before.size - piece.size) > 0.3 * max(before.size, piece.size):
        return False
    gap = along_across(piece)[0] - along_across(before)[1]
    return -0.05 * piece.size < gap < _TOUCH * piece.size


def _line_position(line: list[Piece], main: float) -> tuple[float, float]:
    """Where a line stands on the page when the page is held so that most of its text is upright."""
    first = line[0]
    if first.vertical:
        return first.y0, -first.x0
    turn = math.radians(main)
    x, y = (first.x0 + first.x1) / 2, (first.y0 + first.y1) / 2
    if first.angle == main:
        along, _, _, _ = along_across(first)
        return _baseline(first, main), along
    return -x * math.sin(turn) + y * math.cos(turn), x * math.cos(turn) + y * math.sin(turn)


def _baseline(piece: Piece, angle: float) -> float:
    """Where the line stands, across the direction of the text, in points."""
    if angle == 0:
        return piece.origin_y
    turn = math.radians(angle)
    return -piece.origin_x * math.sin(turn) + piece.origin_y * math.cos(turn)
