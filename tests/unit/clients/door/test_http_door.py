"""No answer fills the memory; calls go through the environment's proxy, and believe known issuers of certificates."""

from __future__ import annotations

import asyncio
import gzip
import ssl
from dataclasses import dataclass
from pathlib import Path

import aiohttp
import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer

from service.clients.door.answer_body import read_completion, read_whole
from service.clients.door.call import Call, CallOptions, DoorOptions
from service.clients.door.errors import FailedAnswer
from service.clients.door.http_door import HttpDoor, trusted_issuers
from service.domain.errors import ClientError, ErrorCode
from service.protocol.body import Body
from service.protocol.completion import ChatCompletion


async def _read(body: bytes, *, most: int) -> bytes:
    """A packed body, as it is read from a server."""

    async def answer(_request: web.Request) -> web.Response:
        return web.Response(body=gzip.compress(body), headers={"content-encoding": "gzip"})

    app = web.Application()
    app.router.add_get("/", answer)
    async with (
        TestServer(app) as server,
        aiohttp.ClientSession(auto_decompress=False) as session,
        session.get(server.make_url("/")) as response,
    ):
        return await read_whole("openai", response, most=most)


def test_an_answer_beyond_all_measure_is_not_read_to_its_end() -> None:
    """It is counted unpacked: a few packed bytes may be a thousand times as many."""
    with pytest.raises(ClientError, match="1,000 bytes") as caught:
        asyncio.run(_read(b" " * 5_000, most=1_000))
    assert (caught.value.code, caught.value.retryable) == (ErrorCode.MODEL_BAD_ANSWER, False)
    assert asyncio.run(_read(b" " * 1_000, most=1_000)) == b" " * 1_000


@dataclass(frozen=True)
class _Packed:
    """What a server sends, whatever it was asked."""

    body: bytes
    packing: str
    status: int = 200

    async def ask(self) -> ChatCompletion:
        """What comes of it."""

        async def answer(_request: web.Request) -> web.Response:
            return web.Response(status=self.status, body=self.body, headers={"content-encoding": self.packing})

        app = web.Application()
        app.router.add_post("/", answer)
        async with TestServer(app) as server:
            return await _ask(str(server.make_url("/")))


_ANSWER = b'{"choices": [{"index": 0, "message": {"role": "assistant", "content": "{}"}, "finish_reason": "stop"}]}'


@pytest.mark.parametrize(
    ("packed", "code", "retryable", "said"),
    [
        (_Packed(_ANSWER, "br"), ErrorCode.MODEL_BAD_ANSWER, False, "packed as 'br'"),
        (_Packed(_ANSWER, "gzip, zstd"), ErrorCode.MODEL_BAD_ANSWER, False, "packed as 'gzip, zstd'"),
        (_Packed(_ANSWER, "gzip"), ErrorCode.MODEL_BAD_ANSWER, True, "damaged"),
        (_Packed(gzip.compress(_ANSWER)[:-12], "gzip"), ErrorCode.MODEL_BAD_ANSWER, True, "cut"),
        (_Packed(b"?", "br", status=503), ErrorCode.MODEL_UNAVAILABLE, True, "answered 503"),
        (_Packed(b"?", "br", status=401), ErrorCode.MODEL_ACCESS_DENIED, False, "answered 401"),
    ],
)
def test_an_answer_that_cannot_be_unpacked_is_named(
    packed: _Packed, code: ErrorCode, retryable: bool, said: str
) -> None:
    """It is no broken connection; where the status says what is wrong, that counts."""
    with pytest.raises(ClientError, match=said) as caught:
        asyncio.run(packed.ask())
    assert (caught.value.code, caught.value.retryable) == (code, retryable)


@pytest.mark.parametrize(
    "packed",
    [
        _Packed(gzip.compress(_ANSWER), "GZip"),
        _Packed(gzip.compress(_ANSWER), "x-gzip"),
        _Packed(gzip.compress(_ANSWER[:20]) + gzip.compress(_ANSWER[20:]), "gzip"),
    ],
)
def test_an_answer_packed_as_asked_for_is_read(packed: _Packed) -> None:
    """In whatever letters the server says so, and in parts that are packed one by one."""
    answer = asyncio.run(packed.ask())
    assert answer.choices[0].finish_reason == "stop"


class _Plain:
    """Fills `AnswerReader`."""

    async def read(self, response: aiohttp.ClientResponse) -> ChatCompletion:
        return read_completion("openai", await read_whole("openai", response))

    def excuse(self, failed: FailedAnswer) -> None:
        del failed


async def _ask(url: str) -> ChatCompletion:
    calls = CallOptions(attempts=1, max_connections=1)
    door = HttpDoor(DoorOptions(provider="openai", headers={"authorization": "Bearer k"}, secret="k", calls=calls))
    try:
        return await door.post(Call(url=url, model="m", body=Body({}, {}), timeout_s=60.0), _Plain())
    finally:
        await door.close()


def _answering(asked: list[tuple[str, str]]) -> TestServer:
    """A server, or a proxy, that answers whatever it is asked, and notes it."""

    async def answer(request: web.Request) -> web.Response:
        asked.append((str(request.url), request.headers["authorization"]))
        choice = {"index": 0, "message": {"role": "assistant", "content": "{}"}, "finish_reason": "stop"}
        return web.json_response({"choices": [choice]})

    app = web.Application()
    app.router.add_route("*", "/{anything:.*}", answer)
    return TestServer(app)


@pytest.mark.parametrize("told_as", ["http://", ""])
def test_calls_go_through_the_proxy_of_the_environment(monkeypatch: pytest.MonkeyPatch, told_as: str) -> None:
    """A name that nobody knows is reached, since only the proxy looks it up; many name it by host and port alone."""
    asked: list[tuple[str, str]] = []
    url = f"http://model-{len(told_as)}.invalid/v1/chat/completions"  # what was found for one is kept

    async def ask() -> ChatCompletion:
        async with _answering(asked) as proxy:
            monkeypatch.setenv("HTTP_PROXY", f"{told_as}{proxy.host}:{proxy.port}")
            monkeypatch.delenv("http_proxy", raising=False)
            monkeypatch.setenv("NO_PROXY", "")
            return await _ask(url)

    assert asyncio.run(ask()).choices[0].finish_reason == "stop"
    assert asked == [(url, "Bearer k")]


@pytest.mark.parametrize("with_port", [True, False])
def test_calls_to_servers_that_need_no_proxy_go_there_at_once(monkeypatch: pytest.MonkeyPatch, with_port: bool) -> None:
    """The environment names them by host, or by host and port."""
    asked: list[tuple[str, str]] = []

    async def ask() -> ChatCompletion:
        async with _answering(asked) as server:
            monkeypatch.setenv("HTTP_PROXY", "http://proxy.invalid:3128")
            for name in ("http_proxy", "no_proxy"):
                monkeypatch.delenv(name, raising=False)
            monkeypatch.setenv("NO_PROXY", f"{server.host}:{server.port}" if with_port else server.host)
            return await _ask(str(server.make_url("/v1/chat/completions")))

    assert asyncio.run(ask()).choices[0].finish_reason == "stop"
    assert len(asked) == 1


@pytest.mark.parametrize("folder", ["missing", "empty"])
def test_servers_are_believed_where_the_system_knows_no_issuers(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, folder: str
) -> None:
    """As with a Python that brings its own OpenSSL, or in a container without certificates."""
    (tmp_path / "empty").mkdir()
    capath = str(tmp_path / folder) if folder == "empty" else None
    system = ssl.get_default_verify_paths()._replace(cafile=None, capath=capath)
    monkeypatch.setattr(ssl, "get_default_verify_paths", lambda: system)
    monkeypatch.delenv("SSL_CERT_FILE", raising=False)
    monkeypatch.delenv("SSL_CERT_DIR", raising=False)
    known = trusted_issuers()
    assert known is not None
    assert known.get_ca_certs()


def test_issuers_that_the_environment_names_are_the_only_ones(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Even if there are none in it: who names his own wants no others."""
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "own.pem"))
    assert trusted_issuers() is None
