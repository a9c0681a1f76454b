"""Rows for tests of the store: valid, small, and different only where a test says so."""

from __future__ import annotations

import hashlib
from dataclasses import replace

from service.domain.files import StoredFile
from service.domain.geometry import Box
from service.domain.jobs import Job, JobOptions, JobStatus
from service.domain.pages import PageSize, PageText, TextSource, Word
from service.domain.records import JsonObject
from service.domain.routes import JobSchema
from service.domain.steps import Step, StepKind
from service.storage.blobs.base import blob_key

TENANT = "tenant-a"
OTHER = "tenant-b"


def a_file(file_id: str = "file-1", **changes: object) -> StoredFile:
    """An upload whose bytes are told by `sha256`."""
    sha256 = hashlib.sha256(b"the same bytes").hexdigest()
    file = StoredFile(
        id=file_id,
        tenant_id=TENANT,
        name="invoice.pdf",
        sha256=sha256,
        size_bytes=14,
        kind="pdf",
        blob_key=blob_key(TENANT, sha256),
        created_at=1.0,
    )
    return replace(file, **changes)


def a_schema(name: str = "invoice") -> JobSchema:
    """A schema of one field that came with its job."""
    source: JsonObject = {"type": "object", "properties": {"total": {"type": "number"}}}
    return JobSchema(source=source, name=name, version=None)


def a_job(job_id: str = "job-1", **changes: object) -> Job:
    """A queued job on `a_file()`."""
    job = Job(
        id=job_id,
        tenant_id=TENANT,
        file_id="file-1",
        status=JobStatus.QUEUED,
        run=1,
        revision=1,
        schemas=(a_schema(),),
        options=JobOptions(model="embedded"),
        engine="0.1.0",
        external_id=None,
        metadata={},
        created_at=100.0,
    )
    return replace(job, **changes)


def a_step(step_id: str = "step-1", **changes: object) -> Step:
    """A waiting step of `a_job()`."""
    step = Step(id=step_id, job_id="job-1", tenant_id=TENANT, run=1, kind=StepKind.READ, ordinal=0)
    return replace(step, **changes)


def a_page(page: int, text: str = "Total", **changes: object) -> PageText:
    """A page with one word."""
    word = Word(text=text, box=Box(0.1, 0.1, 0.2, 0.2), line=0)
    size = PageSize(page=page, width=595.0, height=842.0)
    return replace(PageText(size=size, source=TextSource.DIGITAL, words=(word,)), **changes)
