"""Domain objects as compressed JSON, for columns that SQL does not look into."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from typing import TypeVar, cast

import orjson
import pydantic_core
import zstandard
from pydantic import TypeAdapter

from service.domain import word_columns
from service.domain.pages import PageText
from service.domain.records import JsonObject
from service.protocol.json_text import encode_json

T = TypeVar("T")
_LEVEL = 3


@cache
def _adapter(kind: type[T]) -> TypeAdapter[T]:
    return TypeAdapter(kind)


def prepare(*kinds: type) -> None:
    """Get ready for these shapes now: before a fork, so that no child has to."""
    for kind in kinds:
        _adapter(kind)


def pack(value: object) -> bytes:
    """A dataclass as compressed JSON bytes."""
    return zstandard.ZstdCompressor(level=_LEVEL).compress(_adapter(type(value)).dump_json(value))


def unpack(kind: type[T], body: bytes) -> T:
    """The inverse of `pack`.

    Raises:
        pydantic.ValidationError: the bytes hold another shape (written by another version).
    """
    return _adapter(kind).validate_json(zstandard.ZstdDecompressor().decompress(body))


def pack_json(value: JsonObject) -> bytes:
    """A JSON object as compressed bytes."""
    return zstandard.ZstdCompressor(level=_LEVEL).compress(encode_json(value))


def unpack_json(body: bytes) -> JsonObject:
    """The inverse of `pack_json`."""
    return cast("JsonObject", load_column(zstandard.ZstdDecompressor().decompress(body)))


def pack_page(page: PageText) -> bytes:
    """A page as compressed JSON bytes, its words by columns."""
    rest = to_columns(replace(page, words=()))
    return zstandard.ZstdCompressor(level=_LEVEL).compress(
        orjson.dumps(rest | {"words": word_columns.to_columns(page.words)})
    )


def unpack_page(body: bytes) -> PageText:
    """The inverse of `pack_page`.

    Raises:
        ValueError: the bytes hold another shape (written by another version).
    """
    rest = orjson.loads(zstandard.ZstdDecompressor().decompress(body))
    words = word_columns.from_columns(rest.pop("words"))
    return replace(from_json(PageText, rest), words=words)


def dump_column(value: object) -> str:
    """The text of a JSON column."""
    return encode_json(value).decode()


def load_column(text: str | bytes) -> object:
    """The inverse of `dump_column`; whole numbers stay exact."""
    try:
        return pydantic_core.from_json(text)
    except ValueError:  # slow and rare: unpaired surrogates
        return json.loads(text)


def to_columns(value: object) -> dict[str, object]:
    """A dataclass as column values: enums and nested dataclasses become plain JSON."""
    return _adapter(type(value)).dump_python(value, mode="json")


def from_json(kind: type[T], value: object) -> T:
    """A dataclass from a row or from plain JSON values."""
    return _adapter(kind).validate_python(dict(value) if isinstance(value, Mapping) else value)
