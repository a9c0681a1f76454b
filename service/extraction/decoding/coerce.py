"""A scalar of an answer as the type the schema asks for, where nothing is lost by it."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation

from service.domain.records import Scalar
from service.domain.schema import FieldType, SchemaField
from service.extraction.decoding.answer import RawJson
from service.extraction.text.printed import read_number

_MAX_RAW_CHARS = 500
_LARGEST_EXACT = 2**53
"""Beyond it a float skips whole numbers."""
_JSON_NUMBER = re.compile(r"-?\d{1,300}(\.\d{1,300})?([eE][-+]?\d{1,3})?")
_UNSAFE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff]")
"""Control characters and lone surrogates: neither stores nor encodings take them."""
_NULL_WORDS = frozenset({"null", ": null", ":null"})
_DASHES = re.compile(r"[\s\-–—−_.:/]*")


@dataclass(frozen=True, slots=True)
class Coerced:
    """A value of the right type or None; `refused` when something was there that does not fit, `raw` says what."""

    value: Scalar
    refused: bool = False
    raw: str | None = None


NOTHING = Coerced(None)


def coerce_scalar(raw: RawJson, field: SchemaField) -> Coerced:
    """The value of a leaf: `12` from `"12"`, `3` from `3.0`, `True` from `"true"`, `"7"` from `7`.

    An empty string, null and the words vendors write for it are nothing; a value of another type, or one that is not
    finite, is refused and its text kept.
    """
    if isinstance(raw, str):
        raw = clean_text(raw)
        if not raw or (raw.casefold() in _NULL_WORDS and raw not in field.enum):
            return NOTHING
    if raw is None:
        return NOTHING
    value = _fit(raw, field)
    if value is None:
        return Coerced(None, refused=True, raw=_as_text(raw)[:_MAX_RAW_CHARS])
    return Coerced(_as_member(value, field))


def is_placeholder(value: Scalar) -> bool:
    """Whether a text is nothing but dashes or dots, as models write for a blank."""
    return isinstance(value, str) and _DASHES.fullmatch(value) is not None


def clean_text(text: str) -> str:
    """Without outer spaces and the characters that stores refuse."""
    return _UNSAFE.sub("", text).strip()


def _fit(raw: RawJson, field: SchemaField) -> Scalar:
    if field.type is FieldType.STRING:
        return _as_string(raw)
    if field.type is FieldType.BOOLEAN:
        return _as_boolean(raw)
    number = _as_number(raw)
    if number is None or not number.is_finite():
        return None
    if number == number.to_integral_value() and abs(number) < _LARGEST_EXACT:
        whole = int(number)
        return float(whole) if field.type is FieldType.NUMBER and isinstance(raw, Decimal) else whole
    if field.type is FieldType.INTEGER:
        return int(raw) if isinstance(raw, int) else None
    value = float(number)
    return value if value not in (float("inf"), float("-inf")) else None


def _as_string(raw: RawJson) -> str | None:
    if isinstance(raw, bool):
        return "true" if raw else "false"
    if isinstance(raw, (str, int, Decimal)):
        return str(raw)
    return None


def _as_boolean(raw: RawJson) -> bool | None:
    if isinstance(raw, bool):
        return raw
    if isinstance(raw, str):
        return {"true": True, "false": False}.get(raw.casefold())
    if isinstance(raw, (int, Decimal)) and raw in (0, 1):
        return bool(raw)
    return None


def _as_number(raw: RawJson) -> Decimal | None:
    if isinstance(raw, bool):
        return None
    if isinstance(raw, (int, Decimal)):
        return Decimal(raw)
    if not isinstance(raw, str):
        return None
    if _JSON_NUMBER.fullmatch(raw):
        try:
            return Decimal(raw)
        except InvalidOperation:
            return None
    readings = read_number(raw)
    return readings[0] if len(readings) == 1 else None


def _as_member(value: Scalar, field: SchemaField) -> Scalar:
    """The member of the enum that differs in case alone, if one does."""
    if not isinstance(value, str) or value in field.enum:
        return value
    alike = [m for m in field.enum if isinstance(m, str) and m.casefold() == value.casefold()]
    return alike[0] if len(alike) == 1 else value


def _as_text(raw: RawJson) -> str:
    if isinstance(raw, (list, dict)):
        return clean_text(json.dumps(raw, ensure_ascii=False, default=str))
    return _as_string(raw) or ""
