"""Open the file: its kind, its pages, its limits; an office or encrypted file becomes a plain PDF once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from service.documents.sniffing import OFFICE_KINDS, is_encrypted_office
from service.domain.errors import ErrorCode, InternalError
from service.domain.jobs import Job, StoredFile
from service.domain.pages import DocumentInfo, PageRange, PageText
from service.jobs.services import Services
from service.jobs.settle import Claim, Outcome
from service.storage.blobs import derived_key
from service.storage.store import Rows


def open_document(services: Services, claim: Claim) -> Outcome:
    """Find out what the file is, once for all runs; the text of a file of one page is taken at once.

    A step of its own would take longer than that reading does; whatever takes long (OCR, ruled tables) is left to it.

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
    if password is None and _is_converted(services, file):
        with services.blobs.local(derived_key(file.blob_key)) as path:
            info = services.reader.open(path).info
        return Outcome(apply=lambda rows, job: _note_opened(rows, job, file, info, derived_key(file.blob_key)))
    texts: tuple[PageText, ...] = ()
    with services.blobs.local(file.blob_key) as path:
        opened = services.reader.open(path, password=password)
        converted = opened.converted
        if converted is None and password is not None:
            converted = services.reader.cut(path, PageRange(1, len(opened.info.pages)), password=password)
        if converted is None and len(opened.info.pages) == 1:
            plain = services.reader.read_plain(path, 1)
            texts = () if plain is None else (plain,)

    def note(rows: Rows, job: Job) -> Job:
        # Only now, while the job is locked: of a file that was deleted meanwhile nothing may be written.
        source = file.blob_key if converted is None else services.blobs.put_derived(file.blob_key, converted)
        if password is not None:
            rows.jobs.forget_password(job.id)
        _keep_unread(rows, job, source, texts)
        return _note_opened(rows, job, file, opened.info, source)

    return Outcome(apply=note)


def _keep_unread(rows: Rows, job: Job, source_key: str, texts: Sequence[PageText]) -> None:
    """Keep what was read at once, unless these bytes were read before: a person may have turned their pages since."""
    if texts and not rows.pages.count(source_key) and not rows.pages.turns(source_key):
        rows.pages.put(job.tenant_id, source_key, texts)


def _is_converted(services: Services, file: StoredFile) -> bool:
    """Whether an earlier job made a PDF of an office file: its pages were read from just that one.

    One that needs a password is opened by it each time.
    """
    if file.kind not in OFFICE_KINDS or not services.blobs.exists(derived_key(file.blob_key)):
        return False
    with services.blobs.local(file.blob_key) as path:
        return not is_encrypted_office(path)


def _note_opened(rows: Rows, job: Job, file: StoredFile, info: DocumentInfo, source: str) -> Job:
    rows.files.set_source(file.id, source, info.pages)
    return replace(job, source_key=source, page_count=len(info.pages), issues=(*job.issues, *info.issues))
