"""How well values are found on their pages: true values on the sets with boxes, and values that are wrong by one sign.

    python -m benchmarks.grounding --cache DIR [--misses] [--out FILE] [SET …]

Given the true values of a document as the answer of a model that is sure of everything and gives no places: does each
get a box that means its true place? And with one sign of each value changed, such that the pages do not have it: is any
of them still `high`? Fields whose truth is weak or not verbatim are left out, as everywhere.

Reads the evaluation documents beside the repository (or in FIELDMARK_EVAL), which are never part of it; their words are
kept in the folder that is named. Misses are shown for the development halves only. What `--out` writes is a section of
docs/quality.md.
"""

from __future__ import annotations

import argparse
import datetime as dt
import json
import random
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from benchmarks.eval_words import KeptWords
from benchmarks.quality import commit
from benchmarks.real_documents import eval_folder
from service.domain.geometry import Box, quad_box, union_box
from service.domain.pages import PageText, TextSource
from service.domain.records import Confidence, Extraction, FieldEntry, Json, Scalar
from service.evaluation.cases import Case, Place, load_cases
from service.evaluation.compare import boxes_meet
from service.extraction.decoding.decode import decode_choice
from service.extraction.grounding.ground import ground
from service.protocol.completion import Choice, Message

SETS = ("sroie", "wildreceipt", "funsd", "adbuy", "invoices-eu-xml", "invoices-misc", "tax-forms")
WANTED = {"digital": 0.97, "scanned": 0.93}
"""Share of the boxes that mean the true place, by kind of page."""
INSIDE = 0.6
"""Share of a found box that lies inside a true one, which may be that of a whole line of print."""
_TOLD = """\
Each document's true values, as the answer of a model that is sure of all
of them and gives no places: the share that gets a box which means a true place (half of both boxes is shared, each
holds the other's middle, or the found one lies inside that of a printed line). Then each value with one sign
changed, such that its pages do not have it: how many of them are still `high`.
"""
_TRIES = 40
_DIGITS, _LETTERS = "0123456789", "abcdefghijklmnopqrstuvwxyz"


@dataclass(slots=True)
class Score:
    """Of the leaves of some documents."""

    boxed: int = 0
    hit: int = 0
    changed: int = 0
    high: int = 0
    seconds: float = 0.0
    misses: list[str] = field(default_factory=list[str])

    def add(self, other: Score) -> None:
        """Take another one in."""
        self.boxed, self.hit = self.boxed + other.boxed, self.hit + other.hit
        self.changed, self.high = self.changed + other.changed, self.high + other.high
        self.seconds += other.seconds
        self.misses += other.misses

    @property
    def rate(self) -> float:
        """Box hits."""
        return self.hit / self.boxed if self.boxed else 0.0


def as_answered(values: Mapping[str, Json], case: Case, pages: Sequence[PageText]) -> Extraction:
    """The values as a model's answer that is sure of everything and gives no places."""
    message = Message(content=json.dumps(values, ensure_ascii=False))
    numbers = tuple(page.page for page in pages)
    found = decode_choice(Choice(message=message, finish_reason="stop"), schema=case.schema, pages=numbers, model="m")
    sure = {path: replace(entry, confidence=Confidence.HIGH) for path, entry in found.fields.items()}
    return replace(found, fields=sure)


def measure_case(case: Case, pages: Sequence[PageText]) -> Score:
    """One document, true and changed."""
    texts = {page.page: page for page in pages}
    answer, score = as_answered(case.truth, case, pages), Score()
    began = time.perf_counter()
    fields = ground(answer, case.schema, texts).fields
    score.seconds = time.perf_counter() - began
    for path, places in case.places.items():
        entry = fields.get(path)
        if entry is None or entry.value in (None, "") or path.split("/")[1] in case.ignored:
            continue
        score.boxed += 1
        score.hit += hits(entry, places)
        if not hits(entry, places):
            score.misses.append(f"{case.file} {path}: {entry.value!r} found as {entry.raw!r} at {_place_of(entry)}")
    chance = random.Random(case.file)
    wrong = with_changes(dict(case.truth), plain("".join(page.text() for page in pages)), chance)
    answer = as_answered(wrong if isinstance(wrong, dict) else {}, case, pages)
    for path, entry in ground(answer, case.schema, texts).fields.items():
        if entry.value is not None:
            score.changed += 1
            score.high += entry.confidence is Confidence.HIGH
            if entry.confidence is Confidence.HIGH:
                score.misses.append(f"{case.file} {path}: changed to {entry.value!r}, and high as {entry.raw!r}")
    return score


def hits(entry: FieldEntry, places: Sequence[Place]) -> bool:
    """Whether the box of a leaf means one of its true places."""
    place = _place_of(entry)
    return place is not None and any(
        place[0] == true.page and (boxes_meet(place[1], true.box) or _share_inside(place[1], true.box) >= INSIDE)
        for true in places
    )


def _place_of(entry: FieldEntry) -> tuple[int, Box] | None:
    if entry.location is None:
        return None
    words = [quad_box(quad) for quad in entry.location.word_coordinates]
    return entry.location.page, union_box(words) if words else quad_box(entry.location.coordinates)


def _share_inside(inner: Box, outer: Box) -> float:
    width = min(inner.x1, outer.x1) - max(inner.x0, outer.x0)
    height = min(inner.y1, outer.y1) - max(inner.y0, outer.y0)
    return max(0.0, width) * max(0.0, height) / (inner.width * inner.height)


def with_changes(value: Json, printed: str, chance: random.Random) -> Json:
    """A copy in which every text and number is changed; what cannot be is null.

    Args:
        value: a record, or a part of one.
        printed: letters and digits of the pages, as `plain` gives them.
        chance: seeded.
    """
    if isinstance(value, dict):
        return {name: with_changes(child, printed, chance) for name, child in value.items()}
    if isinstance(value, list):
        return [with_changes(child, printed, chance) for child in value]
    return None if value is None or isinstance(value, bool) else _changed(value, printed, chance)


def _changed(value: str | float, printed: str, chance: random.Random) -> Scalar:
    """The value with one sign replaced, such that it is not printed; None if no try of some is.

    It is judged by letters and digits alone, and not by the code that is measured: a day by every way to write it.
    """
    text = str(value)
    spots = [at for at, sign in enumerate(text) if sign.isalnum() and sign.isascii()]
    for _ in range(_TRIES if spots else 0):
        at = chance.choice(spots)
        other = text[:at] + chance.choice(_DIGITS if text[at].isdigit() else _LETTERS) + text[at + 1 :]
        if plain(other) != plain(text) and not any(form and form in printed for form in _forms(other)):
            return other if isinstance(value, str) else float(other)
    return None


def _forms(text: str) -> Iterator[str]:
    """How a value may be printed, letters and digits alone."""
    yield plain(text)
    yield plain(text).strip("0")
    try:
        day = dt.date.fromisoformat(text)
    except ValueError:
        return
    months = {f"{day.month}", f"{day.month:02}", f"{day:%b}".lower(), f"{day:%B}".lower()}
    for days in {f"{day.day}", f"{day.day:02}"}:
        for month in months:
            for year in (f"{day.year}", f"{day.year % 100:02}"):
                yield from (days + month + year, month + days + year, year + month + days)


def plain(text: str) -> str:
    """Letters and digits alone, in lower case."""
    return "".join(sign for sign in text.casefold() if sign.isalnum())


def kind_of(pages: Sequence[PageText]) -> str:
    """Whether a document is digital or was read optically."""
    return "digital" if any(page.source is TextSource.DIGITAL for page in pages) else "scanned"


def measure(sets: Sequence[str], cache: Path) -> dict[tuple[str, str], Score]:
    """Scores by set and kind of page."""
    words = KeptWords(cache)
    scores: dict[tuple[str, str], Score] = {}
    try:
        for name in sets:
            for case in load_cases(eval_folder() / "sets" / name):
                if not case.places:
                    continue
                pages = words.pages(case.path)
                score = measure_case(case, pages)
                score.misses = score.misses if case.development else []
                scores.setdefault((name, kind_of(pages)), Score()).add(score)
    finally:
        words.close()
    return scores


def section(scores: Mapping[tuple[str, str], Score]) -> Iterator[str]:
    """The section of docs/quality.md, line by line."""
    yield f"Made by `python -m benchmarks.grounding`, {dt.datetime.now(dt.UTC):%Y-%m-%d}, commit {commit()}."
    yield _TOLD
    yield "| set | pages | values with a box | box hit | changed values | of these `high` | seconds |"
    yield "|---|---|---|---|---|---|---|"
    totals = {kind: Score() for kind in WANTED}
    for (name, kind), score in scores.items():
        totals[kind].add(score)
        yield _row(name, kind, score)
    for kind, score in totals.items():
        yield _row("**all**", f"{kind}, ≥ {WANTED[kind]} wanted", score)


def _row(name: str, kind: str, score: Score) -> str:
    figures = f"{score.boxed} | {score.rate:.3f} | {score.changed} | {score.high}"
    return f"| {name} | {kind} | {figures} | {score.seconds:.1f} |"


def main() -> int:
    """Measure, and print or write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cache", type=Path, required=True, help="folder for the words of the documents")
    parser.add_argument("--misses", action="store_true")
    parser.add_argument("--out", type=Path)
    parser.add_argument("sets", nargs="*", default=SETS)
    given = parser.parse_args()
    scores = measure(given.sets, given.cache)
    text = "\n".join(section(scores)) + "\n"
    if given.out is not None:
        given.out.write_text(text, encoding="utf-8")
    print(text)
    if given.misses:
        print("\n".join(miss for score in scores.values() for miss in score.misses))
    return 0


if __name__ == "__main__":
    sys.exit(main())
