"""How right the embedded model is, measured by `fieldmark evaluate`'s own parts; small twins of `make quality`."""

from __future__ import annotations

import os
from collections.abc import Callable, Generator
from pathlib import Path

import pytest

from service.cli.desk.local import LocalDesk
from service.cli.evaluate.run import answer_cases
from service.domain.records import Verdict
from service.evaluation.answers import Answer
from service.evaluation.cases import Case, load_cases
from service.evaluation.compare import is_empty
from service.evaluation.metrics import Tally
from service.evaluation.report import measure
from service.settings import Settings
from tests.fakes.truth_sets import SYNONYMS, first_cases, renamed, write_samples

EVAL = Path(os.environ.get("FIELDMARK_EVAL", Path(__file__).parents[2].parent / "shared" / "eval"))
LOST_BY_NAMES = 0.10
"""Most that may be lost under other names."""
NAMELESS_F1 = 0.85
"""Least that descriptions alone must come to on the samples, in F1 and in recall."""
Answers = Callable[[Path], tuple[tuple[Case, ...], list[Answer]]]


@pytest.fixture(scope="module")
def answers(tmp_path_factory: pytest.TempPathFactory) -> Generator[Answers]:
    """The answers of the embedded model to a set."""
    home = tmp_path_factory.mktemp("home")
    desk = LocalDesk(Settings.model_validate({"home": home, "model": "embedded"}), workers=2)

    def ask(folder: Path) -> tuple[tuple[Case, ...], list[Answer]]:
        cases = load_cases(folder)
        return cases, answer_cases(cases, desk, model=None, jobs=4, report=lambda _: None)

    yield ask
    desk.close()


def total_of(cases: tuple[Case, ...], given: list[Answer]) -> Tally:
    """The counts over every value; each document has an answer."""
    report = measure(cases, given, seconds=1.0)
    assert report.failed == ()
    return report.total


def share(value: float | None) -> float:
    """A share of which something was counted."""
    assert value is not None
    return value


def check_places(given: list[Answer]) -> None:
    """What is said to be found has a box on the page."""
    for answer in given:
        assert answer.extraction is not None
        found = [e for e in answer.extraction.fields.values() if e.verdict is Verdict.FOUND and not is_empty(e.value)]
        assert found
        placed = [e.location for e in found if e.location is not None]
        assert len(placed) == len(found)
        assert all(0 <= p.x <= 1 and 0 <= p.y <= 1 for location in placed for p in location.coordinates)


def test_the_samples_are_right_and_in_their_places_also_under_other_names(
    answers: Answers, tmp_path_factory: pytest.TempPathFactory
):
    """F1 of 0.9 with boxes where their script drew them; synonyms cost little, and empty names not much."""
    named = write_samples(tmp_path_factory.mktemp("samples"))
    cases, given = answers(named)
    total = total_of(cases, given)
    assert share(total.f1) >= 0.9
    assert share(total.box_hit_rate) >= 0.9
    assert share(total.high_precision) >= 0.98
    other = total_of(*answers(renamed(named, tmp_path_factory.mktemp("renamed"), SYNONYMS)))
    assert other.present == total.present
    assert share(other.f1) >= share(total.f1) - LOST_BY_NAMES
    assert share(other.recall) >= share(total.recall) - LOST_BY_NAMES
    nameless = total_of(*answers(renamed(named, tmp_path_factory.mktemp("nameless"))))
    assert nameless.present == total.present
    assert share(nameless.f1) >= NAMELESS_F1
    assert share(nameless.recall) >= NAMELESS_F1


@pytest.mark.eval
def test_real_invoices_are_mostly_right_with_real_boxes_also_under_names_that_say_nothing(
    answers: Answers, tmp_path_factory: pytest.TempPathFactory
):
    """Of twenty invoices six values in ten with a box each; other names cost at most ten points."""
    source = EVAL / "sets" / "invoices-eu-xml"
    if not source.is_dir():
        pytest.fail(f"{source} is missing: set FIELDMARK_EVAL to the folder of the evaluation documents")
    named = first_cases(source, 20, tmp_path_factory.mktemp("invoices"))
    cases, given = answers(named)
    total = total_of(cases, given)
    assert len(cases) == 20
    assert share(total.recall) >= 0.6
    assert share(total.box_hit_rate) >= 0.9
    check_places(given)
    nameless = total_of(*answers(renamed(named, tmp_path_factory.mktemp("renamed"))))
    assert nameless.present == total.present
    assert share(nameless.f1) >= share(total.f1) - LOST_BY_NAMES
    assert share(nameless.recall) >= share(total.recall) - LOST_BY_NAMES
