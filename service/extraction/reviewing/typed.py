"""Values as people type them: any local form of a number or a date, read as the record's own document writes them."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal

from service.domain.errors import ErrorCode, InputError
from service.domain.records import FieldEntry, Json, Scalar
from service.domain.schema import FieldType, SchemaField
from service.extraction.decoding.coerce import clean_text, coerce_scalar
from service.extraction.text.printed import find_dates, find_numbers, iso_day, plain_marks, read_number

MAX_TYPED_CHARS = 10_000
_JSON_NUMBER = re.compile(r"-?\d+(\.\d+)?([eE][-+]?\d+)?")
_DAY_MONTH = re.compile(r"\s*(\d{1,2})\s*[-./ ]\s*(\d{1,2})\s*[-./ ]")
_LARGEST_MONTH = 12


@dataclass(frozen=True, slots=True)
class Habits:
    """How a document writes what can be read in two ways."""

    decimal_mark: str = ""
    """`.` or `,`; empty when nothing on its pages says."""
    month_first: bool = False
    """Whether `03/04` is the fourth of March."""


def habits_of(fields: Mapping[str, FieldEntry]) -> Habits:
    """What the printed texts of a record tell beyond doubt."""
    return read_habits(entry.raw for entry in fields.values() if entry.raw)


def read_habits(texts: Iterable[str]) -> Habits:
    """The habits behind some printed texts: the first mark that is sure, and whether any month stands in front."""
    mark, month_first = "", False
    for text in texts:
        plain = plain_marks(text)
        if not mark:
            mark = next((n.divider for n in find_numbers(plain) if n.divider), "")
        day = _DAY_MONTH.match(plain)
        month_first = month_first or bool(day and int(day[2]) > _LARGEST_MONTH >= int(day[1]))
    return Habits(mark, month_first)


def read_typed(value: Json, field: SchemaField, habits: Habits) -> Scalar:
    """The value that is stored for what a person typed into a leaf.

    Raises:
        InputError: `invalid_request_body`: it is not of the leaf's type, format or list; the message says what is.
    """
    if isinstance(value, (list, dict)) or value is None:
        raise _refused("must be a text, a number, true or false")
    if isinstance(value, str):
        value = clean_text(value)
        if not value or len(value) > MAX_TYPED_CHARS:
            raise _refused(f"must have 1 to {MAX_TYPED_CHARS} characters; mark the field absent to leave it empty")
    if field.type in (FieldType.NUMBER, FieldType.INTEGER):
        return _number(value, field, habits)
    if field.type is FieldType.STRING and field.format in ("date", "date-time") and isinstance(value, str):
        return _day(value, field, habits)
    raw = Decimal(str(value)) if isinstance(value, float) else value
    found = coerce_scalar(raw, field).value
    if found is None:
        raise _refused("must be true or false" if field.type is FieldType.BOOLEAN else "must be a text")
    if field.enum and found not in field.enum:
        raise _refused("must be one of " + ", ".join(map(str, field.enum[:20])))
    return found


def _number(value: str | float, field: SchemaField, habits: Habits) -> Scalar:
    if isinstance(value, bool):
        raise _refused("must be a number, not true or false")
    number = _read_number(value, habits) if isinstance(value, str) else Decimal(str(value))
    if number is None or not number.is_finite():
        raise _refused("must be a number, such as 1234.50 or 1.234,50")
    found = coerce_scalar(int(number) if number == number.to_integral_value() else number, field).value
    if found is None:
        raise _refused("must be a whole number")
    if field.enum and found not in field.enum:
        raise _refused("must be one of " + ", ".join(map(str, field.enum[:20])))
    return found


def _read_number(text: str, habits: Habits) -> Decimal | None:
    readings = read_number(text)
    if len(readings) > 1 and habits.decimal_mark:
        grouped, divided = readings[0], readings[-1]
        mark = next((char for char in reversed(plain_marks(text)) if char in ".,"), "")
        return divided if mark == habits.decimal_mark else grouped
    if _JSON_NUMBER.fullmatch(text):
        return Decimal(text)
    return readings[0] if readings else None


def _day(text: str, field: SchemaField, habits: Habits) -> str:
    if iso_day(text) is not None:
        return text if field.format == "date-time" and _is_moment(text) else text[:10]
    plain = plain_marks(text)
    found = next((d.days for d in find_dates(plain) if not (plain[: d.start] + plain[d.end :]).strip(" .,")), ())
    if not found:
        raise _refused("must be a date, such as 2026-03-21 or 21.3.2026")
    day = _DAY_MONTH.match(plain)
    if len(found) == 1 or day is None:
        return found[0]
    month = int(day[1] if habits.month_first else day[2])
    return next((iso for iso in found if int(iso[5:7]) == month), found[0])


def _is_moment(text: str) -> bool:
    try:
        dt.datetime.fromisoformat(text)
    except ValueError:
        return False
    return True


def _refused(why: str) -> InputError:
    return InputError(ErrorCode.INVALID_REQUEST, f"The value {why}.", param="value")
