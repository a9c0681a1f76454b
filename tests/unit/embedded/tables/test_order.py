"""Tables whose headers say little: columns in the order of the schema, units under a header, figures beside texts."""

from __future__ import annotations

from dataclasses import replace

import pytest

from service.domain.pages import PageText, TextSource
from service.domain.records import Json, JsonObject
from tests.unit.embedded.asking import DATE, NUMBER, TEXT, values_of
from tests.unit.embedded.laid_out import page, rows

X = (50.0, 130.0, 280.0, 370.0, 460.0)
BODY = (
    ("310", "Rope", "40,50", "38,00", "2,50"),
    ("325", "Pulleys", "112,00", "120,00", "-8,00"),
    ("400", "Grease", "7,25", "7,25", "0,00"),
)
COSTS: JsonObject = {"centre": TEXT, "thing": TEXT, "meant": NUMBER, "spent": NUMBER, "left": NUMBER}


def table(columns: JsonObject) -> JsonObject:
    """A schema of one array of objects."""
    items: Json = {"type": "object", "properties": columns}
    return {"type": "object", "properties": {"entries": {"type": "array", "items": items}}}


def read(columns: JsonObject, *pages: PageText) -> list[list[Json]]:
    """The rows of the array, cells in the order of the schema."""
    found = values_of(table(columns), *pages)["entries"]
    assert isinstance(found, list)
    return [list(row.values()) for row in found if isinstance(row, dict)]


def test_units_under_a_header_are_no_row():
    """They stand a row below it, under some of its cells."""
    header = ("Kst.", "Sache", "Ansatz", "Ergebnis", "Saldo")
    pieces = rows(X, 100, 18, (header, ("", "", "EUR", "EUR", "EUR"), *BODY))
    found = read(COSTS, page(pieces))
    assert [row[:4] for row in found] == [
        ["310", "Rope", 40.5, 38.0], ["325", "Pulleys", 112.0, 120.0], ["400", "Grease", 7.25, 7.25],
    ]  # fmt: skip


def test_a_header_cell_goes_on_in_the_next_line():
    """No word of the header is one of the schema, and one cell of it has a second line."""
    header = ("Kst.", "Was das", "Ansatz", "Ergebnis", "Saldo")
    pieces = [*rows(X, 100, 18, (header,)), (X[1], 112, "ist"), *rows(X, 136, 18, BODY)]
    assert [row[1] for row in read(COSTS, page(pieces))] == ["Rope", "Pulleys", "Grease"]


def test_numbered_headers_are_headers():
    """`R1`, `R2` are no values: a letter leads their digits."""
    body = (("1", "Ada Brook", "50", "53"), ("2", "Cleo Dell", "95", "94"), ("3", "Eve Ford", "99", "65"))
    columns: JsonObject = {"rank": NUMBER, "swimmer": TEXT, "first_lap": NUMBER, "second_lap": NUMBER}
    found = read(columns, page(rows(X, 100, 18, (("Plac.", "Wer", "R1", "R2"), *body))))
    assert found == [[1.0, "Ada Brook", 50.0, 53.0], [2.0, "Cleo Dell", 95.0, 94.0], [3.0, "Eve Ford", 99.0, 65.0]]


def test_a_label_that_clearly_says_otherwise_beats_the_order():
    """Credit is printed before debit, and both are called so."""
    header = ("Date", "Text", "Credit", "Debit")
    body = (("02.03.2026", "Fee", "0.00", "4.20"), ("05.03.2026", "Wages", "810.00", "0.00"))
    columns: JsonObject = {"date": DATE, "text": TEXT, "debit": NUMBER, "credit": NUMBER}
    found = read(columns, page(rows(X, 100, 18, (header, *body))))
    assert [row[2:] for row in found] == [[4.2, 0.0], [0.0, 810.0]]


def test_a_label_of_another_column_does_not_hide_the_order():
    """`Item` may mean the material too, but numbers stand under it, and no other word says what is asked for."""
    header = ("Item", "Part number", "Name", "Made of", "Pcs.")
    body = (("1", "14-7863", "Ring", "Brass", "7"), ("2", "19-6547", "Bearing", "Steel", "10"))
    columns: JsonObject = {"pos": NUMBER, "part_no": TEXT, "name": TEXT, "material": TEXT, "qty": NUMBER}
    found = read(columns, page(rows(X, 100, 18, (header, *body))))
    assert found == [[1.0, "14-7863", "Ring", "Brass", 7.0], [2.0, "19-6547", "Bearing", "Steel", 10.0]]


def test_a_figure_of_a_right_aligned_column_is_not_taken_for_that_behind_it():
    """The figures end where their header ends, right before the next column begins."""
    pieces = rows((50.0, 230.0, 290.0, 420.0), 100, 18, (("Illness", "Doses given", "Day", "Batch"),))
    for line, (ill, dose, day) in enumerate((("Tetanus", "2", "15.10.2021"), ("Mumps", "1", "03.11.2021"))):
        y = 118 + 18 * line
        pieces += [(50, y, ill), (281, y, dose), (290, y, day), (420, y, f"UB88{line}4")]
    columns: JsonObject = {"illness": TEXT, "doses": NUMBER, "day": DATE, "batch": TEXT}
    assert [row[1] for row in read(columns, page(pieces))] == [2.0, 1.0]


@pytest.mark.parametrize("gap", [8.0, 9.5])
def test_a_figure_and_a_text_close_behind_it_are_two_cells(gap: float):
    """They stand apart less than cells do, but in every row at the same place."""
    pieces = rows((50.0, 130.0), 100, 18, (("Course", "Title"),))
    pieces += [(250, 100, "Points"), (280 + gap, 100, "Mark"), (400, 100, "Date")]
    for line, (title, points, mark) in enumerate(
        (("Statics", "7.5", "B"), ("Anatomy", "3.0", "C"), ("Law", "6.5", "E"))
    ):
        y = 118 + 18 * line
        pieces += [(50, y, f"HF746{line}"), (130, y, title), (265, y, points), (280 + gap, y, mark)]
        pieces.append((400, y, f"2026-03-0{line + 1}"))
    columns: JsonObject = {"course": TEXT, "title": TEXT, "points": NUMBER, "mark": TEXT, "date": DATE}
    assert [row[2:4] for row in read(columns, page(pieces))] == [[7.5, "B"], [3.0, "C"], [6.5, "E"]]


def test_a_list_ends_where_the_next_heading_is_written_as_its_own():
    """What is bold as the heading of the list heads something else."""
    seats = page([(50, 100, "Participants"), (50, 120, "Ada Brook, Cleo Dell, Eve Ford"), (50, 140, "Decisions")])
    words = tuple(replace(w, bold=w.text in ("Participants", "Decisions")) for w in seats.words)
    wanted: JsonObject = {"participants": {"type": "array", "items": {"type": "string"}}}
    found = values_of({"type": "object", "properties": wanted}, replace(seats, words=words))
    assert found["participants"] == ["Ada Brook", "Cleo Dell", "Eve Ford"]


@pytest.mark.parametrize("header", ["Your value Flag", "Result Sign"])
def test_a_figure_and_a_text_in_one_cell_are_the_cells_of_two_fields(header: str):
    """A scan brought them together; one header or none of them is known."""
    body = (("Iron", "10.6 L", "mg/L", "1.1"), ("Sodium", "27.8 H", "mmol/L", "2.5"), ("Zinc", "5.4 L", "mg/L", "7.8"))
    columns: JsonObject = {"component": TEXT, "result": NUMBER, "flag": TEXT, "unit": TEXT, "low": NUMBER}
    pieces = rows((50.0, 150.0, 300.0, 420.0), 100, 18, (("Component", header, "Unit", "Low"), *body))
    found = read(columns, page(pieces, source=TextSource.OCR))
    assert [row[1:3] for row in found] == [[10.6, "L"], [27.8, "H"], [5.4, "L"]]


def test_a_unit_behind_a_figure_stays_where_nothing_asks_for_it():
    """The field behind has cells of its own."""
    body = (("Iron", "10.6 mg", "low"), ("Sodium", "27.8 mg", "high"))
    columns: JsonObject = {"component": TEXT, "result": NUMBER, "verdict": TEXT}
    found = read(columns, page(rows((50.0, 150.0, 300.0), 100, 18, (("Component", "Result", "Verdict"), *body))))
    assert [row[1:] for row in found] == [[10.6, "low"], [27.8, "high"]]
