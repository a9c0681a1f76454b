"""Answers: what a run gave for a case, decoded from the service's result."""

from __future__ import annotations

from dataclasses import dataclass

from pydantic import BaseModel

from service.domain.geometry import Point, Quad
from service.domain.records import Confidence, Extraction, FieldEntry, Json, JsonObject, Location, Scalar, Verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """How one case ended."""

    extraction: Extraction | None
    """None: there is none, and every value counts as missing."""
    seconds: float = 0.0
    """From handing in to the result, the wait for other cases included."""
    code: str | None = None
    """Error code of a case without an extraction."""


_Corners = tuple[Point, Point, Point, Point]


class _Entry(BaseModel):
    """An entry of `fields` of a result, as far as it is scored."""

    value: Scalar = None
    verdict: Verdict = Verdict.FOUND
    confidence: Confidence
    probability: float | None = None
    page: int | None = None
    coordinates: _Corners | tuple[()] | None = None
    """Empty where a value has no place."""
    word_coordinates: tuple[_Corners, ...] = ()

    def entry(self) -> FieldEntry:
        return FieldEntry(
            value=self.value,
            verdict=self.verdict,
            confidence=self.confidence,
            probability=self.probability,
            location=self._location(),
        )

    def _location(self) -> Location | None:
        if self.page is None or not self.coordinates:
            return None
        quad: Quad = self.coordinates
        return Location(self.page, quad, self.word_coordinates)


class _Record(BaseModel):
    values: dict[str, Json]
    fields: dict[str, _Entry]
    pages: tuple[int, ...]


class _Result(BaseModel):
    model: str = ""
    records: tuple[_Record, ...] = ()


def extraction_of(result: JsonObject) -> Extraction | None:
    """The first record of a full result, None where there is none: a case is one document."""
    read = _Result.model_validate(result)
    if not read.records:
        return None
    record = read.records[0]
    fields = {path: entry.entry() for path, entry in record.fields.items()}
    return Extraction(values=record.values, fields=fields, pages=record.pages, model=read.model)
