"""A result for a person's eyes."""

from __future__ import annotations

import io
from typing import Any

from rich.console import Console

from service.cli.result_table import print_result


def shown(fields: dict[str, Any], **options: int) -> str:
    """What a terminal shows of a record with these fields."""
    result = {
        "status": "succeeded",
        "file": {"name": "a.pdf"},
        "usage": {"pages": 2},
        "records": [{"index": 0, "pages": [1, 2], "fields": fields}],
        "issues": [{"code": "page_failed", "page": 2, "message": "Page 2 was lost."}],
    }
    out = io.StringIO()
    print_result(result, Console(file=out, width=120), **options)
    return out.getvalue()


def found(value: Any, page: int = 1) -> dict[str, Any]:
    """A field that was found."""
    return {"value": value, "verdict": "found", "confidence": "high", "page": page}


def test_each_value_stands_with_its_page_and_whether_to_trust_it():
    """One line a field."""
    line = next(line for line in shown({"/number": found("INV-7", 2)}).splitlines() if "INV-7" in line)
    assert line.split() == ["number", "INV-7", "2", "high"]


def test_rows_of_a_list_are_a_table_of_their_own():
    """Columns by name, rows numbered from 1, nested names in full."""
    said = shown({f"/lines/{n}/price": found(n + 0.5) for n in range(12)} | {"/lines/11/what": found("Chair")})
    assert "lines · 12 rows" in said
    assert next(line.split() for line in said.splitlines() if "Chair" in line) == ["12", "11.5", "Chair", "1"]


def test_a_long_list_shows_its_first_rows_and_says_so():
    """A terminal is no place for 2,000 rows."""
    said = shown({f"/lines/{n}/price": found(1000 + n) for n in range(9)}, most_rows=3)
    assert "9 rows, the first 3 are shown" in said
    assert "1002" in said
    assert "1003" not in said


def test_an_absent_value_is_a_dash_and_an_unreadable_one_says_so():
    """Never an empty cell that may mean anything."""
    said = shown({"/a": {"value": None, "verdict": "absent"}, "/b": {"value": None, "verdict": "unreadable"}})
    assert "–" in said
    assert "unreadable" in said


def test_text_of_a_document_cannot_steer_the_terminal():
    """No escape sequence, no markup."""
    said = shown({"/name": found("\x1b[2Jgone\x07 [bold]big[/bold] \r\n line")})
    assert "\x1b[2J" not in said
    assert "\x07" not in said
    assert "[bold]big[/bold]" in said


def test_issues_are_told():
    """What is missing is not hidden below the values."""
    assert "page 2: Page 2 was lost. [page_failed]" in shown({})
