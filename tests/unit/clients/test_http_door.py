"""No answer fills the memory."""

from __future__ import annotations

import asyncio
import gzip

import httpx
import pytest

from service.clients.answer_body import read_whole
from service.domain.errors import ClientError, ErrorCode


def test_an_answer_beyond_all_measure_is_not_read_to_its_end() -> None:
    """It is counted unpacked: a few packed bytes may be a thousand times as many."""
    packed = httpx.Response(200, content=gzip.compress(b" " * 5_000), headers={"content-encoding": "gzip"})
    with pytest.raises(ClientError, match="1,000 bytes") as caught:
        asyncio.run(read_whole("openai", packed, most=1_000))
    assert (caught.value.code, caught.value.retryable) == (ErrorCode.MODEL_BAD_ANSWER, False)
    assert asyncio.run(read_whole("openai", httpx.Response(200, content=b"abc"), most=3)) == b"abc"
