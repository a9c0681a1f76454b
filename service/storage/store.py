"""The one door to the database: a transaction gives the rows of every subject."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass

from sqlalchemy import Connection
from sqlalchemy.exc import SQLAlchemyError

from service.storage.engine import Database
from service.storage.faults import database_fault
from service.storage.rows.access import AccessRows
from service.storage.rows.answers import AnswerRows
from service.storage.rows.batches import BatchRows
from service.storage.rows.events import EventRows
from service.storage.rows.exports import ExportRows
from service.storage.rows.files import FileRows, PageRows
from service.storage.rows.job_groups import GroupRows
from service.storage.rows.jobs import IdempotencyRows, JobRows
from service.storage.rows.memory import JudgementRows, MemoryRows
from service.storage.rows.retention import RetentionRows
from service.storage.rows.reviews import ReviewRows
from service.storage.rows.schemas import SchemaRows
from service.storage.rows.steps import StepRows
from service.storage.rows.unique import UniqueRows
from service.storage.rows.upkeep import UpkeepRows
from service.storage.rows.webhooks import DeliveryRows, WebhookRows


@dataclass(frozen=True, slots=True, kw_only=True)
class Rows:
    """The rows of one open transaction."""

    jobs: JobRows
    steps: StepRows
    files: FileRows
    pages: PageRows
    events: EventRows
    reviews: ReviewRows
    memories: MemoryRows
    judgements: JudgementRows
    groups: GroupRows
    batches: BatchRows
    exports: ExportRows
    idempotency: IdempotencyRows
    schemas: SchemaRows
    access: AccessRows
    answers: AnswerRows
    upkeep: UpkeepRows
    retention: RetentionRows
    unique: UniqueRows
    webhooks: WebhookRows
    deliveries: DeliveryRows


class Store:
    """Opens short transactions; never hold one over a model call or over reading."""

    def __init__(self, database: Database) -> None:
        self._database = database

    @contextmanager
    def read(self) -> Generator[Rows]:
        """A consistent view.

        Raises:
            InternalError: the database is full, too busy or not there.
            InputError: it is asked about a text that it cannot hold.
        """
        with _plain_faults(), self._database.read() as connection:
            yield _rows(connection)

    @contextmanager
    def write(self, *, durable: bool = False) -> Generator[Rows]:
        """One transaction, committed at the end, rolled back on any error.

        Args:
            durable: whether the commit must outlive a power cut.

        Raises:
            InternalError: the database is full, too busy or not there.
            InputError: it is given a text that it cannot hold.
        """
        with _plain_faults(), self._database.write(durable=durable) as connection:
            yield _rows(connection)

    def close(self) -> None:
        """Close every connection of this process."""
        self._database.dispose()

    def forget_deleted(self) -> None:
        """Leave nothing of deleted rows behind in side files."""
        self._database.forget_deleted()


@contextmanager
def _plain_faults() -> Generator[None]:
    try:
        yield
    except SQLAlchemyError as error:
        known = database_fault(error)
        if known is None:
            raise
        raise known from error


def _rows(connection: Connection) -> Rows:
    return Rows(
        jobs=JobRows(connection),
        steps=StepRows(connection),
        files=FileRows(connection),
        pages=PageRows(connection),
        events=EventRows(connection),
        reviews=ReviewRows(connection),
        memories=MemoryRows(connection),
        judgements=JudgementRows(connection),
        groups=GroupRows(connection),
        batches=BatchRows(connection),
        exports=ExportRows(connection),
        idempotency=IdempotencyRows(connection),
        schemas=SchemaRows(connection),
        access=AccessRows(connection),
        answers=AnswerRows(connection),
        upkeep=UpkeepRows(connection),
        retention=RetentionRows(connection),
        unique=UniqueRows(connection),
        webhooks=WebhookRows(connection),
        deliveries=DeliveryRows(connection),
    )
