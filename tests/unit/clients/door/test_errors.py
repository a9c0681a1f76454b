"""Statuses become codes; the provider's words stay, the key and the file do not."""

from __future__ import annotations

import json

import httpx
import pytest

from service.clients.door.errors import FailedAnswer, error_from_answer
from service.domain.errors import ClientError, ErrorCode

KEY = "up_abcdefghijklmnop"


def failed(status: int, message: str = "it said so", **headers: str) -> ClientError:
    """The error for an answer in the vendor's form."""
    body = json.dumps({"error": {"message": message, "type": "x", "code": "some_code"}}).encode()
    answer = FailedAnswer(status=status, headers=httpx.Headers(headers), body=body)
    return error_from_answer("upstage", answer, secret=KEY, now=1_790_000_000.0)


@pytest.mark.parametrize(
    ("status", "code", "retryable"),
    [
        (302, ErrorCode.MODEL_REJECTED, False),
        (400, ErrorCode.MODEL_REJECTED, False),
        (401, ErrorCode.MODEL_ACCESS_DENIED, False),
        (402, ErrorCode.MODEL_ACCESS_DENIED, False),
        (403, ErrorCode.MODEL_ACCESS_DENIED, False),
        (404, ErrorCode.MODEL_REJECTED, False),
        (405, ErrorCode.MODEL_REJECTED, False),
        (408, ErrorCode.MODEL_TIMEOUT, True),
        (409, ErrorCode.MODEL_UNAVAILABLE, True),
        (413, ErrorCode.MODEL_REJECTED, False),
        (415, ErrorCode.MODEL_REJECTED, False),
        (418, ErrorCode.MODEL_REJECTED, False),
        (422, ErrorCode.MODEL_REJECTED, False),
        (429, ErrorCode.MODEL_RATE_LIMITED, True),
        (500, ErrorCode.MODEL_UNAVAILABLE, True),
        (502, ErrorCode.MODEL_UNAVAILABLE, True),
        (503, ErrorCode.MODEL_UNAVAILABLE, True),
        (504, ErrorCode.MODEL_TIMEOUT, True),
        (529, ErrorCode.MODEL_UNAVAILABLE, True),
    ],
)
def test_each_status_has_a_code(status: int, code: ErrorCode, retryable: bool) -> None:
    """And says whether the same request may work later."""
    error = failed(status)
    assert (error.code, error.retryable) == (code, retryable)
    assert error.message.startswith(f"upstage answered {status} (some_code): it said so")


def test_the_servers_wish_overrules_the_table() -> None:
    """`x-should-retry` in both directions."""
    assert failed(500, **{"x-should-retry": "false"}).retryable is False
    assert failed(400, **{"x-should-retry": "true"}).retryable is True


def test_a_refusal_names_no_time_to_come_back() -> None:
    """Only what may pass has one."""
    assert failed(429, **{"retry-after": "3"}).retry_after_s == 3.0
    assert failed(400, **{"retry-after": "3"}).retry_after_s is None


def test_key_and_file_are_struck_out_of_the_providers_words() -> None:
    """A provider that repeats the request does not make us log it."""
    error = failed(400, f"bad key {KEY} for data:application/pdf;base64,{'QUJD' * 50} and {'QUJD' * 50} end")
    assert error.message == "upstage answered 400 (some_code): bad key *** for [file] and […] end"


def test_long_words_are_cut() -> None:
    """A page of HTML does not become a message."""
    assert len(failed(500, "word " * 500).message) < 400


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (b'{"message": "flat"}', "flat"),
        (b'"bare"', "bare"),
        (b"<h1>Bad gateway</h1>", "Bad gateway"),
        (b"", "HTTP 502"),
        (b"\xff\xfe", "upstage answered 502"),
    ],
)
def test_bodies_of_other_forms_are_read(body: bytes, words: str) -> None:
    """Gateways answer as they like."""
    answer = FailedAnswer(status=502, headers={}, body=body)
    assert words in error_from_answer("upstage", answer, secret="", now=0.0).message
