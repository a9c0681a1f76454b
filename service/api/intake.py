"""Taking in a new job: its file, from a form or by id, and what is asked of it; twice the same key makes one job."""

from __future__ import annotations

import hashlib
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, nullcontext
from dataclasses import dataclass, replace
from functools import partial

import anyio
from anyio import to_thread
from fastapi import Request

from service.api.bodies import read_object
from service.api.forms import Fields, TakeFile, is_form, read_form
from service.api.payloads.job_requests import WAYS_TO_NAME_A_SCHEMA, JobRequest, check_request, fields_as_body
from service.auth.callers import Caller
from service.domain.batches import Batch
from service.domain.errors import ErrorCode, InputError
from service.domain.files import StoredFile
from service.domain.jobs import Job, JobOptions
from service.jobs.control.batches import find_batch
from service.jobs.intake.idempotency import fingerprint_of, match_key, release_key, reserve_key
from service.jobs.intake.schemas import ChosenSchemas, SchemaWish, choose_schemas
from service.jobs.intake.submit import Submission, submit_job
from service.jobs.intake.uploads import Upload, forget_upload, get_file, kept, receive
from service.jobs.services import Services

_LONGEST_KEY = 255


@dataclass(frozen=True, slots=True, kw_only=True)
class TakenIn:
    """The job, and what its file is called."""

    job: Job
    file_name: str | None
    """None: an earlier request made the job."""


async def take_in(request: Request, services: Services, caller: Caller, key: str | None) -> TakenIn:
    """Read a request and make its job, or find the one that the same key made.

    Raises:
        ServiceError: nothing was made.
    """
    if key is None:
        return await _make(request, services, caller, None)
    _check_key(key)
    earlier = await to_thread.run_sync(reserve_key, services, caller.tenant_id, key)
    if earlier is not None:
        return TakenIn(job=await _match(request, services, caller, key), file_name=None)
    try:
        return await _make(request, services, caller, key)
    except BaseException:
        with anyio.CancelScope(shield=True):
            await to_thread.run_sync(release_key, services, caller.tenant_id, key)
        raise


async def _make(request: Request, services: Services, caller: Caller, key: str | None) -> TakenIn:
    async with AsyncExitStack() as until_made:
        arriving = _Arriving(services=services, tenant_id=caller.tenant_id, until_made=until_made)
        wanted, batch = await _in_batch(services, caller, await _read(request, arriving.take_file))
        upload = arriving.upload
        if upload is not None and wanted.file_id is not None:
            raise InputError(ErrorCode.INVALID_REQUEST, "Send a `file` or a `file_id`, not both.", param="file_id")
        if upload is None:
            found = nullcontext(await _find_file(services, caller, wanted))
        else:
            found = kept(services, caller.tenant_id, upload)
        chosen = await arriving.choose(wanted)

        def submit() -> TakenIn:
            with found as file:
                submission = replace(
                    submission_of(services, caller, wanted, chosen, file),
                    is_new_file=upload is not None,
                    batch=batch,
                    idempotency=None if key is None else (key, _fingerprint(file.sha256, wanted)),
                )
                return TakenIn(job=submit_job(services, submission), file_name=file.name)

        return await to_thread.run_sync(submit)


@dataclass(slots=True, kw_only=True)
class _Arriving:
    """What has come of a request."""

    services: Services
    tenant_id: str
    until_made: AsyncExitStack
    upload: Upload | None = None
    _chosen: tuple[SchemaWish, ChosenSchemas] | None = None

    async def take_file(self, name: str, parts: AsyncIterator[bytes], before: Fields) -> None:
        """Receive the file; a fault that shows before it need not wait for it."""
        if before.keys() & WAYS_TO_NAME_A_SCHEMA:
            await self.choose(check_request(JobRequest, fields_as_body(before)))
        self.upload = await self.until_made.enter_async_context(receive(self.services, self.tenant_id, name, parts))

    async def choose(self, wanted: JobRequest) -> ChosenSchemas:
        """The schemas of the job; those that it brings are read here: a hop to a thread would take longer."""
        wish = wanted.schema_wish()
        if self._chosen is None or self._chosen[0] != wish:
            choose = partial(choose_schemas, self.services, self.tenant_id, wish)
            self._chosen = wish, choose() if wish.source is not None else await to_thread.run_sync(choose)
        return self._chosen[1]


async def forget_all(services: Services, uploads: Sequence[StoredFile]) -> None:
    """Take back the uploads of a request that came to nothing, also when its caller is gone."""
    with anyio.CancelScope(shield=True):
        for file in uploads:
            await to_thread.run_sync(forget_upload, services, file)


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
