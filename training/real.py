"""The real documents that may teach what is shipped: three evaluation sets, as far as their licence allows it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path

from benchmarks.eval_words import KeptWords
from benchmarks.real_documents import eval_folder
from training.documents import Document

PERMITTED: Mapping[str, tuple[str, ...]] = {
    "invoices-eu-xml": (),
    "tax-forms": (),
    "invoices-misc": ("mindee/", "getomni-ai/"),
}
"""Set → parts of the `origin` of documents in it whose licence is unclear. All other sets are for measuring alone."""


def real_documents(words: Path) -> Iterator[Document]:
    """The permitted documents with their truth, in the order of their sets.

    Args:
        words: folder where what was read is kept; missing documents are read first.
    """
    kept = KeptWords(words)
    try:
        for name, unclear in PERMITTED.items():
            folder = eval_folder() / "sets" / name
            for row in map(json.loads, (folder / "truth.jsonl").read_text(encoding="utf-8").splitlines()):
                if any(part in row.get("origin", "") for part in unclear):
                    continue
                ignored = {*(row.get("weak_fields") or ()), *(row.get("not_verbatim") or ())}
                truth = {name: value for name, value in row["truth"].items() if name not in ignored}
                absent = frozenset(row.get("absent") or ()) - ignored
                yield Document(name, kept.pages(folder / row["file"]), row["schema"], truth, absent)
    finally:
        kept.close()
