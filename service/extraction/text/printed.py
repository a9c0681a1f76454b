"""Numbers and dates as they are printed: every value a text may stand for.

A printed form can be ambiguous (`1.234`, `03/04/26`): all readings are given, and whoever asks knows the value.
"""

from __future__ import annotations

import datetime as dt
import re
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from functools import cache, lru_cache
from importlib import resources

from pydantic import TypeAdapter

NAMES_FILE = "printed_names.json"
"""Months and currencies; made by `training.printed_names`, since a library of locales takes 40 MB of a process."""

_PLAIN = {
    "−": "-",
    "–": "-",
    "‐": "-",
    "‑": "-",
    "（": "(",
    "）": ")",
    "，": ",",
    "．": ".",
    "٫": ".",
    "٬": "'",
    "’": "'",
    "\u00a0": " ",
    "\u202f": " ",
    "\u2009": " ",
    "\u2007": " ",
}  # fmt: skip - one entry a mark

_CORE = re.compile(r"(?<![\d.,'])(?:\d+(?:[.,']\d+)*|[.,]\d+)(?!\d)")
_SPACED = re.compile(r"(?<![\d.,'])\d{1,3}(?: \d{3})+(?:[.,]\d+)?(?![\d])")
_BEFORE = re.compile(r"(?:^|(?<=[^\w]))([-(])\s?(?:[^\w\s(),.-]{1,3}|[A-Z]{1,3}\$?)?\s?$")
_CLOSING = re.compile(r"\s?(?:[^\w\s(),.-]{1,3}|[A-Z]{3})?\s?\)")

_SIGN_BEHIND = re.compile(r"-(?![\w(.])| -(?=\s*(?:\n|$))")
"""A minus behind its number: right at it, or as the last of its line; elsewhere it parts two texts."""


def plain_marks(text: str) -> str:
    """The text with ASCII digits, minus signs, separators and spaces; as long as before."""
    if text.isascii():
        return text
    return "".join(map(_plain_mark, text))


@lru_cache(maxsize=4096)
def _plain_mark(char: str) -> str:
    if char.isdecimal():
        return str(unicodedata.decimal(char))
    folded = unicodedata.normalize("NFKC", char)
    return _PLAIN.get(char) or (folded if len(folded) == 1 else char)


@dataclass(frozen=True, slots=True)
class PrintedNumber:
    """A number inside a text: `start` inclusive, `end` exclusive, both without its sign."""

    start: int
    end: int
    readings: tuple[Decimal, ...]
    """Values it may stand for, sign applied; more than one when a separator may group or divide."""
    spaced: bool
    """Whether it was put together from groups with spaces between."""
    divider: str
    """Its decimal mark, where that is beyond doubt; else empty."""
    percent: bool
    """Whether a percent sign follows."""


def find_numbers(line: str) -> Iterator[PrintedNumber]:
    """Every number of a printed line, groups with spaces (`1 234,56`) beside their parts.

    Args:
        line: one line as `plain_marks` gives it.
    """
    for pattern, spaced in ((_CORE, False), (_SPACED, True)):
        for match in pattern.finditer(line):
            readings = _core_readings(match.group())
            if not readings:
                continue
            divider = _divider(match.group(), readings)
            if _is_negative(line, match.start(), match.end()):
                apart = line[max(0, match.start() - 1) : match.start()] == " "  # the dash may part two texts as well
                readings = (*(-r for r in readings), *(readings if apart else ()))
            percent = line[match.end() : match.end() + 2].strip().startswith("%")
            yield PrintedNumber(match.start(), match.end(), readings, spaced, divider, percent)


def _divider(core: str, readings: tuple[Decimal, ...]) -> str:
    last = next((char for char in reversed(core) if not char.isdigit()), "")
    return last if len(readings) == 1 and last in (".", ",") and core.count(last) == 1 else ""


def _is_negative(line: str, start: int, end: int) -> bool:
    before = _BEFORE.search(line[max(0, start - 8) : start]) if start else None
    if before is None:
        return _SIGN_BEHIND.match(line, end) is not None
    return before.group(1) == "-" or _CLOSING.match(line, end) is not None


@lru_cache(maxsize=4096)
def _core_readings(core: str) -> tuple[Decimal, ...]:
    """Values of an unsigned number with `.`, `,`, `'` or spaces in it."""
    marks = re.findall(r"[^\d]", core)
    if not marks:
        return (Decimal(core),)
    if core[0] in ".,":
        return (Decimal(f"0.{core[1:]}"),) if len(marks) == 1 else ()
    kinds = set(marks)
    last = marks[-1]
    head, _, tail = core.rpartition(last)
    if len(kinds) > 1:
        grouped = last in ".," and last not in head and len(kinds) == 2 and _is_grouped(re.split(r"[^\d]", head))
        return (Decimal(f"{_digits(head)}.{tail}"),) if grouped else ()
    groups = core.split(last)
    if len(marks) > 1 or last in " '":
        return (Decimal(_digits(core)),) if _is_grouped(groups) else ()
    divided = Decimal(f"{head}.{tail}")
    if _is_grouped(groups) and head.strip("0"):
        return (Decimal(_digits(core)), divided)
    return (divided,)


def _digits(text: str) -> str:
    return re.sub(r"\D", "", text)


def _is_grouped(groups: list[str]) -> bool:
    """Groups of three behind one to three digits; also of two before the last three, as in India."""
    first, *rest = groups
    if not rest:
        return True
    return 1 <= len(first) <= 3 and len(rest[-1]) == 3 and all(len(g) in (2, 3) for g in rest[:-1])


_WHOLE_NUMBER = re.compile(
    r"^\(?[-+]?\s?(?P<lead>[^\d\s().,-]{0,4})\s?[-+]?(?P<core>[\d.,' ]*\d)\s?(?P<tail>[^\d().,-]{0,4}?)\s?[-)]?$"
)


def read_number(text: str) -> tuple[Decimal, ...]:
    """All values of a text that is nothing but a number, with a sign or a currency at most; none for other text."""
    plain = plain_marks(text.strip())
    match = _WHOLE_NUMBER.match(plain)
    if not match or not all(_is_currency(match.group(part)) for part in ("lead", "tail")):
        return ()
    start, end = match.span("core")
    core = match.group("core")
    readings = _core_readings(core) if not core.startswith(" ") else ()
    return tuple(-r for r in readings) if "-" in plain or _is_negative(plain, start, end) else readings


def _is_currency(mark: str) -> bool:
    mark = mark.strip()
    return not mark or mark == "%" or not mark.isalnum() or mark.upper() in _currency_codes()


@dataclass(frozen=True, slots=True)
class _Names:
    """What is in the file."""

    months: Mapping[str, str]
    """Name → numbers with spaces between; a name may differ between languages (`listopad`)."""
    currencies: Mapping[str, str]
    """Code → sign."""


@cache
def _names() -> _Names:
    return TypeAdapter(_Names).validate_json(resources.files(__package__ or "").joinpath(NAMES_FILE).read_bytes())


@cache
def _currency_codes() -> frozenset[str]:
    return frozenset(_names().currencies) | {"RM", "KR", "ZŁ", "FT", "KČ"}


@cache
def currency_symbols(code: str) -> tuple[str, ...]:
    """Signs that stand for a three-letter currency code in print; none for an unknown code."""
    if code not in _currency_codes() or len(code) != 3:
        return ()
    full = _names().currencies.get(code, code)
    found = {full, full.lstrip("ABCDEFGHIJKLMNOPQRSTUVWXYZ")} - {code, ""}
    return tuple(sorted(found | ({"RM"} if code == "MYR" else set[str]()), key=len, reverse=True))


@dataclass(frozen=True, slots=True)
class PrintedDate:
    """A day inside a text: `start` inclusive, `end` exclusive; several days when their order is not told."""

    start: int
    end: int
    days: tuple[str, ...]
    """ISO dates."""


_ENDS = r"(?:(?!\d)|(?=\d\d:\d\d))"
"""Nothing of a number follows, but a time may that was read without the space before it."""
_YMD = re.compile(rf"(?<!\d)(\d{{4}}) ?[-./年년] ?(\d{{1,2}}) ?[-./月월] ?(\d{{1,2}}?)(?: ?[日일])?{_ENDS}")
_DMY = re.compile(rf"(?<![\d.,])(\d{{1,2}})(?: ?([-./]) ?(\d{{1,2}}) ?\2 ?| (\d{{1,2}}) )(\d{{4}}|\d{{2}}){_ENDS}")
_COMPACT = re.compile(r"(?<!\d)(\d{8})(?!\d)")
_DAY_MONTH = re.compile(
    r"(?<!\d)(\d{1,2})(?:st|nd|rd|th|er|[.ºª°])?(?:\s+day)?[\s\-./,]*(?:of\s+|de\s+|d['’]\s?)?"
    r"([^\W\d_]{3,}\.?)[\s\-./,]*(?:de\s+|del\s+)?['’]?(\d{4}|\d{2})(?!\d)",
    re.IGNORECASE,
)
_MONTH_DAY = re.compile(
    r"(?<![^\W\d_])([^\W\d_]{3,}\.?)[\s\-.]*(\d{1,2})(?:(?:st|nd|rd|th)?\s*,?[\s\-.,]*(\d{4})|/(\d{2}))(?!\d)",
    re.IGNORECASE,
)


def find_dates(text: str) -> Iterator[PrintedDate]:
    """Every day that is printed in a text, in any usual order and with month names of thirty languages.

    Args:
        text: as `plain_marks` gives it; lines are parted by line breaks, over which a day with a month's name may run.
    """
    for match in _YMD.finditer(text):
        yield from _dated(match, [(match[1], match[2], match[3])])
    for match in _DMY.finditer(text):
        a, mark, marked, spaced, year = match.groups()
        b = marked or spaced
        if not mark and len(year) == 2:
            continue
        orders = [(year, b, a), (year, a, b)]
        yield from _dated(match, orders if len(year) == 4 else [*orders, (a, b, year)])
    for match in _COMPACT.finditer(text):
        run = match[1]
        yield from _dated(match, [(run[:4], run[4:6], run[6:]), (run[4:], run[2:4], run[:2])])
    for match in _DAY_MONTH.finditer(text):
        yield from _dated(match, [(match[3], month, match[1]) for month in _months(match[2])])
    for match in _MONTH_DAY.finditer(text):
        yield from _dated(match, [(match[3] or match[4], month, match[2]) for month in _months(match[1])])


def _dated(match: re.Match[str], orders: list[tuple[str, str, str]]) -> Iterator[PrintedDate]:
    days = tuple(dict.fromkeys(day for order in orders if (day := _iso(*order))))
    if days:
        yield PrintedDate(match.start(), match.end(), days)


def _iso(year: str, month: str, day: str) -> str | None:
    full = int(year)
    if len(year) == 2:
        full += 2000 if full < 69 else 1900  # as POSIX reads two digits
    if not 1800 <= full <= 2200:
        return None
    try:
        return dt.date(full, int(month), int(day)).isoformat()
    except ValueError:
        return None


def _months(name: str) -> list[str]:
    return _names().months.get(month_key(name), "").split()


def month_key(name: str) -> str:
    """The form in which names of months are compared."""
    return unicodedata.normalize("NFKC", name).casefold().rstrip(".")


_ISO_DAY = re.compile(r"^(\d{4}-\d{2}-\d{2})(?:$|[T ])")


def iso_day(text: str) -> str | None:
    """The day of an ISO date or date-time, None for other text."""
    match = _ISO_DAY.match(text)
    return match[1] if match and _iso(*match[1].split("-")) else None
