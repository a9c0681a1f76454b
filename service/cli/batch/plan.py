"""What a batch is told: files, schema, options, and what to do with what comes out."""

from __future__ import annotations

import hashlib
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import cast

import orjson

from service.cli.batch.causes import PASSWORD_CODES, is_tried_again
from service.cli.batch.entries import Work, WorkState
from service.cli.batch.find import Selection
from service.cli.batch.limits import Limits
from service.cli.desk.base import Desk, Order
from service.domain.records import JsonObject
from service.exports.formats import CsvDialect, ExportFormat, ExportOptions

_JSON = ExportOptions()
_DIALECT = CsvDialect()


class RerunIf(StrEnum):
    """What makes finished work be done again."""

    FAILED = "failed"
    DOUBTFUL = "doubtful"
    PARTIAL = "partial"
    SCHEMA = "schema"
    MODEL = "model"
    OPTIONS = "options"
    ENGINE = "engine"
    CHANGED = "changed"
    """Any of the four above."""


_ASPECTS = (RerunIf.SCHEMA, RerunIf.MODEL, RerunIf.OPTIONS, RerunIf.ENGINE)


def schema_identity(order: Order) -> str:
    """The same for the same schemas in the same versions."""
    if order.schemas:
        return ",".join(sorted(order.schemas))
    if order.schema_ref is not None:
        return order.schema_ref
    return "sha256:" + hashlib.sha256(orjson.dumps(order.schema, option=orjson.OPT_SORT_KEYS)).hexdigest()[:16]


@dataclass(frozen=True, slots=True, kw_only=True)
class Outputs:
    """What becomes of results and of the files they are of."""

    out: Path
    written: ExportOptions = _JSON
    """In which format the result of each file is written."""
    tables: tuple[ExportFormat, ...] = (ExportFormat.CSV,)
    """In which formats the tables over all files are written."""
    dialect: CsvDialect = _DIALECT
    done_dir: Path | None = None
    failed_dir: Path | None = None

    @property
    def beside_input(self) -> tuple[Path, ...]:
        """Folders that may lie inside the one that is looked through, and hold no input."""
        return tuple(path for path in (self.out, self.done_dir, self.failed_dir) if path is not None)


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchPlan:
    """What a batch is told."""

    folder: Path
    selection: Selection
    order: Order
    """Schema and options; path and password are those of each file."""
    outputs: Outputs
    jobs: int
    """Files in work at once."""
    rerun: frozenset[RerunIf] = frozenset()
    limits: Limits = field(default_factory=Limits)
    passwords: Path | None = None
    watch_s: float | None = None
    """Seconds between two looks at the folder; None: it is looked at once."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Made:
    """With what a result is made; what differs is an upgrade that nobody pays for by accident."""

    schema: str
    model: str
    options: str
    engine: str

    def text(self) -> str:
        """For the ledger."""
        return orjson.dumps(asdict(self)).decode()

    def changed_since(self, text: str) -> frozenset[RerunIf]:
        """In what it differs from the one of a ledger."""
        before = cast(dict[str, str], orjson.loads(text))
        return frozenset(aspect for aspect in _ASPECTS if before.get(aspect) != getattr(self, aspect))


class Decision(StrEnum):
    """What is to be done with a content that was found."""

    HAND_IN = "hand_in"
    GO_ON = "go_on"
    """Its job may still run."""
    KEEP = "keep"
    """It is done."""


def decide(work: Work | None, made: Made, rerun: frozenset[RerunIf], *, run: int, has_passwords: bool) -> Decision:
    """Whether a content is worked on: never twice with the same outcome, unless that is asked for."""
    if work is None:
        return Decision.HAND_IN
    if work.state is WorkState.OPEN:
        return Decision.GO_ON
    if work.run == run:
        return Decision.KEEP
    asked = {
        RerunIf.FAILED: work.state is WorkState.FAILED,
        RerunIf.PARTIAL: work.state is WorkState.PARTIAL,
        RerunIf.DOUBTFUL: work.doubtful,
    }
    changed = made.changed_since(work.made)
    if any(asked.get(name) for name in rerun) or changed & rerun or (changed and RerunIf.CHANGED in rerun):
        return Decision.HAND_IN
    if work.state is WorkState.FAILED and (
        is_tried_again(work.code) or (has_passwords and work.code in PASSWORD_CODES)
    ):
        return Decision.HAND_IN
    return Decision.KEEP


def made_by(desk: Desk, order: Order) -> Made:
    """With what a service would make the results of an order whose schemas are known."""
    options: JsonObject = {"split_documents": order.split_documents, "pages_per_chunk": order.pages_per_chunk}
    if order.second_opinion is not None:
        options["second_opinion"] = order.second_opinion
    return Made(
        schema=schema_identity(order),
        model=desk.model_name(order.model),
        options=orjson.dumps(options, option=orjson.OPT_SORT_KEYS).decode(),
        engine=desk.engine(),
    )
