"""After a job is deleted, Redis and the home of a whole service hold nothing of its document."""

from __future__ import annotations

import base64
import json
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import cast

import pytest
import redis

from service.cli.home import run_folder
from tests.fakes.leftovers import PLANTED, files_with, live_through_all, tables_with, traces_of
from tests.fakes.pipeline import wait_until
from tests.fakes.receiver import Receiver, receiver
from tests.fakes.serve_process import ServeProcess

pytestmark = pytest.mark.processes


@pytest.fixture
def target() -> Generator[Receiver]:
    """Somebody who is told of jobs."""
    with receiver() as running:
        yield running


def held_by(connection: redis.Redis) -> Iterator[bytes]:
    """All that Redis holds: names of keys and what is under them, messages unpacked."""
    for key in connection.scan_iter():
        yield cast(bytes, key)
        kind = cast(bytes, connection.type(key)).decode()
        if kind == "string":
            yield cast(bytes, connection.get(key))
        elif kind == "hash":
            yield from (part for pair in connection.hgetall(key).items() for part in pair)
        elif kind == "list":
            yield from connection.lrange(key, 0, -1)
        elif kind == "set":
            yield from connection.smembers(key)
        else:
            yield from connection.zrange(key, 0, -1)


def unpacked(piece: bytes) -> bytes:
    """A message with its body as plain text."""
    try:
        message = json.loads(piece)
        return piece + base64.b64decode(message["body"])
    except (ValueError, KeyError, TypeError):
        return piece


def test_nothing_of_a_deleted_document_is_found_in_redis_and_home(tmp_path: Path, target: Receiver) -> None:
    """While the service runs with workers and a Redis of its own; messages never carry more than ids."""
    home = tmp_path / "home"
    url = f"sqlite:///{home / 'fieldmark.db'}"
    with ServeProcess(home, FIELDMARK_WEBHOOK_HOSTS="127.0.0.1") as service, service.client() as client:
        connection = redis.Redis(unix_socket_path=str(run_folder(home) / "redis.sock"))
        job_id = live_through_all(client, target)
        wanted = PLANTED.lower().encode()
        assert not [piece for piece in held_by(connection) if wanted in unpacked(piece).lower()]
        assert tables_with(url, PLANTED)
        traces = traces_of(url)
        client.delete(f"jobs/{job_id}").raise_for_status()
        wait_until(lambda: (tables_with(url, PLANTED), files_with(home, traces)) == (set(), []))
        assert not [piece for piece in held_by(connection) if wanted in unpacked(piece).lower()]
        connection.close()
    # What senders and sweepers still had in hand is settled now.
    assert tables_with(url, PLANTED) == set()
    assert files_with(home, traces) == []
    assert wanted not in service.log.lower().encode()
