"""Check digits of account, card, tax and article numbers, by the names that rules use."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import cast

_IBAN = re.compile(r"[A-Z]{2}\d{2}[A-Z0-9]{11,30}")
_VAT_COUNTRY = re.compile(r"\s*([A-Za-z]{2})")


def has_iban_digits(text: str) -> bool:
    """Whether a text, its spaces apart, is an IBAN whose remainder modulo 97 is 1 (ISO 13616)."""
    plain = re.sub(r"\s", "", text).upper()
    if not _IBAN.fullmatch(plain):
        return False
    return int("".join(str(int(char, 36)) for char in plain[4:] + plain[:4])) % 97 == 1


def has_luhn_digit(text: str) -> bool:
    """Whether the digits of a text, spaces and hyphens apart, end in their Luhn check digit (ISO/IEC 7812)."""
    digits = re.sub(r"[\s-]", "", text)
    if not (digits.isascii() and digits.isdecimal()) or len(digits) < 2:
        return False
    doubled = [int(d) * (2 if place % 2 else 1) for place, d in enumerate(reversed(digits))]
    return sum(d - 9 if d > 9 else d for d in doubled) % 10 == 0


def has_vat_digits(text: str) -> bool | None:
    """Whether a VAT number of the EU, Great Britain, Norway or Switzerland is one; None where no country is named."""
    found = _VAT_COUNTRY.match(text)
    country = found[1].upper() if found else ""
    from stdnum.eu import vat as european_vat  # late, as below

    others = {"GB": "gb.vat", "NO": "no.mva", "CH": "ch.vat"}
    if country in others:
        return _by_library(others[country])(text)
    if country == "EL" or country.lower() in european_vat.MEMBER_STATES:
        return european_vat.is_valid(text)
    return None


def _by_library(name: str) -> Callable[[str], bool]:
    """The check of a module of stdnum, which is loaded by the first number: most processes check none."""

    def is_valid(text: str) -> bool:
        return cast("Callable[[str], bool]", import_module(f"stdnum.{name}").is_valid)(text)

    return is_valid


CHECK_DIGITS: Mapping[str, Callable[[str], bool | None]] = {
    "iban": has_iban_digits,
    "luhn": has_luhn_digit,
    "vat": has_vat_digits,
    "ean": _by_library("ean"),
    "isbn": _by_library("isbn"),
    "lei": _by_library("lei"),
    "aba": _by_library("us.rtn"),
}
"""Name in rules → whether a number is right; None: that cannot be told, and the rule is not applied."""
