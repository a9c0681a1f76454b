"""Fonts for laid-out office pages: which one has a letter, how wide a text is, where it breaks. In a sandbox only."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

import reportlab
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.cidfonts import UnicodeCIDFont
from reportlab.pdfbase.ttfonts import TTFError, TTFont

_PLAIN, _BOLD = "Helvetica", "Helvetica-Bold"
_FOLDERS = (
    "/usr/share/fonts",
    "/usr/local/share/fonts",
    "/Library/Fonts",
    "/System/Library/Fonts/Supplemental",
    "C:/Windows/Fonts",
)
_FILES = ("DejaVuSans.ttf", "NotoSans-Regular.ttf", "Arial Unicode.ttf", "arial.ttf", "LiberationSans-Regular.ttf")
"""Fonts that hold many scripts, where one is installed."""
_CID_FONTS = (
    ("HYSMyeongJo-Medium", 0x1100, 0x11FF),
    ("HYSMyeongJo-Medium", 0xAC00, 0xD7A3),
    ("HeiseiMin-W3", 0x3040, 0x30FF),
    ("STSong-Light", 0x2E80, 0x9FFF),
    ("STSong-Light", 0xFF00, 0xFFEF),
)
"""Fonts every PDF reader is to have for Chinese, Japanese and Korean; first and last code point each is used for."""
_NO_LETTER = "?"


class OfficeFonts:
    """Chooses a font letter by letter."""

    def __init__(self) -> None:
        self._wide = _installed()

    def runs(self, text: str, *, bold: bool) -> Iterator[tuple[str, str]]:
        """The text in pieces, each with the font that has its letters; a letter no font has becomes a question mark."""
        current, piece = "", ""
        for char in text:
            font = self._font(char, bold=bold)
            shown = char
            if font is None:
                font, shown = _BOLD if bold else _PLAIN, _NO_LETTER
            if font != current and piece:
                yield current, piece
                piece = ""
            current, piece = font, piece + shown
        if piece:
            yield current, piece

    def width(self, text: str, font: str, size: float) -> float:
        """Width of a text in points."""
        return float(pdfmetrics.stringWidth(text, font, size))

    def wrap(self, text: str, size: float, width: float, *, bold: bool) -> list[str]:
        """Lines no wider than that; a word too long for a line is cut."""
        lines: list[str] = []
        for paragraph in text.expandtabs(4).splitlines():
            line = ""
            for word in paragraph.split(" "):
                longer = f"{line} {word}" if line else word
                if self._measure(longer, size, bold=bold) <= width:
                    line = longer
                    continue
                if line:
                    lines.append(line)
                *full, line = self._cut(word, size, width, bold=bold)
                lines += full
            lines.append(line)
        return lines

    def _cut(self, word: str, size: float, width: float, *, bold: bool) -> list[str]:
        pieces, piece = [], ""
        for char in word:
            if piece and self._measure(piece + char, size, bold=bold) > width:
                pieces.append(piece)
                piece = ""
            piece += char
        return [*pieces, piece]

    def _measure(self, text: str, size: float, *, bold: bool) -> float:
        return sum(self.width(piece, font, size) for font, piece in self.runs(text, bold=bold))

    def _font(self, char: str, *, bold: bool) -> str | None:
        if _in_latin(char):
            return _BOLD if bold else _PLAIN
        if self._wide is not None and ord(char) in self._wide.face.charToGlyph:
            return str(self._wide.fontName)
        return _cid_font(ord(char))


@lru_cache(maxsize=4096)
def _in_latin(char: str) -> bool:
    try:
        char.encode("cp1252")
    except UnicodeEncodeError:
        return False
    return char >= " "


@lru_cache(maxsize=4096)
def _cid_font(code: int) -> str | None:
    name = next((name for name, first, last in _CID_FONTS if first <= code <= last), None)
    if name is not None and name not in pdfmetrics.getRegisteredFontNames():
        pdfmetrics.registerFont(UnicodeCIDFont(name))
    return name


def _installed() -> TTFont | None:
    """A font of many scripts, if the system has one of the well-known; else the one that comes with reportlab."""
    own = Path(reportlab.__file__).parent / "fonts" / "Vera.ttf"
    found = (path for folder in _FOLDERS if Path(folder).is_dir() for name in _FILES for path in _paths(folder, name))
    for path in (*found, own):
        try:
            font = TTFont("Wide", path)
        except (TTFError, OSError):
            continue
        pdfmetrics.registerFont(font)
        return font
    return None


def _paths(folder: str, name: str) -> list[Path]:
    return sorted(Path(folder).rglob(name))
