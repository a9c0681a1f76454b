"""Taking in a new job: its file, from a form or by id, and what is asked of it; twice the same key makes one job."""

from __future__ import annotations

import hashlib
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, replace
from functools import partial

import anyio
from anyio import to_thread
from fastapi import Request

from service.api.bodies import read_object
from service.api.forms import Fields, TakeFile, is_form, read_form
from service.api.job_requests import JobRequest, check_request, fields_as_body
from service.auth.callers import Caller
from service.domain.batches import Batch
from service.domain.errors import ErrorCode, InputError
from service.domain.jobs import Job, JobOptions, StoredFile
from service.jobs.batches import find_batch
from service.jobs.idempotency import fingerprint_of, match_key, release_key, reserve_key
from service.jobs.schemas import ChosenSchemas, SchemaWish, choose_schemas
from service.jobs.services import Services
from service.jobs.submit import Submission, submit_job
from service.jobs.uploads import forget_upload, get_file, receive_upload

_LONGEST_KEY = 255


@dataclass(frozen=True, slots=True, kw_only=True)
class TakenIn:
    """The job, and whether an earlier request made it."""

    job: Job
    repeated: bool


async def take_in(request: Request, services: Services, caller: Caller, key: str | None) -> TakenIn:
    """Read a request and make its job, or find the one that the same key made.

    Raises:
        ServiceError: nothing was made.
    """
    if key is None:
        return TakenIn(job=await _make(request, services, caller, None), repeated=False)
    _check_key(key)
    earlier = await to_thread.run_sync(reserve_key, services, caller.tenant_id, key)
    if earlier is not None:
        return TakenIn(job=await _match(request, services, caller, key), repeated=True)
    try:
        return TakenIn(job=await _make(request, services, caller, key), repeated=False)
    except BaseException:
        with anyio.CancelScope(shield=True):
            await to_thread.run_sync(release_key, services, caller.tenant_id, key)
        raise


async def _make(request: Request, services: Services, caller: Caller, key: str | None) -> Job:
    kept: list[StoredFile] = []
    try:
        return await _make_of(request, services, caller, key, kept)
    except BaseException:
        await forget_all(services, kept)
        raise


async def forget_all(services: Services, kept: Sequence[StoredFile]) -> None:
    """Take back the uploads of a request that came to nothing, also when its caller is gone."""
    with anyio.CancelScope(shield=True):
        for file in kept:
            await to_thread.run_sync(forget_upload, services, file)


async def _make_of(
    request: Request, services: Services, caller: Caller, key: str | None, kept: list[StoredFile]
) -> Job:
    found: list[tuple[SchemaWish, ChosenSchemas]] = []

    async def choose(wanted: JobRequest) -> ChosenSchemas:
        wish = wanted.schema_wish()
        if not found or found[-1][0] != wish:
            chosen = await to_thread.run_sync(choose_schemas, services, caller.tenant_id, wish)
            found.append((wish, chosen))
        return found[-1][1]

    async def keep(name: str, parts: AsyncIterator[bytes], before: Fields) -> None:
        # A fault that shows before the file need not wait for it.
        if before.keys() & {"schema", "schema_ref", "schemas"}:
            await choose(check_request(JobRequest, fields_as_body(before)))
        kept.append(await receive_upload(services, caller.tenant_id, name, parts))

    wanted, batch = await _in_batch(services, caller, await _read(request, keep))
    if kept and wanted.file_id is not None:
        raise InputError(ErrorCode.INVALID_REQUEST, "Send a `file` or a `file_id`, not both.", param="file_id")
    file = kept[0] if kept else await _find_file(services, caller, wanted)
    chosen = await choose(wanted)
    submission = replace(
        submission_of(services, caller, wanted, chosen, file),
        batch=batch,
        idempotency=None if key is None else (key, _fingerprint(file.sha256, wanted)),
    )
    return await to_thread.run_sync(submit_job, services, submission)


def submission_of(
    services: Services, caller: Caller, wanted: JobRequest, chosen: ChosenSchemas, file: StoredFile
) -> Submission:
    """A file with what is asked of it, as the use case takes it."""
    return Submission(
        tenant_id=caller.tenant_id,
        file=file,
        schemas=chosen.schemas,
        is_routed=chosen.is_routed,
        options=wanted.merged_into(JobOptions(model=services.default_model)),
        password=wanted.password,
        external_id=wanted.external_id,
        metadata=wanted.metadata or {},
        created_by=caller.user,
    )


async def _in_batch(services: Services, caller: Caller, wanted: JobRequest) -> tuple[JobRequest, Batch | None]:
    """The request with what its batch says over all it leaves out."""
    if wanted.batch_id is None:
        return wanted, None
    batch = await to_thread.run_sync(find_batch, services, caller.tenant_id, wanted.batch_id)
    return wanted.over(batch.defaults), batch


async def _match(request: Request, services: Services, caller: Caller, key: str) -> Job:
    """The earlier job, if this body is the same; the file is hashed, not kept."""
    digests: list[str] = []

    async def only_hash(_name: str, parts: AsyncIterator[bytes], _before: Fields) -> None:
        digest, size = hashlib.sha256(), 0
        async for part in parts:
            size += len(part)
            if size > services.limits.max_file_bytes:
                raise InputError(ErrorCode.FILE_TOO_LARGE, "The file is larger than any that was taken.", param="file")
            digest.update(part)
        digests.append(digest.hexdigest())

    wanted, _ = await _in_batch(services, caller, await _read(request, only_hash))
    sha256 = digests[0] if digests else (await _find_file(services, caller, wanted)).sha256
    fingerprint = _fingerprint(sha256, wanted)
    return await to_thread.run_sync(match_key, services, caller.tenant_id, key, fingerprint)


def _fingerprint(sha256: str, wanted: JobRequest) -> str:
    """Of what was asked; a schema that was named counts by its name, so that a new version is no other request."""
    return fingerprint_of(sha256, wanted.schema_ or {}, wanted.fingerprinted())


async def _read(request: Request, take_file: TakeFile) -> JobRequest:
    if not is_form(request):
        return check_request(JobRequest, await read_object(request))
    return check_request(JobRequest, fields_as_body(await read_form(request, take_file)))


async def _find_file(services: Services, caller: Caller, wanted: JobRequest) -> StoredFile:
    if wanted.file_id is None:
        raise InputError(
            ErrorCode.NO_FILE,
            "No file came: send it as the form field `file`, or name an upload by `file_id`.",
            param="file",
        )
    return await to_thread.run_sync(partial(get_file, services, caller.tenant_id, wanted.file_id))


def _check_key(key: str) -> None:
    if not 0 < len(key) <= _LONGEST_KEY or not key.isascii() or not key.isprintable():
        raise InputError(
            ErrorCode.INVALID_OPTION,
            f"The Idempotency-Key must be 1 to {_LONGEST_KEY} printable ASCII characters.",
            param="Idempotency-Key",
        )
