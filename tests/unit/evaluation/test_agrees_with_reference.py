"""Our figures are those of the reference script that lies beside the evaluation sets."""

from __future__ import annotations

import importlib.util
import json
import os
import random
from collections import defaultdict
from pathlib import Path
from types import ModuleType

import pytest

from service.domain.geometry import Box
from service.domain.records import Confidence, Extraction, FieldEntry, Json, Location, Verdict
from service.domain.schema import walk_leaves
from service.evaluation.answers import Answer
from service.evaluation.cases import Case, load_cases
from service.evaluation.report import measure

EVAL = Path(os.environ.get("FIELDMARK_EVAL", Path(__file__).parents[3].parent / "shared" / "eval"))


def reference() -> ModuleType:
    """The script of the evaluation sets, loaded from where it lies."""
    path = EVAL / "score.py"
    if not path.is_file():
        pytest.fail(f"{path} is missing: set FIELDMARK_EVAL to the folder of the evaluation documents")
    spec = importlib.util.spec_from_file_location("reference_score", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def spoiled(value: Json, dice: random.Random) -> Json:
    """The truth with some values changed, dropped or doubled."""
    if isinstance(value, dict):
        return {k: spoiled(v, dice) for k, v in value.items() if dice.random() > 0.1}
    if isinstance(value, list):
        kept = [spoiled(v, dice) for v in value if dice.random() > 0.15]
        return [*kept, *(kept[:1] if dice.random() < 0.2 else [])]
    if dice.random() < 0.2:
        return None if dice.random() < 0.5 else f"{value}x" if isinstance(value, str) else value
    return value


def answer(case: Case, dice: random.Random) -> Extraction:
    """An extraction that is mostly right."""
    values = spoiled(case.truth, dice)
    assert isinstance(values, dict)
    for name in sorted(case.absent):
        if dice.random() < 0.3:
            values[name] = "invented"
    fields: dict[str, FieldEntry] = {}
    for path, leaf in walk_leaves(values):
        known = case.places.get(path, ())
        box = known[0].box if known and dice.random() < 0.7 else Box(0.01, 0.01, 0.02, 0.02)
        page = known[0].page if known else 1
        fields[path] = FieldEntry(
            value=leaf,
            verdict=Verdict.FOUND,
            confidence=dice.choice((Confidence.HIGH, Confidence.LOW)),
            location=Location(page, box.quad()),
        )
    return Extraction(values=values, fields=fields, pages=(1,))


@pytest.mark.eval
@pytest.mark.parametrize("name", ["invoices-eu-xml", "nda", "wildreceipt", "tax-forms"])
def test_every_count_is_the_reference_count(name: str) -> None:
    """Seeded wrong answers over a whole set give the same counts for every field."""
    module = reference()
    dice = random.Random(7)
    cases = load_cases(EVAL / "sets" / name)
    answers = {case.file: answer(case, dice) for case in cases}
    report = measure(cases, [Answer(extraction=answers[case.file]) for case in cases], seconds=1.0)
    tallies: defaultdict[str, object] = defaultdict(module.Tally)
    for line in (EVAL / "sets" / name / "truth.jsonl").read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        found = answers[row["file"]]
        fields = {
            path: {
                "confidence": str(e.confidence),
                "page": e.location.page if e.location else None,
                "coordinates": [{"x": p.x, "y": p.y} for p in e.location.coordinates] if e.location else [],
            }
            for path, e in found.fields.items()
        }
        module.score_document(row, {"values": found.values, "fields": fields}, tallies)
    for field, tally in tallies.items():
        counts = tally.c
        ours = report.fields[field]
        assert (field, counts["present"], counts["filled"], counts["right"]) == (
            field,
            ours.present,
            ours.filled,
            ours.right,
        )
        assert (field, counts["absent"], counts["false_fill"]) == (field, ours.absent, ours.false_fill)
        assert (field, counts["high"], counts["high_right"]) == (field, ours.high, ours.high_right)
        assert (field, counts["boxed"], counts["box_hit"]) == (field, ours.boxed, ours.box_hit)
