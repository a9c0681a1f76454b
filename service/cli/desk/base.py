"""Where a command hands in its files: a running `serve`, or this process itself. Both look the same from here."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal, Protocol

from service.domain.budget import NO_BUDGET, Budget
from service.domain.jobs import JobStatus
from service.domain.records import JsonObject
from service.domain.routes import JobSchema
from service.domain.schema import parse_schema
from service.domain.steps import Priority
from service.exports.schema_set import SchemaSet


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """One file, and what is wanted of it."""

    path: Path
    schema: JsonObject
    schema_ref: str | None = None
    """`name` or `name@version` of a kept schema, which then is `schema` once a desk was asked for it."""
    schemas: tuple[str, ...] = ()
    """Several of them, or `auto` alone: each document gets the one it fits, and `schema` is empty."""
    kept: tuple[JobSchema, ...] = ()
    """What `schemas` are, once a desk was asked for them."""
    model: str | None = None
    """None: the default of whoever does the work."""
    split_documents: bool = False
    pages_per_chunk: int | None = None
    budget: Budget = NO_BUDGET
    cache: bool = True
    second_opinion: bool | None = None
    """None: as the installation says."""
    priority: Priority = Priority.NORMAL
    password: str | None = None
    key: str | None = None
    """Handing in again under it makes no second job; None: one of its own."""

    def schema_set(self) -> SchemaSet:
        """The schemas that the records may have, for exports."""
        if not self.schemas:
            return SchemaSet.one(parse_schema(self.schema))
        return SchemaSet.routed([(schema.name, schema.version, schema.parse()) for schema in self.kept])


@dataclass(frozen=True, slots=True, kw_only=True)
class JobView:
    """How a job stands."""

    status: JobStatus
    pages_total: int | None = None
    pages_read: int = 0
    splits_total: int = 0
    splits_done: int = 0
    tokens: int = 0
    """Of all its model calls."""
    cost: float | None = None
    """By the price table of whoever does the work; None: the model has no price."""
    doubtful: bool = False
    """Whether a person should look at the result."""
    fault_code: str | None = None
    fault_message: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewedDocument:
    """An approved document, with what a person confirmed or corrected."""

    name: str
    """Unique; with the suffix of its file."""
    data: bytes
    schema: JsonObject
    truth: JsonObject
    absent: tuple[str, ...]


def with_schema(desk: Desk, order: Order) -> Order:
    """The order with the schemas that it names, in the versions that are in force now."""
    if order.schemas:
        kept = desk.schemas(order.schemas)
        return replace(order, schemas=tuple(schema.reference for schema in kept), kept=kept)
    if order.schema_ref is None:
        return order
    reference, schema = desk.schema(order.schema_ref)
    return replace(order, schema=schema, schema_ref=reference)


class Desk(Protocol):
    """Takes orders and gives results. Errors are `ServiceError`s, whichever side they come from."""

    where: Literal["here", "serve"]

    def engine(self) -> str:
        """The version of what does the work."""
        ...

    def model_name(self, wanted: str | None) -> str:
        """`provider:model` in full of a model, or of the default."""
        ...

    def schema(self, reference: str) -> tuple[str, JsonObject]:
        """A kept or ready schema: `name@version` and its content."""
        ...

    def schemas(self, references: tuple[str, ...]) -> tuple[JobSchema, ...]:
        """Several kept or ready schemas that documents may have, or all for `auto`."""
        ...

    def generate_schema(self, paths: Sequence[Path], instruction: str) -> tuple[str, JsonObject]:
        """A schema that fits some documents: a name and its content."""
        ...

    def submit(self, order: Order) -> str:
        """Hand in a file; the id of its job."""
        ...

    def look(self, job_id: str) -> JobView:
        """How a job stands."""
        ...

    def result(self, job_id: str) -> JsonObject:
        """The full result of a job whose run is over."""
        ...

    def reviewed(self) -> Iterator[ReviewedDocument]:
        """The approved documents, the newest first."""
        ...

    def cancel(self, job_id: str) -> None:
        """End a job; nothing happens if it is over."""
        ...

    def close(self) -> None:
        """Leave nothing running here."""
        ...
