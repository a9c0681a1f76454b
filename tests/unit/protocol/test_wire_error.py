"""Error bodies, read in every form and written in one."""

from __future__ import annotations

import json

import pytest

from service.protocol.error import ErrorBody, ErrorDetail, WireError, read_error


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (
            b'{"error":{"message":"human readable","type":"invalid_request_error","code":"invalid_request_body"}}',
            WireError("human readable", "invalid_request_body"),
        ),
        (b'{"error":{"message":"bad","type":"t","param":null,"code":null}}', WireError("bad")),
        (b'{"error":{"message":"bad","code":400}}', WireError("bad", "400")),
        (b'{"error":"bad"}', WireError("bad")),
        (b'{"error":"bad","code":"c"}', WireError("bad", "c")),
        (b'{"error":null,"message":"bad"}', WireError("bad")),
        (b'{"message":"bad"}', WireError("bad")),
        (b'{"message":"bad","code":"c"}', WireError("bad", "c")),
        (b'{"detail":"bad"}', WireError("bad")),
        (
            b'{"detail":[{"loc":["body"],"msg":"field required"},{"msg":"too long"}]}',
            WireError("field required; too long"),
        ),
        (b'{"error":{"code":"c"}}', WireError("error 'c' without a message", "c")),
        (b'"bad"', WireError("bad")),
        (b"upstream request timeout", WireError("upstream request timeout")),
        (b"<html>\n <h1>504 Gateway Time-out</h1></html>", WireError("<html> <h1>504 Gateway Time-out</h1></html>")),
        (b"\xff\xfe", WireError("\ufffd\ufffd")),
        (b"", WireError("HTTP 504 without a message")),
        (b"  \n", WireError("HTTP 504 without a message")),
        (b"{}", WireError("HTTP 504 without a message")),
        (b"null", WireError("HTTP 504 without a message")),
        (b'{"error":{}}', WireError("HTTP 504 without a message")),
    ],
)
def test_an_error_body_of_any_form_is_read(body: bytes, expected: WireError):
    """Wrapped, flat, text, a page of a gateway, nothing."""
    assert read_error(504, body) == expected


def test_a_long_page_is_cut():
    """Its beginning says enough."""
    assert len(read_error(502, b"x" * 100_000).message) == 300


def test_an_error_is_written_with_the_keys_openai_requires():
    """Four keys, null or not."""
    body = ErrorBody(error=ErrorDetail(message="human readable", type="invalid_request_error"))
    assert json.loads(body.body()) == {
        "error": {"message": "human readable", "type": "invalid_request_error", "param": None, "code": None}
    }


def test_fieldmarks_own_keys_follow():
    """And what was written is read."""
    detail = ErrorDetail(
        message="m", type="t", param="/model", code="unknown_model", retryable=False, request_id="req_1"
    )
    body = ErrorBody(error=detail).body()
    assert json.loads(body)["error"] == {
        "message": "m",
        "type": "t",
        "param": "/model",
        "code": "unknown_model",
        "retryable": False,
        "request_id": "req_1",
    }
    assert read_error(400, body) == WireError("m", "unknown_model")
