"""The body of an answer, as every client reads it."""

from __future__ import annotations

import zlib
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import TYPE_CHECKING

from pydantic import ValidationError

from service.clients.door.errors import bad_answer_error
from service.protocol.completion import ChatCompletion
from service.protocol.error import read_error_value
from service.protocol.json_text import decode_json

if TYPE_CHECKING:
    import aiohttp

MAX_ANSWER_BYTES = 64 * 1024 * 1024
"""A whole answer, unpacked. Beyond it nobody answers a question any more."""
PACKING = "gzip"
"""The only way of packing that is asked for."""
_SAME_PACKING = "x-gzip"
"""Its old name. Source: RFC 9110, 8.4.1.3."""
_PIECE_BYTES = 256 * 1024
_GZIP = 31
"""zlib's word for it."""


async def unpacked(provider: str, response: aiohttp.ClientResponse) -> AsyncGenerator[bytes]:
    """The body of an open response as it comes, in pieces of limited size; the session does not unpack by itself.

    Raises:
        ClientError: `model_bad_answer`; it is packed in a way that nobody asked for, or damaged.
    """
    packing = response.headers.get("content-encoding", "").strip().lower()
    if packing not in ("", "identity", PACKING, _SAME_PACKING):
        raise bad_answer_error(provider, f"its body is packed as {packing[:40]!r}, not as asked for", retryable=False)
    unpacking = zlib.decompressobj(_GZIP) if packing in (PACKING, _SAME_PACKING) else None
    async for piece in response.content.iter_any():
        if unpacking is None:
            yield piece
            continue
        while piece:
            if unpacking.eof:  # some pack each part of a body by itself
                unpacking = zlib.decompressobj(_GZIP)
            try:
                yield unpacking.decompress(piece, _PIECE_BYTES)
            except zlib.error as error:
                raise bad_answer_error(provider, "its packed body is damaged", retryable=True) from error
            piece = unpacking.unused_data if unpacking.eof else unpacking.unconsumed_tail
    if unpacking is not None and not unpacking.eof:
        raise bad_answer_error(provider, "its packed body was cut", retryable=True)


async def read_whole(provider: str, response: aiohttp.ClientResponse, *, most: int = MAX_ANSWER_BYTES) -> bytes:
    """The whole body of an open response.

    Raises:
        ClientError: `model_bad_answer`; it has more than `most` bytes, unpacked.
    """
    told = response.headers.get("content-length", "")
    pieces: list[bytes] = []
    size = int(told) if told.isdecimal() and int(told) > most else 0  # what is too long is not waited for
    async with aclosing(unpacked(provider, response)) as body:
        async for piece in body:
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
