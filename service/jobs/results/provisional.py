"""What is known while a run goes on: the finished splits, merged as if they were all."""

from __future__ import annotations

from dataclasses import dataclass

from service.domain.jobs import Job
from service.domain.pages import PageRange
from service.domain.records import Extraction, JsonObject
from service.domain.steps import StepKind, StepState
from service.extraction.merging.merge import merge
from service.jobs.services import Services


@dataclass(frozen=True, slots=True, kw_only=True)
class ProvisionalRecord:
    """A document as far as it is extracted; any of it may still change."""

    index: int
    pages: PageRange
    schema_name: str
    values: JsonObject


def provisional_records(services: Services, job: Job) -> tuple[ProvisionalRecord, ...]:
    """The records so far, of those documents of which anything is extracted, in order."""
    with services.store.read() as rows:
        steps = rows.steps.of_run(job, StepKind.EXTRACT)
        found = {s.id: rows.steps.result(s.id, Extraction) for s in steps if s.state is StepState.DONE}
    schema_of = job.parsed_schemas()
    records: list[ProvisionalRecord] = []
    for index, document in enumerate(job.page_ranges()):
        answers = [a for s in steps if s.document == index and (a := found.get(s.id)) is not None]
        if answers:
            schema = schema_of(index)
            merged = merge(answers, schema, index=index, record_id=f"{job.id}/{index}").record
            records.append(
                ProvisionalRecord(index=index, pages=document, schema_name=schema.name, values=merged.values)
            )
    return tuple(records)
