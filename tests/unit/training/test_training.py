"""The small twin of the training: the same seed gives the same documents, the same weights, the same judgement."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from random import Random

import numpy as np
import pytest

from service.domain.schema import parse_schema
from service.embedded.confidence import judge
from service.embedded.evidence.features import NAMES
from service.embedded.evidence.trees import read_forest, shipped
from service.embedded.reading import read_document
from training.documents import MAKERS, invent
from training.examples import examples
from training.fit import Size, grow, train
from training.forest import forest_of, write_forest
from training.run import Trained, learn
from training.stranger import make_slip

SMALL = Size(trees=12, leaves=6, least=10)


@pytest.fixture(scope="module")
def small() -> Trained:
    """Weights from a few documents."""
    return learn(40, seed=5, size=SMALL)


def test_the_same_seed_gives_the_same_file(small: Trained, tmp_path: Path):
    """Byte for byte, twice from nothing."""
    write_forest(small.forest, tmp_path / "a.npz")
    write_forest(learn(40, seed=5, size=SMALL).forest, tmp_path / "b.npz")
    assert (tmp_path / "a.npz").read_bytes() == (tmp_path / "b.npz").read_bytes()


def test_documents_do_not_depend_on_how_many_are_made():
    """The first of many are those of a few; another seed gives others."""
    few, many, others = list(invent(3, 4)), list(invent(3, 9)), list(invent(4, 4))
    assert few == many[:4]
    assert few != others


def test_all_kinds_are_made_and_what_is_asked_stands_in_the_schema():
    """A truth or an absence for each field, never both."""
    made = list(invent(1, 120))
    assert {document.kind for document in made} == {kind for kind, _, _ in MAKERS}
    for document in made:
        asked = {child.name for child in parse_schema(document.schema).root.properties}
        assert set(document.truth) | document.absent == asked
        assert not set(document.truth) & document.absent


def test_a_slip_ends_however_many_lines_it_has():
    """Its labels share no word, and words run out."""
    for seed in range(200):
        slip = make_slip(Random(seed))
        assert 0 < len(slip.others) + len(slip.empty) <= 12


def test_the_service_sums_trees_as_the_trainer_does():
    """For every row, also where inputs are missing; of several groves it is the mean."""
    known = examples(invent(6, 25))
    boosters = [grow(known, frozenset(), SMALL, seed=seed) for seed in (1, 2)]
    trainers = [np.asarray(booster.predict(known.table, raw_score=True)) for booster in boosters]
    assert np.allclose(np.mean(trainers, axis=0), forest_of(boosters).scores(known.table))
    whole = train(known, frozenset(), replace(SMALL, groves=2), seed=1)
    assert np.array_equal(whole.scores(known.table), forest_of(boosters).scores(known.table))


def test_what_is_written_is_read_again(small: Trained, tmp_path: Path):
    """Trees, chances and lines."""
    write_forest(small.forest, tmp_path / "a.npz")
    again = read_forest(tmp_path / "a.npz")
    assert np.array_equal(again.scores(small.known.table), small.forest.scores(small.known.table))
    assert again.high.tolist() == small.forest.high.tolist()
    assert (again.floor, again.features) == (small.forest.floor, NAMES)


def test_the_shipped_weights_fit_the_features_and_judge():
    """They were trained on the inputs that the service computes now."""
    assert shipped().features == NAMES
    document = next(d for d in invent(8, 9) if d.kind == "invoice")
    _, judged = judge(read_document(parse_schema(document.schema), document.pages))
    assert judged
    assert all(0.0 < leaf.chance < 1.0 for leaf in judged.values())


def test_surer_values_are_righter():
    """On documents of another seed, what is `high` is right far more often than what is not."""
    known = examples(invent(99, 60))
    scores = shipped().scores(known.table)
    high = scores >= shipped().high[known.family]
    assert high.mean() > 0.2
    assert known.right[high].mean() > 0.96 > known.right[~high].mean()
