"""The embedded model on the evaluation sets by words that were read before: what `make quality` counts, without OCR."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from benchmarks.eval_sets import prepare
from benchmarks.eval_words import KeptWords
from service import __version__
from service.domain.errors import ErrorCode
from service.domain.records import JsonObject
from service.embedded.model import EmbeddedModel
from service.evaluation.answers import Answer
from service.evaluation.cases import Case, load_cases
from service.evaluation.run import Run, SetReport, measure_set


def evaluate_words(sets: Sequence[Path], words: Path, *, foreign: bool) -> JsonObject:
    """One run over all sets, as `fieldmark evaluate --json` gives it; a document that is not kept is read first."""
    kept = KeptWords(words)
    try:
        with tempfile.TemporaryDirectory() as folder:
            prepared = prepare(sets, Path(folder), foreign=foreign)
            reports = tuple(_measured(path, kept) for path in prepared)
    finally:
        kept.close()
    run = Run(
        model=EmbeddedModel().name,
        engine=__version__,
        made_at=datetime.now(UTC).isoformat(timespec="seconds"),
        sets=reports,
    )
    return run.to_json()


def _measured(folder: Path, kept: KeptWords) -> SetReport:
    cases = load_cases(folder)
    answers = [_answer(case, kept) for case in cases]
    return measure_set(folder.name, cases, answers, seconds=sum(answer.seconds for answer in answers))


def _answer(case: Case, kept: KeptWords) -> Answer:
    try:
        pages = kept.pages(case.path)
    except Exception:  # a document that cannot be read counts as empty, as in the service
        return Answer(extraction=None, code=ErrorCode.NO_FILE)
    began = time.perf_counter()
    extraction = EmbeddedModel().extract(case.schema, pages)
    return Answer(extraction=extraction, seconds=time.perf_counter() - began)
