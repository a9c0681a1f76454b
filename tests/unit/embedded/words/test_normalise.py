"""Printed numbers, dates, currencies and periods become values."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal

import pytest
from babel.dates import format_date
from babel.numbers import format_decimal
from hypothesis import given
from hypothesis import strategies as st

from service.embedded.words.normalise import (
    iban_valid,
    parse_boolean,
    parse_currency,
    parse_date,
    parse_number,
    parse_period,
    vote_day_first,
    vote_decimal,
)


@pytest.mark.parametrize(
    ("text", "decimal", "value"),
    [
        ("1.234,56", ",", "1234.56"),
        ("1,234.56", ".", "1234.56"),
        ("1'234.50", ".", "1234.50"),
        ("(12.00)", ".", "-12.00"),
        ("12,50-", ",", "-12.50"),
        ("-3", ".", "-3"),
        ("9,9000", ",", "9.9000"),
        ("1.234", ",", "1234"),
    ],
)
def test_numbers_follow_the_voted_decimal_sign(text: str, decimal: str, value: str) -> None:
    """Thousands, signs and brackets are read as printed."""
    assert parse_number(text, decimal) == Decimal(value)


@given(st.decimals(min_value=0, max_value=9_999_999, places=2), st.sampled_from(["en", "de", "fr", "it", "nl", "es"]))
def test_a_number_printed_in_any_language_comes_back(value: Decimal, language: str) -> None:
    """What babel prints for a language is read with that language's decimal sign."""
    text = format_decimal(value, format="#,##0.00", locale=language)
    decimal = "." if language == "en" else ","
    assert parse_number(text.replace("\u202f", " "), decimal) == value


@given(st.dates(dt.date(1971, 1, 1), dt.date(2068, 12, 31)), st.sampled_from(["en", "de", "fr", "es", "it", "nl"]))
def test_a_date_written_out_in_any_language_comes_back(day: dt.date, language: str) -> None:
    """Month names tell the day from the month."""
    assert parse_date(format_date(day, "long", locale=language), day_first=False) == day


def test_day_and_month_order_is_voted_by_the_document() -> None:
    """One unmistakable date decides for all."""
    assert vote_day_first(["05/06/2020", "25/06/2020"], default=False)
    assert not vote_day_first(["05/06/2020", "06/25/2020"], default=True)
    assert parse_date("05/06/2020", day_first=True) == dt.date(2020, 6, 5)
    assert parse_date("05/06/2020", day_first=False) == dt.date(2020, 5, 6)


def test_the_decimal_sign_is_voted_by_the_document() -> None:
    """Two digits after it tell the sign."""
    assert vote_decimal(["12,50", "1.200,00", "3.1"]) == ","
    assert vote_decimal(["12.50", "1,200.00"]) == "."


@pytest.mark.parametrize(
    ("text", "code"),
    [("€", "EUR"), ("US$", "USD"), ("RM", "MYR"), ("EUR", "EUR"), ("Schweizer Franken", "CHF"), ("Stück", None)],
)
def test_currencies_become_codes(text: str, code: str | None) -> None:
    """Symbols, codes and names in any language."""
    assert parse_currency(text) == code


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("two (2) years", "2 years"),
        ("18 months", "18 months"),
        ("ein Jahr", "1 year"),
        ("thirty days", "30 days"),
        ("soon", None),
    ],
)
def test_periods_become_a_number_and_a_unit(text: str, value: str | None) -> None:
    """Number words and figures mean the same."""
    assert parse_period(text) == value


def test_check_digits_of_an_account_are_held() -> None:
    """One wrong digit shows."""
    assert iban_valid("DE89 3704 0044 0532 0130 00")
    assert not iban_valid("DE88 3704 0044 0532 0130 00")


def test_yes_and_no_in_several_languages() -> None:
    """Other words are no answer."""
    assert [parse_boolean(w) for w in ("Ja", "no", "oui", "☐", "maybe")] == [True, False, True, False, None]
