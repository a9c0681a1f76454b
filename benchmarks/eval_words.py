"""The words of the evaluation documents, read once and kept in a folder outside the repository.

    python -m benchmarks.eval_words --cache DIR [SET …]

Reads the evaluation documents beside the repository (or in FIELDMARK_EVAL), which are never part of it.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import pickle
import sys
from collections.abc import Iterator
from contextlib import nullcontext
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import pypdfium2 as pdfium
import pypdfium2.raw as pdfium_c

from benchmarks.eval_sets import issuer_of
from benchmarks.reading import new_reader
from benchmarks.real_documents import eval_folder
from service.documents.reader import DocumentReader
from service.domain.pages import PageRange, PageText

MOST_PAGES = 20
"""Longer documents are read this far."""


@dataclass(frozen=True, kw_only=True)
class EvalCase:
    """One document of a set with its truth."""

    set_name: str
    path: Path
    schema: dict[str, Any]
    truth: dict[str, Any]

    @property
    def develops(self) -> bool:
        """Whether it is in the half that rules may be made from; the other half only tells whether they hold."""
        told = issuer_of(self.set_name, self.truth) or self.path.name
        return int(hashlib.sha256(told.encode()).hexdigest()[0], 16) % 2 == 0


def eval_cases(set_name: str) -> Iterator[EvalCase]:
    """The documents of a set, in the order of their file."""
    folder = eval_folder() / "sets" / set_name
    for row in map(json.loads, (folder / "truth.jsonl").read_text("utf-8").splitlines()):
        yield EvalCase(set_name=set_name, path=folder / row["file"], schema=row["schema"], truth=row["truth"])


class KeptWords:
    """Reads a document's pages, or takes them from the folder where an earlier run left them."""

    def __init__(self, cache: Path) -> None:
        self._cache = cache
        self._reader: DocumentReader | None = None
        cache.mkdir(parents=True, exist_ok=True)

    def has(self, path: Path) -> bool:
        """Whether a document was read before."""
        return self._place(path).is_file()

    def pages(self, path: Path) -> tuple[PageText, ...]:
        """All pages of a document, up to `MOST_PAGES`."""
        place = self._place(path)
        kept = _of_this_version(path, pickle.loads(place.read_bytes())) if place.is_file() else None
        if kept is not None:
            return kept
        self._reader = self._reader or new_reader()
        count = min(len(self._reader.open(path).info.pages), MOST_PAGES)
        found = tuple(self._reader.read_pages(path, PageRange(1, count)))
        whole = place.with_suffix(".part")
        whole.write_bytes(pickle.dumps(found))
        whole.rename(place)
        return found

    def close(self) -> None:
        """End the reader."""
        if self._reader is not None:
            self._reader.close()

    def _place(self, path: Path) -> Path:
        return self._cache / f"{hashlib.sha256(path.read_bytes()).hexdigest()}.pickle"


def _of_this_version(path: Path, pages: tuple[PageText, ...]) -> tuple[PageText, ...] | None:
    """Pages that were kept before `PageText` got its fields of today; None: the file has to be read again for them."""
    names = [field.name for field in fields(PageText)]
    if all(hasattr(page, name) for page in pages for name in names):  # unpickled as they were kept
        return pages
    with pdfium.PdfDocument(path) if path.suffix == ".pdf" else nullcontext() as document:
        if document is not None and document.get_formtype() != pdfium_c.FORMTYPE_NONE:
            return None
    return tuple(PageText(**{name: getattr(page, name) for name in names if hasattr(page, name)}) for page in pages)


def main() -> int:
    """Read whole sets ahead."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cache", type=Path, required=True)
    parser.add_argument("--each", type=int, default=1000)
    parser.add_argument("sets", nargs="+")
    options = parser.parse_args()
    words = KeptWords(options.cache)
    for name in options.sets:
        for case in list(eval_cases(name))[: options.each]:
            try:
                words.pages(case.path)
            except Exception as error:
                print(f"{case.path.name}: {error}", file=sys.stderr)
    words.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
