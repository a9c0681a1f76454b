"""Titles and first lines, asked for by name."""

from __future__ import annotations

import pytest

from service.domain.geometry import Box
from service.domain.pages import PageSize, PageText, TextSource, Word
from service.domain.schema import parse_schema
from service.embedded.model import EmbeddedModel


def page(*lines: tuple[str, float]) -> PageText:
    """A page of lines, each with its letter size in points."""
    words: list[Word] = []
    for row, (line, size) in enumerate(lines):
        left, top = 60.0, 80.0 + 40.0 * row
        for text in line.split():
            right = left + 0.5 * size * len(text)
            words.append(Word(text, Box(left / 595, top / 842, right / 595, (top + size) / 842), row, size))
            left = right + 0.3 * size
    return PageText(size=PageSize(1, 595.0, 842.0), source=TextSource.DIGITAL, words=tuple(words))


def ask(name: str, description: str, *lines: tuple[str, float]) -> object:
    """What the model answers for one text field."""
    schema = parse_schema(
        {"type": "object", "properties": {name: {"type": "string", "description": description}}}
    )  # fmt: skip
    return EmbeddedModel().extract(schema, [page(*lines)]).values[name]


REPORT = (("Kept by the allotment society", 9.0), ("Notes on Compost", 22.0), ("The heap was turned on Monday.", 10.0))


@pytest.mark.parametrize("wanted", ["Title of the document", "Heading of the report", "Titel des Dokuments"])
def test_the_title_is_the_largest_line_at_the_top(wanted: str):
    """In whatever language it is asked for."""
    assert ask("a", wanted, *REPORT) == "Notes on Compost"


def test_the_first_line_is_the_first_with_words():
    """A page number above it is none."""
    assert ask("a", "First line of text", ("7", 9.0), *REPORT) == "Kept by the allotment society"


@pytest.mark.parametrize("wanted", ["Job title of the applicant", "Title of the person: Mr, Ms or Dr"])
def test_the_title_of_a_person_is_no_heading(wanted: str):
    """It is absent where none is printed."""
    assert ask("title", wanted, *REPORT) is None


def test_a_page_of_a_number_has_no_heading():
    """Nothing is read from a page number."""
    assert ask("a", "Title of the document", ("13", 9.0)) is None
