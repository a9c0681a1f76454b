"""Whether the documents of a bound file are told apart: files bound from the evaluation documents, boundaries compared.

    python -m benchmarks.bound_files --cache DIR [--files 200] [--read] [--verbose]

Every file binds 2 to 12 documents of 1 to 10 pages, of any sets in any order; documents of the half that rules are made
from and of the other half are never bound together. Words are read before they are bound: a page reads the same alone.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from benchmarks.eval_words import EvalCase, KeptWords, eval_cases
from service.domain.pages import PageText
from service.extraction.splitting.boundaries import find_documents

SETS = (
    "adbuy",
    "nda",
    "invoices-eu-xml",
    "invoices-misc",
    "tax-forms",
    "tables-icdar2013",
    "sroie",
    "wildreceipt",
    "funsd",
)
SEED = 20261130
FEWEST, MOST = 2, 12
MOST_PAGES = 10
WANTED = 0.95


@dataclass(frozen=True, kw_only=True)
class Bound:
    """A file, and where its documents begin."""

    pages: tuple[PageText, ...]
    starts: dict[int, EvalCase]
    """1-based page number → the document that begins there."""


def bind(documents: Sequence[tuple[EvalCase, tuple[PageText, ...]]]) -> Bound:
    """One file of several documents, its pages numbered through."""
    pages: list[PageText] = []
    starts: dict[int, EvalCase] = {}
    for case, texts in documents:
        starts[len(pages) + 1] = case
        for text in texts:
            pages.append(replace(text, size=replace(text.size, page=len(pages) + 1)))
    return Bound(pages=tuple(pages), starts=starts)


def bound_files(words: KeptWords, count: int, *, develops: bool, read: bool) -> list[Bound]:
    """Files of one half; a set is drawn first, then a document of it, so that large sets do not fill the files.

    Args:
        words: where the pages come from.
        count: how many files.
        develops: which half.
        read: whether documents that were not read before are read now, or left out.
    """
    by_set: dict[str, list[tuple[EvalCase, tuple[PageText, ...]]]] = {}
    for name in SETS:
        for case in eval_cases(name):
            if case.develops != develops or not (read or words.has(case.path)):
                continue
            pages = words.pages(case.path)
            if 1 <= len(pages) <= MOST_PAGES:
                by_set.setdefault(name, []).append((case, pages))
    draw = random.Random(SEED)
    names = sorted(by_set)
    return [
        bind([draw.choice(by_set[draw.choice(names)]) for _ in range(draw.randint(FEWEST, MOST))]) for _ in range(count)
    ]


@dataclass(frozen=True, kw_only=True)
class Score:
    """Boundaries, the first page of a file not counted."""

    right: int
    missed: int
    invented: int

    @property
    def f1(self) -> float:
        """Of boundaries, 0–1."""
        return 2 * self.right / max(1, 2 * self.right + self.missed + self.invented)


def score(files: Sequence[Bound], *, verbose: bool) -> tuple[Score, bool]:
    """The boundaries of all files, and whether every page is in one document."""
    right = missed = invented = 0
    whole = True
    by_kind: Counter[str] = Counter()
    for file in files:
        found = find_documents(file.pages)
        whole = whole and [n for pages in found for n in pages.numbers()] == [p.page for p in file.pages]
        true, told = {*file.starts} - {1}, {pages.first for pages in found} - {1}
        right += len(true & told)
        missed += len(true - told)
        invented += len(told - true)
        for page in sorted(true ^ told):
            case = file.starts[max(n for n in file.starts if n <= page)]
            last = file.starts[max(n for n in file.starts if n < page)]
            wrong = f"missed   {last.set_name} → {case.set_name}" if page in true else f"invented {case.set_name}"
            by_kind[wrong] += 1
            if verbose and page not in true:
                at = page - max(n for n in file.starts if n <= page) + 1
                print(f"   invented at page {at} of {case.path.name} ({case.set_name})")
            elif verbose:
                print(f"   missed {last.path.name} → {case.path.name}")
    for wrong, times in by_kind.most_common():
        print(f"   {times:4} {wrong}")
    return Score(right=right, missed=missed, invented=invented), whole


def main() -> int:
    """Print the figures of both halves; 1 if the wanted share is not reached or a page is lost."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cache", type=Path, required=True)
    parser.add_argument("--files", type=int, default=200)
    parser.add_argument("--read", action="store_true", help="read documents that are not in the cache yet")
    parser.add_argument("--half", choices=("development", "other", "both"), default="both")
    parser.add_argument("--verbose", action="store_true")
    options = parser.parse_args()
    words, good = KeptWords(options.cache), True
    for half in ("development", "other"):
        if options.half not in (half, "both"):
            continue
        files = bound_files(words, options.files, develops=half == "development", read=options.read)
        found, whole = score(files, verbose=options.verbose)
        documents, pages = sum(len(f.starts) for f in files), sum(len(f.pages) for f in files)
        print(
            f"{half}: {len(files)} files of {documents} documents and {pages} pages: F1 {found.f1:.4f} "
            f"(right {found.right}, missed {found.missed}, invented {found.invented}); "
            f"{'no page lost' if whole else 'PAGES LOST'}"
        )
        good = good and whole and found.f1 >= WANTED
    words.close()
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
