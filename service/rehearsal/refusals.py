"""Requests that are refused, and the keys that are not good."""

from __future__ import annotations

from dataclasses import dataclass

from service.rehearsal.json_values import JsonObject

WRONG_KEY, NO_CREDIT_KEY = "up_wrong", "up_no_credit"
"""Keys that hold `wrong` or `no_credit` are refused as such; every other one is good."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """An answer that is no success."""

    status: int
    code: str | None
    message: str

    def body(self) -> JsonObject:
        """As OpenAI and the vendor write it."""
        return error_body(self.code, self.message)


def error_body(code: str | None, message: str) -> JsonObject:
    """An error as OpenAI and the vendor write it."""
    return {"error": {"message": message, "type": "invalid_request_error", "param": None, "code": code}}


def refused_key(key: str) -> Refusal | None:
    """What is wrong with a key; the server repeats it, as real ones do."""
    if not key or "wrong" in key:
        return Refusal(401, "invalid_api_key", f"Incorrect API key provided: {key}")
    return Refusal(403, "insufficient_credit", "No credit is left") if "no_credit" in key else None
