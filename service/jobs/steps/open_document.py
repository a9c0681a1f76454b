"""Open the file: its kind, its pages, its limits; an office or encrypted file becomes a plain PDF once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from service.documents.sniffing import OFFICE_KINDS, is_encrypted_office
from service.domain.errors import ErrorCode, InternalError, ReadingError
from service.domain.files import StoredFile
from service.domain.jobs import Job
from service.domain.pages import DocumentInfo, PageRange, PageText
from service.domain.steps import QueueName, StepKind
from service.jobs.lifecycle import NewStep
from service.jobs.services import Services
from service.jobs.settle import Claim, Outcome
from service.storage.blobs.base import derived_key
from service.storage.store import Rows

_SMALL_BYTES = 1_000_000
"""A file that is opened within milliseconds, or else left to a process that nobody's call waits for."""


def opening_queue(services: Services, model: str, file: StoredFile, *, password: bool) -> QueueName:
    """Who opens a file: a small one that its model is given as it is, the process that asks the model."""
    small = file.size_bytes <= _SMALL_BYTES and file.kind not in OFFICE_KINDS and not password
    return QueueName.IO if small and _is_given_files(services, model) else QueueName.CPU


def _is_given_files(services: Services, model: str) -> bool:
    return services.models.resolve(model)[0].capabilities.pages_as == "file"


def open_quickly(services: Services, claim: Claim) -> tuple[Outcome, bool | None]:
    """Open a file by `opening_queue`; one that takes long, or ends the reading process, becomes a step for others.

    Returns:
        What it gave, and whether the file's only page is blank; None: it has several, or nobody looked.

    Raises:
        InputError: as `open_document`.
    """
    job = claim.job
    if job.source_key is not None:  # by an earlier run
        return Outcome(), None
    with services.store.read() as rows:
        file = _file_of(rows, job)
    try:
        with services.blobs.local(file.blob_key) as path:
            opened = services.reader.open(path, quickly=True)
    except ReadingError:
        return Outcome(more=(NewStep(kind=StepKind.OPEN, ordinal=-1),)), None
    note = partial(_note_opened, file=file, info=opened.info, source=file.blob_key)
    return Outcome(apply=note), opened.blank


def open_document(services: Services, claim: Claim) -> Outcome:
    """Find out what the file is, once for all runs; the text of a single page that a model waits for is taken at once.

    A step of its own would take longer than that reading does; whatever takes long (OCR, ruled tables) is left to it.

    Raises:
        InputError: the file cannot be taken: encrypted, damaged, empty, too large, of an unknown kind.
        ReadingError: looking at it ran over its limits.
    """
    job = claim.job
    if job.source_key is not None:  # by an earlier run; a password is forgotten since
        return Outcome()
    with services.store.read() as rows:
        file = _file_of(rows, job)
        password = rows.jobs.password(job.id)
    if password is None and _is_converted(services, file):
        with services.blobs.local(derived_key(file.blob_key)) as path:
            info = services.reader.open(path).info
        return Outcome(apply=partial(_note_opened, file=file, info=info, source=derived_key(file.blob_key)))
    texts: tuple[PageText, ...] = ()
    with services.blobs.local(file.blob_key) as path:
        opened = services.reader.open(path, password=password)
        converted = opened.converted
        if converted is None and password is not None:
            converted = services.reader.cut(path, PageRange(1, len(opened.info.pages)), password=password)
        if converted is None and len(opened.info.pages) == 1 and not _is_given_files(services, job.options.model):
            plain = services.reader.read_plain(path, 1)
            texts = () if plain is None else (plain,)

    def note(rows: Rows, job: Job) -> Job:
        # Only now, while the job is locked: of a file that was deleted meanwhile nothing may be written.
        source = file.blob_key if converted is None else services.blobs.put_derived(file.blob_key, converted)
        if password is not None:
            rows.jobs.forget_password(job.id)
        _keep_unread(rows, job, source, texts)
        return _note_opened(rows, job, file=file, info=opened.info, source=source)

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


def _file_of(rows: Rows, job: Job) -> StoredFile:
    file = rows.files.get(job.tenant_id, job.file_id)
    if file is None:
        raise InternalError(ErrorCode.INTERNAL, f"The file {job.file_id!r} of job {job.id!r} is gone.")
    return file


def _note_opened(rows: Rows, job: Job, *, file: StoredFile, info: DocumentInfo, source: str) -> Job:
    rows.files.set_source(file.id, source, info.pages)
    return replace(job, source_key=source, page_count=len(info.pages), issues=(*job.issues, *info.issues))
