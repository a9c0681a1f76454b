"""What approved documents taught, and what their reviews say, on every database."""

from __future__ import annotations

from dataclasses import replace

import pytest

from service.domain.geometry import Box
from service.domain.judgements import Judgement, Tally
from service.domain.memory import (
    ColumnLesson,
    Landmark,
    Lesson,
    LessonKind,
    Memory,
    Surroundings,
    TableLesson,
)
from service.storage.rows.jobs import Tombstone
from service.storage.store import Store
from tests.fakes.rows import OTHER, TENANT, a_file, a_job

LESSON = Lesson(
    path="/total",
    kind=LessonKind.PLACE,
    value=12.5,
    page=1,
    last=True,
    box=Box(0.1, 0.2, 0.3, 0.4),
    around=Surroundings(before="to pay", above="", after="eur"),
    lines=1,
)
MEMORY = Memory(
    id="mem_1",
    tenant_id=TENANT,
    schema_name="invoice",
    layout_id="layout_1",
    job_id="job-1",
    record_index=0,
    title="Amberfold Mills",
    landmarks=(Landmark("amberfold", 0.2, 0.1),),
    lessons=(LESSON, Lesson(path="/currency", kind=LessonKind.CONSTANT, value="EUR")),
    tables=(
        TableLesson(path="/lines", columns=(ColumnLesson(path="/lines/*/amount", header="worth", x0=0.5, x1=0.7),)),
    ),
    created_at=5.0,
    created_by="ada",
)
JUDGEMENT = Judgement(
    job_id="job-1",
    tenant_id=TENANT,
    record_index=0,
    schema_name="invoice",
    model="embedded:1",
    at=5.0,
    by="ada",
    seconds=None,
    passed=True,
    sampled=False,
    changed=2,
    tallies=(Tally(field="/total", called="high", band=9, looked_at=1, right=0),),
)


@pytest.fixture
def filled(store: Store) -> Store:
    """Two jobs of one file, with a memory each and a judgement of the first."""
    with store.write() as rows:
        rows.files.add(a_file())
        for number in (1, 2):
            rows.jobs.add(a_job(f"job-{number}"), None)
        later = replace(MEMORY, id="mem_2", job_id="job-2", schema_name="letter", created_at=9.0)
        rows.memories.put([MEMORY, later])
        rows.judgements.put([JUDGEMENT])
    return store


def test_what_is_kept_comes_back_whole(filled: Store) -> None:
    """The newest first, of a schema or of all; by id in the order of the ids."""
    with filled.read() as rows:
        assert rows.memories.newest(TENANT, "invoice", 5) == (MEMORY,)
        assert [memory.id for memory in rows.memories.newest(TENANT, None, 5)] == ["mem_2", "mem_1"]
        assert [memory.id for memory in rows.memories.newest(TENANT, None, 1)] == ["mem_2"]
        assert [memory.id for memory in rows.memories.find(["mem_1", "none", "mem_2"])] == ["mem_1", "mem_2"]
        assert rows.judgements.newest(TENANT, most=5) == (JUDGEMENT,)
        assert rows.judgements.newest(TENANT, schema_name="letter", most=5) == ()
        assert rows.judgements.newest(TENANT, since=6.0, most=5) == ()


def test_another_tenant_finds_and_removes_nothing(filled: Store) -> None:
    """Each question names the tenant."""
    with filled.write() as rows:
        assert rows.memories.newest(OTHER, None, 5) == ()
        assert rows.judgements.newest(OTHER, most=5) == ()
        assert rows.memories.remove(OTHER, "mem_1") is False
        assert rows.memories.remove(TENANT, "mem_1") is True
        assert rows.memories.newest(TENANT, "invoice", 5) == ()


def test_it_goes_with_its_document(filled: Store) -> None:
    """Deleting one job leaves what others taught."""
    with filled.write() as rows:
        job = rows.jobs.get("job-1")
        assert job is not None
        rows.jobs.remove(job, Tombstone(job_id=job.id, file_sha256="", deleted_at=10.0, reason="requested"))
    with filled.read() as rows:
        assert [memory.id for memory in rows.memories.newest(TENANT, None, 5)] == ["mem_2"]
        assert rows.judgements.newest(TENANT, most=5) == ()
