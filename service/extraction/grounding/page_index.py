"""A page made searchable once: its words as a stream of keys, its numbers and dates by value."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from decimal import Decimal
from functools import cached_property
from operator import sub

from service.domain.geometry import Box, Point, union_box
from service.domain.pages import PageText
from service.domain.word_columns import box_at, to_columns
from service.extraction.grounding.places import KeyStream, Place, PrintedText
from service.extraction.text.keys import has_rtl, match_key, match_keys, mirrored_key
from service.extraction.text.printed import PrintedNumber, find_dates, find_numbers

_GROUP_GAP = 0.7
"""Widest space inside a number, in heights of its words."""
_COLUMN_SLACK = 0.03
"""How far lines of one block may begin apart, as a fraction of the page's width."""
_LINES_BELOW = 3.0
"""How far below its block the next line may begin, in heights of a word."""
_WORD_GAP = 1.0
"""Widest space between two words of a text, in heights of a word."""
_MOST_STARTS = 40
_NO_DIGITS = re.compile(r"[^0-9]+")
_LIKENESS = 9


class PageIndex:
    """One page; every search gives places in reading order."""

    def __init__(self, page: PageText) -> None:
        self.page = page.page
        self.marks = page.marks
        self._aspect = page.size.height / page.size.width if page.size.width > 0 else 1.0
        self.columns = to_columns(page.words)  # most pages have nothing that is looked for: no word is made of them
        self.texts = self.columns["text"]
        self._keys = match_keys(self.texts)
        self._found: dict[str, tuple[Place, ...]] = {}

    @cached_property
    def line_height(self) -> float:
        """The usual height of a word, as a fraction of the page."""
        heights = sorted(map(sub, self.columns["y1"], self.columns["y0"]))
        return heights[len(heights) // 2] if heights else 0.01

    def find_text(self, text: str) -> tuple[Place, ...]:
        """Places where these words stand in this order, over line breaks, hyphens and columns too."""
        if text not in self._found:
            key = match_key(text)
            self._found[text] = tuple(self._search(text, key)) if key else ()
        return self._found[text]

    def _search(self, text: str, key: str) -> list[Place]:
        count = len(text.split())
        found = list(self.stream.find(key, count))
        if not found and has_rtl(text):
            mirrored = (list(stream.find(key, count, inside_words=False)) for stream in self._mirrored)
            found = next(filter(None, mirrored), [])
        return found or list(self._find_block(text))

    @cached_property
    def stream(self) -> KeyStream:
        """All words in reading order."""
        return KeyStream(self.page, self.columns, range(len(self.texts)), self._keys)

    @cached_property
    def _mirrored(self) -> tuple[KeyStream, ...]:
        """Right-to-left text that was stored as seen: by words, by characters, or by both."""
        turned = [index for line in self._lines for index in reversed(line)]
        straight = range(len(self.texts))
        mirrored = list(map(mirrored_key, self.texts))
        pairs = ((turned, self._keys), (turned, mirrored), (straight, mirrored))
        return tuple(KeyStream(self.page, self.columns, order, keys) for order, keys in pairs)

    @cached_property
    def _lines(self) -> list[list[int]]:
        grouped: defaultdict[int, list[int]] = defaultdict(list)
        for index, line in enumerate(self.columns["line"]):
            grouped[line].append(index)
        return list(grouped.values())

    @cached_property
    def _by_key(self) -> dict[str, list[int]]:
        grouped: defaultdict[str, list[int]] = defaultdict(list)
        for index, key in enumerate(self._keys):
            if key:
                grouped[key].append(index)
        return dict(grouped)

    def _find_block(self, text: str) -> Iterator[Place]:
        """Words that run on in the next line of their own column, where another column's words stand between."""
        tokens = [key for token in text.split() if (key := match_key(token))]
        if len(tokens) < 2:
            return
        for start in self._by_key.get(tokens[0], [])[:_MOST_STARTS]:
            chain = [start]
            for token in tokens[1:]:
                following = self._continue(chain, token)
                if following is None:
                    break
                chain.append(following)
            else:
                yield self.whole_words(chain).ranked(1)

    def _continue(self, chain: list[int], token: str) -> int | None:
        step = chain[-1] + 1
        while step < len(self._keys) and not self._keys[step]:
            step += 1
        if step < len(self._keys) and self._keys[step] == token:
            return step
        block = union_box(box_at(self.columns, i) for i in chain)
        lowest = block.y1 + _LINES_BELOW * self.line_height
        last = box_at(self.columns, chain[-1])
        for index in self._by_key.get(token, []):
            box = box_at(self.columns, index)
            if self._stands_right(last, box):
                return index
            below = index > chain[-1] and block.y1 < box.y1 and box.y0 <= lowest
            if below and abs(box.x0 - block.x0) <= _COLUMN_SLACK:
                return index
        return None

    def _stands_right(self, box: Box, other: Box) -> bool:
        """Whether a word is the next on the line to the eye, though the text has another line's words between them."""
        gap = other.x0 - box.x1
        level = abs(other.center.y - box.center.y) <= box.height / 2
        return level and -box.height <= gap <= _WORD_GAP * box.height * self._aspect

    def whole_words(self, indexes: Sequence[int]) -> Place:
        """The place of whole words."""
        boxes, texts = tuple(box_at(self.columns, i) for i in indexes), (self.texts[i] for i in indexes)
        return Place(self.page, boxes, " ".join(texts), tuple(indexes))

    def likeness(self, start: int, end: int) -> Place:
        """The place of a piece of the stream that resembles what was looked for."""
        return self.stream.place(start, end).ranked(_LIKENESS, exact=False)

    def find_sign(self, sign: str) -> tuple[Place, ...]:
        """Places of a currency sign; the amount it is glued to belongs to its word."""
        return tuple(self.whole_words([i]) for i, text in enumerate(self.texts) if sign in text)

    def words_in(self, box: Box) -> list[int]:
        """Indexes of the words whose middle lies in a box, in reading order."""
        low = bisect_left(self._by_height, (box.y0, -1))
        high = bisect_left(self._by_height, (box.y1, len(self.texts)))
        left, right, upper, lower = (self.columns[edge] for edge in ("x0", "x1", "y0", "y1"))
        near = sorted([index for _, index in self._by_height[low:high]])
        return [i for i in near if box.contains(Point((left[i] + right[i]) / 2, (upper[i] + lower[i]) / 2))]

    def run_of(self, index: int) -> Box:
        """Around the words that are printed beside a word with no more than a space between."""
        first = last = index
        while first > 0 and self._runs_on(first - 1):
            first -= 1
        while last + 1 < len(self.texts) and self._runs_on(last):
            last += 1
        return union_box(box_at(self.columns, i) for i in range(first, last + 1))

    def _runs_on(self, index: int) -> bool:
        lines, following = self.columns["line"], index + 1
        return lines[index] == lines[following] and self._stands_right(
            box_at(self.columns, index), box_at(self.columns, following)
        )

    @cached_property
    def _by_height(self) -> list[tuple[float, int]]:
        heights = zip(self.columns["y0"], self.columns["y1"], strict=True)
        return sorted([((y0 + y1) / 2, index) for index, (y0, y1) in enumerate(heights)])

    @cached_property
    def _text(self) -> PrintedText:
        return PrintedText(self.page, self.columns)

    @cached_property
    def _printed_numbers(self) -> list[PrintedNumber]:
        gap = _GROUP_GAP * self.line_height * self._aspect
        found = find_numbers(self._text.text)
        return [n for n in found if not n.spaced or self._text.widest_gap(n.start, n.end) <= gap]

    @cached_property
    def dividers(self) -> Counter[str]:
        """How often each decimal mark is used where there is no doubt."""
        return Counter(n.divider for n in self._printed_numbers if n.divider)

    def find_number(self, value: Decimal) -> list[Place]:
        """Places of a number, which is given as `normalize` leaves it; a less likely reading has a higher rank."""
        found: list[Place] = []
        if "".join(map(str, value.as_tuple().digits)) not in self._digits:  # most pages: told without a look at numbers
            return found
        for number, rank in self._numbers.get(value, ()):
            in_name = self._text.is_in_name(number.start, number.end)
            found.append(self._text.place(number.start, number.end).ranked(rank + 2 * in_name))
        return sorted(found, key=lambda p: p.words)

    @cached_property
    def _digits(self) -> str:
        """All digits of the page in a row; every number on it, without zeros at its ends, is a piece of them."""
        return _NO_DIGITS.sub("", self._text.text)

    @cached_property
    def _numbers(self) -> dict[Decimal, list[tuple[PrintedNumber, int]]]:
        """Printed numbers by value, each with the rank of the reading."""
        found: defaultdict[Decimal, list[tuple[PrintedNumber, int]]] = defaultdict(list)
        comma = self.dividers[","] > self.dividers["."]
        for number in self._printed_numbers:
            ambiguous = len(number.readings) > 1
            divided = ambiguous and ("," if comma else ".") in self._text.text[number.start : number.end]
            for order, reading in enumerate(reversed(number.readings) if divided else number.readings):
                found[reading.normalize()].append((number, order))
                if number.percent:
                    found[(reading / 100).normalize()].append((number, order + 1))
        return dict(found)

    @cached_property
    def days(self) -> dict[str, list[Place]]:
        """Printed days by ISO date; one that may be another day has a higher rank."""
        found: defaultdict[str, dict[tuple[int, ...], Place]] = defaultdict(dict)
        for date in find_dates(self._text.text) if self.texts else ():
            place = self._text.place(date.start, date.end).ranked(int(len(date.days) > 1))
            for day in date.days:
                found[day].setdefault(place.words, place)
        return {day: list(places.values()) for day, places in found.items()}
