"""A large upload passes through; it does not stay."""

from __future__ import annotations

import os
import threading
from collections.abc import Generator
from contextlib import contextmanager

import httpx
import psutil

from tests.fakes.local_service import LocalService

SIZE = 30_000_000
BLOCK = 65_536
HEADERS = {"Content-Type": "multipart/form-data; boundary=b0"}


def body() -> Generator[bytes]:
    """A form with a file of that size, made as it is sent."""
    yield b'--b0\r\nContent-Disposition: form-data; name="file"; filename="large.pdf"\r\n\r\n%PDF-1.7\n'
    block = os.urandom(BLOCK)
    for _ in range(SIZE // BLOCK):
        yield block
    yield b"\r\n--b0--\r\n"


@contextmanager
def growth() -> Generator[list[int]]:
    """Gives a list that ends with the most that this process grew, in bytes."""
    process, over, most = psutil.Process(), threading.Event(), [0]
    before = process.memory_info().rss

    def watch() -> None:
        while not over.wait(0.002):
            most[0] = max(most[0], process.memory_info().rss - before)

    watcher = threading.Thread(target=watch)
    watcher.start()
    yield most
    over.set()
    watcher.join()


def test_a_large_upload_keeps_memory_flat(idle: tuple[httpx.Client, LocalService]) -> None:
    """Client and server are this one process: 30 MB go through it, a fraction of it stays in memory."""
    client, _ = idle
    client.get("/healthz")
    with growth() as most:
        answer = client.post("/api/v1/files", content=body(), headers=HEADERS)
    assert answer.status_code == 201
    assert answer.json()["size_bytes"] > SIZE - BLOCK
    assert most[0] < SIZE / 3
