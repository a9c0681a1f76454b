"""Bytes without an upload are removed, and never those that may be another's."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator
from pathlib import Path

from service.jobs.control.sweep import sweep
from tests.fakes.model_stub import ModelStub
from tests.fakes.pipeline import TENANT, Pipeline, draw_pdf, later, pipeline

PLANTED = "PLANTED-4711"
DAY_S = 86_400.0


def test_bytes_that_a_killed_process_left_without_an_upload_are_removed_a_day_later(
    stub: ModelStub, tmp_path: Path
) -> None:
    """Uploads keep theirs, also one of the same bytes that came later; what was there before the database stays too."""

    def sweep_on(service: Pipeline, first: float, last: float) -> None:
        for at in range(int(first * DAY_S), int(last * DAY_S), 3000):
            sweep(later(service.services, at))

    with pipeline(tmp_path, stub=stub, sweeping=False) as service:
        foreign = service.home / "blobs" / TENANT / "ab" / ("ab" * 32)
        foreign.parent.mkdir(parents=True)
        foreign.write_bytes(b"of another database")
        os.utime(foreign, (1.0, 1.0))
        sweep(later(service.services, -60))
        left, sent_again = (_left_behind(service, draw_pdf([PLANTED, text])) for text in ("left", "again"))
        service.upload(draw_pdf([PLANTED, "again"]))
        job = service.run(draw_pdf([PLANTED]))
        sweep_on(service, 0, 1.95)
        assert all(service.services.blobs.exists(key) for key in (left, sent_again))
        sweep_on(service, 1.95, 2.1)
        assert not service.services.blobs.exists(left)
        assert foreign.is_file()
        assert service.services.blobs.exists(sent_again)
        assert service.services.blobs.exists(job.source_key or "")


def test_a_database_that_was_brought_back_removes_nothing_that_came_since(stub: ModelStub, tmp_path: Path) -> None:
    """It has no row of an upload that came after it was saved; the bytes may be all that is left of that."""
    with pipeline(tmp_path, stub=stub, sweeping=False) as service:
        sweep(later(service.services, -60))
        unknown = _left_behind(service, draw_pdf([PLANTED]))
        for at in range(int(2.1 * DAY_S), int(4.5 * DAY_S), 3000):
            sweep(later(service.services, at))
        assert service.services.blobs.exists(unknown)


def _left_behind(service: Pipeline, data: bytes) -> str:
    """The key of bytes as they lie there when a process ends before it writes their row."""

    async def parts() -> AsyncIterator[bytes]:
        yield data

    async def keep() -> str:
        async with service.services.blobs.receive(TENANT, parts(), max_bytes=len(data)) as incoming:
            incoming.keep()
            return incoming.blob.key

    return asyncio.run(keep())
