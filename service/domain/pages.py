"""What was read from a page: words with boxes, ruled tables, and how the words came to be."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType
from typing import TypeAlias

from service.domain.geometry import Box
from service.domain.records import Issue


@dataclass(frozen=True, slots=True, order=True)
class PageRange:
    """Pages of a file, 1-based, both ends included."""

    first: int
    last: int

    def __post_init__(self) -> None:
        if not 1 <= self.first <= self.last:
            raise ValueError(f"not a page range: {self.first}-{self.last}")

    def __len__(self) -> int:
        return self.last - self.first + 1

    def __str__(self) -> str:
        return f"{self.first}-{self.last}" if self.last > self.first else str(self.first)

    def numbers(self) -> tuple[int, ...]:
        """The page numbers in order."""
        return tuple(range(self.first, self.last + 1))


class MediaKind(StrEnum):
    """Kinds of file that are read, found from the bytes."""

    PDF = "pdf"
    PNG = "png"
    JPEG = "jpeg"
    TIFF = "tiff"
    WEBP = "webp"
    BMP = "bmp"
    GIF = "gif"
    HEIC = "heic"
    DOCX = "docx"
    XLSX = "xlsx"
    PPTX = "pptx"


class TextSource(StrEnum):
    """Where a page's words come from."""

    DIGITAL = "digital"
    OCR = "ocr"
    NONE = "none"
    """The page shows nothing to read (coverage: `blank`)."""
    UNREADABLE = "unreadable"
    """The page shows something, but neither way of reading it gave words."""
    FAILED = "failed"
    """Reading the page crashed or ran over its limits; an issue says which."""


Turns: TypeAlias = Mapping[int, int]
"""Page (1-based) → degrees clockwise by which a person turned it from how its file has it: 90, 180 or 270."""
NO_TURNS: Turns = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class PageSize:
    """A page as displayed. `width` and `height` in points (1/72 inch), after crop box, user unit and rotation."""

    page: int
    """1-based."""
    width: float
    height: float
    rotation: int = 0
    """Degrees clockwise that were applied to show the page: 0, 90, 180 or 270."""

    def turned(self, degrees: int) -> PageSize:
        """The page turned clockwise by 0, 90, 180 or 270 degrees."""
        width, height = (self.height, self.width) if degrees % 180 else (self.width, self.height)
        return PageSize(self.page, width, height, (self.rotation + degrees) % 360)


@dataclass(frozen=True, slots=True)
class Word:
    """One printed word in the page as displayed."""

    text: str
    box: Box
    line: int
    """0-based index of the printed line on its page, in reading order; words of one line share it."""
    size: float = 0.0
    """Font height in points; for OCR the height of the box."""
    bold: bool = False
    certainty: float = 1.0
    """0–1; 1.0 for digital text, the recogniser's own figure for OCR."""


@dataclass(frozen=True, slots=True)
class TableCell:
    """One cell of a ruled table; `row` and `column` are 0-based."""

    row: int
    column: int
    box: Box
    text: str


@dataclass(frozen=True, slots=True)
class RuledTable:
    """A table whose cells are drawn with lines; cells row by row, left to right."""

    box: Box
    cells: tuple[TableCell, ...]


@dataclass(frozen=True, slots=True)
class CheckMark:
    """A check box or radio button and whether it is ticked."""

    box: Box
    checked: bool
    name: str = ""
    """The form field's own name, when it has one."""


@dataclass(frozen=True, slots=True)
class FormEntry:
    """A field of a fillable form that takes text, filled in or empty."""

    box: Box
    text: str
    """What is filled in, with its line breaks; empty: nothing."""
    label: str = ""
    """What the form says of the field to those who cannot see it, when it does."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PageText:
    """Everything that was read from one page; words in reading order."""

    size: PageSize
    source: TextSource
    words: Sequence[Word] = ()
    tables: tuple[RuledTable, ...] = ()
    marks: tuple[CheckMark, ...] = ()
    codes: tuple[str, ...] = ()
    """Formats of the bar codes on it, such as `QR Code`; looked for on pages with hardly a word."""
    issues: tuple[Issue, ...] = field(default=())
    entries: tuple[FormEntry, ...] = ()

    @property
    def page(self) -> int:
        """1-based page number in the file."""
        return self.size.page

    def lines(self) -> tuple[tuple[Word, ...], ...]:
        """Words grouped by printed line, in reading order."""
        grouped: dict[int, list[Word]] = {}
        for word in self.words:
            grouped.setdefault(word.line, []).append(word)
        return tuple(tuple(words) for words in grouped.values())

    def text(self) -> str:
        """The page's text, one printed line a line."""
        return "\n".join(" ".join(w.text for w in line) for line in self.lines())


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentInfo:
    """What opening a file tells, before any page is read."""

    kind: MediaKind
    pages: tuple[PageSize, ...]
    """One entry a page, in order; never empty."""
    issues: tuple[Issue, ...] = ()
