"""docs/drop-in.md says what is so: each row of its contract names tests that exist, its models are served."""

from __future__ import annotations

import re
from pathlib import Path

from service.jobs.control.served_models import DATED_EXTRACTOR, GENERATOR, served_model
from tests.dropin.conftest import Live

DOCUMENT = Path(__file__).parents[2] / "docs" / "drop-in.md"
ROWS = 9
"""Points that a server in the vendor's place must keep."""


def test_each_row_of_the_contract_has_its_test() -> None:
    """By file and name."""
    _, _, table = DOCUMENT.read_text("utf-8").partition("## The contract of a drop-in server")
    rows = [line for line in table.splitlines() if line.startswith("| ") and not line.startswith("| must")]
    assert len(rows) == ROWS
    for row in rows:
        named = re.findall(r"`(test_\w+\.py)::(test_\w+)`", row)
        assert named, row
        for file, test in named:
            assert re.search(rf"^(async )?def {test}\(", Path(__file__).with_name(file).read_text(), re.M), test


def test_every_client_that_is_named_has_its_file() -> None:
    """The last sentence of the page."""
    names = re.findall(r"\(`(test_\w+\.py)`\)", DOCUMENT.read_text("utf-8"))
    assert len(names) == 5
    assert all(Path(__file__).with_name(name).is_file() for name in names)


def test_the_table_of_models_is_what_is_served(live: Live) -> None:
    """Each name of the first column is echoed as the third one says."""
    services = live.service.services
    text = DOCUMENT.read_text("utf-8")
    echo = re.search(r"^\| `information-extract`, `information-extract-nightly` \| .* \| `([^`]+)` \|$", text, re.M)
    assert echo is not None
    for name in ("information-extract", "information-extract-nightly"):
        assert served_model(services, name).echo == echo.group(1) == DATED_EXTRACTOR
    full = re.search(r"as `embedded` or .* \| that model \| in full, as `([^`]+)` \|", text)
    assert full is not None
    assert served_model(services, "embedded").echo == full.group(1)
    assert f"| `{GENERATOR}` |" in text
