"""A document of which everything is made that can be made of one, and where a word of it is still found."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import httpx
import zstandard
from sqlalchemy import create_engine, inspect, text

from tests.api.job_calls import letter
from tests.fakes.receiver import Receiver

_ZSTD = b"\x28\xb5\x2f\xfd"
PLANTED = "QUINCE7731"
SCHEMA = {
    "type": "object",
    "properties": {
        "number": {"type": "string", "description": "Letter number"},
        "colour": {"type": "string", "description": "Colour of the paper"},
    },
}


def cells(url: str) -> Iterator[tuple[str, bytes]]:
    """Every cell of every table as bytes, compressed ones as what they hold too."""
    engine = create_engine(url)
    try:
        with engine.connect() as connection:
            for table in inspect(connection).get_table_names():
                for row in connection.execute(text(f'SELECT * FROM "{table}"')):
                    for cell in row:
                        yield from ((table, piece) for piece in _pieces(cell))
    finally:
        engine.dispose()


def _pieces(cell: Any) -> Iterator[bytes]:
    raw = bytes(cell) if isinstance(cell, bytes | memoryview) else str(cell).encode()
    yield raw
    if raw.startswith(_ZSTD):
        yield zstandard.ZstdDecompressor().decompress(raw, max_output_size=50_000_000)


def tables_with(url: str, planted: str) -> set[str]:
    """Tables in which a word stands, in whatever case."""
    wanted = planted.lower().encode()
    return {table for table, piece in cells(url) if wanted in piece.lower()}


def traces_of(url: str) -> set[bytes]:
    """Bytes that tell of the planted word: the word itself, and each compressed cell of the database."""
    packed = {piece for _, piece in cells(url) if piece.startswith(_ZSTD)}
    return {PLANTED.encode(), PLANTED.lower().encode(), *packed}


def files_with(home: Path, traces: set[bytes]) -> list[str]:
    """Files below the home in which any of these bytes stand."""
    found: list[str] = []
    for path in sorted(home.rglob("*")):
        with suppress(FileNotFoundError):  # a running service puts files away
            if path.is_file() and any(trace in path.read_bytes() for trace in traces):
                found.append(path.name)
    return found


def live_through_all(client: httpx.Client, target: Receiver) -> str:
    """A job of which everything is made that can be made of one; its id."""
    client.put("schemas/letter", json=SCHEMA).raise_for_status()
    client.post("webhooks", json={"url": target.base_url}).raise_for_status()
    answer = client.post(
        "jobs?wait=110",
        files={"file": (f"{PLANTED}.pdf", letter(f"Letter number: {PLANTED}", compressed=False))},
        data={
            "schema_ref": "letter",
            "external_id": PLANTED,
            "metadata": json.dumps({"of": PLANTED}),
            "webhook_url": f"{target.base_url}/{PLANTED}",
        },
        headers={"Idempotency-Key": "one-of-a-kind"},
    )
    result = answer.json()
    assert result["records"][0]["values"]["number"] == PLANTED, result
    job_id: str = result["job_id"]
    set_colour = {"id": "op-1", "op": "set", "path": "/colour", "old": None, "value": f"{PLANTED} green"}
    client.post(f"jobs/{job_id}/corrections", json={"operations": [set_colour]}).raise_for_status()
    client.post(f"jobs/{job_id}/approve", json={"accept_unseen": True}).raise_for_status()
    client.get(f"files/{result['file']['id']}/pages/1/image").raise_for_status()
    client.get(f"jobs/{job_id}/proof").raise_for_status()
    rerun = client.post(f"jobs/{job_id}/rerun", json={})
    rerun.raise_for_status()
    client.get(f"jobs/{job_id}?wait=110")
    target.wait_for(5)
    return job_id
