"""Reading a page of a PDF: its words, which a person sees, whether its picture must be read. In a sandbox only."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np
import pypdfium2 as pdfium

from service.documents.frames import PageFrame, clip
from service.documents.ocr.codes import MOST_WORDS
from service.documents.pdf.drawing import Look, draw_page
from service.documents.pdf.file import PdfFile
from service.documents.pdf.forms import PageForm, fill_in, flattened, read_form
from service.documents.pdf.glyphs import PageGlyphs, read_glyphs
from service.documents.pdf.page_objects import Drawn, has_broken_picture, read_drawing
from service.documents.pixels import (
    LOOK_DPI,
    LOOK_MAX_PIXELS,
    OCR_DPI,
    OCR_MAX_PIXELS,
    OCR_TALL_MAX_PIXELS,
    raw_picture,
)
from service.documents.readings import PageReading
from service.documents.text.judging import FULL_PICTURE, PageEvidence, Route, is_garbage, judge
from service.documents.text.pieces import Floats, Piece
from service.documents.text.words import build_words
from service.domain.geometry import Box
from service.domain.pages import PageText, TextSource
from service.domain.records import Issue, Stage
from service.domain.word_columns import WordColumns, WordList

if TYPE_CHECKING:
    from PIL import Image

_INVISIBLE = "invisible"
_TINY = 1.0
"""Points: text smaller than this is not meant to be seen."""
_SLIVER = 0.02
"""Points: a word narrower or lower than this has no usable box."""
_CONTRAST = 14
"""Grey levels, 0–255, that must lie between the lightest and the darkest pixel under a word that can be seen."""
_LAYER_CERTAINTY = 0.9
"""Certainty of words from a text layer somebody else's OCR left, once it was compared with the picture."""
_PICTURE_WIDTH, _PICTURE_HEIGHT = 40.0, 12.0
"""Points: a smaller picture holds no words."""
_MAX_PICTURES = 12
"""A page with more pictures than this has tiles or icons among them."""
_PLACES = 100_000
"""Places on a page are told to this part of its width or height."""
_TALL = 4
"""A page whose longer side is more than this times the shorter one is read in tiles, and so may have more pixels."""


@dataclass(slots=True)
class _SortedWords:
    """The words of a page by whether a person sees them."""

    seen: list[Piece] = field(default_factory=list[Piece])
    layer: list[Piece] = field(default_factory=list[Piece])
    """Invisible words over a picture that fills the page: somebody else's OCR."""
    hidden: dict[str, int] = field(default_factory=dict[str, int])
    """Why not seen → how many words."""

    def text(self) -> str:
        return " ".join([piece.text for piece in (*self.seen, *self.layer)])

    def __len__(self) -> int:
        return len(self.seen) + len(self.layer)


class PdfPageReader:
    """Reads one loaded page.

    Args:
        index: 0-based.
    """

    def __init__(self, file: PdfFile, index: int, page: pdfium.PdfPage, frame: PageFrame) -> None:
        self._document = file.document
        self._index = index
        self._page = page
        self._frame = frame
        self._size = frame.size(index + 1)
        self._width, self._height = frame.width, frame.height
        self._drawn: Drawn = read_drawing(page, frame)

    def read(self, *, by_picture: bool = False) -> PageReading:
        """Its words, and its picture where that must be read too, or, with `by_picture`, alone."""
        page, words, route = self._read_text(by_picture=by_picture)
        if route is not Route.DIGITAL and has_broken_picture(self._page):
            message = "A picture on the page is damaged and could not be read; the rest was."
            issue = Issue(stage=Stage.READ, code="picture_damaged", message=message, page=page.page)
            page = replace(page, issues=(*page.issues, issue))
        picture = None if route is Route.DIGITAL else self._ocr_picture()
        if picture is not None and route is Route.PICTURES:
            picture = self._only(picture, self._bare_pictures(words))
        raw = raw_picture(picture) if picture is not None else None
        ruled = self._drawn.ruled and page.source is not TextSource.NONE
        return PageReading(page, route, raw, ruled=ruled)

    def read_plain(self) -> PageText | None:
        """The page if its words are all in its text, and no table is drawn around them."""
        page, _, route = self._read_text(by_picture=False)
        return page if route is Route.DIGITAL and not self._drawn.ruled else None

    def _read_text(self, *, by_picture: bool) -> tuple[PageText, _SortedWords, Route]:
        """What its text gives, and what is to be done besides."""
        form = read_form(self._document, self._page, self._frame)
        found = self._glyphs(form)
        words = self._sort(fill_in(build_words(found.letters), form.texts, self._frame))
        if self._shows_nothing(words):
            return self._page_text(TextSource.NONE, words, keep=False), words, Route.DIGITAL
        route = judge(
            PageEvidence(
                text=words.text(),
                words=len(words),
                unmapped=found.unmapped,
                picture_share=self._drawn.picture_share,
                small_pictures=bool(self._bare_pictures(words)),
                outlines=self._drawn.outlines,
            )
        )
        route = Route.OCR if by_picture else route
        if route is Route.DIGITAL and len(words) <= MOST_WORDS and self._drawn.barred:
            route = Route.COMPLETE
        page = self._page_text(TextSource.DIGITAL, words, keep=route is not Route.OCR)
        return replace(page, marks=tuple(form.marks), entries=tuple(form.entries)), words, route

    def is_blank(self) -> bool:
        """Whether reading it would find that it shows nothing."""
        form = read_form(self._document, self._page, self._frame)
        letters = self._glyphs(form).letters
        return self._shows_nothing(self._sort(fill_in(build_words(letters), form.texts, self._frame)))

    def _shows_nothing(self, words: _SortedWords) -> bool:
        return len(words) == 0 and (self._drawn.only_rules or self._look(LOOK_DPI).contrast() < _CONTRAST)

    def _glyphs(self, form: PageForm) -> PageGlyphs:
        """Characters of the page, and of its fields and free texts as they are drawn."""
        if not form.drawn:
            return read_glyphs(self._page, self._frame)
        with flattened(self._document, self._index) as page:
            return read_glyphs(page or self._page, self._frame)

    def _page_text(self, source: TextSource, words: _SortedWords, *, keep: bool) -> PageText:
        kinds = ((words.seen, 1.0), (words.layer, _LAYER_CERTAINTY)) if keep else ()
        found = [(piece, certainty) for pieces, certainty in kinds for piece in pieces]
        found.sort(key=lambda each: each[0].line)
        pieces = [piece for piece, _ in found]
        x0, y0, x1, y1 = self._edges(pieces)
        sizes = {size: round(size, 2) for size in {piece.size for piece in pieces}}
        columns = WordColumns(
            text=[piece.text for piece in pieces],
            x0=x0,
            y0=y0,
            x1=x1,
            y1=y1,
            line=[piece.line for piece in pieces],
            size=[sizes[piece.size] for piece in pieces],
            bold=[piece.bold for piece in pieces],
            certainty=[certainty for _, certainty in found],
        )
        return PageText(size=self._size, source=source, words=WordList(columns), issues=self._issues(words))

    def _edges(self, pieces: Sequence[Piece]) -> list[list[float]]:
        """Left, upper, right and lower edges of words on the page, to a hundred-thousandth of it."""
        parts = np.clip(_points(pieces) / (self._width, self._height, self._width, self._height), 0.0, 1.0)
        rounded: list[list[float]] = (np.floor(parts * _PLACES + 0.5) / _PLACES).T.tolist()
        return rounded

    def _issues(self, words: _SortedWords) -> tuple[Issue, ...]:
        if not words.hidden:
            return ()
        told = ", ".join(f"{count} {why}" for why, count in sorted(words.hidden.items()))
        message = f"Words that a person does not see on the page were left out: {told}."
        return (Issue(stage=Stage.READ, code="hidden_text", message=message, page=self._size.page),)

    def _box(self, piece: Piece) -> Box | None:
        width, height = self._width, self._height
        return clip(Box(piece.x0 / width, piece.y0 / height, piece.x1 / width, piece.y1 / height))

    def _sort(self, pieces: Sequence[Piece]) -> _SortedWords:
        words = _SortedWords()
        doubtful = self._drawn.fills or not all([piece.dark for piece in pieces])
        look = self._look(LOOK_DPI) if doubtful else None
        if look is None and self._are_plain(pieces):
            words.seen = list(pieces)
            return words
        for piece in pieces:
            box = self._box(piece)
            why = self._why_hidden(piece, box, look)
            if why is None and box is not None:
                words.seen.append(piece)
            elif why == _INVISIBLE and box is not None and self._drawn.picture_share >= FULL_PICTURE:
                words.layer.append(piece)
            elif why is not None:
                words.hidden[why] = words.hidden.get(why, 0) + 1
        if is_garbage(" ".join([piece.text for piece in words.layer])):
            words.layer.clear()
        return words

    def _are_plain(self, pieces: Sequence[Piece]) -> bool:
        """Whether all stand wholly on the page, printed, and large enough: what is true of the words of most pages."""
        if any([piece.invisible or piece.size < _TINY for piece in pieces]):
            return False
        x0, y0, x1, y1 = _points(pieces).T
        inside = (x0 >= 0.0) & (y0 >= 0.0) & (x1 <= self._width) & (y1 <= self._height)
        return bool((inside & (x1 - x0 >= _SLIVER) & (y1 - y0 >= _SLIVER)).all())

    def _why_hidden(self, piece: Piece, box: Box | None, look: Look | None) -> str | None:
        x, y = (piece.x0 + piece.x1) / 2, (piece.y0 + piece.y1) / 2
        if box is None or not (0 <= x <= self._width and 0 <= y <= self._height):
            return "off the page"
        if piece.invisible:
            return _INVISIBLE
        if piece.size < _TINY or piece.x1 - piece.x0 < _SLIVER or piece.y1 - piece.y0 < _SLIVER:
            return "too small to see"
        if look is not None and look.contrast(box) < _CONTRAST:
            return "covered or in the colour of what is behind"
        return None

    def _look(self, dpi: float) -> Look:
        return Look(draw_page(self._page, self._frame, dpi=dpi, max_pixels=LOOK_MAX_PIXELS))

    def _bare_pictures(self, words: _SortedWords) -> list[Box]:
        """Pictures large enough for words that have none of the layer's on them."""
        found: list[Box] = []
        for box in self._drawn.pictures[:_MAX_PICTURES]:
            wide, high = box.width * self._frame.width, box.height * self._frame.height
            if wide >= _PICTURE_WIDTH and high >= _PICTURE_HEIGHT:
                boxes = map(self._box, (*words.seen, *words.layer))
                found += [] if any(word and box.contains(word.center) for word in boxes) else [box]
        return found

    def _ocr_picture(self) -> Image.Image:
        frame = self._frame
        tall = max(frame.width, frame.height) > _TALL * min(frame.width, frame.height)
        limit = OCR_TALL_MAX_PIXELS if tall else OCR_MAX_PIXELS
        return draw_page(self._page, frame, dpi=OCR_DPI, max_pixels=limit)

    def _only(self, page: Image.Image, boxes: Sequence[Box]) -> Image.Image:
        """The page with everything white but these parts."""
        from PIL import Image  # late: for pages with pictures only

        blank = Image.new("RGB", page.size, "white")
        for box in boxes:
            x0, y0 = int(box.x0 * page.width), int(box.y0 * page.height)
            part = page.crop((x0, y0, round(box.x1 * page.width), round(box.y1 * page.height)))
            blank.paste(part, (x0, y0))
        return blank


def _points(pieces: Sequence[Piece]) -> Floats:
    """Left, upper, right and lower edge of each."""
    return np.array([(piece.x0, piece.y0, piece.x1, piece.y1) for piece in pieces], np.float64).reshape(-1, 4)
