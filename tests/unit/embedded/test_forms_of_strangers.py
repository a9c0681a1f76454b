"""Labels and layout of papers that nothing was made for: scripts without spaces, tables of words, ranges, captions."""

from __future__ import annotations

from service.domain.records import Json
from tests.unit.embedded.test_strangers import NUMBER, TEXT, ask


def test_labels_without_spaces_say_more_or_less_than_the_name_of_the_field():
    """A word before or behind it, or a note in brackets, is no other label; what says all of it goes first."""
    pieces = [
        (60, 60, "お支払期限"), (200, 60, "翌月末"), (60, 80, "仕入先名称"), (200, 80, "椋ノ江紙業"),
        (60, 100, "合計"), (200, 100, "1,200"), (60, 120, "税込合計(円)"), (200, 120, "1,320"),
    ]  # fmt: skip
    wanted: Json = {"支払期限": TEXT, "仕入先": TEXT, "合計金額": NUMBER, "税込合計": NUMBER}
    assert ask(wanted, pieces) == {"支払期限": "翌月末", "仕入先": "椋ノ江紙業", "合計金額": 1200, "税込合計": 1320}
