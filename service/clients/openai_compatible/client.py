"""Any server that speaks OpenAI's chat completions: OpenAI, Azure, vLLM, Ollama, llama.cpp, LM Studio, gateways.

The request names pages that were already read; they become text or pictures here, by what the model can take. The
answer has values only: their places on the page are found afterwards.

Source: https://developers.openai.com/api/reference (chat completions) and Microsoft's pages on Azure OpenAI
(deployments, `api-version`, `api-key`), as told by public mirrors; read 2026-11-30. See docs/providers/.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import cast
from urllib.parse import parse_qsl, quote, urlencode, urlsplit, urlunsplit

from pydantic import JsonValue, SecretStr, ValidationError

from service.clients.base import Capabilities, PagesReference
from service.clients.door.call import Call, CallOptions, DoorOptions, host_of
from service.clients.door.late_door import LateDoor
from service.clients.openai_compatible.answer import ChatAnswers, add_usage, ended_completion
from service.clients.openai_compatible.model_traits import TraitTable
from service.clients.openai_compatible.question import AnswerForm, ChatBody, ChatQuestion, build_chat_body
from service.clients.schema_limits import check_schema_limits
from service.domain.errors import ClientError, DecodingError, ErrorCode, ServiceError
from service.domain.pages import PageSize, PageText, TextSource
from service.domain.schema import ExtractionSchema, known_schema
from service.protocol.completion import ChatCompletion
from service.protocol.request import ExtractionRequest

PROVIDER = "openai"
_WHOLE = frozenset({"stop", "tool_calls", None})
_FORM_WORDS = re.compile(r"response_format|json_schema|structured output|tool_choice|\btools?\b|grammar", re.IGNORECASE)
_PREPARED_AT_ONCE = 2
_MAX_FAULTS = 5
_MAX_FAULT_CHARS = 200
_MAX_REPEATED_CHARS = 20_000
"""Of an answer that is sent back to be repaired."""


@dataclass(frozen=True, slots=True)
class PagePicture:
    """A page as it is to be drawn: JPEG."""

    source_key: str
    page: int
    """1-based page of the file."""
    dpi: int
    grey: bool
    """Without colour, which costs bytes and says little where there are words."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PageDoors:
    """What the client needs from other rooms, handed over by wiring. Called on threads, several at once."""

    load_pages: Callable[[PagesReference], Sequence[PageText]]
    draw_page: Callable[[PagePicture], bytes]
    """Raises ReadingError or InputError when the page cannot be drawn."""
    read_object: Callable[[str, Sequence[str]], Mapping[str, object]]
    """The object in an answer's text, given the keys that are asked for. Raises DecodingError: there is none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenAiOptions(CallOptions):
    """Where and as whom to call, and how often."""

    base_url: str
    """Up to and with `/v1`, or Azure's `…/openai/deployments/{model}`; `{model}` stands for the model's name."""
    api_key: SecretStr
    """Empty: none is sent, as local servers want it."""
    api_version: str
    """Azure's; it makes the key go out as `api-key`. Empty: none."""
    default_model: str
    traits: TraitTable


class OpenAiCompatibleClient:
    """Fills `ExtractionClient` for one model; `for_model` gives the others of the same server."""

    def __init__(
        self, options: OpenAiOptions, pages: PageDoors, *, beside: OpenAiCompatibleClient | None = None
    ) -> None:
        """Args: beside: a client of the same server, whose connections are shared."""
        self._options = options
        self._pages = pages
        self._traits = options.traits.find(options.default_model)
        self._door: LateDoor = beside._door if beside is not None else _door(options)
        self._preparing: asyncio.Semaphore = (
            beside._preparing if beside is not None else asyncio.Semaphore(_PREPARED_AT_ONCE)
        )
        self._refused: set[tuple[str, AnswerForm]] = beside._refused if beside is not None else set()

    @property
    def capabilities(self) -> Capabilities:
        """What the planner must know of this model."""
        url = endpoint(self._options.base_url, self._options.default_model, self._options.api_version)
        return replace(self._traits.capabilities(), host=host_of(url))

    def for_model(self, model: str) -> OpenAiCompatibleClient:
        """See `ExtractionClient.for_model`.

        Raises:
            InputError: `unknown_model`; what the installation's settings say about it cannot be.
        """
        return OpenAiCompatibleClient(replace(self._options, default_model=model), self._pages, beside=self)

    def check_schema(self, schema: ExtractionSchema) -> None:
        """See `ExtractionClient.check_schema`."""
        limits = self.capabilities
        check_schema_limits(schema, limits, provider=PROVIDER, max_name_chars=limits.max_schema_chars)

    async def complete(self, request: ExtractionRequest, *, timeout_s: float) -> ChatCompletion:
        """Show the pages to the model and give its record, after one repair where its form was not made sure of.

        A question that the model's context does not hold, and an answer that only repeats itself, end as an answer
        with the finish reason `length`: the pipeline asks for less. A form of answer that the server refuses is not
        asked for again; the next one is.

        Args:
            timeout_s: for one call, from its connection to the last byte of its answer, streams included.

        Raises:
            ClientError: the last call's failure, or the pages cannot be had. Cancelling closes the connection.
        """
        *surer, last = AnswerForm.known(self._traits)
        for form in surer:
            if (request.model, form) in self._refused:
                continue
            try:
                return await self._answer(request, form, timeout_s)
            except ClientError as error:
                if not refuses_form(error):
                    raise
                self._refused.add((request.model, form))
        return await self._answer(request, last, timeout_s)

    async def close(self) -> None:
        """Close every connection, also of the clients that share them."""
        await self._door.close()

    async def _answer(self, request: ExtractionRequest, form: AnswerForm, timeout_s: float) -> ChatCompletion:
        body = await self._body(request, form)
        if body is None:
            return ended_completion("length")
        answer = await self._ask(body, request.model, timeout_s)
        choice = answer.choices[0]
        if choice.finish_reason not in _WHOLE or choice.message.refusal:
            return answer
        return await self._repaired(body, answer, request.model, timeout_s)

    async def _body(self, request: ExtractionRequest, form: AnswerForm) -> ChatBody | None:
        """The request; the pages it is made of, many times its size, are held for a few calls at a time."""
        async with self._preparing:
            question = await self._question(request)
            return await asyncio.to_thread(build_chat_body, question, self._traits, form)

    async def _question(self, request: ExtractionRequest) -> ChatQuestion:
        try:
            reference = PagesReference.parse(request.file_urls()[0])
        except (ValueError, ValidationError) as error:
            message = f"{PROVIDER} is only reached through a job: it is shown pages that were read before."
            raise ClientError(ErrorCode.MODEL_REJECTED, message, retryable=False) from error
        named = request.response_format.json_schema
        texts = await asyncio.to_thread(self._pages.load_pages, reference)
        by_page = {text.page: text for text in texts}
        return ChatQuestion(
            model=request.model,
            schema=known_schema(named.source, named.name),
            schema_name=named.name,
            instruction=request.instruction(),
            texts=[by_page.get(page) or _unread(page) for page in reference.pages],
            pictures=await self._pictures(reference, by_page) if self._traits.images else {},
        )

    async def _pictures(self, reference: PagesReference, texts: Mapping[int, PageText]) -> dict[int, bytes]:
        """By the model's page number, drawn one after the other: the sandbox that draws takes one page at a time.

        A page that cannot be drawn is shown by its words. If it has none, the ledger of pages has it as lost already,
        and the other pages are asked about.
        """
        drawn: dict[int, bytes] = {}
        for number, page in enumerate(reference.pages, start=1):
            has_words = page in texts and bool(texts[page].words)
            wanted = PagePicture(reference.source_key, page, self._traits.image_dpi, has_words)
            try:
                drawn[number] = await asyncio.to_thread(self._pages.draw_page, wanted)
            except ServiceError:
                if len(reference.pages) == 1 and not has_words:
                    raise
                if has_words and not self._traits.text:
                    raise
        return drawn

    async def _ask(self, body: ChatBody, model: str, timeout_s: float) -> ChatCompletion:
        key = self._options.api_key.get_secret_value()
        url = endpoint(self._options.base_url, model, self._options.api_version)
        call = Call(url=url, model=model, body=body.encoded, timeout_s=timeout_s)
        return await self._door.post(call, ChatAnswers(PROVIDER, secret=key))

    async def _repaired(self, body: ChatBody, first: ChatCompletion, model: str, timeout_s: float) -> ChatCompletion:
        """The first answer if it keeps to the schema; else a second one, if that is any better.

        Where the server says that it enforces the schema, an answer that can be read is taken as it is.
        """
        text = first.choices[0].message.text()
        readable, faults = await asyncio.to_thread(self._faults, text, body)
        if not faults or (readable and body.form is AnswerForm.STRICT):
            return first
        asked_again = await asyncio.to_thread(body.with_repair, text[:_MAX_REPEATED_CHARS], faults)
        try:
            second = await self._ask(asked_again, model, timeout_s)
        except ClientError:
            if readable:
                return first
            raise
        second_readable, _ = await asyncio.to_thread(self._faults, second.choices[0].message.text(), body)
        whole = second.choices[0].finish_reason in _WHOLE
        if readable and not (second_readable and whole):
            return add_usage(first, second)
        return add_usage(second, first)

    def _faults(self, text: str, body: ChatBody) -> tuple[bool, str]:
        """Whether there is an object at all, and what is wrong with it; empty: nothing."""
        try:
            found = self._pages.read_object(text, list(cast("Mapping[str, object]", body.wire["properties"])))
        except DecodingError:
            return False, "- it holds no JSON object with the fields of the schema"
        from jsonschema import Draft202012Validator  # late: only whoever calls checks answers

        errors = Draft202012Validator(body.wire).iter_errors(cast("JsonValue", found))
        first = [
            f"- {e.json_path}: {e.message[:_MAX_FAULT_CHARS]}" for e, _ in zip(errors, range(_MAX_FAULTS), strict=False)
        ]
        return True, "\n".join(first)


def _unread(page: int) -> PageText:
    """Stands where a page was never read, so that the numbers of the others hold."""
    return PageText(size=PageSize(page, 0.0, 0.0), source=TextSource.FAILED)


def refuses_form(error: ClientError) -> bool:
    """Whether a server refused the way in which the answer's form was asked for, and not the question."""
    return error.code is ErrorCode.MODEL_REJECTED and _FORM_WORDS.search(error.message) is not None


def endpoint(base_url: str, model: str, api_version: str) -> str:
    """The address of chat completions below a base URL; a query that the base has stays."""
    parts = urlsplit(base_url.replace("{model}", quote(model, safe="")))
    path = parts.path.rstrip("/")
    if not path.endswith("/chat/completions"):
        path += "/chat/completions"
    query = dict(parse_qsl(parts.query)) | ({"api-version": api_version} if api_version else {})
    return urlunsplit((parts.scheme, parts.netloc, path, urlencode(query), ""))


def _door(options: OpenAiOptions) -> LateDoor:
    key = options.api_key.get_secret_value()
    return LateDoor(
        DoorOptions(
            provider=PROVIDER,
            headers=_key_header(key, azure=bool(options.api_version) or "api-version=" in options.base_url),
            secret=key,
            calls=options,
        )
    )


def _key_header(key: str, *, azure: bool) -> dict[str, str]:
    if not key:
        return {}
    return {"api-key": key} if azure else {"authorization": f"Bearer {key}"}
