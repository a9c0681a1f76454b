"""Files inside JSON bodies: read as they arrive, however the body is cut, escaped or damaged."""

from __future__ import annotations

import asyncio
import base64
import json
import threading
from collections.abc import AsyncIterator, Sequence
from typing import Any, cast

import httpx
import psutil
import pytest
from fastapi import Request
from hypothesis import given, settings
from hypothesis import strategies as st

from service.api.dropin.bodies import FilesBody, read_files_body
from service.domain.errors import InputError
from tests.api.job_calls import letter
from tests.dropin.conftest import Live, Starter
from tests.dropin.vendor_calls import CHAT, body, content_of, data_url

MOST = 3
MOST_BYTES = 1000


class _Body:
    """As much of a request as is read: its bytes in pieces."""

    def __init__(self, pieces: Sequence[bytes]) -> None:
        self._pieces = pieces

    async def stream(self) -> AsyncIterator[bytes]:
        for piece in self._pieces:
            yield piece


def read(text: bytes, size: int = 1 << 16, most: int = MOST) -> tuple[FilesBody, list[bytes]]:
    """A body that arrives in pieces of a size, and its files."""
    files: list[bytes] = []

    async def take(parts: AsyncIterator[bytes]) -> None:
        files.append(b"".join([part async for part in parts]))

    pieces = [text[at : at + size] for at in range(0, len(text), size)]
    request = cast(Request, _Body(pieces))
    return asyncio.run(read_files_body(request, take, most_files=most, most_file_bytes=MOST_BYTES)), files


@settings(max_examples=60, deadline=None)
@given(st.lists(st.binary(min_size=1, max_size=200), max_size=MOST), st.integers(1, 70), st.booleans(), st.text())
def test_however_a_body_is_cut_its_files_are_the_same(
    files: list[bytes], size: int, escaped: bool, beside: str
) -> None:
    """Slashes and plus signs escaped or not; text beside them stays as it was."""
    urls = [data_url(file) for file in files]
    text = json.dumps({"urls": urls, "beside": beside, "quoted": '"data:a;base64,AAAA"'})
    if escaped:
        text = text.replace("/", "\\/").replace("+", "\\u002B")
    found, taken = read(text.encode(), size)
    assert taken == files
    assert found.value == {"urls": [*found.words], "beside": beside, "quoted": '"data:a;base64,AAAA"'}


def test_the_same_bytes_have_the_same_digest_however_they_arrive() -> None:
    """Which is how a retry is known."""
    text = json.dumps({"a": data_url(b"x" * 1000)}).encode()
    assert read(text, 7)[0].digest == read(text)[0].digest != read(text + b" ")[0].digest


@pytest.mark.parametrize(
    "value",
    ["data:", "data:,", "data:text/plain,hello", "data:" + "x" * 1000, 'data:"', "data:;base64", "not data:;base64,AA"],
)
def test_what_is_no_base64_file_stays_where_it_was(value: str) -> None:
    """Judged later, by the part of the request in which it stands."""
    for size in (1, 5, 4096):
        found, taken = read(json.dumps({"url": value}).encode(), size)
        assert (found.value, taken) == ({"url": value}, [])


def test_line_breaks_and_absent_padding_are_accepted() -> None:
    """As some encoders write base64."""
    text = base64.encodebytes(b"y" * 100).decode().rstrip("\n=")
    _, taken = read(json.dumps({"url": f"data:application/pdf;base64,{text}"}).encode(), 10)
    assert taken == [b"y" * 100]


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"[]",
        b"{",
        b'{"a": "data:;base64,AAAA',
        b'{"a": "data:;base64,####"}',
        b'{"a": "data:;base64,AA==AAAA"}',
        b'{"a": "data:;base64,A"}',
        b'{"a": "data:;base64,AA\\x"}',
        b'{"a": "data:;base64,' + b" " * 2001 + b'AAAA"}',
        b'{"a": ["data:;base64,AAAA", "data:;base64,AAAA", "data:;base64,AAAA", "data:;base64,AAAA"]}',
    ],
)
def test_a_damaged_body_is_refused(text: bytes) -> None:
    """With words, whatever the damage is."""
    for size in (1, 4096):
        with pytest.raises(InputError) as fault:
            read(text, size)
        assert fault.value.code == "invalid_request_body"


def test_a_large_file_costs_the_memory_of_a_piece(start: Starter) -> None:
    """60 MB in one body, of a file of 45 MB: it is stored, and never held whole."""
    live = start(working=False, dropin_wait_s=0.3)
    noise = letter() + b"%" + b"\0" * 45_000_000
    sent = json.dumps(body(noise)).encode()
    before, peak = psutil.Process().memory_info().rss, [0]
    stopped = threading.Event()

    def watch() -> None:
        while not stopped.wait(0.01):
            peak[0] = max(peak[0], psutil.Process().memory_info().rss)

    watcher = threading.Thread(target=watch)
    watcher.start()
    try:
        answer = httpx.post(live.url + CHAT, content=_pieces(sent), timeout=120)
    finally:
        stopped.set()
        watcher.join()
    assert answer.status_code == 504, "it was taken, and nobody works on it"
    assert peak[0] - before < 25_000_000
    (job,) = httpx.get(f"{live.url}/api/v1/jobs", timeout=60).json()["jobs"]
    file = httpx.get(f"{live.url}/api/v1/files/{job['file_id']}", timeout=60).json()
    assert file["size_bytes"] == len(noise)


def _pieces(text: bytes) -> Any:
    view = memoryview(text)
    return (bytes(view[at : at + 65_536]) for at in range(0, len(view), 65_536))


def test_a_file_above_the_limit_is_refused_as_the_vendor_does(start: Starter) -> None:
    """400 `invalid_request_body`, and nothing is left of it."""
    live = start(working=False, max_file_bytes=10_000)
    answer = live.client.post(CHAT, json=body(letter() + b"%" * 20_000))
    assert (answer.status_code, answer.json()["error"]["code"]) == (400, "invalid_request_body")
    assert "10000 bytes" in answer.json()["error"]["message"]


def test_a_body_that_is_too_large_beside_its_files_is_refused(live: Live) -> None:
    """A schema of some megabytes is no schema."""
    answer = live.client.post(CHAT, json=body(padding="x" * 5_000_000))
    assert (answer.status_code, answer.json()["error"]["code"]) == (400, "invalid_request_body")


def test_the_name_of_a_file_in_a_body_cannot_be_guessed(live: Live) -> None:
    """A word that means a file of another request means nothing."""
    part = {"type": "image_url", "image_url": {"url": "file-0000000000000000-1"}}
    answer = live.client.post(CHAT, json=body(messages=[{"role": "user", "content": [part]}]))
    assert (answer.status_code, answer.json()["error"]["code"]) == (400, "option_not_supported")
    assert content_of(live.client.post(CHAT, json=body()).json())["number"] == "L-17"
