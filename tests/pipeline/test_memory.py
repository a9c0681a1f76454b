"""The second document of a layout profits from what people corrected on the first; and what is forgotten is gone."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from service.domain.corrections import Operation, OperationKind
from service.domain.jobs import Job, JobStatus
from service.domain.records import Json, Record
from service.domain.schema import SchemaField, parse_schema
from service.evaluation.compare import align_rows, is_same
from service.jobs.control.ending import delete_job
from service.jobs.learned.memory import list_memories
from service.jobs.results.current import load_current
from service.jobs.reviewing.correct import CorrectionRequest, correct
from service.jobs.reviewing.course import approve_job, reopen_job
from tests.fakes.layouts import LAYOUTS, SCHEMA, Specimen, specimens
from tests.fakes.pipeline import TENANT, Pipeline, pipeline

Truth = dict[str, Any]
ROOT = parse_schema(SCHEMA).root
MOST_LEFT = 0.2
"""Share of a first document's corrections that a later one may need."""


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Generator[Pipeline]:
    """A service with the embedded model and an empty memory."""
    with pipeline(Path(tmp_path_factory.mktemp("home"))) as running:
        yield running


def extract(service: Pipeline, specimen: Specimen) -> tuple[Job, Record]:
    """A document's job and the machine's record."""
    job = service.run(specimen.data, schema=SCHEMA, name=specimen.name, model="embedded")
    assert job.status is JobStatus.SUCCEEDED
    [record] = load_current(service.services, job, "machine").result.records
    return job, record


def operations(record: Record, truth: Truth) -> Iterator[Operation]:
    """What a reviewer does to make the record true, and the truth alone: no places are shown."""
    for field in ROOT.properties:
        if field.items is not None:
            yield from _on_rows(record, field.items, truth[field.name])
        elif not is_same(field, truth[field.name], record.values.get(field.name)):
            yield _set(f"/{field.name}", record.values.get(field.name), truth[field.name])


def _set(path: str, old: Json, value: Json) -> Operation:
    return Operation(id=f"set{path}", kind=OperationKind.SET, path=path, old=old, value=value)


def _on_rows(record: Record, item: SchemaField, wanted: list[Truth]) -> Iterator[Operation]:
    given = record.values.get("lines")
    rows: list[Truth] = [row for row in given if isinstance(row, dict)] if isinstance(given, list) else []
    ids = record.rows.get("/lines", ())
    for want, got in align_rows(item, wanted, rows):
        if got is None and want is not None:
            row = wanted[want]
            yield Operation(id=f"insert/{want}", kind=OperationKind.INSERT_ROW, path="/lines", value=dict(row))
        elif want is None and got is not None:
            yield Operation(id=f"delete/{got}", kind=OperationKind.DELETE_ROW, path=f"/lines/{ids[got]}")
        elif want is not None and got is not None:
            for cell in item.properties:
                value, found = wanted[want][cell.name], rows[got].get(cell.name)
                if not is_same(cell, value, found):
                    yield _set(f"/lines/{ids[got]}/{cell.name}", found, value)


def review(service: Pipeline, job: Job, done: list[Operation]) -> None:
    """Correct and approve."""
    if done:
        correct(service.services, TENANT, job.id, "ada", CorrectionRequest(operations=tuple(done)))
    approve_job(service.services, TENANT, job.id, "ada", accept_unseen=True)


def test_later_documents_need_a_fifth_of_the_corrections(service: Pipeline) -> None:
    """Ten layouts of three documents each, in the order in which they come in."""
    needed = [0, 0, 0]
    for number in range(3):
        for layout in range(LAYOUTS):
            specimen = specimens(layout)[number]
            job, record = extract(service, specimen)
            done = list(operations(record, specimen.truth))
            needed[number] += len(done)
            review(service, job, done)
    first, *later = needed
    assert first >= 4 * LAYOUTS, "the first documents are to be hard"
    assert all(count <= MOST_LEFT * first for count in later), needed


def test_what_is_remembered_is_low_until_a_person_saw_it(service: Pipeline) -> None:
    """A value that rests on a lesson alone never passes unseen."""
    first, second = specimens(0, 2, seed=91)
    job, record = extract(service, first)
    done = list(operations(record, first.truth))
    review(service, job, done)
    paths = {operation.path for operation in done if operation.path.count("/") == 1}
    _, later = extract(service, second)
    assert paths
    assert {later.fields[path].confidence for path in paths} == {"low"}


def test_a_deleted_document_taught_nothing(service: Pipeline) -> None:
    """With the document go its lessons; a reopened one has none until it is approved anew."""
    specimen = specimens(3, 1, seed=92)[0]
    job, record = extract(service, specimen)
    review(service, job, list(operations(record, replace(specimen, truth=specimen.truth).truth)))

    def taught() -> list[str]:
        return [memory.job_id for memory in list_memories(service.services, TENANT, None)]

    assert job.id in taught()
    reopen_job(service.services, TENANT, job.id, "ada")
    assert job.id not in taught()
    approve_job(service.services, TENANT, job.id, "ada", accept_unseen=True)
    assert job.id in taught()
    delete_job(service.services, TENANT, job.id)
    assert job.id not in taught()
    assert service.rows("select count(*) from judgements where job_id = :job", job=job.id) == [(0,)]
