"""Reading the picture of a page: tiles, turned pages, skew, words with boxes. In an OCR sandbox only."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np

from service.documents.frames import clip, rotate_box
from service.documents.ocr.models import Corners, OcrModels, Picture, ReadLetter, crop_line, line_size
from service.domain.geometry import Box
from service.domain.pages import Word

_TALL = 3.2
"""A picture higher than this times its width is searched in tiles."""
_TILE = 1.6
"""Height of a tile over its width."""
_TILE_OVERLAP = 0.1
_EDGE = 4
"""Pixels: a line so near to the cut between two tiles is cut itself; the other tile has it whole."""
_UPRIGHT = 1.5
"""A line higher than this times its width runs downwards."""
_SAMPLES = 9
_TURNED = 0.6
"""Above this mean chance the lines of a page stand on their heads."""
_UNSURE, _UNSURE_SHORT, _SHORT = 0.5, 0.75, 3
"""Lines read with less certainty than this are no text; for lines of so few letters more is asked."""
_INK_CONTRAST = 40
"""Grey levels between paper and ink."""
_MOST = 0.75
"""Less of the page than this must be inked for the rest to be left away."""
_BOX_TO_FONT = 0.8
"""Font size over the height of a found line, which holds ascenders, descenders and some white."""
_WIDE_GAP = 1.6
"""A gap of more line heights than this parts words even without a space."""
_SAME_LINE = 0.5


@dataclass(slots=True)
class ReadLine:
    """A piece of a printed line in pixels of the picture as held for reading."""

    corners: Corners
    letters: list[ReadLetter]

    @property
    def certainty(self) -> float:
        """The mean over its letters, 0–1."""
        return statistics.fmean(letter.certainty for letter in self.letters)


@dataclass(frozen=True, slots=True)
class _Placing:
    """What it takes to say where on the page a place in the picture held for reading is."""

    held: tuple[int, int]
    """Height and width of the picture as held."""
    turns: int
    region: tuple[int, int, int, int]
    """The part of the page's picture that was read: left, top, right, bottom in pixels."""
    whole: tuple[int, int]
    """Height and width of the page's picture."""
    points: float
    """Points a pixel."""

    def box(self, held: Box) -> Box | None:
        """A box in fractions of the picture as held, in fractions of the page."""
        box = rotate_box(held, -self.turns)
        x0, y0, x1, y1 = self.region
        height, width = self.whole
        across, down = (x1 - x0) / width, (y1 - y0) / height
        left, top = x0 / width, y0 / height
        return clip(Box(left + box.x0 * across, top + box.y0 * down, left + box.x1 * across, top + box.y1 * down))


@dataclass(frozen=True, slots=True)
class OcrResult:
    """Words of a page in reading order, boxes in fractions of the picture that was given."""

    words: tuple[Word, ...]
    quarter_turns: int
    """Quarters clockwise by which the picture was turned to read it."""


def read_picture(models: OcrModels, picture: Picture, *, height_points: float) -> OcrResult:
    """Read all text of a page's picture, whichever way it is turned.

    Args:
        height_points: height of the page, for the words' sizes.
    """
    region = _inked(picture)
    height, width = picture.shape[:2]
    x0, y0, x1, y1 = region
    turns, lines = _read_upright(models, np.ascontiguousarray(picture[y0:y1, x0:x1]))
    held = (y1 - y0, x1 - x0) if turns % 2 == 0 else (x1 - x0, y1 - y0)
    page = _Placing(held, turns, region, (height, width), height_points / height)
    words: list[Word] = []
    for number, row in enumerate(_printed_lines(lines)):
        for line in row:
            words.extend(_words_of(line, page, number))
    return OcrResult(tuple(words), turns)


def compare_lines(models: OcrModels, picture: Picture, boxes: Sequence[Box]) -> list[str]:
    """What the picture shows in upright boxes (fractions), one text a box, to check a text layer with."""
    height, width = picture.shape[:2]
    texts: list[str] = []
    for box in boxes:
        margin = 0.15 * box.height
        x0, x1 = max(0, int(box.x0 * width) - 2), min(width, math.ceil(box.x1 * width) + 2)
        y0 = max(0, int((box.y0 - margin) * height))
        y1 = min(height, math.ceil((box.y1 + margin) * height))
        letters = models.read_line(picture[y0:y1, x0:x1]) if x1 - x0 > 4 and y1 - y0 > 4 else []
        texts.append("".join(letter.text for letter in letters))
    return texts


def _inked(picture: Picture) -> tuple[int, int, int, int]:
    """The part of the picture that is not plain paper (left, top, right, bottom), when it is much less than all.

    A few lines on an empty page are then searched at their full resolution.
    """
    height, width = picture.shape[:2]
    grey = cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY)
    paper = float(np.median(grey[:: max(1, height // 200), :: max(1, width // 200)]))
    mask = (cv2.absdiff(grey, np.full_like(grey, int(paper))) > _INK_CONTRAST).astype(np.uint8)
    x, y, w, h = cv2.boundingRect(cv2.morphologyEx(mask, cv2.MORPH_OPEN, np.ones((2, 2), dtype=np.uint8)))
    margin = 24
    x0, y0, x1, y1 = max(0, x - margin), max(0, y - margin), min(width, x + w + margin), min(height, y + h + margin)
    if w == 0 or (x1 - x0) * (y1 - y0) > _MOST * width * height:
        return 0, 0, width, height
    return x0, y0, x1, y1


def _read_upright(models: OcrModels, picture: Picture) -> tuple[int, list[ReadLine]]:
    """Quarter turns that make the page upright, and its lines in the turned picture."""
    found = _find(models, picture)
    turns = 0
    if _lies_on_its_side(found):
        turns, picture = 1, _turn(picture, 1)
        found = _find(models, picture)
    if _on_its_head(models, picture, found):
        turns, picture = turns + 2, _turn(picture, 2)
        height, width = picture.shape[:2]
        found = [np.array([width, height], dtype=np.float32) - corners[[2, 3, 0, 1]] for corners in found]
    return turns, [line for corners in found if (line := _read(models, picture, corners)) is not None]


def _turn(picture: Picture, quarters: int) -> Picture:
    return np.ascontiguousarray(np.rot90(picture, -quarters))


def _find(models: OcrModels, picture: Picture) -> list[Corners]:
    """Lines of the whole picture; a tall one is searched tile by tile, and what two tiles see is kept once."""
    height, width = picture.shape[:2]
    if height <= _TALL * width:
        return models.find_lines(picture)
    step = round(width * _TILE)
    overlap = max(64, round(step * _TILE_OVERLAP))
    found: list[Corners] = []
    start = 0
    while True:
        end = min(height, start + step)
        for corners in models.find_lines(np.ascontiguousarray(picture[start:end])):
            ys = corners[:, 1]
            cut = (start > 0 and ys.min() < _EDGE) or (end < height and ys.max() > end - start - _EDGE)
            if not cut:
                found.append(corners + np.array([0, start], dtype=np.float32))
        if end == height:
            return _without_repeats(found)
        start = end - overlap


def _without_repeats(found: list[Corners]) -> list[Corners]:
    kept: list[tuple[Box, Corners]] = []
    for corners in sorted(found, key=_area, reverse=True):
        box = _upright_box(corners)
        size = box.width * box.height
        if not any(box.intersection(other) > 0.5 * size for other, _ in kept):
            kept.append((box, corners))
    return [corners for _, corners in kept]


def _area(corners: Corners) -> float:
    width, height = line_size(corners)
    return width * height


def _upright_box(corners: Corners) -> Box:
    xs, ys = corners[:, 0], corners[:, 1]
    return Box(float(xs.min()), float(ys.min()), float(xs.max()), float(ys.max()))


def _lies_on_its_side(found: Sequence[Corners]) -> bool:
    """Whether most text runs downwards, by the length of its lines."""
    flat = standing = 0.0
    for corners in found:
        width, height = line_size(corners)
        if height > _UPRIGHT * width:
            standing += height
        elif width > _UPRIGHT * height:
            flat += width
    return standing > 1.5 * flat


def _on_its_head(models: OcrModels, picture: Picture, found: Sequence[Corners]) -> bool:
    """Ask the turn classifier about the longest lines and, when it says yes, let the recogniser have the last word."""
    flat = [c for c in found if line_size(c)[0] > _UPRIGHT * line_size(c)[1]]
    longest = sorted(flat, key=lambda c: line_size(c)[0], reverse=True)[:_SAMPLES]
    crops = [crop_line(picture, corners) for corners in longest]
    if models.upside_down(crops) < _TURNED * 0.5:
        return False
    upright = _sureness(models, crops[:5])
    turned = _sureness(models, [_turn(crop, 2) for crop in crops[:5]])
    return turned > upright + 0.03


def _sureness(models: OcrModels, crops: Sequence[Picture]) -> float:
    letters = [letter for crop in crops for letter in models.read_line(crop)]
    return statistics.fmean(letter.certainty for letter in letters) if letters else 0.0


def _read(models: OcrModels, picture: Picture, corners: Corners) -> ReadLine | None:
    """The text of one found line; text that runs downwards on an upright page is tried both ways."""
    width, height = line_size(corners)
    if height <= _UPRIGHT * width:
        return _line(corners, models.read_line(crop_line(picture, corners)))
    downwards = corners[[1, 2, 3, 0]]
    upwards = corners[[3, 0, 1, 2]]
    tries = [_line(c, models.read_line(crop_line(picture, c))) for c in (upwards, downwards, corners)]
    solid = [line for line in tries if line is not None]
    return max(solid, key=lambda line: (line.certainty, len(line.letters)), default=None)


def _line(corners: Corners, letters: list[ReadLetter]) -> ReadLine | None:
    solid = [letter for letter in letters if not letter.text.isspace()]
    if not solid:
        return None
    line = ReadLine(corners, letters)
    return line if line.certainty >= (_UNSURE if len(solid) > _SHORT else _UNSURE_SHORT) else None


def _printed_lines(lines: Sequence[ReadLine]) -> list[list[ReadLine]]:
    """Pieces grouped by baseline in the page made level, from the top; pieces of one line from left to right."""
    if not lines:
        return []
    skew = _skew(lines)
    placed = sorted(((*_level(line, skew), line) for line in lines), key=lambda item: item[1])
    rows: list[list[tuple[float, float, float, ReadLine]]] = []
    for x, y, height, line in placed:
        row = rows[-1] if rows else None
        if row is not None and abs(y - _row_middle(row)) < _SAME_LINE * min(height, row[0][2]):
            row.append((x, y, height, line))
        else:
            rows.append([(x, y, height, line)])
    return [[item[3] for item in sorted(row, key=lambda item: item[0])] for row in rows]


def _row_middle(row: Sequence[tuple[float, float, float, ReadLine]]) -> float:
    return statistics.fmean(item[1] for item in row)


def _skew(lines: Sequence[ReadLine]) -> float:
    """The angle of the page's text, radians clockwise: the median over lines, weighted by their length."""
    angles: list[tuple[float, float]] = []
    for line in lines:
        width, height = line_size(line.corners)
        if width > 3 * height:
            run = line.corners[1] - line.corners[0]
            angles.append((math.atan2(float(run[1]), float(run[0])), width))
    level = [(a, w) for a, w in angles if abs(a) < math.pi / 6]
    if not level:
        return 0.0
    level.sort()
    half, seen = sum(w for _, w in level) / 2, 0.0
    for angle, weight in level:
        seen += weight
        if seen >= half:
            return angle
    return 0.0


def _level(line: ReadLine, skew: float) -> tuple[float, float, float]:
    """The middle of a line's left edge and its height, in the page turned back by the skew."""
    box = line.corners
    x, y = float(box[:, 0].mean()), float(box[:, 1].mean())
    level_y = -x * math.sin(skew) + y * math.cos(skew)
    left = float((box[0, 0] + box[3, 0]) / 2)
    width, height = line_size(line.corners)
    return left, level_y, min(width, height)


def _words_of(line: ReadLine, page: _Placing, number: int) -> list[Word]:
    """The words of a line with boxes in fractions of the page."""
    words: list[Word] = []
    height = line_size(line.corners)[1]
    for letters in _split(line):
        box = page.box(_place(line.corners, letters[0].start, letters[-1].end, page.held))
        if box is None:
            continue
        text = "".join(letter.text for letter in letters)
        sure = statistics.fmean(letter.certainty for letter in letters)
        words.append(Word(text, box, number, round(height * _BOX_TO_FONT * page.points, 2), False, round(sure, 4)))
    return words


def _split(line: ReadLine) -> list[list[ReadLetter]]:
    """Letters of a line by word: parted by spaces and by wide gaps."""
    width, height = line_size(line.corners)
    widest = _WIDE_GAP * height / max(width, 1.0)
    words: list[list[ReadLetter]] = [[]]
    for letter in line.letters:
        if letter.text.isspace():
            words.append([])
            continue
        if words[-1] and letter.start - words[-1][-1].end > widest:
            words.append([])
        words[-1].append(letter)
    return [word for word in words if word]


def _place(corners: Corners, start: float, end: float, held: tuple[int, int]) -> Box:
    """The upright box around a stretch of a line, in fractions."""
    height, width = held
    pad = 0.25 * line_size(corners)[1] / max(line_size(corners)[0], 1.0)
    start, end = max(0.0, start - pad), min(1.0, end + pad)
    top, bottom = corners[1] - corners[0], corners[2] - corners[3]
    places = np.array([corners[0] + top * t for t in (start, end)] + [corners[3] + bottom * t for t in (start, end)])
    return Box(
        float(places[:, 0].min()) / width,
        float(places[:, 1].min()) / height,
        float(places[:, 0].max()) / width,
        float(places[:, 1].max()) / height,
    )


def picture_of(pixels: bytes, width: int, height: int, channels: int) -> Picture:
    """A picture from raw pixels, grey or red-green-blue, rows from the top without padding."""
    array = np.frombuffer(pixels, dtype=np.uint8)
    if channels == 1:
        return np.asarray(cv2.cvtColor(array.reshape(height, width), cv2.COLOR_GRAY2BGR), dtype=np.uint8)
    return np.asarray(cv2.cvtColor(array.reshape(height, width, 3), cv2.COLOR_RGB2BGR), dtype=np.uint8)
