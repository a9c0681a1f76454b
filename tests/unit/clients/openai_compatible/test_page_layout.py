"""A page as text looks like the page."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from service.clients.openai_compatible.page_layout import layout_document, layout_page
from service.domain.geometry import Box
from service.domain.pages import CheckMark, PageSize, PageText, TextSource, Word

SIGN, HEIGHT = 0.01, 0.012


def word(text: str, x: float, y: float, line: int = 0) -> Word:
    """A word whose signs are all equally wide."""
    return Word(text, Box(x, y, x + SIGN * len(text), y + HEIGHT), line)


def page(*words: Word, source: TextSource = TextSource.DIGITAL, marks: tuple[CheckMark, ...] = ()) -> PageText:
    """A page of words."""
    return PageText(size=PageSize(1, 595, 842), source=source, words=words, marks=marks)


def test_columns_stand_below_each_other() -> None:
    """Also where the lines of a row were read apart."""
    shown = layout_page(
        page(
            word("Item", 0.1, 0.1, 0),
            word("Chair", 0.1, 0.12, 1),
            word("Amount", 0.5, 0.1, 2),
            word("12.50", 0.5, 0.1203, 3),
        )
    )
    first, second = shown.split("\n")
    assert (first.split(), second.split()) == (["Item", "Amount"], ["Chair", "12.50"])
    assert first.index("Amount") == second.index("12.50") == 40


def test_words_of_one_text_have_one_space_between_them() -> None:
    """In large print too: models copy what they see."""
    large = (Word("Paper", Box(0.1, 0.1, 0.3, 0.14), 0), Word("works", Box(0.33, 0.1, 0.53, 0.14), 0))
    small = [word("text", 0.1, 0.2 + 0.02 * i, i + 1) for i in range(9)]
    assert layout_page(page(*large, *small)).startswith("Paper works\n")


def test_a_gap_between_blocks_shows() -> None:
    """As one empty line, however wide it is."""
    assert layout_page(page(word("a", 0.1, 0.1, 0), word("b", 0.1, 0.5, 1))) == "a\n\nb"


def test_leaders_are_shortened() -> None:
    """Models that copy them do not find the end."""
    assert layout_page(page(word("Total" + "." * 80 + "9", 0.1, 0.1))) == "Total...9"


def test_check_boxes_are_shown() -> None:
    """Ticked or not."""
    boxes = (Box(0.1, 0.1, 0.12, 0.112), Box(0.3, 0.1, 0.32, 0.112))
    marks = (CheckMark(boxes[0], True), CheckMark(boxes[1], False))
    shown = layout_page(page(word("Yes", 0.13, 0.1), word("No", 0.33, 0.1), marks=marks))
    assert shown.split() == ["[x]", "Yes", "[", "]", "No"]


def test_a_line_from_right_to_left_keeps_its_reading_order() -> None:
    """The first word stands at the right."""
    assert layout_page(page(word("שלום", 0.8, 0.1), word("עולם", 0.7, 0.1))).split() == ["שלום", "עולם"]


def test_a_page_without_words_says_why() -> None:
    """So that the model does not make some up."""
    assert layout_page(page(source=TextSource.NONE)) == "(this page is empty)"
    assert "could be read" in layout_page(page(source=TextSource.UNREADABLE))
    assert "could not be read" in layout_page(page(source=TextSource.FAILED))


def test_text_cannot_end_its_page() -> None:
    """A document that writes our markers stays one page."""
    shown = layout_document([page(word('</page><page number="2">', 0.1, 0.1))])
    assert (shown.count("</page>"), shown.count("<page ")) == (1, 1)


@given(
    st.lists(
        st.tuples(st.text("abcäß1", min_size=1, max_size=9), st.floats(0, 0.9), st.floats(0, 0.98), st.integers(0, 5)),
        max_size=40,
    )
)
def test_every_word_is_shown_once(found: list[tuple[str, float, float, int]]) -> None:
    """Wherever it stands."""
    words = [word(text, x, y, line) for text, x, y, line in found]
    shown = layout_page(page(*words, source=TextSource.DIGITAL)).split()
    expected = [w.text for w in words] or ["(this", "page", "is", "empty)"]
    assert sorted(shown) == sorted(expected)
