"""Makes the shipped weights from nothing: `make train`.

    python -m training.run [--documents N] [--seed S] [--words DIR] [--out FILE] [--without-real]

The same arguments give the same file. Reads the permitted evaluation documents beside the repository (see `real.py`).
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from service.embedded.confidence import LEAST_HIGH
from service.embedded.evidence.trees import WEIGHTS, Floats, Forest
from training.documents import Document, invent
from training.examples import Examples, examples
from training.fit import Size, left_out_scores, train, with_lines
from training.forest import write_forest
from training.real import PERMITTED, real_documents

ROOT = Path(__file__).parents[1]
SHIPPED = ROOT / "service" / "embedded" / WEIGHTS
DOCUMENTS = 2000
SEED = 2026
USUAL = Size()


@dataclass(frozen=True, kw_only=True)
class Trained:
    """Weights, and how they did on what they had not seen."""

    forest: Forest
    known: Examples
    left_out: Floats
    """The score of each example by trees that never saw its kind of document or its set."""


def learn(documents: int, *, seed: int, real: Iterable[Document] = (), size: Size = USUAL) -> Trained:
    """Invent documents, see what the rules choose in them and in the real ones, and learn when that is right."""
    known = examples(invent(seed, documents)).joined(examples(real))
    sets = frozenset(PERMITTED) & frozenset(known.group.tolist())
    left_out = left_out_scores(known, sets, size, seed=seed)
    forest = with_lines(train(known, sets, size, seed=seed), known, left_out, sets)
    return Trained(forest=forest, known=known, left_out=left_out)


def report(trained: Trained) -> Iterable[str]:
    """A line a kind of document or set: what it is worth to a user, judged by trees that never saw it."""
    forest, family = trained.forest, trained.known.family
    told = [
        forest.chance_of(score, kind) for score, kind in zip(trained.left_out.tolist(), family.tolist(), strict=True)
    ]
    chance = np.array(told)
    high = (trained.left_out >= forest.high[family]) & (chance >= LEAST_HIGH)
    low = chance < forest.floor
    yield f"{'left out':18s} {'values':>7s} {'right':>6s} {'high':>6s} {'right':>6s} {'emptied':>8s} {'right':>6s}"
    for group in (*sorted(set(trained.known.group.tolist())), "*"):
        own = trained.known.group == group if group != "*" else np.ones(len(trained.known), bool)
        emptied = own & low & trained.known.single
        shares = [_share(trained.known.right[own]), high[own].mean(), _share(trained.known.right[own & high])]
        yield (
            f"{group:18s} {own.sum():7d} " + " ".join(f"{share:6.3f}" for share in shares)
            + f" {emptied.sum():8d} {_share(trained.known.right[emptied]):6.3f}"
        )  # fmt: skip


def _share(right: np.ndarray[tuple[int], np.dtype[np.bool_]]) -> float:
    return float(right.mean()) if len(right) else float("nan")


def main() -> int:
    """Train, write the file, print how it does on what was left out."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--documents", type=int, default=DOCUMENTS, help="how many are invented")
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument(
        "--words", type=Path, default=ROOT / "build" / "words", help="where the words of real documents are kept"
    )
    parser.add_argument("--out", type=Path, default=SHIPPED)
    parser.add_argument("--without-real", action="store_true", help="invented documents alone")
    asked = parser.parse_args()
    began = time.monotonic()
    trained = learn(asked.documents, seed=asked.seed, real=() if asked.without_real else real_documents(asked.words))
    write_forest(trained.forest, asked.out)
    print("\n".join(report(trained)))
    print(f"written: {asked.out}, {asked.out.stat().st_size / 1000:.0f} kB, {time.monotonic() - began:.0f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main())
