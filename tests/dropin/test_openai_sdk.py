"""OpenAI's own Python client, as anybody uses it: nothing but the base URL and the key is ours."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import httpx
import openai
import pytest
from openai import AsyncOpenAI, OpenAI

from tests.api.job_calls import letter
from tests.dropin import openai_objects
from tests.dropin.conftest import KEY, Live, Starter
from tests.dropin.vendor_calls import messages, response_format

EXTRAS = {"location": True, "location_granularity": "all", "confidence": True}


def client_of(live: Live, path: str = "") -> OpenAI:
    """As a user makes it."""
    return OpenAI(base_url=live.base_url + path, api_key=KEY, max_retries=0)


def asked(**more: Any) -> dict[str, Any]:
    """Arguments of `create`."""
    return {
        "model": "information-extract",
        "messages": messages(letter()),
        "response_format": response_format(),
        **more,
    }


def test_create_gives_the_record_and_where_it_stands(live: Live) -> None:
    """The documented use, extras included."""
    with client_of(live) as client:
        answer = client.chat.completions.create(**asked(extra_body=EXTRAS))
    choice = answer.choices[0]
    assert json.loads(choice.message.content or "")["number"] == "L-17"
    assert (choice.index, choice.finish_reason, choice.message.role) == (0, "stop", "assistant")
    assert choice.message.tool_calls is not None
    (call,) = choice.message.tool_calls
    assert call.type == "function"
    leaf = json.loads(call.function.arguments)["number"]
    assert (leaf["_value"], leaf["page"], len(leaf["coordinates"])) == ("L-17", 1, 4)
    assert answer.usage is not None
    assert answer.usage.total_tokens == answer.usage.prompt_tokens + answer.usage.completion_tokens
    openai_objects.assert_is(openai_objects.COMPLETION, json.loads(answer.model_dump_json(exclude_unset=True)))


def test_parse_gives_an_object_of_ones_own(live: Live) -> None:
    """`beta.chat.completions.parse` with pydantic, whose schemas are strict and full of unions."""
    from pydantic import BaseModel

    class Letter(BaseModel):
        number: str
        fax: str | None

    with client_of(live) as client:
        answer = client.chat.completions.parse(
            model="information-extract",
            messages=messages(letter()),  # pyright: ignore[reportArgumentType] - plain dictionaries, as users write them
            response_format=Letter,
        )
    assert answer.choices[0].message.parsed == Letter(number="L-17", fax="")


def test_the_asynchronous_client_runs_several_at_once(live: Live) -> None:
    """Each with its own file."""

    async def run() -> list[str]:
        async with AsyncOpenAI(base_url=live.base_url, api_key=KEY, max_retries=0) as client:
            requests = [
                client.chat.completions.create(**asked(messages=messages(letter(f"Letter number: A-{n}"))))
                for n in range(4)
            ]
            answers = await asyncio.gather(*requests)
        return [json.loads(answer.choices[0].message.content or "")["number"] for answer in answers]

    assert asyncio.run(run()) == ["A-0", "A-1", "A-2", "A-3"]


def test_a_stream_adds_up_to_the_answer(live: Live) -> None:
    """Role, content, tool call, finish reason, then usage alone."""
    with client_of(live) as client:
        stream = client.chat.completions.create(
            **asked(stream=True, stream_options={"include_usage": True}, extra_body=EXTRAS)
        )
        chunks = list(stream)
    first, last = chunks[0], chunks[-1]
    assert (first.choices[0].delta.role, first.choices[0].delta.content) == ("assistant", "")
    content = "".join(c.choices[0].delta.content or "" for c in chunks if c.choices)
    assert json.loads(content)["number"] == "L-17"
    fragments = [f for c in chunks if c.choices for f in c.choices[0].delta.tool_calls or ()]
    assert fragments[0].function is not None
    assert fragments[0].function.name == "additional_values"
    arguments = "".join(f.function.arguments or "" for f in fragments if f.function)
    assert json.loads(arguments)["number"]["_value"] == "L-17"
    assert [c.choices[0].finish_reason for c in chunks if c.choices][-1] == "stop"
    assert last.choices == []
    assert last.usage is not None
    assert all(chunk.usage is None for chunk in chunks[:-1])
    assert {(chunk.id, chunk.created, chunk.model) for chunk in chunks} == {(first.id, first.created, first.model)}
    for chunk in chunks:
        openai_objects.assert_is(openai_objects.CHUNK, json.loads(chunk.model_dump_json(exclude_unset=True)))


def test_the_stream_helper_follows_the_events(live: Live) -> None:
    """OpenAI's accumulating helper, synchronous and asynchronous."""
    with client_of(live) as client, client.chat.completions.stream(**asked(extra_body=EXTRAS)) as stream:
        kinds = {event.type for event in stream}
        answer = stream.get_final_completion()
    assert {"chunk", "content.delta", "content.done"} <= kinds
    assert json.loads(answer.choices[0].message.content or "")["number"] == "L-17"

    async def run() -> str:
        async with AsyncOpenAI(base_url=live.base_url, api_key=KEY) as client:
            stream = await client.chat.completions.create(**asked(stream=True))
            return "".join([c.choices[0].delta.content or "" async for c in stream if c.choices])

    assert json.loads(asyncio.run(run()))["number"] == "L-17"


def test_the_raw_response_has_the_headers(live: Live) -> None:
    """Request id and rate limits, which are times and not spans."""
    with client_of(live) as client:
        raw = client.chat.completions.with_raw_response.create(**asked())
        answer = raw.parse()
    assert answer.choices[0].finish_reason == "stop"
    assert raw.headers["x-request-id"].startswith("req_")
    for meter in ("requests", "tokens", "pages"):
        assert int(raw.headers[f"x-upstage-ratelimit-limit-{meter}"]) > 0
        assert int(raw.headers[f"x-upstage-ratelimit-remaining-{meter}"]) > 0
        assert int(raw.headers[f"x-upstage-ratelimit-reset-{meter}"]) >= answer.created
    job = httpx.get(f"{live.url}/api/v1/jobs/{raw.headers['x-fieldmark-job']}", timeout=60).json()
    assert (job["status"], job["usage"]["pages"]) == ("succeeded", 1)
    assert job["id"] in {listed["id"] for listed in httpx.get(f"{live.url}/api/v1/jobs", timeout=60).json()["jobs"]}


def test_errors_are_the_exceptions_that_clients_catch(live: Live) -> None:
    """By status, with the code, the parameter and the request id."""
    with client_of(live) as client:
        with pytest.raises(openai.BadRequestError) as bad:
            client.chat.completions.create(**{**asked(), "model": "gpt-99"})
        assert (bad.value.code, bad.value.param, bad.value.type) == (
            "invalid_request_body",
            "model",
            "invalid_request_error",
        )
        assert bad.value.request_id == bad.value.response.headers["x-request-id"]
        openai_objects.assert_is(openai_objects.ERROR, bad.value.response.json())
        with pytest.raises(openai.UnprocessableEntityError) as damaged:
            client.chat.completions.create(**asked(messages=messages(b"%PDF-1.7\nnothing follows")))
        assert damaged.value.code == "damaged_file"
        with pytest.raises(openai.APIError, match=r"cannot be opened|damaged|PDF"):
            list(client.chat.completions.create(**asked(messages=messages(b"%PDF-1.7\nno, nothing"), stream=True)))
        unreadable = asked(messages=messages(b"just words"))
        with pytest.raises(openai.APIStatusError) as unsupported:
            client.chat.completions.create(**unreadable)
        assert unsupported.value.status_code == 415


def test_a_wrong_base_url_works_or_says_the_right_one(live: Live) -> None:
    """`/v1` instead of `/v1/information-extraction`, the mistake that users make."""
    with OpenAI(base_url=f"{live.url}/v1", api_key=KEY, max_retries=0) as client:
        answer = client.chat.completions.create(**asked())
        assert json.loads(answer.choices[0].message.content or "")["number"] == "L-17"
        with pytest.raises(openai.NotFoundError, match=f"{live.base_url}'"):
            client.chat.completions.create(model="information-extract", messages=[{"role": "user", "content": "Hi"}])
        names = [model.id for model in client.models.list()]
    assert {"information-extract", "information-extract-261101", "schema-generate", "embedded:2026.11"} <= {*names}


def test_with_keys_a_wrong_one_is_refused(start: Starter) -> None:
    """Any key does only as long as there are none."""
    from service.auth.keys import create_key

    live = start()
    secret = create_key(live.service.services, user="ann").secret
    with (
        OpenAI(base_url=live.base_url, api_key=KEY, max_retries=0) as stranger,
        pytest.raises(openai.AuthenticationError) as refused,
    ):
        stranger.chat.completions.create(**asked())
    assert refused.value.code == "invalid_api_key"
    with OpenAI(base_url=live.base_url, api_key=secret, max_retries=0) as client:
        assert client.chat.completions.create(**asked()).choices


def test_schema_generation_is_reached_by_its_own_base_url(live: Live) -> None:
    """The content is a whole `response_format`."""
    with client_of(live, "/schema-generation") as client:
        answer = client.chat.completions.create(model="information-extract", messages=messages(letter()))
    generated = json.loads(answer.choices[0].message.content or "")
    assert generated["type"] == "json_schema"
    assert generated["json_schema"]["schema"]["properties"]
