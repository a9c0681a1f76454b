"""What was deleted is in no byte of the home any more (SQLite: a folder is all there is)."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from threading import Event, Thread
from typing import cast

import pytest
from sqlalchemy import Connection, event, text

from service.domain.events import EventType
from service.domain.jobs import JobStatus
from service.domain.steps import StepState
from service.storage.codec import pack, pack_page
from service.storage.engine import Database
from service.storage.rows.jobs import Tombstone
from service.storage.store import Store
from tests.fakes.rows import TENANT, a_file, a_job, a_page, a_step

SECRET = "quince-marmalade-7731"
PAGE = a_page(1, SECRET)
ANSWER = f"{SECRET} as a step's result"


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """Where all state lives."""
    return tmp_path / "home"


@pytest.fixture
def store(home: Path) -> Store:
    """A store in the home."""
    database = Database(f"sqlite:///{home / 'fieldmark.db'}")
    database.migrate()
    return Store(database)


def _left_in(home: Path) -> list[str]:
    """Files that still hold something of the document; blobs of SQL are compressed, so their bytes are looked for."""
    traces = [SECRET.encode(), pack_page(PAGE), pack(ANSWER)]
    files = [path for path in home.rglob("*") if path.is_file()]
    return [path.name for path in files if any(trace in path.read_bytes() for trace in traces)]


def test_nothing_of_a_deleted_job_is_left_in_any_file(store: Store, home: Path) -> None:
    """Neither in the tables nor in the log beside them, nor of what was overwritten before."""
    job = a_job(metadata={"note": SECRET * 2000}, external_id=SECRET)
    file = a_file(name=f"{SECRET}.pdf")
    with store.write() as rows:
        rows.files.add(file)
        rows.jobs.add(job, SECRET)
        rows.steps.add([a_step()])
        rows.pages.put(TENANT, file.blob_key, [PAGE, *(a_page(n, f"{SECRET} {n}") for n in range(2, 200))])
    with store.write() as rows:
        rows.jobs.forget_password(job.id)
        rows.steps.swap(a_step(), a_step(version=1, state=StepState.DONE), ANSWER)
        rows.jobs.put_result(job, SECRET.encode() * 500)
        rows.jobs.save(a_job(metadata={"note": SECRET}, external_id=SECRET, status=JobStatus.SUCCEEDED))
        rows.pages.put(TENANT, file.blob_key, [a_page(1, "written anew")])
    assert _left_in(home)
    with store.write() as rows:
        rows.events.append(job, EventType.JOB_DELETED, {"reason": "requested"}, 5.0)
        stone = Tombstone(job_id=job.id, file_sha256=file.sha256, deleted_at=5.0, reason="requested")
        rows.jobs.remove(job, stone)
        assert rows.files.remove(file)
    store.forget_deleted()
    assert _left_in(home) == []


def test_who_reads_for_long_keeps_no_delete_and_no_writer_waiting_for_ever(home: Path) -> None:
    """The log is emptied by a later sweep; a try that waits in vain keeps all writers out, and is not repeated."""
    database = Database(f"sqlite:///{home / 'fieldmark.db'}")
    database.migrate()
    kept_waiting_ms: list[int] = []

    def note(connection: Connection, _cursor: object, statement: str, *_rest: object) -> None:
        if "wal_checkpoint" in statement:
            kept_waiting_ms.append(_patience_ms(connection))

    event.listen(database.engine, "before_cursor_execute", note)
    with database.read() as connection:
        connection.execute(text("select count(*) from jobs")).all()
        with Store(database).write() as rows:
            rows.idempotency.put(TENANT, "k", "", None, 1.0)
        database.forget_deleted()
        assert len(kept_waiting_ms) == 1
        assert 0 < kept_waiting_ms[0] <= 1000
    database.forget_deleted()
    assert (home / "fieldmark.db-wal").stat().st_size == 0
    with database.engine.connect() as connection:
        assert _patience_ms(connection) > 10_000, "whoever writes waits long for the others"
    database.dispose()


def _patience_ms(connection: Connection) -> int:
    """How long SQLite waits for a lock."""
    return int(
        cast(sqlite3.Connection, connection.connection.dbapi_connection).execute("PRAGMA busy_timeout").fetchone()[0]
    )


def test_a_checkpoint_under_way_keeps_nothing_that_was_deleted(store: Store, home: Path) -> None:
    """Other processes put their log away all the time; a delete that meets one of them is as thorough."""
    other = Database(f"sqlite:///{home / 'fieldmark.db'}")
    over = Event()

    def put_away() -> None:
        while not over.is_set():
            with other.engine.connect() as connection:
                connection.exec_driver_sql("PRAGMA wal_checkpoint(PASSIVE)")

    busy = [Thread(target=put_away) for _ in range(2)]
    for thread in busy:
        thread.start()
    left: list[str] = []
    try:
        for number in range(20):
            with store.write() as rows:
                rows.idempotency.put(TENANT, f"{SECRET}-{number}", "", None, 1.0)
            with store.write() as rows:
                rows.idempotency.remove(TENANT, f"{SECRET}-{number}", None)
            store.forget_deleted()
            left += _left_in(home)
    finally:
        over.set()
        for thread in busy:
            thread.join()
        other.dispose()
    assert left == []
