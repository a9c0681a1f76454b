"""Check digits of account and card numbers."""

from __future__ import annotations

import re

_IBAN = re.compile(r"[A-Z]{2}\d{2}[A-Z0-9]{11,30}")


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
