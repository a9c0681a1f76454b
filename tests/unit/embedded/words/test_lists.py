"""The packaged lists of words and turns of speech: what a line of data gives, and that every line can be used."""

from __future__ import annotations

import re
from importlib.resources import files

import pytest

from service.embedded.words.lists import cues, word_list
from service.embedded.words.normalise import fold

_LINE = re.compile(r"(?:[a-z]{2}|\*): \S.*")


def _sections(file: str) -> dict[str, list[str]]:
    text = files("service.embedded").joinpath(f"data/{file}").read_text(encoding="utf-8")
    parts = re.split(r"^\[(\w+)\]$", text, flags=re.MULTILINE)
    return {
        name: [line for line in body.splitlines() if line and not line.startswith("#")]
        for name, body in zip(parts[1::2], parts[2::2], strict=True)
    }


@pytest.mark.parametrize("file", ["lists.txt", "cues.txt"])
def test_every_section_has_one_line_a_language(file: str) -> None:
    """A language that were there twice would be lost but for its last line."""
    for name, lines in _sections(file).items():
        assert lines, name
        assert all(map(_LINE.fullmatch, lines)), name
        assert len({line[:2] for line in lines}) == len(lines), name


def test_a_list_holds_the_words_of_all_languages() -> None:
    """All languages are one list."""
    assert {"employer", "arbeitgeber", "empleador", "werkgever"} <= word_list("employer")


def test_a_cue_is_told_in_any_language() -> None:
    """The pieces of all languages are one group."""
    told = re.compile(rf"\b{cues('no_later_than')} \d")
    for text in ("by 3 May", "bis zum 3. Mai", "au plus tard le 3 mai", "uiterlijk op 3 mei", "senast den 3 maj"):
        assert told.search(text), text
    assert not told.search("since 3 May")


def test_every_cue_is_a_pattern_that_matches_something_of_its_own() -> None:
    """No piece is empty, and none holds a group that those around it would count."""
    for name in _sections("cues.txt"):
        pattern = re.compile(cues(name))
        assert pattern.groups == 0, name
        assert pattern.search("") is None, name


def test_words_are_folded() -> None:
    """What is compared with them is folded."""
    plain = (word for name in _sections("lists.txt") if name not in ("yes", "no") for word in word_list(name))
    assert [word for word in plain if word != fold(word)] == []


def test_a_list_that_is_not_there_is_no_empty_one() -> None:
    """A name that is mistyped is told at once."""
    with pytest.raises(KeyError):
        word_list("nothing of the kind")
