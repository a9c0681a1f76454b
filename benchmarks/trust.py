"""How often a value is right that is `high` because the embedded model agrees, by the chance from which that counts.

    python -m benchmarks.trust --cache DIR [SET …]

The other model is made up: it answers with the true values of a document, but for a share of them, in whose place
stands another value of the same kind from the same document; and where the embedded model is wrong itself, it makes the
same mistake that often. It tells no confidence and no places, as servers in OpenAI's form do. Fields whose truth is
weak are left out.

Reads the evaluation documents beside the repository (or in FIELDMARK_EVAL), which are never part of it; their words are
kept in the folder that is named.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.eval_words import KeptWords
from benchmarks.real_documents import eval_folder
from service.domain.pages import PageText
from service.domain.records import BoxCheck, Extraction, Json, Scalar
from service.domain.schema import general_pointer, walk_leaves
from service.domain.shares import Share
from service.embedded.model import EmbeddedModel
from service.evaluation.cases import Case, load_cases
from service.evaluation.compare import is_same
from service.extraction.confidence.trust import Opinion
from service.extraction.decoding.decode import decode_choice
from service.extraction.grounding.ground import ground
from service.extraction.schema.shape import walk_fields
from service.protocol.completion import Choice, Message

SETS = ("sroie", "wildreceipt", "adbuy", "invoices-eu-xml", "invoices-misc", "tax-forms", "nda")
BARS = (0.0, 0.3, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95)


@dataclass(frozen=True, kw_only=True)
class OtherModel:
    """How wrong it is."""

    wrong: float
    """Share of its values that are others of the document."""
    alike: float
    """Share of the embedded model's mistakes that it makes too."""

    def answer(self, case: Case, embedded: Extraction, dice: random.Random) -> tuple[Json, frozenset[str]]:
        """Its values, and the pointers of those that are wrong."""
        kinds = {path: field for path, field in walk_fields(case.schema.root)}
        leaves = [(path, value) for path, value in walk_leaves(case.truth) if value is not None]
        by_kind: dict[tuple[str, str | None], list[Scalar]] = defaultdict(list)
        for path, value in leaves:
            if field := kinds.get(general_pointer(path)):
                by_kind[field.type, field.format].append(value)
        changed: dict[str, Scalar] = {}
        for path, value in leaves:
            field, own = kinds.get(general_pointer(path)), embedded.fields.get(path)
            if field is None or path.split("/")[1] in case.ignored:
                continue
            mistake = own.value if own is not None and own.value is not None else value
            others = [v for v in by_kind[field.type, field.format] if not is_same(field, value, v)]
            if not is_same(field, value, mistake) and dice.random() < self.alike:
                changed[path] = mistake
            elif others and dice.random() < self.wrong:
                changed[path] = dice.choice(others)
        return _with(case.truth, changed), frozenset(changed)


OTHERS: Mapping[str, OtherModel] = {
    "few mistakes": OtherModel(wrong=0.05, alike=0.05),
    "many mistakes": OtherModel(wrong=0.3, alike=0.3),
    "the embedded model's mistakes": OtherModel(wrong=0.1, alike=0.5),
}


@dataclass(frozen=True)
class Agreed:
    """A value that stands at one place, on which both agree."""

    chance: float
    right: bool


def _with(value: Json, changed: Mapping[str, Scalar], path: str = "") -> Json:
    if isinstance(value, dict):
        return {name: _with(child, changed, f"{path}/{name}") for name, child in value.items()}
    if isinstance(value, list):
        return [_with(child, changed, f"{path}/{number}") for number, child in enumerate(value)]
    return changed.get(path, value)


def agreed(case: Case, pages: Sequence[PageText], embedded: Extraction, other: OtherModel) -> tuple[list[Agreed], int]:
    """The values that could be `high` by agreement, and how many the other model gave."""
    values, wrong = other.answer(case, embedded, random.Random(case.file))
    message = Message(content=json.dumps(values, ensure_ascii=False))
    numbers = tuple(page.page for page in pages)
    found = decode_choice(Choice(message=message, finish_reason="stop"), schema=case.schema, pages=numbers, model="m")
    found = ground(found, case.schema, {page.page: page for page in pages})
    opinion, seen, given = Opinion(embedded, bar=0.0), list[Agreed](), 0
    for path, entry in found.fields.items():
        evidence = found.evidence.get(path)
        if entry.value is None or evidence is None or path.split("/")[1] in case.ignored:
            continue
        given += 1
        view = opinion.of(path, entry)
        if view is not None and view.agrees and entry.box_check is BoxCheck.MATCH and evidence.places == 1:
            seen.append(Agreed(view.chance, path not in wrong))
    return seen, given


def measure(sets: Sequence[str], cache: Path) -> dict[str, tuple[list[Agreed], int]]:
    """By other model: what both agree on, and how many values it gave."""
    words, model = KeptWords(cache), EmbeddedModel()
    told: dict[str, tuple[list[Agreed], int]] = {name: ([], 0) for name in OTHERS}
    try:
        for case in (case for name in sets for case in load_cases(eval_folder() / "sets" / name)):
            pages = words.pages(case.path)
            embedded = model.extract(case.schema, pages)
            for name, other in OTHERS.items():
                seen, given = agreed(case, pages, embedded, other)
                told[name] = (told[name][0] + seen, told[name][1] + given)
    finally:
        words.close()
    return told


def table(told: Mapping[str, tuple[Sequence[Agreed], int]]) -> Iterator[str]:
    """Line by line."""
    yield "| other model | counts from | values | `high` | of these right | 95 % at least |"
    yield "|---|---|---|---|---|---|"
    for name, (seen, given) in told.items():
        for bar in BARS:
            chosen = [one for one in seen if one.chance >= bar]
            share = Share(sum(one.right for one in chosen), len(chosen))
            right = f"{share.value or 0.0:.3f} | {share.least:.3f}"
            yield f"| {name} | {bar:.2f} | {given} | {share.count / max(given, 1):.3f} | {right} |"


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cache", type=Path, required=True, help="folder for the words of the documents")
    parser.add_argument("sets", nargs="*", default=SETS)
    given = parser.parse_args()
    print("\n".join(table(measure(given.sets, given.cache))))
    return 0


if __name__ == "__main__":
    sys.exit(main())
