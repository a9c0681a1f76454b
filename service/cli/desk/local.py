"""Work in this process: the same use cases and tables as a fleet, with a queue of threads instead of Redis."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Literal

from service.auth.callers import LOCAL_TENANT, LOCAL_USER
from service.cli.desk.base import JobView, Order, ReviewedDocument
from service.domain.errors import ErrorCode, InputError, StateError
from service.domain.files import StoredFile
from service.domain.jobs import JobOptions, ReviewState
from service.domain.records import JsonObject
from service.domain.routes import JobSchema
from service.domain.schema_version import AUTO
from service.domain.steps import QueueName
from service.jobs.control.ending import cancel_job
from service.jobs.control.sweep import Sweeper
from service.jobs.intake.generate_schema import MOST_FILES, generate_schema
from service.jobs.intake.schemas import SchemaWish, choose_schemas, find_schema
from service.jobs.intake.submit import Submission, submit_job
from service.jobs.intake.uploads import forget_upload, take_bytes
from service.jobs.queries import get_job, get_progress
from service.jobs.results.result import result_body
from service.jobs.reviewing.reviewed_cases import reviewed_cases
from service.jobs.steps.run_steps import run_ring
from service.messaging.queue_inline import InlineQueue
from service.settings import Settings
from service.wiring.services import build_services, close_services, prepare

_IO_THREADS = 8
_CLOSING_S = 4.0


class LocalDesk:
    """A `Desk` that works itself, as long as it is open; without workers it only answers questions."""

    where: Literal["here", "serve"] = "here"

    def __init__(self, settings: Settings, *, workers: int) -> None:
        prepare(settings)
        self._queue = InlineQueue({QueueName.CPU: workers, QueueName.IO: _IO_THREADS})
        self._services = build_services(settings, role="local", queue=self._queue)
        self._sweeper = Sweeper(self._services, every_s=settings.sweep_s)
        self._works = workers > 0
        if self._works:
            self._services.keeper.start()
            self._queue.start(lambda ring: run_ring(self._services, ring))
            self._sweeper.start()

    def engine(self) -> str:
        """See `Desk.engine`."""
        return self._services.engine

    def model_name(self, wanted: str | None) -> str:
        """See `Desk.model_name`."""
        return self._services.models.canonical(wanted or self._services.default_model)

    def schema(self, reference: str) -> tuple[str, JsonObject]:
        """See `Desk.schema`."""
        found = find_schema(self._services, LOCAL_TENANT, reference)
        return found.reference, found.source

    def schemas(self, references: tuple[str, ...]) -> tuple[JobSchema, ...]:
        """See `Desk.schemas`."""
        wish = SchemaWish(references=AUTO if references == (AUTO,) else references)
        return choose_schemas(self._services, LOCAL_TENANT, wish).schemas

    def generate_schema(self, paths: Sequence[Path], instruction: str) -> tuple[str, JsonObject]:
        """See `Desk.generate_schema`."""
        services = self._services
        files: list[StoredFile] = []
        try:
            for path in paths[: MOST_FILES + 1]:
                files.append(take_bytes(services, LOCAL_TENANT, path.name, self._read(path)))
            return generate_schema(services, LOCAL_TENANT, files, instruction)
        finally:
            for file in files:
                forget_upload(services, file)

    def submit(self, order: Order) -> str:
        """See `Desk.submit`."""
        services = self._services
        wish = SchemaWish(
            source=None if order.schema_ref is not None or order.schemas else order.schema,
            reference=order.schema_ref,
            references=order.schemas or None,
        )
        chosen = choose_schemas(services, LOCAL_TENANT, wish)
        options = JobOptions(
            model=order.model or services.default_model,
            split_documents=order.split_documents,
            pages_per_chunk=order.pages_per_chunk,
            priority=order.priority,
            budget=order.budget,
            cache=order.cache,
            second_opinion=order.second_opinion,
        )
        file = take_bytes(services, LOCAL_TENANT, order.path.name, self._read(order.path))
        submission = Submission(
            tenant_id=LOCAL_TENANT,
            file=file,
            schemas=chosen.schemas,
            is_routed=chosen.is_routed,
            options=options,
            password=order.password,
            metadata={},
            created_by=LOCAL_USER,
        )
        return submit_job(services, submission).id

    def _read(self, path: Path) -> bytes:
        """The file's bytes; of one that is too large no more than shows it."""
        try:
            with path.open("rb") as file:
                return file.read(self._services.limits.max_file_bytes + 1)
        except OSError as error:
            raise InputError(
                ErrorCode.NO_FILE, f"The file {str(path)!r} cannot be read: {error.strerror}.", param="file"
            ) from None

    def look(self, job_id: str) -> JobView:
        """See `Desk.look`."""
        job = get_job(self._services, LOCAL_TENANT, job_id)
        progress = get_progress(self._services, job)
        return JobView(
            status=job.status,
            pages_total=progress.pages_total,
            pages_read=progress.pages_read,
            splits_total=progress.splits_total,
            splits_done=progress.splits_done,
            tokens=job.usage.total_tokens,
            cost=None if job.usage.cost is None else float(job.usage.cost),
            doubtful=job.review is ReviewState.NEEDED,
            fault_code=job.fault.code if job.fault else None,
            fault_message=job.fault.message if job.fault else None,
        )

    def result(self, job_id: str) -> JsonObject:
        """See `Desk.result`."""
        return result_body(self._services, get_job(self._services, LOCAL_TENANT, job_id))

    def reviewed(self) -> Iterator[ReviewedDocument]:
        """See `Desk.reviewed`."""
        before: tuple[float, str] | None = None
        while True:
            cases, before = reviewed_cases(self._services, LOCAL_TENANT, schema_name=None, before=before)
            for case in cases:
                with self._services.blobs.local(case.file.blob_key) as path:
                    data = path.read_bytes()
                name = f"{case.job_id}{Path(case.file.name).suffix}"
                yield ReviewedDocument(name=name, data=data, schema=case.schema, truth=case.truth, absent=case.absent)
            if before is None:
                return

    def cancel(self, job_id: str) -> None:
        """See `Desk.cancel`."""
        with suppress(StateError):
            cancel_job(self._services, LOCAL_TENANT, job_id)

    def close(self) -> None:
        """See `Desk.close`; what is unfinished stays in the database, and the next process of this home goes on.

        Work that does not end in time is left to the end of the process: closing the readers under it would look
        like pages that cannot be read.
        """
        if self._works:
            self._sweeper.stop()
        if not self._works or self._queue.stop(_CLOSING_S):
            close_services(self._services)
