"""The small file of names says what Babel says."""

from __future__ import annotations

import json
from importlib import resources

from service.extraction.text.printed import NAMES_FILE, currency_symbols, find_dates
from training.printed_names import collect_names


def test_the_file_is_what_its_script_makes() -> None:
    """After an update of Babel: `python -m training.printed_names`."""
    kept = json.loads(resources.files("service.extraction.text").joinpath(NAMES_FILE).read_text(encoding="utf-8"))
    assert kept == collect_names()


def test_names_of_months_and_signs_of_currencies_are_known() -> None:
    """A month that is another one elsewhere has both."""
    days = [found.days for text in ("3. März 2024", "7 listopad 2023", "12 ekim 2022") for found in find_dates(text)]
    assert days == [("2024-03-03",), ("2023-10-07", "2023-11-07"), ("2022-10-12",)]
    assert currency_symbols("EUR") == ("€",)
    assert currency_symbols("USD") == ("$",)
    assert currency_symbols("CAD") == ("CA$", "$")
