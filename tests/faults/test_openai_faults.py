"""The real OpenAI-compatible client against a server that fails, breaks off, drips and loops."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from service.clients.openai_compatible.client import OpenAiCompatibleClient
from service.domain.errors import ClientError, ErrorCode
from tests.fakes.ahead_loop import run_out_of_time
from tests.fakes.model_stub import ModelStub
from tests.faults.openai_calls import (
    SCHEMA,
    STREAM,
    ask,
    fail,
    request,
    run,
    values,
)

Json = Any


@pytest.mark.parametrize(
    ("fault", "code", "retryable"),
    [
        ("400", ErrorCode.MODEL_REJECTED, False),
        ("401", ErrorCode.MODEL_ACCESS_DENIED, False),
        ("404", ErrorCode.MODEL_REJECTED, False),
        ("429", ErrorCode.MODEL_RATE_LIMITED, True),
        ("500", ErrorCode.MODEL_UNAVAILABLE, True),
        ("503", ErrorCode.MODEL_UNAVAILABLE, True),
        ("504", ErrorCode.MODEL_TIMEOUT, True),
        ("drop", ErrorCode.MODEL_UNAVAILABLE, True),
        ("cut", ErrorCode.MODEL_UNAVAILABLE, True),
        ("non_json_200", ErrorCode.MODEL_BAD_ANSWER, True),
        ("empty_200", ErrorCode.MODEL_BAD_ANSWER, True),
        ("error_in_200", ErrorCode.MODEL_BAD_ANSWER, True),
        ("no_choices", ErrorCode.MODEL_BAD_ANSWER, True),
        ("not_a_completion", ErrorCode.MODEL_BAD_ANSWER, False),
    ],
)
def test_each_failure_has_a_code_and_what_may_pass_is_tried_again(
    stub: ModelStub, fault: str, code: ErrorCode, retryable: bool
) -> None:
    """With the provider's name in front."""
    stub.script({"fault": fault, "repeat": 2})
    error = fail(stub, attempts=2)
    assert (error.code, error.retryable) == (code, retryable)
    assert error.message.startswith("openai")
    assert stub.stats()["requests"] == (2 if retryable else 1)


def test_the_time_that_a_server_asks_for_is_kept(stub: ModelStub) -> None:
    """For a later attempt of the step."""
    stub.script({"fault": "429", "form": "ms", "seconds": 7})
    assert fail(stub).retry_after_s == 7.0


def test_an_account_without_quota_is_not_waited_for(stub: ModelStub) -> None:
    """Although the status says so."""
    stub.script("no_quota", "ok")
    error = fail(stub, attempts=3)
    assert (error.code, error.retryable) == (ErrorCode.MODEL_ACCESS_DENIED, False)
    assert stub.stats()["requests"] == 1


def test_a_wrong_key_is_not_repeated(stub: ModelStub) -> None:
    """The server says it aloud."""
    error = fail(stub, key="sk-wrong-key")
    assert error.code is ErrorCode.MODEL_ACCESS_DENIED
    assert "sk-wrong-key" not in error.message


def test_without_a_key_none_is_sent(stub: ModelStub) -> None:
    """Servers of one's own want none."""
    ask(stub, key="")
    assert "authorization" not in stub.requests()[-1]["headers"]


@pytest.mark.parametrize(
    ("fault", "code"),
    [
        ("stream_cut", ErrorCode.MODEL_UNAVAILABLE),
        ("stream_no_done", ErrorCode.MODEL_BAD_ANSWER),
        ("stream_junk", ErrorCode.MODEL_BAD_ANSWER),
        ("stream_error", ErrorCode.MODEL_UNAVAILABLE),
        ({"fault": "stream_error", "code": "rate_limit_exceeded"}, ErrorCode.MODEL_RATE_LIMITED),
        ("429", ErrorCode.MODEL_RATE_LIMITED),
    ],
)
def test_a_stream_that_breaks_is_an_error_and_asked_for_again(stub: ModelStub, fault: Json, code: ErrorCode) -> None:
    """Half an answer is none."""
    stub.script(fault)
    error = fail(stub, traits=STREAM)
    assert (error.code, error.retryable) == (code, True)
    stub.answers({"number": "A-7"})
    stub.script(fault, "ok")
    assert values(ask(stub, traits=STREAM, attempts=2))["number"] == "A-7"


def test_a_stream_without_credit_is_not_asked_for_again(stub: ModelStub) -> None:
    """Nothing but the account helps."""
    stub.script({"fault": "stream_error", "code": "insufficient_quota"})
    error = fail(stub, traits=STREAM, attempts=3)
    assert (error.code, error.retryable) == (ErrorCode.MODEL_ACCESS_DENIED, False)


@pytest.mark.parametrize(
    "text", ["....", "| ", "\n", '{"text": null, "amount": null}, ', "the same sentence again and again. "]
)
def test_a_model_that_loops_is_stopped(stub: ModelStub, text: str) -> None:
    """The connection goes, and less is asked for."""
    stub.script({"fault": "stream_loop", "text": text})
    assert ask(stub, traits=STREAM).choices[0].finish_reason == "length"
    stub.wait_for(in_flight=0)


def test_a_stream_that_drips_for_ever_is_left_in_time(stub: ModelStub) -> None:
    """The time counts for the whole answer, not from piece to piece."""
    stub.script("stream_drip")
    with pytest.raises(ClientError) as caught:
        run(
            stub.base_url,
            lambda c: run_out_of_time(stub, c.complete(request(), timeout_s=600), seconds=601),
            traits=STREAM,
        )
    assert caught.value.code is ErrorCode.MODEL_TIMEOUT
    stub.wait_for(in_flight=0)


def test_a_server_that_does_not_stream_is_read_all_the_same(stub: ModelStub) -> None:
    """Although it was asked to."""
    stub.answers({"number": "A-7"})
    stub.script("not_streamed")
    assert values(ask(stub, traits=STREAM))["number"] == "A-7"


def test_cancelling_a_stream_closes_its_connection(stub: ModelStub) -> None:
    """Whoever cancels pays for nothing more."""
    stub.script("stream_drip")

    async def use(client: OpenAiCompatibleClient) -> None:
        call = asyncio.create_task(client.complete(request(), timeout_s=60))
        await asyncio.to_thread(stub.wait_for, in_flight=1)
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call
        await asyncio.to_thread(stub.wait_for, in_flight=0)

    run(stub.base_url, use, traits=STREAM)


def test_bytes_of_a_file_are_refused(stub: ModelStub) -> None:
    """Only pages that were read can be shown."""
    with pytest.raises(ClientError) as caught:
        run(stub.base_url, lambda c: c.complete(request(file_url="data:;base64,QQ=="), timeout_s=60))
    assert caught.value.code is ErrorCode.MODEL_REJECTED


def test_a_schema_beyond_the_models_limits_is_refused_before(stub: ModelStub) -> None:
    """With the place of the fault."""
    from service.domain.errors import InputError
    from service.domain.schema import parse_schema

    async def use(client: OpenAiCompatibleClient) -> None:
        client.check_schema(parse_schema(SCHEMA))

    run(stub.base_url, use)
    with pytest.raises(InputError, match="properties"):
        run(stub.base_url, use, traits={"max_properties": 3})
