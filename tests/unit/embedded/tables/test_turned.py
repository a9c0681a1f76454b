"""Tables on their side: a line a field, a column a row."""

from __future__ import annotations

from service.domain.records import Json, JsonObject
from tests.unit.embedded.asking import NUMBER, TEXT, values_of
from tests.unit.embedded.laid_out import page, rows

X = (50.0, 250.0, 330.0, 410.0)
YEARS: JsonObject = {"year": {"type": "integer"}, "revenue": NUMBER, "operating_profit": NUMBER, "staff": NUMBER}
FIGURES = (
    ("Revenue", "1,204.5", "1,310.0", "1,422.5"),
    ("Cost of goods", "800.0", "850.0", "900.0"),
    ("Operating profit", "101.5", "99.0", "130.5"),
    ("Staff", "41", "44", "47"),
)


def read(columns: JsonObject, cells: tuple[tuple[str, ...], ...]) -> list[list[Json]]:
    """The rows of one array of objects on a page with a table."""
    items: Json = {"type": "object", "properties": columns}
    schema: JsonObject = {"type": "object", "properties": {"figures": {"type": "array", "items": items}}}
    found = values_of(schema, page(rows(X, 100, 18, cells)))["figures"]
    assert isinstance(found, list)
    return [list(row.values()) for row in found if isinstance(row, dict)]


def test_years_beside_each_other_are_rows():
    """Nothing stands before the years; a line that nothing asks for stands between."""
    assert read(YEARS, (("", "2023", "2024", "2025"), *FIGURES)) == [
        [2023, 1204.5, 101.5, 41.0], [2024, 1310.0, 99.0, 44.0], [2025, 1422.5, 130.5, 47.0],
    ]  # fmt: skip


def test_the_heads_may_have_a_label_of_their_own():
    """`Year` stands before them."""
    assert [row[0] for row in read(YEARS, (("Year", "2023", "2024", "2025"), *FIGURES))] == [2023, 2024, 2025]


def test_models_beside_each_other_are_rows():
    """Their names head the columns."""
    cells = (("", "Finch", "Heron", "Egret"), ("Weight", "12.5", "14.0", "9.5"), ("Colour", "red", "grey", "white"))
    columns: JsonObject = {"model": TEXT, "weight": NUMBER, "colour": TEXT}
    assert read(columns, cells) == [["Finch", 12.5, "red"], ["Heron", 14.0, "grey"], ["Egret", 9.5, "white"]]


def test_labels_with_one_value_each_are_no_table():
    """A form has its fields below each other too."""
    assert read(YEARS, (("Year", "2023"), ("Revenue", "1,204.5"), ("Operating profit", "101.5"))) == []
