"""Words and lines from characters."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st

from service.documents.text.pieces import Glyph, Letters, Piece, TextStyle
from service.documents.text.words import build_words, readable

STYLE = TextStyle(1, (0.0, 100.0), 10.0, 0.0, False, False, True, False)


def typed(
    text: str, x: float = 0.0, base: float = 100.0, *, style: TextStyle = STYLE, width: float = 5.0
) -> list[Glyph]:
    """Characters of a fixed width on one baseline."""
    on = style._replace(across=(x, base))
    return [
        Glyph(char, x + i * width + 0.2, base - 7, x + (i + 1) * width - 0.2, base, on) for i, char in enumerate(text)
    ]


def words_of(glyphs: Sequence[Glyph]) -> list[Piece]:
    """The words of characters given one by one."""
    styles = {id(glyph.style): glyph.style for glyph in glyphs}
    number = {key: index for index, key in enumerate(styles)}
    letters = Letters(
        codes=np.array([ord(glyph.text) for glyph in glyphs], np.int64),
        edges=np.array([glyph[1:5] for glyph in glyphs], np.float64).reshape(-1, 4).T,
        style_of=np.array([number[id(glyph.style)] for glyph in glyphs], np.int64),
        styles=tuple(styles.values()),
    )
    return build_words(letters)


def lines(glyphs: list[Glyph]) -> list[str]:
    """Texts of the lines found."""
    found: dict[int, list[str]] = {}
    for piece in words_of(glyphs):
        found.setdefault(piece.line, []).append(piece.text)
    return [" ".join(texts) for texts in found.values()]


def test_spaces_and_gaps_part_words() -> None:
    """A space in the file does, and so does a wide white gap without one."""
    assert lines([*typed("two words"), *typed("far", 100.0)]) == ["two words far"]
    assert len(words_of([*typed("ab"), *typed("cd", 30.0)])) == 2


def test_a_supposed_space_needs_a_gap() -> None:
    """What the engine supposes counts only where there is white."""
    made_up = Glyph(" ", 10, 100, 10, 100, STYLE._replace(source=0, size=0.0))
    assert [p.text for p in words_of([*typed("ab"), made_up, *typed("cd", 10.0)])] == ["abcd"]


def test_pieces_that_touch_are_one_word() -> None:
    """A number drawn in three pieces, out of order."""
    other = STYLE._replace(source=2)
    glyphs = [*typed("1,"), *typed(".50", 25.0, style=other), *typed("234", 10.0, style=STYLE._replace(source=3))]
    assert [p.text for p in words_of(glyphs)] == ["1,234.50"]


def test_a_ligature_taken_apart_keeps_all_letters() -> None:
    """Two letters with one box are one printed sign, not one letter twice."""
    glyphs = typed("oce", width=5.0)
    ff = [Glyph("f", 5.2, 93, 9.8, 100, glyphs[0].style)] * 2
    assert "".join(p.text for p in words_of([glyphs[0], *ff, *typed("ice", 10.0)])) == "office"


def test_columns_of_running_text_are_read_one_by_one() -> None:
    """Sentences of two columns do not mix; short cells of a table stay in their row."""
    left = [
        "the first column speaks of",
        "boards and how they are cut",
        "from reams that have come in",
        "by boat over the weekend",
    ]
    right = [
        "while the second one has a",
        "word to say on envelopes and",
        "on the people who lick them",
        "all day in the back office",
    ]
    prose = [
        g
        for i, (a, b) in enumerate(zip(left, right, strict=True))
        for g in (*typed(a, 0, 12.0 * i), *typed(b, 200, 12.0 * i))
    ]
    assert lines(prose) == [*left, *right]
    table = [g for i in range(4) for g in (*typed(f"row {i}", 0, 12.0 * i), *typed(f"{i}.50", 200, 12.0 * i))]
    assert lines(table) == [f"row {i} {i}.50" for i in range(4)]


def test_vertical_writing_goes_down_then_left() -> None:
    """Upright letters under one another are a line; the right one comes first."""

    def column(text: str, x: float, source: int) -> list[Glyph]:
        style = STYLE._replace(source=source)
        return [Glyph(c, x, 10 + 10 * i, x + 9, 19 + 10 * i, style) for i, c in enumerate(text)]

    assert lines([*column("合計", 50, 1), *column("金額", 80, 2)]) == ["金額", "合計"]


@given(st.text(alphabet="abcdef ghij", min_size=1, max_size=60))
def test_letters_are_neither_lost_nor_made(text: str) -> None:
    """Whatever is typed once comes out once, in its order."""
    assert "".join(p.text for p in words_of(typed(text))) == text.replace(" ", "")


@given(st.text(alphabet="abc l", min_size=1, max_size=40), st.floats(0, 1.1))
def test_drawing_all_twice_changes_nothing(text: str, shift: float) -> None:
    """Fake bold by any small shift gives the same words."""
    again = typed(text, shift, style=STYLE._replace(source=2))
    assert lines([*typed(text), *again]) == lines(typed(text))


def test_presentation_forms_become_letters() -> None:
    """Ligature signs and Arabic shapes are undone, other signs kept."""
    assert readable("ﬁnance ﬂow ½ ²") == "finance flow ½ ²"
    assert readable("\ufefb") == "\u0644\u0627"


@given(st.floats(-40, 700), st.floats(-40, 900), st.floats(-1.1, 1.1), st.floats(-1.1, 1.1))
@example(0.0, -16.0, 0.0, -1.0)  # beyond the edge of the page
def test_a_letter_drawn_twice_is_one_wherever_it_stands(x: float, y: float, right: float, down: float) -> None:
    """Neither the edges of the page nor those of any grid matter; two letters further apart are two."""
    assert [p.text for p in words_of([*typed("k", x, y), *typed("k", x + right, y + down)])] == ["k"]
    assert len("".join(p.text for p in words_of([*typed("l", x, y), *typed("l", x + 2.0, y)]))) == 2
