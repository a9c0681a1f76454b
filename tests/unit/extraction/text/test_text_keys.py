"""Keys of many words at once, and places of numbers by their digits."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.domain.geometry import Box
from service.domain.pages import PageSize, PageText, TextSource, Word
from service.extraction.grounding.page_index import PageIndex
from service.extraction.text.keys import match_key, match_keys

texts = st.text(st.characters(max_codepoint=0x17F), max_size=8) | st.text(st.characters(codec="ascii"), max_size=8)


@given(st.lists(texts, max_size=6))
def test_keys_of_many_are_the_keys_of_each(words: list[str]) -> None:
    """Line breaks inside a text and letters outside ASCII too."""
    assert match_keys(words) == [match_key(word) for word in words]


@pytest.mark.parametrize(
    ("printed", "value"),
    [
        (("1", "234,56"), "1234.56"),
        (("1,200.00",), "1200"),
        (("0.050",), "0.05"),
        (("19%",), "0.19"),
        (("١٢٣",), "123"),
        (("0",), "0"),
        (("(7.50)",), "-7.5"),
    ],
)
def test_a_number_is_found_however_it_is_printed(printed: tuple[str, ...], value: str) -> None:
    """Groups, zeros at the ends, percent, digits of other scripts, brackets for a minus."""
    words = tuple(
        Word(text, Box(0.1 + 0.1 * n, 0.1, 0.19 + 0.1 * n, 0.12), line=0) for n, text in enumerate(("Sum", *printed))
    )
    index = PageIndex(PageText(size=PageSize(1, 595.0, 842.0), source=TextSource.DIGITAL, words=words))
    assert [place.words for place in index.find_number(Decimal(value).normalize())] == [tuple(range(1, len(words)))]
    assert index.find_number(Decimal(987654)) == []
