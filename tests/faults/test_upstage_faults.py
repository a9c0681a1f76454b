"""The real Upstage client against a server on loopback that does everything wrong."""

from __future__ import annotations

import asyncio
import json
import socket
from typing import Any

import pytest

from service.clients.upstage.client import UpstageClient
from service.domain.errors import ClientError, ErrorCode
from service.protocol.additional_values import read_additional_values
from service.protocol.completion import ChatCompletion
from service.rehearsal.refusals import NO_CREDIT_KEY, WRONG_KEY
from tests.fakes.ahead_loop import forward, run_out_of_time
from tests.fakes.model_stub import ModelStub
from tests.faults.upstage_calls import SCHEMA, Sleeper, ask, fail, request, run


def test_a_good_answer_comes_back_whole(stub: ModelStub) -> None:
    """In the live service's shape: no id on the call, the dated model, `stop`."""
    stub.answers({"number": "A-1", "total": 12.5})
    answer = run(
        stub.base_url,
        lambda c: c.complete(request(location=True, location_granularity="all", confidence=True), timeout_s=60),
    )
    assert answer.model == "information-extract-260904"
    assert answer.choices[0].finish_reason == "stop"
    assert json.loads(answer.choices[0].message.text())["number"] == "A-1"
    tree = read_additional_values(answer.choices[0].message)
    assert isinstance(tree, dict)
    leaf = tree["number"].model_dump()
    assert (leaf["value"], leaf["confidence"], leaf["page"]) == ("A-1", "high", 1)
    assert answer.choices[0].message.tool_calls is not None
    assert answer.choices[0].message.tool_calls[0].id is None


def test_what_is_sent_is_what_the_vendor_documents(stub: ModelStub) -> None:
    """Path, key, one message with one file, the schema, and only the options that were asked for."""
    run(stub.base_url + "/", lambda c: c.complete(request(confidence=True), timeout_s=60))
    (seen,) = stub.requests()
    assert seen["path"] == "/v1/information-extraction"
    assert seen["headers"]["authorization"] == "Bearer up_good"
    assert seen["headers"]["content-type"] == "application/json"
    assert set(seen["body"]) == {"model", "messages", "response_format", "confidence"}
    assert seen["body"]["response_format"]["json_schema"] == {"name": "doc", "schema": SCHEMA}
    (message,) = seen["body"]["messages"]
    (part,) = message["content"]
    assert part["image_url"]["url"].startswith("data:application/octet-stream;base64,")


@pytest.mark.parametrize("status", ["408", "409", "429", "500", "502", "503", "504"])
def test_what_may_pass_is_tried_again(stub: ModelStub, status: str) -> None:
    """Twice refused, then answered."""
    stub.script(status, status, "ok")
    sleeper = Sleeper()
    assert ask(stub, sleep=sleeper).choices
    assert stub.stats()["requests"] == 3
    assert len(sleeper.waits) == 2


@pytest.mark.parametrize("fault", ["drop", "cut", "non_json_200", "empty_200", "error_in_200", "no_choices"])
def test_a_broken_connection_or_body_is_tried_again(stub: ModelStub, fault: str) -> None:
    """The answer never reached us whole."""
    stub.script(fault, "ok")
    assert ask(stub).choices
    assert stub.stats()["requests"] == 2


@pytest.mark.parametrize(
    ("status", "code"),
    [
        ("400", ErrorCode.MODEL_REJECTED),
        ("401", ErrorCode.MODEL_ACCESS_DENIED),
        ("403", ErrorCode.MODEL_ACCESS_DENIED),
        ("404", ErrorCode.MODEL_REJECTED),
        ("413", ErrorCode.MODEL_REJECTED),
        ("415", ErrorCode.MODEL_REJECTED),
        ("422", ErrorCode.MODEL_REJECTED),
    ],
)
def test_a_refusal_is_final_and_in_the_providers_words(stub: ModelStub, status: str, code: ErrorCode) -> None:
    """One call, no second one, and the message says what the provider said."""
    stub.script({"fault": status, "message": "the very reason", "code": "some_code"}, "ok")
    error = fail(stub)
    assert (error.code, error.retryable) == (code, False)
    assert "the very reason" in error.message
    assert "some_code" in error.message
    assert stub.stats()["requests"] == 1


def test_a_status_with_a_page_of_html_is_read_too(stub: ModelStub) -> None:
    """Gateways have their own bodies."""
    stub.script({"fault": "404", "text": "<html>no such route</html>"})
    assert "no such route" in fail(stub).message


@pytest.mark.parametrize(
    ("fault", "code", "retryable"),
    [
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
    ],
)
def test_after_the_last_attempt_the_last_failure_is_told(
    stub: ModelStub, fault: str, code: ErrorCode, retryable: bool
) -> None:
    """As many calls as allowed, none more, and a code that tells the failures apart."""
    stub.script({"fault": fault, "repeat": 5})
    error = fail(stub, attempts=3)
    assert (error.code, error.retryable) == (code, retryable)
    assert stub.stats()["requests"] == 3


def test_json_of_another_form_is_not_asked_for_again(stub: ModelStub) -> None:
    """It would come again, and be billed again."""
    stub.script("not_a_completion", "ok")
    error = fail(stub)
    assert (error.code, error.retryable) == (ErrorCode.MODEL_BAD_ANSWER, False)
    assert stub.stats()["requests"] == 1


@pytest.mark.parametrize(
    ("form", "seconds", "least", "most"),
    [("delta", 4, 4.5, 5), ("ms", 4, 4.5, 5), ("delta", -3, 0.5, 1), ("garbage", 1, 0.5, 1)],
)
def test_a_short_time_to_come_back_is_waited_in_place(
    stub: ModelStub, form: str, seconds: int, least: float, most: float
) -> None:
    """And a little more, not the same for all; what cannot be read is passed over."""
    stub.script({"fault": "429", "form": form, "seconds": seconds}, "ok")
    sleeper = Sleeper()
    ask(stub, sleep=sleeper)
    (waited,) = sleeper.waits
    assert least <= waited <= most


@pytest.mark.parametrize(
    ("form", "seconds", "least", "most"),
    [
        ("delta", 7, 7, 7),
        ("ms", 7, 7, 7),
        ("http_date", 100, 60, 101),
        ("timestamp_requests", 100, 60, 101),
        ("timestamp_tokens", 100, 60, 101),
        ("reset_requests", 100, 60, 101),
        ("delta", 86_400, 120, 120),
        ("timestamp_requests", 86_400, 120, 120),
    ],
)
def test_a_long_time_to_come_back_is_handed_on(
    stub: ModelStub, form: str, seconds: int, least: float, most: float
) -> None:
    """Every form of it, so that the step can be put back; what cannot be believed is cut."""
    stub.script({"fault": "429", "form": form, "seconds": seconds}, "ok")
    sleeper = Sleeper()
    error = fail(stub, sleep=sleeper)
    assert error.code is ErrorCode.MODEL_RATE_LIMITED
    assert error.retry_after_s is not None
    assert least <= error.retry_after_s <= most
    assert sleeper.waits == []


def test_waits_grow_when_the_server_names_no_time(stub: ModelStub) -> None:
    """Each wait is longer than the one before."""
    stub.script({"fault": "500", "repeat": 5})
    sleeper = Sleeper()
    fail(stub, attempts=5, sleep=sleeper)
    assert len(sleeper.waits) == 4
    assert sleeper.waits == sorted(sleeper.waits)
    assert sleeper.waits[-1] >= 4


def test_the_last_429_tells_when_to_come_back(stub: ModelStub) -> None:
    """So that a later attempt of the step can wait that long."""
    stub.script({"fault": "429", "form": "delta", "seconds": 9})
    assert fail(stub, attempts=1).retry_after_s == 9.0


def test_a_server_that_never_answers_is_left_in_time(stub: ModelStub) -> None:
    """The call ends by itself, and the server sees the connection go."""
    stub.script("hang")
    with pytest.raises(ClientError) as caught:
        run(
            stub.base_url,
            lambda c: run_out_of_time(stub, c.complete(request(), timeout_s=600), seconds=601),
            attempts=1,
        )
    assert (caught.value.code, caught.value.retryable) == (ErrorCode.MODEL_TIMEOUT, True)
    stub.wait_for(aborted=1, connections_open=0)


def test_after_a_hang_the_next_attempt_may_answer(stub: ModelStub) -> None:
    """The time counts for one call, not for all."""
    stub.script("hang", "ok")
    answer = run(
        stub.base_url, lambda c: run_out_of_time(stub, c.complete(request(), timeout_s=600), seconds=601), attempts=2
    )
    assert answer.choices


def test_cancelling_closes_the_connection_at_once(stub: ModelStub) -> None:
    """Whoever cancels pays for nothing more: the server notices while the client is still open."""
    stub.script("hang")

    async def use(client: UpstageClient) -> dict[str, Any]:
        call = asyncio.create_task(client.complete(request(), timeout_s=60))
        await asyncio.to_thread(stub.wait_for, in_flight=1)
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call
        return await asyncio.to_thread(stub.wait_for, aborted=1, in_flight=0, connections_open=0)

    assert run(stub.base_url, use)["requests"] == 1


def test_cancelling_ends_the_wait_between_attempts(stub: ModelStub) -> None:
    """No call follows."""
    stub.script("500")
    waiting = asyncio.Event()

    async def wait_for_long(_seconds: float) -> None:
        waiting.set()
        await asyncio.Event().wait()

    async def use(client: UpstageClient) -> int:
        call = asyncio.create_task(client.complete(request(), timeout_s=60))
        await waiting.wait()
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call
        return stub.stats()["requests"]

    assert run(stub.base_url, use, sleep=wait_for_long) == 1


def test_nobody_listening_is_an_unavailable_model() -> None:
    """The message names the place to look."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # and does not listen, so that nobody else does either
        base_url = f"http://127.0.0.1:{taken.getsockname()[1]}/v1"
        with pytest.raises(ClientError, match="base URL") as caught:
            run(base_url, lambda c: c.complete(request(), timeout_s=60))
    assert (caught.value.code, caught.value.retryable) == (ErrorCode.MODEL_UNAVAILABLE, True)


@pytest.mark.parametrize("key", [WRONG_KEY, NO_CREDIT_KEY])
def test_a_bad_key_is_not_repeated_in_the_message(stub: ModelStub, key: str) -> None:
    """Nor tried again."""
    error = fail(stub, key=key)
    assert (error.code, error.retryable) == (ErrorCode.MODEL_ACCESS_DENIED, False)
    assert key not in error.message
    assert stub.stats()["requests"] == 1


def test_without_a_key_nothing_is_sent(stub: ModelStub) -> None:
    """The message names the setting."""
    error = fail(stub, key="")
    assert error.code is ErrorCode.MODEL_ACCESS_DENIED
    assert "FIELDMARK_UPSTAGE_API_KEY" in error.message
    assert stub.stats()["requests"] == 0


@pytest.mark.parametrize(
    ("fault", "reason"),
    [
        ("length", "length"),
        ("content_filter", "content_filter"),
        ("unknown_finish_reason", "recitation"),
        ("null_finish_reason", None),
        ("bare_choice", "stop"),
        ("fences", "stop"),
        ("prose", "stop"),
        ("wrong_types", "stop"),
        ("missing_leaves", "stop"),
        ("no_tool_calls", "stop"),
        ("arguments_object", "stop"),
        ("arguments_broken", "stop"),
        ("page_minus_one", "stop"),
        ("page_beyond", "stop"),
        ("extra_keys", "stop"),
        ("empty_content", "stop"),
        ("null_content", "stop"),
    ],
)
def test_odd_answers_are_handed_on_for_decoding(stub: ModelStub, fault: str, reason: str | None) -> None:
    """The client judges the way, not the answer: one call, and the decoder sees what came."""
    stub.script(fault)
    answer = run(stub.base_url, lambda c: c.complete(request(location=True, confidence=True), timeout_s=60))
    assert answer.choices[0].finish_reason == reason
    assert stub.stats()["requests"] == 1


def test_split_gives_a_choice_for_each_document(stub: ModelStub) -> None:
    """In page order."""
    stub.answers([{"number": "A"}, {"number": "B"}, {"number": "C"}])
    answer = run(stub.base_url, lambda c: c.complete(request(split=True), timeout_s=60))
    assert [json.loads(c.message.text())["number"] for c in answer.choices] == ["A", "B", "C"]


def test_two_hundred_calls_are_in_flight_at_once() -> None:
    """No hidden limit of a hundred."""
    with ModelStub() as stub:
        stub.hold()

        async def use(client: UpstageClient) -> list[ChatCompletion]:
            calls = asyncio.gather(*(client.complete(request(), timeout_s=100) for _ in range(200)))
            await asyncio.to_thread(stub.wait_for, in_flight=200)
            stub.let_go()
            return await calls

        assert len(run(stub.base_url, use)) == 200
        assert stub.stats()["peak_in_flight"] == 200


def test_never_more_calls_than_allowed_and_connections_are_used_again() -> None:
    """The limit holds, and waiting for a turn costs a call none of its time."""
    with ModelStub() as stub:
        stub.hold()

        async def use(client: UpstageClient) -> list[ChatCompletion]:
            calls = asyncio.gather(*(client.complete(request(), timeout_s=600) for _ in range(12)))
            for requests in (4, 8, 12):  # the last four have then waited longer than a call may take
                await asyncio.to_thread(stub.wait_for, requests=requests, in_flight=4)
                forward(350)
                stub.let_go(4)
            return await calls

        assert len(run(stub.base_url, use, connections=4, attempts=1)) == 12
        stats = stub.stats()
        assert (stats["peak_in_flight"], stats["connections_total"]) == (4, 4)
