"""Words by columns and back."""

from __future__ import annotations

import json

import pytest

from service.domain.geometry import Box
from service.domain.pages import Word
from service.domain.word_columns import from_columns, to_columns

WORDS = (Word("Total", Box(0.1, 0.2, 0.3, 0.25), 3, 9.5, bold=True), Word("12", Box(0, 0, 1, 1), 4, certainty=0.75))


@pytest.mark.parametrize("words", [(), WORDS])
def test_words_survive(words: tuple[Word, ...]) -> None:
    """Every part of each."""
    assert from_columns(json.loads(json.dumps(to_columns(words)))) == words


@pytest.mark.parametrize(
    "wrong", [{"text": [1, 2]}, {"x0": [0.1, "0.2"]}, {"line": [1]}, {"bold": None}, {"size": [1.0, True]}]
)
def test_what_is_no_words_is_refused(wrong: dict[str, object]) -> None:
    """A sandbox or a store that holds something else does not get far."""
    with pytest.raises(ValueError, match="words"):
        from_columns({**to_columns(WORDS), **wrong})
    with pytest.raises(ValueError, match="words"):
        from_columns(list(wrong))
