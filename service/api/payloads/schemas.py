"""Named schemas as callers get them."""

from __future__ import annotations

from datetime import datetime

from pydantic import Field

from service.api.payloads.base import Payload
from service.domain.records import JsonObject


class SchemaEntry(Payload):
    """A version of a named schema."""

    name: str
    version: int
    """0: it comes with the product."""
    ready: bool
    sha256: str
    created_at: datetime | None
    """Null for a ready one."""
    created_by: str
    links: dict[str, str]


class SchemaPayload(SchemaEntry):
    """A version with its content."""

    versions: list[int]
    schema_: JsonObject = Field(alias="schema")
    effective_schema: JsonObject
    """What `values` always satisfy."""
    checks: list[str]


class SchemaListPayload(Payload):
    """The version that each name means, by name."""

    schemas: list[SchemaEntry]


class GeneratedSchemaPayload(Payload):
    """A proposal, in the form in which a job takes a schema."""

    name: str
    schema_: JsonObject = Field(alias="schema")
