"""The table of errors is total, and the documentation says the same."""

from __future__ import annotations

import re
from pathlib import Path

from service.api.errors import ERROR_RULES
from service.domain.errors import ErrorCode

DOCUMENT = Path(__file__).parents[2] / "docs" / "errors.md"
ROW = re.compile(r"^\| `([a-z_]+)` \| (\d{3}) \| (.+) \| (.+) \|$", re.MULTILINE)
CONTRACT = {400, 401, 403, 404, 405, 409, 410, 412, 415, 422, 429, 500, 502, 503, 504, 507}


def test_every_code_has_its_rule() -> None:
    """A new code cannot be forgotten."""
    assert set(ErrorCode) == set(ERROR_RULES)


def test_documentation_lists_every_code_with_its_status() -> None:
    """docs/errors.md is walked row by row, in the order of the codes."""
    rows = [(code, int(status)) for code, status, _, _ in ROW.findall(DOCUMENT.read_text("utf-8"))]
    assert [(code.value, ERROR_RULES[code].status) for code in ErrorCode] == rows


def test_statuses_and_types_agree() -> None:
    """A client that only knows the status comes to the same conclusion as one that reads the type."""
    kinds = {401: "authentication_error", 403: "permission_error", 429: "rate_limit_error"}
    for rule in ERROR_RULES.values():
        assert rule.status in CONTRACT
        expected = kinds.get(rule.status, "server_error" if rule.status >= 500 else "invalid_request_error")
        assert expected == rule.type
