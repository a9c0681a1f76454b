"""Words of a page as columns: the form in which they cross a pipe or lie in a store, since a page has hundreds."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import repeat
from typing import TypeAlias, TypedDict, TypeVar, cast, overload

from service.domain.geometry import Box
from service.domain.pages import Word

T = TypeVar("T")
_KINDS: Mapping[str, frozenset[type]] = {
    "text": frozenset({str}),
    "line": frozenset({int}),
    "bold": frozenset({bool}),
    **dict.fromkeys(("x0", "y0", "x1", "y1", "size", "certainty"), frozenset({float, int})),
}
"""What each column may hold."""


class WordColumns(TypedDict):
    """A row of each word in every list: its text, its box, and the rest of `Word`."""

    text: list[str]
    x0: list[float]
    y0: list[float]
    x1: list[float]
    y1: list[float]
    line: list[int]
    size: list[float]
    bold: list[bool]
    certainty: list[float]


Unchecked: TypeAlias = object
"""What came out of JSON."""


class WordList(Sequence[Word]):
    """Words that lie as columns, and are made into objects when they are looked at: one alone, or all at once.

    Equal to any sequence of the same words. Nobody may change the columns.
    """

    __slots__ = ("_made", "columns")

    def __init__(self, columns: WordColumns) -> None:
        self.columns = columns
        self._made: tuple[Word, ...] | None = None

    def all(self) -> tuple[Word, ...]:
        """All of them, as objects."""
        if self._made is None:
            columns = self.columns
            boxes = make_frozen(
                Box, {"x0": columns["x0"], "y0": columns["y0"], "x1": columns["x1"], "y1": columns["y1"]}
            )
            rest = {"text": columns["text"], "line": columns["line"], "size": columns["size"], "bold": columns["bold"]}
            self._made = tuple(make_frozen(Word, {"box": boxes, **rest, "certainty": columns["certainty"]}))
        return self._made

    def __len__(self) -> int:
        return len(self.columns["text"])

    @overload
    def __getitem__(self, index: int) -> Word: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Word, ...]: ...
    def __getitem__(self, index: int | slice) -> Word | tuple[Word, ...]:
        if self._made is not None or isinstance(index, slice):
            return self.all()[index]
        columns = self.columns
        text, line, size = columns["text"][index], columns["line"][index], columns["size"][index]
        return Word(text, box_at(columns, index), line, size, columns["bold"][index], columns["certainty"][index])

    def __iter__(self) -> Iterator[Word]:
        return iter(self.all())

    def __eq__(self, other: object) -> bool:
        if isinstance(other, WordList):
            return self.columns == other.columns
        return self.all() == other if isinstance(other, tuple) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.all())

    def __repr__(self) -> str:
        return repr(self.all())


def box_at(columns: WordColumns, index: int) -> Box:
    """The box of one word, where nothing else of it is looked at."""
    return Box(columns["x0"][index], columns["y0"][index], columns["x1"][index], columns["y1"][index])


def to_columns(words: Sequence[Word]) -> WordColumns:
    """The columns of words."""
    if isinstance(words, WordList):
        return words.columns
    boxes = [word.box for word in words]
    return {
        "text": [word.text for word in words],
        "x0": [box.x0 for box in boxes],
        "y0": [box.y0 for box in boxes],
        "x1": [box.x1 for box in boxes],
        "y1": [box.y1 for box in boxes],
        "line": [word.line for word in words],
        "size": [word.size for word in words],
        "bold": [word.bold for word in words],
        "certainty": [word.certainty for word in words],
    }


def from_columns(found: Unchecked) -> WordList:
    """The inverse of `to_columns`, after the columns went through JSON.

    Raises:
        ValueError: a column is missing, or holds something else than it should.
    """
    return WordList(_checked(found))


def make_frozen(kind: type[T], columns: Mapping[str, Sequence[object]]) -> list[T]:
    """Frozen objects with slots, filled column by column: in less than half the time that their own `__init__` takes.

    Args:
        columns: one for each slot, equally long.
    """
    made = list(map(object.__new__, repeat(kind, len(next(iter(columns.values()))))))
    for name, column in columns.items():
        fill = cast("Callable[[T, object], None]", getattr(kind, name).__set__)
        deque(map(fill, made, column), maxlen=0)
    return made


def _checked(found: Unchecked) -> WordColumns:
    if not isinstance(found, dict):
        raise ValueError("columns of words are missing")
    columns = cast("dict[str, object]", found)
    lengths: set[int] = set()
    for name, kinds in _KINDS.items():
        column = columns.get(name)
        if not isinstance(column, list) or not set(map(type, cast("list[object]", column))) <= kinds:
            raise ValueError(f"the words' column {name!r} is missing, or holds something else than it should")
        lengths.add(len(cast("list[object]", column)))
    if len(lengths) > 1:
        raise ValueError("columns of words of unequal length")
    return cast(WordColumns, columns)
