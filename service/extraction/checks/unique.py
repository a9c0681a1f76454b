"""What of a record no other document of its schema may have: values as digests, so that an index holds none of them."""

from __future__ import annotations

import hashlib
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal

import orjson

from service.domain.records import Json, JsonObject
from service.domain.schema import ExtractionSchema, escape_pointer
from service.extraction.checks.check import parse_checks
from service.extraction.checks.rules import Uniqueness


@dataclass(frozen=True, slots=True, kw_only=True)
class UniqueKey:
    """One rule's values of a record."""

    rule: str
    paths: tuple[str, ...]
    digest: str
    """Of the schema's name, the fields and their values, in any spelling of case and white space."""


def unique_keys(values: JsonObject, schema: ExtractionSchema) -> Iterator[UniqueKey]:
    """A key for each `unique` rule all of whose values are there.

    Raises:
        InputError: `invalid_schema`, as `parse_checks`.
    """
    for rule in parse_checks(schema):
        if not isinstance(rule, Uniqueness):
            continue
        found = [_plain(_at(values, reference.tokens)) for reference in rule.of]
        if None in found:
            continue
        named = [".".join(reference.tokens) for reference in rule.of]
        digest = hashlib.sha256(orjson.dumps([schema.name, named, found])).hexdigest()
        paths = tuple("".join(f"/{escape_pointer(name)}" for name in reference.tokens) for reference in rule.of)
        yield UniqueKey(rule=rule.text, paths=paths, digest=digest)


def _at(values: Json, tokens: tuple[str, ...]) -> Json:
    for name in tokens:
        values = values.get(name) if isinstance(values, dict) else None
    return values


def _plain(value: Json) -> str | None:
    if isinstance(value, str):
        return " ".join(unicodedata.normalize("NFKC", value).split()).casefold() or None
    if isinstance(value, bool):
        return str(value)
    return str(Decimal(str(value)).normalize()) if isinstance(value, int | float) else None
