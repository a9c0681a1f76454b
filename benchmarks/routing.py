"""Whether each document is given the schema it fits, and a stranger none.

    python -m benchmarks.routing --cache DIR [--half development|other|both] [--verbose]

All documents of the evaluation sets among the schemas of `routing_schemas`, one a kind of document (receipts come in
two sets, invoices too) and four that no document has; forty strangers: pages of our own, and files of the evaluation's
`nasty` folder that have text. Then each document once more without the schema it fits, so that it fits none.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.eval_words import KeptWords, eval_cases
from benchmarks.real_documents import eval_folder
from benchmarks.routing_strangers import draw, texts
from service.domain.pages import PageText
from service.domain.schema import ExtractionSchema, parse_schema
from service.embedded.routing import Router

SCHEMAS = Path(__file__).parent / "routing_schemas"
SETS = {
    "sroie": "receipt",
    "wildreceipt": "receipt",
    "funsd": "business_form",
    "adbuy": "ad_order",
    "nda": "nda",
    "invoices-eu-xml": "invoice",
    "invoices-misc": "invoice",
    "tables-icdar2013": "statistics",
    "tax-forms": "tax_form",
}
ALSO_RECEIPTS = ("oyo.pdf", "contoso_statement_3.pdf", "contoso_statement_5.pdf")
"""Of the set of invoices, those that call themselves receipts: either schema is right."""
STRANGE = "strangers"
STRANGE_FILES = (
    "paperless-ngx__test_with_bom.pdf",
    "ocrmypdf__skew.pdf",
    "unstructured__pdf-bad-color-space.pdf",
    "olmocr__skinnypage.pdf",
    "sample-files__with-attachment.pdf",
    "pypdf__encrypted_doc_no_id.pdf",
    "qpdf__annotations-rotated-90.pdf",
    "pdf.js__rotation.pdf",
    "pdf.js__attachment.pdf",
    "ocrmypdf__hugemono.pdf",
)
RIGHT, WRONG, STRANGERS = 0.95, 0.02, 0.8
"""Least share of right ones among the routed, most wrongly routed of all, least share of strangers left unrouted."""


@dataclass(frozen=True, kw_only=True)
class Case:
    """A document and what it is."""

    set_name: str
    name: str
    pages: tuple[PageText, ...]
    fits: tuple[str, ...]
    """Names of the schemas that are right; none for a stranger."""

    @property
    def develops(self) -> bool:
        """Whether it is in the half that rules may be made from."""
        return int(hashlib.sha256(self.name.encode()).hexdigest()[0], 16) % 2 == 0


def schemas() -> list[ExtractionSchema]:
    """The schemas of the benchmark, by name."""
    return [parse_schema(json.loads(file.read_text("utf-8")), file.stem) for file in sorted(SCHEMAS.glob("*.json"))]


def cases(words: KeptWords) -> Iterator[Case]:
    """Every document once."""
    for set_name, schema in SETS.items():
        for path in sorted({case.path for case in eval_cases(set_name)}):
            fits = (schema, "receipt") if path.name in ALSO_RECEIPTS else (schema,)
            yield Case(set_name=set_name, name=path.name, pages=words.pages(path), fits=fits)
    with tempfile.TemporaryDirectory() as folder:
        for name in texts():
            (Path(folder) / f"{name}.pdf").write_bytes(draw(name))
        own = [Path(folder) / f"{name}.pdf" for name in texts()]
        for path in (*own, *(eval_folder() / "nasty" / name for name in STRANGE_FILES)):
            yield Case(set_name=STRANGE, name=path.stem, pages=words.pages(path), fits=())


def judge(case: Case, known: Sequence[ExtractionSchema], router: Router) -> tuple[str, str]:
    """`right`, `wrong` or `unrouted`, and what was found."""
    route = router.route(case.pages)
    best = ", ".join(f"{known[c.schema].name} {c.score}" for c in route.candidates)
    if route.schema is None:
        return "unrouted", f"{route.reason}: {best}"
    return ("right" if known[route.schema].name in case.fits else "wrong"), best


def print_half(found: Iterable[Case], known: Sequence[ExtractionSchema], *, verbose: bool) -> bool:
    """The figures of one half; whether the wanted ones are reached."""
    router, counts, alone = Router(known), Counter[tuple[str, str]](), Counter[str]()
    for case in found:
        verdict, why = judge(case, known, router)
        counts[case.set_name, verdict] += 1
        if verbose and verdict != ("right" if case.fits else "unrouted"):
            print(f"  {verdict} {case.set_name} {case.name}: {why}")
        if case.fits:
            others = [schema for schema in known if schema.name not in case.fits]
            alone[judge(case, others, Router(others))[0]] += 1
    for name in (*SETS, STRANGE):
        print(f"  {name}: " + ", ".join(f"{counts[name, v]} {v}" for v in ("right", "wrong", "unrouted")))
    right, wrong = (sum(counts[name, verdict] for name in SETS) for verdict in ("right", "wrong"))
    everything = sum(count for (name, _), count in counts.items() if name != STRANGE)
    strange = counts[STRANGE, "unrouted"] / max(1, counts[STRANGE, "unrouted"] + counts[STRANGE, "wrong"])
    print(
        f"  right among the routed {right / (right + wrong):.3f}, wrongly routed {wrong / everything:.3f}, "
        f"right of all {right / everything:.3f}, strangers unrouted {strange:.3f}, "
        f"unrouted without their own schema {alone['unrouted'] / everything:.3f}"
    )
    return right / (right + wrong) >= RIGHT and wrong / everything <= WRONG and strange >= STRANGERS


def main() -> int:
    """Print the figures of both halves; 1 if a wanted one is not reached."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cache", type=Path, required=True)
    parser.add_argument("--half", choices=("development", "other", "both"), default="both")
    parser.add_argument("--verbose", action="store_true")
    options = parser.parse_args()
    words, known, good = KeptWords(options.cache), schemas(), True
    everything = list(cases(words))
    words.close()
    for half in ("development", "other"):
        if options.half in (half, "both"):
            print(f"{half}:")
            mine = [case for case in everything if case.develops == (half == "development")]
            good = print_half(mine, known, verbose=options.verbose) and good
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
