"""The page that `make quality` writes."""

from __future__ import annotations

from pathlib import Path

from benchmarks.quality import OTHERS, report
from service.domain.records import Confidence, Extraction, FieldEntry, Verdict
from service.domain.schema import parse_schema
from service.evaluation.answers import Answer
from service.evaluation.cases import Case
from service.evaluation.run import Run, measure_set

NAMES = ("good", "poor")
SCHEMA = parse_schema(
    {
        "type": "object",
        "properties": {name: {"type": "string"} for name in NAMES},
        "x-review": {"critical": ["/good"]},
    }
)


def test_the_page_tells_weak_rows_what_is_wanted_and_both_halves():
    """A field that is always wrong is named with what it costs in the half that is looked at, a right one is not."""
    cases = [
        Case(path=Path(f"{n}.pdf"), file=f"{n}.pdf", schema=SCHEMA, truth=dict.fromkeys(NAMES, "x")) for n in range(10)
    ]
    entries = {
        f"/{name}": FieldEntry(value=value, verdict=Verdict.FOUND, confidence=Confidence.HIGH)
        for name, value in (("good", "x"), ("poor", "y"))
    }
    answer = Answer(extraction=Extraction(values={"good": "x", "poor": "y"}, fields=entries, pages=(1,)), seconds=1.0)
    one = measure_set("sroie", cases, [answer] * 10, seconds=2.0)
    run = Run(model="m", engine="1", made_at="2026-01-02T00:00:00+00:00", sets=(one,))
    page = "\n".join(report({**run.to_json(), "foreign": run.to_json()}, "`abc`", ["sroie"]))
    assert "2026-01-02, commit `abc`" in page
    assert OTHERS.read_text(encoding="utf-8").strip() in page
    assert "| sroie | `poor` | 5 | 5 | 0.000 | 0.000 | 0.000 |" in page
    assert "| sroie | `good` |" not in page
    assert "| sroie | 0.80 | 0.500 | 0.500 | **not reached** |" in page
    passed = "10 of 10 (1.000) | 10 of 10, ≤ 1.000 | 10 of 10 (1.000) | 0 of 10, ≤ 0.278"
    assert f"| sroie | 1.000 | 0.500 of 20, ≥ 0.299 | {passed} | 0 | –, ≤ 1.000 |" in page
    assert "| the same by critical fields | ≥ 0.3 | 1.000 of 5 | reached |" in page
