"""Labels and layout of papers that nothing was made for: scripts without spaces, tables of words, ranges, captions."""

from __future__ import annotations

from service.domain.records import Json
from tests.unit.embedded.asking import DATE, NUMBER, TEXT, ask
from tests.unit.embedded.laid_out import rows


def test_labels_without_spaces_say_more_or_less_than_the_name_of_the_field():
    """A word before or behind it, or a note in brackets, is no other label; what says all of it goes first."""
    pieces = [
        (60, 60, "お支払期限"), (200, 60, "翌月末"), (60, 80, "仕入先名称"), (200, 80, "椋ノ江紙業"),
        (60, 100, "合計"), (200, 100, "1,200"), (60, 120, "税込合計(円)"), (200, 120, "1,320"),
    ]  # fmt: skip
    wanted: dict[str, Json] = {"支払期限": TEXT, "仕入先": TEXT, "合計金額": NUMBER, "税込合計": NUMBER}
    assert ask(wanted, pieces) == {"支払期限": "翌月末", "仕入先": "椋ノ江紙業", "合計金額": 1200, "税込合計": 1320}


def table(*columns: str, **types: str) -> Json:
    """A list `rows` of objects with some columns, texts unless said otherwise (`number`, or `date`)."""
    cells: dict[str, Json] = {c: DATE if types.get(c) == "date" else {"type": types.get(c, "string")} for c in columns}
    return {"type": "array", "items": {"type": "object", "properties": cells}}


def cells_of(found: dict[str, Json]) -> list[list[Json]]:
    """The rows of the list `rows`, cell by cell."""
    told = found["rows"]
    assert isinstance(told, list)
    return [list(row.values()) for row in told if isinstance(row, dict)]


COURSES = [["Unit", "Points", "Sat on", "Mark"], ["Hydrology", "7.5", "03/02/2026", "B"],
           ["Surveying", "6.0", "14/05/2026", "A"], ["Soil science", "4.5", "27/05/2026", "C"]]  # fmt: skip


def test_columns_between_known_ones_take_the_fields_between_theirs():
    """Neither `Points` nor `Sat on` says what is asked for; the kinds and the order do."""
    wanted = table("unit", "credits", "day", "mark", credits="number", day="date")
    found = ask({"rows": wanted}, rows((60, 200, 290, 400), 100, 14, COURSES))
    assert cells_of(found) == [
        ["Hydrology", 7.5, "2026-02-03", "B"],
        ["Surveying", 6.0, "2026-05-14", "A"],
        ["Soil science", 4.5, "2026-05-27", "C"],
    ]


def test_a_table_of_which_no_word_is_known_is_told_by_the_kinds_of_its_columns():
    """As many columns as fields, in their order; a table with others in their place is none of it."""
    wanted = table("materia", "crediti", "giorno", "voto", crediti="number", giorno="date")
    found = ask({"rows": wanted}, rows((60, 200, 290, 400), 100, 14, COURSES))
    assert [row[0] for row in cells_of(found)] == ["Hydrology", "Surveying", "Soil science"]
    other = table("giorno", "materia", "voto", "crediti", crediti="number", giorno="date")
    assert ask({"rows": other}, rows((60, 200, 290, 400), 100, 14, COURSES)) == {"rows": []}


def test_rows_of_words_alone():
    """They need no figure; what stands far under them is no row."""
    cells = [["Task", "Where", "Who does it"], ["Sweep the yard", "Yard", "Ottoline Marsh"],
             ["Wash the windows", "Hall", "Conrad Bell"]]  # fmt: skip
    pieces = [*rows((60, 220, 330), 100, 14, cells), (60, 240, "Seen by"), (220, 240, "R. Marsh"), (330, 240, "Office")]
    found = ask({"rows": table("task", "place", "person")}, pieces)
    assert [row[0] for row in cells_of(found)] == ["Sweep the yard", "Wash the windows"]
    assert [row[2] for row in cells_of(found)] == ["Ottoline Marsh", "Conrad Bell"]


def test_a_header_of_several_words_is_one():
    """Only `reference` is asked for, and the whole column under `Values of reference` is its."""
    cells = [["Test", "Result", "Values of reference"], ["Sodium", "141.0", "136.0 - 145.0"],
             ["Glucose", "5.2", "3.9 - 5.8"]]  # fmt: skip
    found = ask({"rows": table("test", "result", "reference", result="number")}, rows((60, 200, 300), 100, 14, cells))
    assert cells_of(found) == [
        ["Sodium", 141.0, "136.0 - 145.0"],
        ["Glucose", 5.2, "3.9 - 5.8"],
    ]


LOG: dict[str, Json] = {
    "machine": TEXT,
    "inventory_number": TEXT,
    "operator": TEXT,
    "hours": NUMBER,
    "next_service": DATE,
}
LOGGED = [("Stroj", "Lis PH-40"), ("Inventory number", "INV-5561"), ("Obsluha", "Ottoline Marsh"),
          ("Hours", "1391"), ("Další kontrola", "23.04.2026")]  # fmt: skip


def test_a_field_whose_label_says_nothing_takes_the_value_at_its_place_in_the_order():
    """Between, before and behind those whose labels tell them, where nothing else fits."""
    pieces = rows((60, 220), 80, 20, LOGGED)
    assert ask(LOG, pieces) == {
        "machine": "Lis PH-40", "inventory_number": "INV-5561", "operator": "Ottoline Marsh", "hours": 1391,
        "next_service": "2026-04-23",
    }  # fmt: skip


def test_the_order_tells_nothing_where_it_is_not_that_of_the_schema_or_leaves_a_choice():
    """Fields that the document may not have stay empty."""
    turned = dict(reversed(LOG.items()))
    assert ask(turned, rows((60, 220), 80, 20, LOGGED))["operator"] is None
    more = [*LOGGED[:3], ("Poznámka", "Po opravě"), *LOGGED[3:]]
    assert ask(LOG, rows((60, 220), 80, 20, more))["operator"] is None
    foreign: dict[str, Json] = {"hair_colour": TEXT, "shoe_size": NUMBER, "flight_date": DATE}
    found = ask({"inventory_number": TEXT, "hours": NUMBER, **foreign}, rows((60, 220), 80, 20, LOGGED))
    assert [found[name] for name in foreign] == [None, None, None]
