"""JSON bodies, read whole under a cap."""

from __future__ import annotations

from typing import cast

import orjson
from fastapi import Request

from service.domain.errors import ErrorCode, InputError
from service.domain.records import JsonObject
from service.protocol.json_text import decode_json

MOST_JSON_BYTES = 4_000_000
"""Schemas and options; files are never sent as JSON here."""


async def read_object(request: Request) -> JsonObject:
    """The JSON object that is the body; an empty body is an empty object.

    Raises:
        InputError: it is too large, no JSON, or no object.
    """
    media_type = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > MOST_JSON_BYTES:
            raise _fault(f"is larger than {MOST_JSON_BYTES} bytes")
    if not body:
        return {}
    if media_type != "application/json":
        raise _fault(f"must be sent as application/json, not as {media_type[:100]!r}")
    return parse_object(bytes(body), "body")


def parse_object(text: bytes | str, param: str, code: ErrorCode = ErrorCode.INVALID_REQUEST) -> JsonObject:
    """A JSON object from its text; whole numbers of any size are exact.

    Raises:
        InputError: with the given code: it is no JSON, nested some hundred levels deep, or no object.
    """
    try:
        orjson.loads(text)  # tells the place, and refuses what is no finite number
        value = decode_json(text)
    except orjson.JSONDecodeError as error:
        raise InputError(
            code,
            f"The {param} is not valid JSON: {error.msg} (line {error.lineno}, column {error.colno}).",
            param=param,
        ) from None
    except ValueError:
        raise InputError(code, f"The {param} is nested too deep.", param=param) from None
    if not isinstance(value, dict):
        raise InputError(code, f"The {param} must be a JSON object.", param=param)
    return cast(JsonObject, value)


def _fault(why: str) -> InputError:
    return InputError(ErrorCode.INVALID_REQUEST, f"The body {why}.", param="body")
