"""Questions to the embedded model about pages, and fields to ask for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from service.domain.pages import PageText
from service.domain.records import Extraction, Json, JsonObject
from service.domain.schema import parse_schema
from service.embedded.model import EmbeddedModel
from tests.unit.embedded.laid_out import page

Pieces = Sequence[tuple[float, float, str]]

TEXT: Json = {"type": "string"}
NUMBER: Json = {"type": "number"}
DATE: Json = {"type": "string", "format": "date"}


def extract(schema: JsonObject, *pages: PageText) -> Extraction:
    """What the model makes of pages."""
    return EmbeddedModel().extract(parse_schema(schema), pages)


def values_of(schema: JsonObject, *pages: PageText) -> JsonObject:
    """Its values alone."""
    return extract(schema, *pages).values


def ask(properties: Mapping[str, Json], pieces: Pieces) -> JsonObject:
    """Its values for some properties of a page."""
    return values_of({"type": "object", "properties": dict(properties)}, page(pieces))
