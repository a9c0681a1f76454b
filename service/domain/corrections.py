"""A reviewer's changes: events that are never overwritten, laid over the machine's result.

An *address* is a JSON Pointer in which the rows of arrays of objects stand by their ids, `/lines/row_5f…/amount`: it
means the same cell after rows were inserted, deleted or moved.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from service.domain.records import FieldEntry, Json, JsonObject, Location


class OperationKind(StrEnum):
    """What a reviewer does."""

    SET = "set"
    MARK_ABSENT = "mark_absent"
    CONFIRM = "confirm"
    INSERT_ROW = "insert_row"
    DELETE_ROW = "delete_row"
    MOVE_ROW = "move_row"
    UNDO = "undo"
    """Takes an earlier operation back; both stay in the history."""


CELL_KINDS = frozenset({OperationKind.SET, OperationKind.MARK_ABSENT, OperationKind.CONFIRM})
"""Operations on one leaf; the others are on rows."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Operation:
    """One change as a client asks for it."""

    id: str
    """Chosen by the client, unique in its job: the same operation sent twice is done once."""
    kind: OperationKind
    record: str | None = None
    """Id of the record; None: the only one."""
    path: str = ""
    """Address of a leaf, of a row (`delete_row`, `move_row`) or of an array (`insert_row`)."""
    old: Json = None
    """The leaf's value as the reviewer saw it."""
    value: Json = None
    """The new value as it was typed (`set`), or the values of a new row (`insert_row`)."""
    location: Location | None = None
    """Where the new value stands, if the reviewer showed it."""
    before: str | None = None
    """Id of the row in front of which a row goes; None: the end."""
    of: str | None = None
    """Id of the operation that is taken back (`undo`)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Correction:
    """An operation that was done, with what it found and what it left."""

    operation: Operation
    """Its record is named and its value is the stored one."""
    record_index: int
    """0-based position of the record when it was done: names it after a new run."""
    digest: str
    """Of the operation as it was sent, to tell a repeat from another one of the same id."""
    old: FieldEntry | None = None
    """The leaf as it was; None for operations on rows."""
    new: FieldEntry | None = None
    turned: int = 0
    """Degrees clockwise by which the page of `new`'s place was turned then; another run may show it otherwise."""
    row: str | None = None
    """Id of the row that was inserted, deleted or moved."""
    removed: JsonObject | None = None
    """Values of the row that was deleted."""


class ReviewAction(StrEnum):
    """What the history of a job tells."""

    CORRECT = "correct"
    CLAIM = "claim"
    RELEASE = "release"
    ASK = "ask"
    """A colleague was asked, and has the document now."""
    MEND = "mend"
    """Pages were turned, or are read again, by a new run."""
    APPROVE = "approve"
    REJECT = "reject"
    REOPEN = "reopen"


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewEvent:
    """One entry of a job's history. Times are Unix seconds."""

    job_id: str
    tenant_id: str
    run: int
    """The run that was looked at."""
    revision: int
    """The job's revision once this was done."""
    action: ReviewAction
    by: str
    at: float
    client_id: str | None = None
    """The operation's id (`correct`)."""
    correction: Correction | None = None
    detail: JsonObject
    """Reason of a rejection, doubts that an approval left, who was asked what, which pages were turned by how much."""
    position: int = 0
    """Order within the store; given by it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """That a person looked at a leaf, and what came of it."""

    kind: OperationKind
    by: str
    at: float
    operation: str
    """Its id, for whoever takes it back."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Unplaced:
    """A correction of an earlier run that does not fit the present one."""

    event: ReviewEvent
    why: str
