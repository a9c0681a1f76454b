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


def test_words_that_lie_as_columns_are_words() -> None:
    """They count, compare and are cut like the same words in a row."""
    lying = from_columns(to_columns(WORDS))
    assert (len(lying), lying[1], lying[1:], list(lying)) == (2, WORDS[1], WORDS[1:], list(WORDS))
    assert lying == WORDS
    assert tuple(lying) == WORDS
    assert lying == from_columns(to_columns(WORDS))
    assert lying != WORDS[:1]
    assert hash(lying) == hash(WORDS)
