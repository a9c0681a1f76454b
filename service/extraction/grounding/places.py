"""A printed place, and the two texts of a page in which places are looked for."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import accumulate, chain, pairwise, zip_longest

from service.domain.geometry import Box, union_box
from service.domain.word_columns import WordColumns, box_at
from service.extraction.text.keys import is_unspaced, key_origins
from service.extraction.text.printed import plain_marks

_PART_OF_WORD = 0.6
"""A part that is less than this of its word gets a box of its own."""
_INSIDE_NUMBER = frozenset(".,'’")
_MOST_FOUND = 4000
"""Places of one key on one page; more than a page of table cells."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where something is printed."""

    page: int
    """1-based."""
    boxes: tuple[Box, ...]
    """One a word, in reading order."""
    text: str
    """As printed, words parted by spaces."""
    words: tuple[int, ...]
    """Indexes of the words on the page."""
    rank: int = 0
    """0: just this; higher: by a less likely reading, or inside a longer word."""
    exact: bool = True
    """False where it only resembles what was looked for."""

    @property
    def box(self) -> Box:
        """Around all words."""
        return union_box(self.boxes)

    @property
    def at(self) -> float:
        """The middle of its first word, counted in pages from the top of the file."""
        first = self.boxes[0]
        return self.page + (first.y0 + first.y1) / 2

    @property
    def middle(self) -> float:
        """Half way between its left and right edge, as a fraction of the page."""
        return (min(b.x0 for b in self.boxes) + max(b.x1 for b in self.boxes)) / 2

    def ranked(self, rank: int, *, exact: bool = True) -> Place:
        """The same place, found otherwise."""
        return replace(self, rank=rank, exact=self.exact and exact)


class KeyStream:
    """Words in one order, as their joined keys."""

    def __init__(self, page: int, columns: WordColumns, order: Sequence[int], keys: Sequence[str]) -> None:
        self._page = page
        self._columns, self._texts = columns, columns["text"]
        self._order = order
        ordered = [keys[i] for i in order]
        self.text = "".join(ordered)
        self._starts = list(accumulate(map(len, ordered[:-1]), initial=0))

    def find(self, key: str, word_count: int, *, inside_words: bool = True) -> Iterator[Place]:
        """Places of a key that begin and end where a reader would see a word begin and end.

        Args:
            word_count: words that the text has; places over another number of words rank behind.
            inside_words: whether a word's part will do, where scripts, or digits and letters, meet.
        """
        start = self.text.find(key)
        for _ in range(_MOST_FOUND):
            if start < 0:
                return
            end = start + len(key)
            costs = (self._cut_cost(start), self._cut_cost(end))
            whole = costs == (0, 0)
            if None not in costs and (whole or inside_words):
                place = self.place(start, end)
                yield place.ranked(sum(c or 0 for c in costs) + abs(len(place.words) - word_count))
            start = self.text.find(key, start + 1)

    def _cut_cost(self, at: int) -> int | None:
        """0 between words, more inside one, None where no reader would cut."""
        slot = bisect_right(self._starts, at) - 1
        offset = at - self._starts[slot]
        if offset == 0 or at == len(self.text):
            return 0
        composed, origins = _origins(self._texts[self._order[slot]])
        if offset >= len(origins):
            return None  # a mirrored word, whose characters are elsewhere
        before, after = origins[offset - 1], origins[offset]
        if before == after:
            return None  # the middle of a ligature
        one, other = composed[before], composed[after]
        between = composed[before + 1 : after]
        if between:
            return None if one.isdigit() and other.isdigit() and set(between) <= _INSIDE_NUMBER else 1
        if is_unspaced(one) or is_unspaced(other):
            return 1
        return 2 if one.isdigit() != other.isdigit() else None

    def place(self, start: int, end: int) -> Place:
        """The words under a piece of the text, `end` exclusive; a small part of a word has its share of the box."""
        first = bisect_right(self._starts, start) - 1
        last = bisect_right(self._starts, end - 1) - 1
        indexes = [self._order[slot] for slot in range(first, last + 1)]
        boxes = [box_at(self._columns, i) for i in indexes]
        texts = [self._texts[i] for i in indexes]
        for slot, index in ((0, first), (len(indexes) - 1, last)):
            composed, origins = _origins(self._texts[indexes[slot]])
            low = max(0, start - self._starts[index])
            high = min(len(origins), end - self._starts[index])
            if origins and high - low < _PART_OF_WORD * len(origins):
                left, right = origins[low], origins[high - 1] + 1
                boxes[slot] = part_of(box_at(self._columns, indexes[slot]), composed, left, right)
                texts[slot] = composed[left:right]
        return Place(self._page, tuple(boxes), " ".join(texts), tuple(indexes))


@lru_cache(maxsize=8192)
def _origins(text: str) -> tuple[str, list[int]]:
    return key_origins(text)


def part_of(box: Box, text: str, start: int, end: int) -> Box:
    """The share of a word's box that the characters `start`..`end` (exclusive) take, if all are equally wide."""
    share = box.width / max(1, len(text))
    return Box(box.x0 + share * start, box.y0, box.x0 + share * end, box.y1)


class PrintedText:
    """Words as they are printed, one space between words and a line break between lines."""

    def __init__(self, page: int, columns: WordColumns) -> None:
        self._page = page
        self._columns, self._texts = columns, columns["text"]
        lines, texts = columns["line"], columns["text"]
        gaps = [" " if line == following else "\n" for line, following in pairwise(lines)]
        self._starts = list(accumulate((len(text) + 1 for text in texts[:-1]), initial=0))
        self.text = plain_marks("".join(chain.from_iterable(zip_longest(texts, gaps, fillvalue=""))))

    def _span(self, start: int, end: int) -> range:
        return range(bisect_right(self._starts, start) - 1, bisect_right(self._starts, end - 1))

    def widest_gap(self, start: int, end: int) -> float:
        """The widest space between the words of a piece, as a fraction of the page's width."""
        left, right = self._columns["x0"], self._columns["x1"]
        return max((left[b] - right[a] for a, b in pairwise(self._span(start, end))), default=0.0)

    def is_in_name(self, start: int, end: int) -> bool:
        """Whether a number is part of a name, date or time, as in `INV-100` or `05/03/2024`; not beside a currency."""
        before = self.text[self._starts[self._span(start, end)[0]] : start]
        if any(char.isalpha() for char in before) and not before.isalpha():
            return True
        joined = (self.text[max(0, start - 2) : start], self.text[end : end + 2][::-1])
        return any(len(pair) == 2 and pair[0].isdigit() and pair[1] in "/-:." for pair in joined)

    def place(self, start: int, end: int) -> Place:
        """The words under a piece of the text, `end` exclusive; a small part of a word has its share of the box."""
        span = self._span(start, end)
        boxes = [box_at(self._columns, i) for i in span]
        texts = [self._texts[i] for i in span]
        for slot, index in ((0, span[0]), (len(span) - 1, span[-1])):
            text = self._texts[index]
            low = max(0, start - self._starts[index])
            high = min(len(text), end - self._starts[index])
            if high - low < _PART_OF_WORD * len(text):
                boxes[slot] = part_of(box_at(self._columns, index), text, low, high)
                texts[slot] = text[low:high]
        return Place(self._page, tuple(boxes), " ".join(texts), tuple(span))
