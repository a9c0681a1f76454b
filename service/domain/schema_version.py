"""A schema as it is kept: under a name, in versions that never change."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from service.domain.records import JsonObject

AUTO: Literal["auto"] = "auto"
"""In the place of several names: all there are."""
READY_VERSION = 0
"""The version of the schemas that come with the product; their own first version of a name is 1."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SchemaVersion:
    """One version of a named schema. Times are Unix seconds."""

    tenant_id: str
    name: str
    version: int
    """1, 2, … in the order in which contents first came; 0: it comes with the product."""
    sha256: str
    """Of the compact JSON text of `source`, properties in their order."""
    source: JsonObject
    """The bare JSON Schema, without any wrapper."""
    created_at: float
    created_by: str

    @property
    def reference(self) -> str:
        """As `schema_ref` takes it."""
        return f"{self.name}@{self.version}"
