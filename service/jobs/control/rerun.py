"""Rerun a job: a new run of everything but the reading, with what is changed."""

from __future__ import annotations

from dataclasses import replace

from service.domain.errors import ErrorCode, StateError
from service.domain.jobs import Job, JobOptions
from service.jobs.control.given import NOTHING_GIVEN, Given, check_documents, lay_out
from service.jobs.control.next_run import restart
from service.jobs.events.webhooks import check_webhook
from service.jobs.intake.model_rules import check_model_rules
from service.jobs.intake.schemas import ChosenSchemas
from service.jobs.intake.submit import check_schemas
from service.jobs.queries import get_job, lock_job
from service.jobs.services import Services
from service.jobs.settle import ring
from service.jobs.steps.mend_pages import mend_pages


def rerun_job(
    services: Services,
    tenant_id: str,
    job_id: str,
    *,
    schemas: ChosenSchemas | None = None,
    options: JobOptions | None = None,
    given: Given = NOTHING_GIVEN,
) -> Job:
    """Start a new run of everything but the reading of pages that need none, with what is changed.

    Args:
        services: of this process.
        tenant_id: whose job it is.
        job_id: the job.
        schemas: another schema, or several to choose from; None: the same.
        options: other options; None: the same.
        given: what a person says of the file.

    Raises:
        StateError: there is no such job, or its run is not over (`wrong_state`).
        InputError: what is changed cannot be taken.
    """
    old = get_job(services, tenant_id, job_id)
    wanted = options or old.options
    chosen = schemas or ChosenSchemas(schemas=old.schemas, is_routed=old.is_routed)
    layout = lay_out(chosen, given.documents)
    check_schemas(services, layout.schemas, wanted.model)
    check_model_rules(services, tenant_id, wanted, layout.schemas)
    check_webhook(services, wanted)
    with services.store.write(durable=True) as rows:
        old = lock_job(rows, tenant_id, job_id)
        if not old.status.is_terminal:
            raise StateError(ErrorCode.WRONG_STATE, f"The job {job_id!r} is {old.status}; cancel it or wait.")
        if layout.documents is not None:
            check_documents(layout.documents, old.page_count)
        if given.pages.pages:
            mend_pages(rows, old, given.pages, services.clock())
        split = wanted.split_documents or given.documents is not None
        changed = replace(
            old,
            schemas=layout.schemas,
            is_routed=layout.is_routed,
            options=replace(wanted, split_documents=split),
            documents=layout.documents,
            routes=layout.routes,
        )
        job, step = restart(rows, changed, services.clock())
    ring(services, [step])
    return job
