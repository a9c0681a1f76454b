"""Turn a file and a schema into a job; once this returns, the job outlives any crash."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from dataclasses import dataclass

from service.domain.batches import Batch
from service.domain.errors import ErrorCode, InputError, StateError
from service.domain.events import EventType
from service.domain.files import StoredFile
from service.domain.jobs import Job, JobOptions, JobStatus
from service.domain.records import Issue, JsonObject, Stage
from service.domain.routes import JobSchema
from service.domain.schema import ExtractionSchema, SchemaField, known_schema
from service.domain.steps import Step
from service.extraction.checks.check import parse_checks
from service.extraction.reviewing.policy import parse_policy
from service.extraction.schema.narrow import narrow_schema
from service.extraction.splitting.plan import group_fields
from service.jobs.events.webhooks import check_webhook, keep_jobs_webhook
from service.jobs.intake.batch_books import hold_open
from service.jobs.intake.idempotency import refuse_second
from service.jobs.intake.model_rules import check_model_rules
from service.jobs.intake.uploads import note_upload
from service.jobs.planning import first_step, schema_room
from service.jobs.services import Services
from service.jobs.settle import ring
from service.jobs.steps.open_document import opening_queue
from service.protocol.json_text import encode_json
from service.storage.store import Rows

MODE_NOT_HONOURED = "mode_not_honoured"
"""The issue of a job whose model knows no other mode than the standard one."""
CHUNK_NOT_HONOURED = "pages_per_chunk_not_honoured"
"""The issue of a job whose model takes whole documents only."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Submission:
    """What a caller hands in."""

    tenant_id: str
    file: StoredFile
    is_new_file: bool = False
    """Whether its row is still to be written; it is, together with the job's."""
    schemas: tuple[JobSchema, ...]
    options: JobOptions
    is_routed: bool = False
    """Whether each document inside the file is given the one of the schemas that it fits."""
    password: str | None = None
    external_id: str | None = None
    metadata: JsonObject
    created_by: str = ""
    batch: Batch | None = None
    archive_path: str | None = None
    """Where the file stood in an archive of the batch."""
    idempotency: tuple[str, str] | None = None
    """Key and fingerprint, if the caller gave a key."""


def submit_job(services: Services, submission: Submission) -> Job:
    """Make the job and ring for its first step.

    Raises:
        InputError: the schema, an option or the model cannot be taken.
        StateError: `file_not_found`, the file was deleted meanwhile; `batch_not_found`; `wrong_state`:
            the batch is closed; `already_taken`: it has this file of an archive; `idempotency_in_flight`: its key made
            another job meanwhile.
    """
    new = prepare_job(services, submission)
    with services.store.write(durable=True) as rows:
        if submission.idempotency is not None:
            refuse_second(rows, submission.tenant_id, submission.idempotency[0])
        if submission.batch is not None:
            _join_batch(rows, submission.batch, new)
        if submission.is_new_file:
            note_upload(services, rows, submission.file)
        else:
            hold_files(rows, [new])
        add_job(rows, new)
    ring(services, [new.step])
    return new.job


def _join_batch(rows: Rows, batch: Batch, new: NewJob) -> None:
    hold_open(rows, batch.tenant_id, batch.id)
    path, sha256 = new.submission.archive_path, new.submission.file.sha256
    if path is not None and not rows.batches.add_entry(batch, path, sha256, new.job.id):
        raise StateError(ErrorCode.ALREADY_TAKEN, f"The batch {batch.id!r} has this file already.")


@dataclass(frozen=True, slots=True, kw_only=True)
class NewJob:
    """A job that was checked and is not stored yet."""

    job: Job
    step: Step
    submission: Submission


def prepare_job(services: Services, submission: Submission) -> NewJob:
    """Check what is handed in.

    Raises:
        InputError: the schema, an option or the model cannot be taken.
    """
    check_schemas(services, submission.schemas, submission.options.model)
    check_model_rules(services, submission.tenant_id, submission.options, submission.schemas)
    check_webhook(services, submission.options)
    now = services.clock()
    job = _new_job(services, submission, now)
    locked = submission.password is not None
    queue = opening_queue(services, job.options.model, submission.file, password=locked)
    return NewJob(job=job, step=first_step(job, now, queue), submission=submission)


def hold_files(rows: Rows, made: Sequence[NewJob]) -> None:
    """Keep the files of new jobs from being deleted meanwhile; all of them before the first job is added.

    Raises:
        StateError: `file_not_found`, one is gone.
    """
    wanted = {new.submission.file.id for new in made}
    gone = wanted - rows.files.hold(made[0].job.tenant_id, wanted)
    if gone:
        raise StateError(ErrorCode.FILE_NOT_FOUND, f"The file {min(gone)!r} was deleted; upload it again.")


def add_job(rows: Rows, new: NewJob) -> None:
    """Store a job whose file is held; whoever calls rings for its step once that is committed."""
    job, now = new.job, new.job.created_at
    rows.jobs.add(job, new.submission.password, last_seq=1)
    rows.steps.add([new.step])
    if job.options.webhook_url is not None:
        keep_jobs_webhook(rows, job.tenant_id, now)
    if new.submission.idempotency is not None:
        key, fingerprint = new.submission.idempotency
        rows.idempotency.put(job.tenant_id, key, fingerprint, job.id, now)
    rows.events.append(job, EventType.JOB_STATUS, {"status": job.status, "run": job.run}, now, seq=1)


def check_schemas(services: Services, schemas: Sequence[JobSchema], model: str) -> None:
    """Refuse schemas or a model that no job could be made of.

    Raises:
        InputError: `invalid_schema` with the path of the fault, and the schema's name if there are several;
            `unknown_model`.
    """
    for schema in schemas:
        try:
            check_schema(services, schema.source, model, schema.name)
        except InputError as error:
            if len(schemas) == 1 or error.code is not ErrorCode.INVALID_SCHEMA:
                raise
            raise InputError(error.code, f"The schema {schema.name!r}: {error.message}", param="schemas") from error


def check_schema(services: Services, source: JsonObject, model: str, name: str) -> ExtractionSchema:
    """Refuse a schema or a model that no job could be made of.

    Raises:
        InputError: `invalid_schema` with the path of the fault, or `unknown_model`.
    """
    schema = check_any_schema(services, source, name)
    client, _ = services.models.resolve(model)
    for names in group_fields(schema, schema_room(client.capabilities)):
        client.check_schema(narrow_schema(schema, names))
    return schema


def check_any_schema(services: Services, source: JsonObject, name: str) -> ExtractionSchema:
    """Refuse a schema that no model could take.

    Raises:
        InputError: `invalid_schema` with the path of each fault.
    """
    schema = short_schema(services, source, name)
    count = count_fields(schema.root)
    if count > services.limits.max_properties:
        most = services.limits.max_properties
        raise InputError(
            ErrorCode.INVALID_SCHEMA, f"Invalid Schema: {count} properties, {most} are allowed.", param="schema"
        )
    parse_checks(schema)
    parse_policy(schema)
    return schema


def short_schema(services: Services, source: JsonObject, name: str) -> ExtractionSchema:
    """A schema of a length that is taken, parsed in milliseconds.

    Raises:
        InputError: `invalid_schema` with the path of each fault, or since it is too long.
    """
    size = len(encode_json(source))
    limit = services.limits.max_schema_chars
    if size > limit:
        raise InputError(
            ErrorCode.INVALID_SCHEMA,
            f"Invalid Schema: {size} characters minified, {limit} are allowed.",
            param="schema",
        )
    return known_schema(source, name)


def count_fields(field: SchemaField) -> int:
    """Properties of a field, at every depth."""
    inner = sum(1 + count_fields(p) for p in field.properties)
    return inner + (count_fields(field.items) if field.items else 0)


def _new_job(services: Services, submission: Submission, now: float) -> Job:
    return Job(
        id=f"job_{uuid.uuid4().hex}",
        tenant_id=submission.tenant_id,
        file_id=submission.file.id,
        status=JobStatus.QUEUED,
        run=1,
        revision=1,
        schemas=submission.schemas,
        is_routed=submission.is_routed,
        options=submission.options,
        engine=services.engine,
        external_id=submission.external_id,
        metadata=submission.metadata,
        created_at=now,
        created_by=submission.created_by,
        batch_id=submission.batch.id if submission.batch else None,
        issues=_unhonoured(services, submission.options),
    )


def _unhonoured(services: Services, options: JobOptions) -> tuple[Issue, ...]:
    """What was asked for and makes no difference with the model of the job."""
    able = services.models.resolve(options.model)[0].capabilities
    model = services.models.canonical(options.model)
    messages: dict[str, str] = {}
    if options.mode != "standard" and not able.enhanced_mode:
        messages[MODE_NOT_HONOURED] = f"The model {model!r} has no enhanced mode; it answers as in standard."
    if options.pages_per_chunk is not None and able.max_pages is None:
        messages[CHUNK_NOT_HONOURED] = f"The model {model!r} reads whole documents, since all their pages tell columns."
    return tuple(Issue(stage=Stage.INTAKE, code=code, message=message) for code, message in messages.items())
