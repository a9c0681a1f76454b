"""A page that is written on and read back: pieces of text with places, and what a scanner makes of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from random import Random

from service.domain.geometry import Box
from service.domain.pages import CheckMark, PageSize, PageText, TextSource, Word

_NARROW, _WIDE = frozenset("iljtfI.,:;'|!()[]/ "), frozenset("mwMW@%")
_MISREAD = {
    "0": "O", "O": "0", "1": "l", "l": "1", "I": "l", "5": "S", "S": "5", "8": "B", "B": "8", "6": "8", "Z": "2",
    "D": "O", "e": "c", "c": "e", "a": "o", "u": "v", "n": "r", "i": "l", "G": "6", "3": "8", "7": "1", "E": "F",
    "é": "e", "ü": "u", "ö": "o", "ä": "a", "4": "A", "9": "8", "2": "Z",
}  # fmt: skip
_ERROR_AT = (
    (0.999, 0.004),
    (0.995, 0.012),
    (0.99, 0.03),
    (0.98, 0.06),
    (0.95, 0.13),
    (0.9, 0.28),
    (0.8, 0.5),
    (0, 0.8),
)
"""Certainty from which a word is misread that often; taken on pages drawn and read back by the service's own reader."""

_UNEVEN = 0.15
"""How far the left and right edges of a word that was read optically stray, in letters."""


@dataclass(frozen=True)
class Look:
    """How letters look: height in points, width against a usual sans face, weight."""

    size: float = 9.0
    stretch: float = 1.0
    bold: bool = False

    def width_of(self, text: str) -> float:
        """Points."""
        return self.stretch * self.size * sum(map(_letter, text))


def _letter(char: str) -> float:
    if char in _NARROW:
        return 0.29
    if char in _WIDE:
        return 0.84
    return 0.67 if char.isupper() else 0.54


@dataclass
class Sheet:
    """One page while it is written; sizes in points, from the upper left corner."""

    width: float
    height: float
    number: int = 1
    pieces: list[list[Word]] = field(default_factory=list[list[Word]])
    marks: list[CheckMark] = field(default_factory=list[CheckMark])

    def write(self, x: float, y: float, text: str, look: Look, align: str = "left") -> float:
        """Write a text with its upper left corner (or right, or middle) at a place; its right edge."""
        whole = look.width_of(text)
        left = x - {"left": 0.0, "right": whole, "centre": whole / 2}[align]
        words: list[Word] = []
        for part in text.split():
            right = left + look.width_of(part)
            box = Box(left / self.width, y / self.height, right / self.width, (y + 1.12 * look.size) / self.height)
            words.append(Word(part, box, line=len(self.pieces), size=look.size, bold=look.bold))
            left = right + look.width_of(" ")
        if words:
            self.pieces.append(words)
        return x - {"left": 0.0, "right": whole, "centre": whole / 2}[align] + whole

    def tick(self, x: float, y: float, size: float, *, checked: bool) -> None:
        """A check box with its upper left corner at a place."""
        box = Box(x / self.width, y / self.height, (x + size) / self.width, (y + size) / self.height)
        self.marks.append(CheckMark(box, checked))

    def digital(self) -> PageText:
        """The page as the text layer of a file gives it."""
        return self._page(TextSource.DIGITAL, [w for piece in self.pieces for w in piece])

    def scanned(self, rng: Random, quality: float) -> PageText:
        """The page as a recogniser gives it.

        Args:
            rng: where chance comes from.
            quality: 0 (a poor photograph) to 1 (a clean scan).
        """
        tilt = rng.gauss(0.0, 0.006 * (1.2 - quality)) if rng.random() < 0.5 else 0.0
        words: list[Word] = []
        for piece in self.pieces:
            read = [w for word in piece if (w := _read(rng, word, quality)) is not None]
            words += [_moved(rng, word, tilt * self.width / self.height) for word in _stuck(rng, read, quality)]
        return self._page(TextSource.OCR, words)

    def _page(self, source: TextSource, words: Sequence[Word]) -> PageText:
        size = PageSize(self.number, self.width, self.height)
        return PageText(size=size, source=source, words=tuple(words), marks=tuple(self.marks))


def _read(rng: Random, word: Word, quality: float) -> Word | None:
    certainty = _certainty(rng, quality)
    text = word.text
    if rng.random() < next(rate for least, rate in _ERROR_AT if certainty >= least):
        text = _misread(rng, text)
    return replace(word, text=text, certainty=certainty, size=0.0, bold=False) if text else None


def _certainty(rng: Random, quality: float) -> float:
    if rng.random() < 0.55 + 0.4 * quality:
        return 1.0 - 0.004 * rng.random() ** 2
    return max(0.3, 1.0 - rng.expovariate(1.0) * (0.11 - 0.07 * quality))


def _misread(rng: Random, text: str) -> str:
    place = rng.randrange(len(text))
    kind = rng.random()
    if kind < 0.62:
        return text[:place] + _MISREAD.get(text[place], rng.choice("lo.ec")) + text[place + 1 :]
    if kind < 0.85:
        return text[:place] + text[place + 1 :]
    return text[:place] + rng.choice(".,-'il") + text[place:]


def _stuck(rng: Random, piece: list[Word], quality: float) -> list[Word]:
    """Two words side by side that were read as one, here and there."""
    found: list[Word] = []
    for word in piece:
        last = found[-1] if found else None
        if last is not None and rng.random() < 0.03 * (1.3 - quality):
            box = Box(last.box.x0, min(last.box.y0, word.box.y0), word.box.x1, max(last.box.y1, word.box.y1))
            certainty = min(last.certainty, word.certainty)
            found[-1] = replace(last, text=last.text + word.text, box=box, certainty=certainty)
        else:
            found.append(word)
    return found


def _moved(rng: Random, word: Word, tilt: float) -> Word:
    """A word with the uneven box of a recogniser on a page that lies a little askew."""
    box = word.box
    high, letter = box.height, box.width / max(1, len(word.text))
    top = box.y0 + rng.gauss(0, 0.04) * high + tilt * box.x0
    left, right = (edge + rng.gauss(0, _UNEVEN) * letter for edge in (box.x0, box.x1))
    return replace(word, box=Box(left, top, max(left + 0.5 * letter, right), top + high * rng.uniform(0.95, 1.15)))
