"""Open the file: its kind, its pages, its limits; an office or encrypted file becomes a plain PDF once."""

from __future__ import annotations

from dataclasses import replace

from service.domain.errors import ErrorCode, InternalError
from service.domain.jobs import Job, StoredFile
from service.domain.pages import DocumentInfo, PageRange
from service.jobs.services import Services
from service.jobs.settle import Claim, Outcome
from service.storage.blobs import StoredBlob
from service.storage.store import Rows


def open_document(services: Services, claim: Claim) -> Outcome:
    """Find out what the file is, once for all runs.

    Raises:
        InputError: the file cannot be taken: encrypted, damaged, empty, too large, of an unknown kind.
    """
    job = claim.job
    if job.source_key is not None:  # by an earlier run; a password is forgotten since
        return Outcome()
    with services.store.read() as rows:
        file = rows.files.get(job.tenant_id, job.file_id)
        password = rows.jobs.password(job.id)
    if file is None:
        raise InternalError(ErrorCode.INTERNAL, f"The file {job.file_id!r} of job {job.id!r} is gone.")
    with services.blobs.local(file.blob_key) as path:
        opened = services.reader.open(path, password=password)
        converted = opened.converted
        if converted is None and password is not None:
            converted = services.reader.cut(path, PageRange(1, len(opened.info.pages)), password=password)
    derived = services.blobs.put(job.tenant_id, converted) if converted is not None else None
    return Outcome(apply=lambda rows, job: _note_opened(rows, job, file, opened.info, derived))


def _note_opened(rows: Rows, job: Job, file: StoredFile, info: DocumentInfo, derived: StoredBlob | None) -> Job:
    source = derived.key if derived else file.blob_key
    if derived and file.source_key != source:
        rows.files.count_blob(job.tenant_id, source, derived.size_bytes)
    rows.files.set_source(file.id, source, info.pages)
    rows.jobs.forget_password(job.id)
    return replace(job, source_key=source, page_count=len(info.pages), issues=(*job.issues, *info.issues))
