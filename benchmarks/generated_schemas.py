"""What extraction with a generated schema finds of what extraction with the set's own schema finds.

    python -m benchmarks.generated_schemas --cache DIR [--each 4] [--verbose]

For documents of five sets: a schema is generated from the document alone, the embedded model extracts with it and with
the set's own schema, and the values are compared. A value is found when the generated schema gives an equal one
anywhere; of a table's cells as often as the own schema gives it.
"""

from __future__ import annotations

import argparse
import sys
import time
import unicodedata
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from benchmarks.eval_words import EvalCase, KeptWords, eval_cases
from service.domain.records import Extraction, Scalar
from service.domain.schema import SchemaField, parse_schema
from service.embedded.model import EmbeddedModel
from service.embedded.suggesting.propose import propose_schema

SETS = ("sroie", "wildreceipt", "adbuy", "nda", "invoices-eu-xml")


@dataclass(frozen=True, kw_only=True)
class Line:
    """One document."""

    case: EvalCase
    own: int
    """Values that the set's own schema finds."""
    found: int
    """Of these, those that the generated schema finds too."""
    own_fields: int
    fields: int
    seconds: float
    """To generate the schema."""
    missed: tuple[str, ...]


def compare(case: EvalCase, words: KeptWords) -> Line:
    """Extract one document both ways."""
    pages = words.pages(case.path)
    model, own = EmbeddedModel(), parse_schema(case.schema)
    begin = time.perf_counter()
    name, source = propose_schema([pages])
    seconds = time.perf_counter() - begin
    generated = parse_schema(source, name)
    wanted, given = model.extract(own, pages), model.extract(generated, pages)
    singles, cells = _values(given)
    missed: list[str] = []
    for path, key in _keys(wanted):
        if path.count("/") > 1 and cells[key] > 0:
            cells[key] -= 1
        elif key not in singles:
            missed.append(f"{path}={key}")
    total = sum(1 for _ in _keys(wanted))
    return Line(
        case=case,
        own=total,
        found=total - len(missed),
        own_fields=_leaves(own.root),
        fields=_leaves(generated.root),
        seconds=seconds,
        missed=tuple(missed),
    )


def _values(given: Extraction) -> tuple[set[str], Counter[str]]:
    keys = list(_keys(given))
    return {key for path, key in keys if path.count("/") == 1}, Counter(k for p, k in keys if p.count("/") > 1)


def _keys(given: Extraction) -> Iterator[tuple[str, str]]:
    for path, entry in given.fields.items():
        if entry.value is not None and (key := _key(entry.value)):
            yield path, key


def _key(value: Scalar) -> str:
    if isinstance(value, (int, float)):
        return f"{float(value):.2f}"
    return "".join(c for c in unicodedata.normalize("NFKC", str(value)).casefold() if c.isalnum())


def _leaves(field: SchemaField) -> int:
    if field.items is not None:
        return _leaves(field.items)
    return sum(map(_leaves, field.properties)) if field.properties else 1


def main() -> int:
    """Print a line a set and half, and whether both limits are kept."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cache", type=Path, required=True)
    parser.add_argument("--each", type=int, default=4, help="documents of each half of a set")
    parser.add_argument("--half", choices=("development", "other", "both"), default="both")
    parser.add_argument("--verbose", action="store_true")
    options = parser.parse_args()
    words, kept = KeptWords(options.cache), True
    for half in ("development", "other"):
        if options.half not in (half, "both"):
            continue
        lines: list[Line] = []
        for name in SETS:
            cases = [c for c in eval_cases(name) if c.develops == (half == "development")]
            here = [compare(case, words) for case in cases[: options.each]]
            lines += here
            _tell(f"{half}: {name}", here)
            for line in here if options.verbose else ():
                print(f"   {line.case.path.name}: {line.found}/{line.own}, {line.own_fields} → {line.fields} fields")
                print(*(f"      missed {text}" for text in line.missed), sep="\n")
        share, ratio = _tell(f"{half}: all", lines)
        kept = kept and share >= 0.8 and ratio <= 3
    words.close()
    return 0 if kept else 1


def _tell(name: str, lines: list[Line]) -> tuple[float, float]:
    """Print the figures of some documents and give them: the mean share of values found, the mean ratio of fields."""
    shares = [line.found / line.own for line in lines if line.own]
    share = sum(shares) / max(1, len(shares))
    pooled = sum(line.found for line in lines) / max(1, sum(line.own for line in lines))
    ratio = sum(line.fields / line.own_fields for line in lines) / max(1, len(lines))
    most = max((line.fields / line.own_fields for line in lines), default=0.0)
    seconds = sum(line.seconds for line in lines) / max(1, len(lines))
    print(
        f"{name:32} {len(lines):3} documents: {share:.3f} of the values a document ({pooled:.3f} of all), "
        f"{ratio:.2f} times the fields (at most {most:.2f}), {seconds:.1f} s"
    )
    return share, ratio


if __name__ == "__main__":
    sys.exit(main())
