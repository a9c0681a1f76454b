"""The result of a job in the form in which models answer: a chat completion, one choice a record."""

from __future__ import annotations

from service.domain.jobs import Job, JobStatus
from service.domain.records import JsonObject, Stage
from service.domain.results import LOST_PAGES, RunResult
from service.extraction.decoding.encode import CompletionHead, EncodeOptions, encode_completion
from service.jobs.results.current import load_current
from service.jobs.services import Services
from service.protocol.completion import ChatCompletion
from service.protocol.emission import WirePath, emit


def completion_body(services: Services, job: Job) -> JsonObject:
    """The merged chat completion, one choice a record.

    Raises:
        StateError: `not_finished`.
    """
    return emit(merged_completion(services, job, EncodeOptions()), WirePath.STORED)


def merged_completion(
    services: Services, job: Job, options: EncodeOptions, *, model: str | None = None
) -> ChatCompletion:
    """The result as a completion of one choice a record; a choice that may lack something ends with `length`.

    Args:
        services: of this process.
        job: whose run is over.
        options: for whom it is.
        model: the name it tells; None: that of the model.

    Raises:
        StateError: `not_finished`.
    """
    result = load_current(services, job).result
    head = CompletionHead(
        id=f"iex-{job.id[4:20]}", created=int(job.finished_at or job.created_at), model=model or result.model
    )
    schema_of = job.parsed_schemas()
    stays_null = options.path is WirePath.STORED
    roots = () if stays_null else [schema_of(record.index).root for record in result.records]
    whole = encode_completion(result.records, head, options, result.usage, roots=roots)
    reasons = _finish_reasons(job, result)
    choices = [c.model_copy(update={"finish_reason": r}) for c, r in zip(whole.choices, reasons, strict=True)]
    return whole.model_copy(update={"choices": choices})


def _finish_reasons(job: Job, result: RunResult) -> list[str]:
    """`stop` for a record of which nothing can be missing, `length` for any other."""
    if job.status is JobStatus.SUCCEEDED:
        return ["stop"] * len(result.records)
    lost = {row.page for row in result.coverage if row.state in LOST_PAGES}
    nobodys = lost - {page for record in result.records for page in record.pages}
    unanswered = any(issue.stage is Stage.EXTRACT and issue.split is not None for issue in result.issues)
    if nobodys or (unanswered and not lost):  # a whole document is missing, or fields: no record may pass for the rest
        return ["length"] * len(result.records)
    return ["length" if lost & {*record.pages} else "stop" for record in result.records]
