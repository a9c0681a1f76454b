"""The error body: written in OpenAI's form, read in every form that servers and the gateways before them send.

Source: https://console.upstage.ai/docs (errors) and https://developers.openai.com/api/reference, read 2026-11-30.
"""

from __future__ import annotations

from dataclasses import dataclass

from pydantic import JsonValue

from service.protocol.base import WireModel
from service.protocol.json_text import decode_json, encode_json

_LONGEST_RAW = 300
"""Characters of a body that is not JSON; such a page of HTML says little after its title."""


class ErrorDetail(WireModel):
    """What went wrong."""

    message: str
    type: str | None = None
    """`invalid_request_error`, `authentication_error`, `permission_error`, `rate_limit_error`, `server_error`."""
    param: str | None = None
    """The part of the request that is meant."""
    code: str | None = None
    """The stable name; clients branch on it and never on the message."""
    retryable: bool | None = None
    """Fieldmark's own: whether the same request may work later."""
    request_id: str | None = None
    """Fieldmark's own."""
    details: dict[str, str | int | float | None] | None = None
    """Fieldmark's own: what a program needs to go on from here, such as the two values of an edit conflict."""


class ErrorBody(WireModel):
    """The body of every answer that is an error."""

    error: ErrorDetail

    def body(self) -> bytes:
        """The JSON body: the four keys OpenAI requires, null or not, and Fieldmark's own where they say something."""
        detail = self.error
        plain = detail.model_dump(exclude_none=True)
        required = {"message": detail.message, "type": detail.type, "param": detail.param, "code": detail.code}
        return encode_json({"error": required | plain})


@dataclass(frozen=True, slots=True)
class WireError:
    """What an error body says; `message` is never empty."""

    message: str
    code: str | None = None


def read_error(status: int, body: bytes) -> WireError:
    """What the body of an answer with that HTTP status says: wrapped, flat, or text of any kind."""
    try:
        found = read_error_value(decode_json(body))
    except ValueError:
        text = " ".join(body.decode("utf-8", errors="replace").split())
        found = WireError(text[:_LONGEST_RAW]) if text else None
    return found or WireError(f"HTTP {status} without a message")


def read_error_value(value: JsonValue) -> WireError | None:
    """What a decoded error body says; None when it holds no message and no code."""
    if isinstance(value, str):
        return WireError(value[:_LONGEST_RAW]) if value.strip() else None
    if not isinstance(value, dict):
        return None
    inner = value.get("error")
    if isinstance(inner, (dict, str)) and inner:
        found = read_error_value(inner)
        return _with_code(found, _code(value))
    message = next((text for key in ("message", "detail", "error_description") if (text := _text(value.get(key)))), "")
    code = _code(value)
    if not message and code is None:
        return None
    return WireError(message or f"error {code!r} without a message", code)


def _with_code(error: WireError | None, code: str | None) -> WireError | None:
    """Some servers write `{"error": "text", "code": …}`."""
    return error if error is None or error.code is not None or code is None else WireError(error.message, code)


def _code(value: dict[str, JsonValue]) -> str | None:
    code = value.get("code")
    if isinstance(code, bool) or not isinstance(code, (str, int)) or code == "":
        return None
    return str(code)


def _text(value: JsonValue) -> str:
    """A message: a string, or the list of faults that FastAPI servers answer with."""
    if isinstance(value, str):
        return value.strip()
    if isinstance(value, list):
        faults = [fault.get("msg") for fault in value if isinstance(fault, dict)]
        return "; ".join(fault for fault in faults if isinstance(fault, str))
    return ""
