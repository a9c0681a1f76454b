"""The body of an answer, as every client reads it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic import ValidationError

from service.clients.errors import bad_answer_error
from service.protocol.completion import ChatCompletion
from service.protocol.error import read_error_value
from service.protocol.json_text import decode_json

if TYPE_CHECKING:
    import aiohttp

MAX_ANSWER_BYTES = 64 * 1024 * 1024
"""A whole answer, unpacked. Beyond it nobody answers a question any more."""


async def read_whole(provider: str, response: aiohttp.ClientResponse, *, most: int = MAX_ANSWER_BYTES) -> bytes:
    """The whole body of an open response.

    Raises:
        ClientError: `model_bad_answer`; it has more than `most` bytes, unpacked.
    """
    told = response.headers.get("content-length", "")
    pieces: list[bytes] = []
    size = int(told) if told.isdecimal() and int(told) > most else 0  # what is too long is not waited for
    async for piece in response.content.iter_any():
        size += len(piece)
        if size > most:
            raise bad_answer_error(provider, f"the body is longer than {most:,} bytes", retryable=False)
        pieces.append(piece)
    return b"".join(pieces)


def read_completion(provider: str, content: bytes) -> ChatCompletion:
    """The chat completion in the body of a success.

    What is not JSON was cut or written by something on the way, so it may pass; JSON of another form will come again.

    Raises:
        ClientError: `model_bad_answer`.
    """
    try:
        value = decode_json(content)
    except ValueError as error:
        raise bad_answer_error(provider, "the body is not JSON", retryable=True) from error
    try:
        completion = ChatCompletion.model_validate(value)
    except ValidationError as error:
        reported = isinstance(value, dict) and "error" in value and read_error_value(value) is not None
        why = "the body reports an error" if reported else "the body is no chat completion"
        raise bad_answer_error(provider, why, retryable=reported) from error
    if not completion.choices:
        raise bad_answer_error(provider, "it holds no choice", retryable=True)
    return completion
