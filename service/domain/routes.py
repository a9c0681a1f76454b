"""Which schemas a job is made with, and which of them a document inside the file has."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from service.domain.records import JsonObject
from service.domain.schema import ExtractionSchema, known_schema


@dataclass(frozen=True, slots=True, kw_only=True)
class JobSchema:
    """One of the schemas that a job is made with; it stays as it was when the job came."""

    source: JsonObject
    name: str
    version: int | None
    """None: it came with the job; 0: it comes with the product."""

    @property
    def reference(self) -> str:
        """`name@version`, as `schema_ref` takes it; the name alone of one that came with the job."""
        return self.name if self.version is None else f"{self.name}@{self.version}"

    def parse(self) -> ExtractionSchema:
        """Its tree of fields."""
        return known_schema(self.source, self.name)


class UnroutedReason(StrEnum):
    """Why a document was given none of the schemas."""

    NO_TEXT = "no_text"
    """Nothing could be read on its pages."""
    NO_FIT = "no_fit"
    """No schema fits it well enough."""
    SEVERAL_FIT = "several_fit"
    """Two schemas fit it about as well."""
    IGNORED = "ignored"
    """A person said that its pages are nothing to extract from."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """How well a schema fits a document."""

    schema: int
    """0-based index among the job's schemas."""
    score: float
    """0–1."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Route:
    """Which of the job's schemas one document has."""

    schema: int | None
    """0-based index among the job's schemas; None: the document is unrouted."""
    reason: UnroutedReason | None = None
    """Why it has none."""
    candidates: tuple[Candidate, ...] = ()
    """Those that fit best, the best first; empty when a person chose."""
