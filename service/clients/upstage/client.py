"""Upstage's Information Extraction: one synchronous call for one range of pages.

Source: https://console.upstage.ai/docs (information extraction, errors, rate limits), read 2026-11-30; see
docs/providers/upstage.md.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, cast

from pydantic import SecretStr

from service.clients.base import Capabilities
from service.clients.door.answer_body import read_completion, read_whole
from service.clients.door.call import Call, CallOptions, DoorOptions, host_of
from service.clients.door.errors import FailedAnswer
from service.clients.door.late_door import LateDoor
from service.clients.schema_limits import check_schema_limits
from service.clients.upstage.flat_schema import FlatSchema, flatten, is_flat
from service.domain.errors import ClientError, ErrorCode
from service.domain.records import Json
from service.domain.schema import ExtractionSchema, known_schema, parse_schema
from service.protocol.completion import ChatCompletion, Choice, ToolCall
from service.protocol.json_text import encode_json
from service.protocol.request import FULL_ANSWER, ExtractionRequest

if TYPE_CHECKING:
    import aiohttp

PROVIDER = "upstage"
DEFAULT_MODEL = "information-extract"
MAX_NAME_CHARS = 10_000
"""Of all property names together."""

CAPABILITIES = Capabilities(
    queue="io",
    pages_as="file",
    max_pages=100,
    # The vendor counts requests (1 a second by default) and works through a request in chunks of 5 pages. At 10 pages
    # a file of 1,000 is 100 calls, a failure or too long an answer costs 10 pages, and scans stay far below 50 MB.
    default_pages_per_chunk=10,
    max_properties=100,
    max_schema_chars=15_000,
    max_name_chars=MAX_NAME_CHARS,
    max_file_bytes=52_428_800,
    nested_objects=False,
    enhanced_mode=True,
)
"""The limits of the synchronous call."""


@dataclass(frozen=True, slots=True, kw_only=True)
class UpstageOptions(CallOptions):
    """Where and as whom to call, and how often."""

    base_url: str
    """Up to and with `/v1`."""
    api_key: SecretStr


class UpstageClient:
    """Fills `ExtractionClient`; one for a process, since a client holds its connections."""

    def __init__(self, options: UpstageOptions) -> None:
        self._key = options.api_key.get_secret_value()
        self._url = f"{options.base_url.rstrip('/')}/information-extraction"
        self._capabilities = replace(CAPABILITIES, host=host_of(self._url))
        self._door = LateDoor(
            DoorOptions(
                provider=PROVIDER,
                headers={"authorization": f"Bearer {self._key}", **dict([FULL_ANSWER])},
                secret=self._key,
                calls=options,
            )
        )

    @property
    def capabilities(self) -> Capabilities:
        """The limits of the synchronous call."""
        return self._capabilities

    def for_model(self, model: str) -> UpstageClient:
        """See `ExtractionClient.for_model`: the vendor's models share their limits."""
        del model
        return self

    def check_schema(self, schema: ExtractionSchema) -> None:
        """Refuse a schema that the model would refuse, objects inside objects replaced by their fields.

        Raises:
            InputError: `invalid_schema`; `param` is the JSON Pointer of the fault inside the schema.
        """
        sent = schema if is_flat(schema) else parse_schema(flatten(schema).source, schema.name)
        check_schema_limits(sent, CAPABILITIES, provider=PROVIDER, max_name_chars=MAX_NAME_CHARS)

    async def complete(self, request: ExtractionRequest, *, timeout_s: float) -> ChatCompletion:
        """Send one request, again if it failed in a way that may pass, and give the whole answer.

        Args:
            timeout_s: for one call, from its connection to the last byte of its answer. Waiting for a free connection
                and between calls does not count.

        Raises:
            ClientError: the last call's failure. Cancelling closes the connection at once.
        """
        if not self._key:
            message = f"{PROVIDER}: no key is set; set FIELDMARK_UPSTAGE_API_KEY"
            raise ClientError(ErrorCode.MODEL_ACCESS_DENIED, message, retryable=False)
        flat = _flat_schema(request)
        if flat is not None:
            request = _flattened(request, flat)
        call = Call(url=self._url, model=request.model, body=request.body(), timeout_s=timeout_s)
        del request  # its pages are in the body: while the call waits, they are held once
        answer = await self._door.post(call, _Answers())
        return answer if flat is None else _unflattened(answer, flat)

    async def close(self) -> None:
        """Close every connection; calls in flight fail."""
        await self._door.close()


def _flat_schema(request: ExtractionRequest) -> FlatSchema | None:
    """None: the schema goes out as the caller wrote it."""
    named = request.response_format.json_schema
    schema = known_schema(named.source, named.name)
    return None if is_flat(schema) else flatten(schema)


def _flattened(request: ExtractionRequest, flat: FlatSchema) -> ExtractionRequest:
    named = request.response_format.json_schema.model_copy(update={"source": flat.source})
    form = request.response_format.model_copy(update={"json_schema": named})
    return request.model_copy(update={"response_format": form})


def _unflattened(answer: ChatCompletion, flat: FlatSchema) -> ChatCompletion:
    choices: list[Choice] = []
    for choice in answer.choices:
        message = choice.message
        calls = [_unflattened_call(call, flat) for call in message.tool_calls or []]
        content = _unflattened_text(message.text(), flat)
        changed = message.model_copy(update={"content": content, "tool_calls": calls or message.tool_calls})
        choices.append(choice.model_copy(update={"message": changed}))
    return answer.model_copy(update={"choices": choices})


def _unflattened_call(call: ToolCall, flat: FlatSchema) -> ToolCall:
    if call.function is None:
        return call
    given = call.function.arguments
    whole = _unflattened_text(given, flat) if isinstance(given, str) else flat.unflatten(cast("Json", given))
    return call.model_copy(update={"function": call.function.model_copy(update={"arguments": whole})})


def _unflattened_text(text: str, flat: FlatSchema) -> str:
    """The object in an answer's text in the caller's shape; a text without one is left to the decoder."""
    try:
        value, _ = json.JSONDecoder().raw_decode(text, max(text.find("{"), 0))
    except ValueError:
        return text
    return encode_json(flat.unflatten(value)).decode("utf-8")


class _Answers:
    """Fills `AnswerReader`: a chat completion in one piece."""

    async def read(self, response: aiohttp.ClientResponse) -> ChatCompletion:
        return read_completion(PROVIDER, await read_whole(PROVIDER, response))

    def excuse(self, failed: FailedAnswer) -> None:
        """No failure is an answer."""
        del failed
