"""A new version of a schema over the documents of older ones, and what it changed; corrections are kept."""

from __future__ import annotations

from dataclasses import dataclass, replace

from service.domain.errors import ErrorCode, InputError, ServiceError, StateError
from service.domain.jobs import Job
from service.domain.routes import JobSchema
from service.domain.steps import Priority
from service.extraction.reviewing.changes import RecordChanges, compare_records
from service.extraction.reviewing.overlay import lay_over
from service.jobs.control.rerun import rerun_job
from service.jobs.intake.schemas import ChosenSchemas, find_schema
from service.jobs.queries import list_jobs
from service.jobs.results.current import load_current, load_machine
from service.jobs.services import Services
from service.storage.rows.jobs import JobFilter


@dataclass(frozen=True, slots=True, kw_only=True)
class SchemaRerun:
    """What was begun."""

    begun: tuple[tuple[Job, int | None], ...]
    """Jobs in their new run, each with the version that it had."""
    passed_over: tuple[tuple[Job, ServiceError], ...]
    """Jobs that could not be run anew, with the reason."""
    next_cursor: str | None
    """Leads to older jobs; None when all were looked at."""


def rerun_schema(services: Services, tenant_id: str, reference: str, *, cursor: str | None, most: int) -> SchemaRerun:
    """Run finished jobs of a schema's other versions anew with this one, the newest first, in the lane of the bulk.

    Jobs whose documents are each given one of several schemas are left as they are.

    Args:
        services: of this process.
        tenant_id: whose jobs.
        reference: of the version.
        cursor: where the call before ended.
        most: jobs that are looked at.

    Raises:
        StateError: `schema_not_found`.
        InputError: `invalid_option`, the cursor is not one of ours.
    """
    version = find_schema(services, tenant_id, reference)
    chosen = JobSchema(source=version.source, name=version.name, version=version.version)
    wanted = ChosenSchemas(schemas=(chosen,), is_routed=False)
    jobs, onward = list_jobs(services, tenant_id, JobFilter(schema_name=version.name), cursor=cursor, most=most)
    begun: list[tuple[Job, int | None]] = []
    passed_over: list[tuple[Job, ServiceError]] = []
    for job in jobs:
        old = job.schemas[0]
        if job.is_routed or not job.status.is_terminal or old.version in (None, version.version):
            continue
        try:
            options = replace(job.options, priority=Priority.BULK)
            anew = rerun_job(services, tenant_id, job.id, schemas=wanted, options=options)
        except (InputError, StateError) as error:  # the others go on
            passed_over.append((job, error))
        else:
            begun.append((anew, old.version))
    return SchemaRerun(begun=tuple(begun), passed_over=tuple(passed_over), next_cursor=onward)


def changes_of(services: Services, job: Job, from_run: int | None) -> tuple[int, tuple[RecordChanges, ...]]:
    """How the result of a job differs from that of an earlier run, both with their corrections; the run's number first.

    Raises:
        StateError: `not_finished`; `wrong_state`, there is no such run, or it gave nothing.
    """
    new = load_current(services, job).result
    number = job.run - 1 if from_run is None else from_run
    earlier = replace(job, run=number)
    with services.store.read() as rows:
        if not 1 <= number < job.run or rows.jobs.result(earlier) is None:
            raise StateError(
                ErrorCode.WRONG_STATE, f"The job {job.id!r} has no result of a run {number} before {job.run}."
            )
        machine = load_machine(rows, earlier)
        events = [event for event in rows.reviews.of_job(job.id) if event.run <= number]
    old = machine.records
    if events and not job.is_routed:
        old = lay_over(old, events, job.parsed_schemas(), run=number, turns=machine.turns).records()
    return number, compare_records(old, new.records)
