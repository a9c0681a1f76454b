"""The last step: a chosen span becomes a value of the type and format the schema asks for."""

from __future__ import annotations

import datetime as dt
import re

from service.domain.records import Scalar
from service.domain.schema import FieldType
from service.embedded.asked.fields import Ask
from service.embedded.candidates.proposals import Choice
from service.embedded.words.normalise import parse_currency, parse_number, parse_period


def final_value(ask: Ask, choice: Choice) -> Scalar:
    """The value on the wire; None if the span cannot be brought to the asked type."""
    value = choice.value
    if ask.field.type in (FieldType.NUMBER, FieldType.INTEGER):
        return _number(ask, value)
    if ask.field.type is FieldType.BOOLEAN:
        return value if isinstance(value, bool) else None
    if ask.field.enum or value is None:
        return value
    if ask.field.format in ("date", "date-time") or (ask.kind == "date" and _asks_for_iso(ask.field.description)):
        return _iso(str(value))
    if ask.kind in ("date", "time") and ask.field.format is None:
        return choice.span.raw.strip(" ,;")
    if ask.kind == "currency":
        return parse_currency(str(value)) or str(value)
    if ask.kind == "period":
        return parse_period(str(value)) or str(value)
    if ask.kind == "iban":
        return re.sub(r"\s", "", str(value))
    if isinstance(value, (int, float)):
        return choice.span.raw
    return str(value).strip(" ;|") or None


def _number(ask: Ask, value: Scalar) -> Scalar:
    if isinstance(value, str):
        parsed = parse_number(value)
        value = float(parsed) if parsed is not None else None
    if value is None or isinstance(value, bool):
        return None
    if ask.field.type is FieldType.INTEGER:
        return int(value) if float(value).is_integer() else None
    return value


def _asks_for_iso(description: str) -> bool:
    """Whether a description spells the form of ISO 8601 out, where the schema gives no format."""
    return re.search(r"yyyy-mm-dd|jjjj-mm-tt|aaaa-mm-jj|iso[ -]?8601", description, re.IGNORECASE) is not None


def _iso(text: str) -> str | None:
    try:
        return dt.date.fromisoformat(text[:10]).isoformat()
    except ValueError:
        return None
