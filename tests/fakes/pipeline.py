"""What tests of the pipeline have in hand: a service in this process, files drawn on the spot, jobs to the end."""

from __future__ import annotations

import io
import time
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from reportlab.lib.pdfencrypt import StandardEncryption
from reportlab.pdfgen.canvas import Canvas
from sqlalchemy import text

from service.domain.files import StoredFile
from service.domain.jobs import Job, JobOptions
from service.domain.routes import JobSchema
from service.domain.steps import Step, StepKind
from service.jobs.control.retry import retry_job
from service.jobs.control.sweep import Sweeper
from service.jobs.intake.schemas import ChosenSchemas
from service.jobs.intake.submit import Submission, submit_job
from service.jobs.intake.uploads import take_bytes
from service.jobs.queries import get_job
from service.jobs.results.result import View, result_body
from service.jobs.services import Services
from service.storage.engine import Database
from tests.fakes.local_service import LocalService, local_service
from tests.fakes.model_stub import ModelStub

TENANT = "default"
UPSTAGE = "upstage:information-extract"
SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "invoice_number": {"type": "string", "description": "Number of the invoice"},
        "total": {"type": "number", "description": "Amount to pay"},
        "lines": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {"description": {"type": "string"}, "amount": {"type": "number"}},
            },
        },
    },
}
Json = Any
_OF_SUBMISSION = ("password", "external_id", "metadata", "idempotency", "schemas", "is_routed")


def one_schema(source: Mapping[str, Json], name: str = "document") -> ChosenSchemas:
    """One that comes with its job, for all documents."""
    return ChosenSchemas(schemas=(JobSchema(source=dict(source), name=name, version=None),), is_routed=False)


def draw_pdf(pages: Sequence[str], *, password: str | None = None) -> bytes:
    """A PDF with one line of text a page, and nothing on a page whose text is empty."""
    buffer = io.BytesIO()
    lock = StandardEncryption(password, canPrint=1) if password else None
    canvas = Canvas(buffer, encrypt=lock, invariant=1)
    for line in pages:
        if line:
            canvas.setFont("Helvetica", 12)
            canvas.drawString(72, 720, line)
        canvas.showPage()
    canvas.save()
    return buffer.getvalue()


def numbered_pdf(count: int, *, mark: str = "invoice") -> bytes:
    """A PDF of `count` pages that all say something of their own."""
    return draw_pdf(
        [f"{mark} page {number} invoice_number 7{number:03} total {number}.25" for number in range(1, count + 1)]
    )


@dataclass(frozen=True, kw_only=True)
class Pipeline:
    """A running service and how to use it."""

    local: LocalService

    @property
    def services(self) -> Services:
        """Of the service's own process."""
        return self.local.services

    @property
    def home(self) -> Path:
        """The folder with all state."""
        return self.local.settings.home

    def upload(self, data: bytes, name: str = "file.pdf") -> StoredFile:
        """Keep bytes."""
        return take_bytes(self.services, TENANT, name, data)

    def submit(
        self,
        data: bytes,
        *,
        schema: Mapping[str, Json] = SCHEMA,
        name: str = "file.pdf",
        model: str = UPSTAGE,
        **more: Json,
    ) -> Job:
        """Make a job; `more` are options of a job, or of a submission."""
        named = {name: more.pop(name) for name in _OF_SUBMISSION if name in more}
        submission = Submission(
            tenant_id=TENANT,
            file=self.upload(data, name),
            schemas=one_schema(schema).schemas,
            options=JobOptions(model=model, **more),
            metadata={},
        )
        submission = replace(submission, **named)
        return submit_job(self.services, submission)

    def finish(self, job: Job, seconds: float = 200.0) -> Job:
        """The job once its run is over."""
        until = time.monotonic() + seconds
        while not (ended := get_job(self.services, TENANT, job.id)).status.is_terminal:
            assert time.monotonic() < until, f"still {ended.status}: {self.steps(ended)}"
            time.sleep(0.05)
        return ended

    def run(self, data: bytes, **more: Json) -> Job:
        """Submit and wait."""
        return self.finish(self.submit(data, **more))

    def retry(self, job: Job) -> Job:
        """Retry and wait."""
        return self.finish(retry_job(self.services, TENANT, job.id))

    def result(self, job: Job, view: View = "full") -> Json:
        """The result as a caller gets it."""
        return result_body(self.services, job, view=view)

    def steps(self, job: Job, kind: StepKind | None = None) -> tuple[Step, ...]:
        """The steps of the current run."""
        with self.services.store.read() as rows:
            return rows.steps.of_run(job, kind)

    def rows(self, query: str, **values: Json) -> list[tuple[Json, ...]]:
        """Rows of the database, asked directly."""
        database = Database(self.local.settings.resolved_database_url)
        try:
            with database.read() as connection:
                return [tuple(row) for row in connection.execute(text(query), values)]
        finally:
            database.dispose()

    def change(self, query: str, **values: Json) -> None:
        """Change the database behind the service's back."""
        database = Database(self.local.settings.resolved_database_url)
        try:
            with database.write() as connection:
                connection.execute(text(query), values)
        finally:
            database.dispose()

    def holds(self, planted: bytes) -> list[Path]:
        """Files below the home in which these bytes stand."""
        found: list[Path] = []
        for path in sorted(self.home.rglob("*")):
            with suppress(FileNotFoundError):  # the service puts files away
                if path.is_file() and planted in path.read_bytes():
                    found.append(path)
        return found


@contextmanager
def pipeline(
    home: Path,
    *,
    stub: ModelStub | None = None,
    working: bool = True,
    sweeping: bool = True,
    clock: Callable[[], float] = time.time,
    **settings: object,
) -> Generator[Pipeline]:
    """Start a service whose Upstage is the stub, with a quick sweeper unless the test sweeps by itself.

    Args:
        home: an empty folder.
        stub: stands for the provider; None: no provider is set.
        working: whether anybody works on the steps.
        sweeping: whether anybody sweeps.
        clock: what the service takes for the time of day.
        settings: what differs from the defaults.
    """
    if stub is not None:
        settings = {"upstage_base_url": stub.base_url, "upstage_api_key": "up_test", **settings}
    with local_service(home, working=working, clock=clock, **settings) as local:
        sweeper = Sweeper(local.services, every_s=0.1) if sweeping else None
        if sweeper is not None:
            sweeper.start()
        try:
            yield Pipeline(local=local)
        finally:
            if sweeper is not None:
                sweeper.stop()


class Clock:
    """The time of day, which a test puts forward instead of waiting."""

    def __init__(self, ahead_s: float = 0.0) -> None:
        self._ahead_s = ahead_s

    def __call__(self) -> float:
        """Unix seconds."""
        return time.time() + self._ahead_s

    def forward(self, seconds: float) -> None:
        """So much time has passed."""
        self._ahead_s += seconds


def later(services: Services, seconds: float) -> Services:
    """The same services in a process whose clock is ahead: what would be true if nobody had worked meanwhile."""
    return replace(services, clock=lambda: time.time() + seconds)


def wait_until(true: Callable[[], bool], seconds: float = 200.0) -> None:
    """Until something holds; fails if it never does."""
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end, "it never came to hold"
        time.sleep(0.02)
