"""How the tests of the OpenAI-compatible client ask it, of a server that keeps OpenAI's rules and breaks."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, TypeVar

import pytest
from pydantic import JsonValue, SecretStr

from service.clients.base import PagesReference
from service.clients.openai_compatible.client import OpenAiCompatibleClient, OpenAiOptions, PageDoors, PagePicture
from service.clients.openai_compatible.model_traits import TraitTable
from service.domain.errors import ClientError
from service.domain.geometry import Box
from service.domain.pages import PageSize, PageText, TextSource, Word
from service.extraction.decoding.answer import parse_answer
from service.protocol.completion import ChatCompletion
from service.protocol.request import ExtractionOptions, ExtractionRequest, build_extraction_request
from tests.fakes.ahead_loop import run_ahead
from tests.fakes.model_stub import GOOD_KEY, ModelStub

T = TypeVar("T")


Json = Any


SCHEMA: dict[str, Any] = {
    "type": "object",
    "$defs": {"line": {"type": "object", "properties": {"text": {"type": "string"}, "amount": {"type": "number"}}}},
    "properties": {
        "number": {"type": "string", "description": "Number of the invoice", "x-merge": "first"},
        "issued": {"type": "string", "format": "date"},
        "website": {"type": "string", "format": "uri"},
        "total": {"anyOf": [{"type": "number"}, {"type": "null"}]},
        "paid": {"type": "boolean"},
        "currency": {"type": "string", "enum": ["GBP", "EUR"]},
        "lines": {"type": "array", "items": {"$ref": "#/$defs/line"}},
    },
}


PAGES = PagesReference("blob-1", (3, 5))


STRICT: dict[str, JsonValue] = {"strict_schema": True}


TOOL: dict[str, JsonValue] = {"strict_schema": False}


PROMPT: dict[str, JsonValue] = {"strict_schema": False, "tool_calls": False}


STREAM: dict[str, JsonValue] = {"stream": True}


FORMS = [STRICT, TOOL, PROMPT]


GOOD = json.dumps(
    {
        "number": "A-7",
        "issued": "2026-09-21",
        "website": None,
        "total": 12.5,
        "paid": None,
        "currency": "GBP",
        "lines": [],
    }
)


NEVER_HANGS_S = 3600.0


def page(number: int, *words: str) -> PageText:
    """A page of one line."""
    placed = tuple(Word(w, Box(0.1 + 0.2 * i, 0.1, 0.25 + 0.2 * i, 0.12), 0) for i, w in enumerate(words))
    source = TextSource.DIGITAL if words else TextSource.UNREADABLE
    return PageText(size=PageSize(number, 595, 842), source=source, words=placed)


def read_object(text: str, known: Sequence[str]) -> Mapping[str, object]:
    """As wiring hands it over."""
    return parse_answer(text, known).values


def doors(draw: Callable[[PagePicture], bytes] | None = None, words: int = 1) -> PageDoors:
    """Pages 3 and 5 of a file; the second has no words."""

    def load(reference: PagesReference) -> list[PageText]:
        assert reference == PAGES
        return [page(3, "Invoice", *["A-7"] * words), page(5)]

    return PageDoors(load_pages=load, draw_page=draw or (lambda p: f"jpeg {p}".encode()), read_object=read_object)


async def no_sleep(_seconds: float) -> None:
    """Stands in for waiting."""


def run(
    base_url: str,
    use: Callable[[OpenAiCompatibleClient], Awaitable[T]],
    *,
    traits: Mapping[str, JsonValue] | None = None,
    model: str = "some-model",
    attempts: int = 1,
    key: str = GOOD_KEY,
    api_version: str = "",
    pages: PageDoors | None = None,
) -> T:
    """Use a real client on a loop of its own, and close it."""
    options = OpenAiOptions(
        base_url=base_url,
        api_key=SecretStr(key),
        api_version=api_version,
        default_model="another-model",
        traits=TraitTable({"*": traits or {}}),
        attempts=attempts,
        max_connections=10,
        sleep=no_sleep,
    )

    async def main() -> T:
        client = OpenAiCompatibleClient(options, pages or doors())
        try:
            async with asyncio.timeout(NEVER_HANGS_S):
                return await use(client.for_model(model))
        finally:
            await client.close()

    return run_ahead(main())


def request(model: str = "some-model", file_url: str = PAGES.url()) -> ExtractionRequest:
    """A request about two pages."""
    return build_extraction_request(
        model=model, file=file_url, schema=SCHEMA, schema_name="doc", options=ExtractionOptions(location=True)
    )


def ask(stub: ModelStub, timeout_s: float = 60, model: str = "some-model", **settings: Any) -> ChatCompletion:
    """One request and its answer."""
    base_url = settings.pop("base_url", stub.base_url)
    return run(base_url, lambda c: c.complete(request(model), timeout_s=timeout_s), model=model, **settings)


def fail(stub: ModelStub, **settings: Any) -> ClientError:
    """One request that must fail."""
    with pytest.raises(ClientError) as caught:
        ask(stub, **settings)
    return caught.value


def values(answer: ChatCompletion) -> Json:
    """The record in an answer."""
    (choice,) = answer.choices
    assert choice.message.tool_calls is None
    return json.loads(choice.message.text())


def sent(stub: ModelStub) -> Json:
    """The body of the last request."""
    return stub.requests()[-1]["body"]


def texts_of(body: Json) -> str:
    """Everything said to the user's side of a request."""
    content = body["messages"][1]["content"]
    return content if isinstance(content, str) else "\n".join(p.get("text", "") for p in content)
