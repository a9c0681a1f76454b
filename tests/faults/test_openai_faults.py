"""The real OpenAI-compatible client against a server that keeps OpenAI's rules and does everything wrong."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from typing import Any, TypeVar

import pytest
from pydantic import JsonValue, SecretStr

from service.clients.base import PagesReference
from service.clients.model_traits import TraitTable
from service.clients.openai_compatible import OpenAiCompatibleClient, OpenAiOptions, PageDoors, PagePicture
from service.domain.errors import ClientError, ErrorCode, ReadingError
from service.domain.geometry import Box
from service.domain.pages import PageSize, PageText, TextSource, Word
from service.extraction.answer import parse_answer
from service.protocol.completion import ChatCompletion
from service.protocol.request import ExtractionOptions, ExtractionRequest, build_extraction_request
from tests.fakes.model_stub import GOOD_KEY, ModelStub

T = TypeVar("T")
Json = Any
SCHEMA: dict[str, Any] = {
    "type": "object",
    "$defs": {"line": {"type": "object", "properties": {"text": {"type": "string"}, "amount": {"type": "number"}}}},
    "properties": {
        "number": {"type": "string", "description": "Number of the invoice", "x-merge": "first"},
        "issued": {"type": "string", "format": "date"},
        "website": {"type": "string", "format": "uri"},
        "total": {"anyOf": [{"type": "number"}, {"type": "null"}]},
        "paid": {"type": "boolean"},
        "currency": {"type": "string", "enum": ["GBP", "EUR"]},
        "lines": {"type": "array", "items": {"$ref": "#/$defs/line"}},
    },
}
PAGES = PagesReference("blob-1", (3, 5))
STRICT: dict[str, JsonValue] = {"strict_schema": True}
TOOL: dict[str, JsonValue] = {"strict_schema": False}
PROMPT: dict[str, JsonValue] = {"strict_schema": False, "tool_calls": False}
STREAM: dict[str, JsonValue] = {"stream": True}
FORMS = [STRICT, TOOL, PROMPT]
GOOD = json.dumps(
    {
        "number": "A-7",
        "issued": "2026-09-21",
        "website": None,
        "total": 12.5,
        "paid": None,
        "currency": "GBP",
        "lines": [],
    }
)
NEVER_HANGS_S = 20.0


@pytest.fixture(scope="module")
def server() -> Iterator[ModelStub]:
    """One server for all tests of this file."""
    with ModelStub() as running:
        yield running


@pytest.fixture
def stub(server: ModelStub) -> ModelStub:
    """The server without memory."""
    server.reset()
    return server


def page(number: int, *words: str) -> PageText:
    """A page of one line."""
    placed = tuple(Word(w, Box(0.1 + 0.2 * i, 0.1, 0.25 + 0.2 * i, 0.12), 0) for i, w in enumerate(words))
    source = TextSource.DIGITAL if words else TextSource.UNREADABLE
    return PageText(size=PageSize(number, 595, 842), source=source, words=placed)


def read_object(text: str, known: Sequence[str]) -> Mapping[str, object]:
    """As wiring hands it over."""
    return parse_answer(text, known).values


def doors(draw: Callable[[PagePicture], bytes] | None = None, words: int = 1) -> PageDoors:
    """Pages 3 and 5 of a file; the second has no words."""

    def load(reference: PagesReference) -> list[PageText]:
        assert reference == PAGES
        return [page(3, "Invoice", *["A-7"] * words), page(5)]

    return PageDoors(load_pages=load, draw_page=draw or (lambda p: f"jpeg {p}".encode()), read_object=read_object)


async def no_sleep(_seconds: float) -> None:
    """Stands in for waiting."""


def run(
    base_url: str,
    use: Callable[[OpenAiCompatibleClient], Awaitable[T]],
    *,
    traits: Mapping[str, JsonValue] | None = None,
    model: str = "some-model",
    attempts: int = 1,
    key: str = GOOD_KEY,
    api_version: str = "",
    pages: PageDoors | None = None,
) -> T:
    """Use a real client on a loop of its own, and close it."""
    options = OpenAiOptions(
        base_url=base_url,
        api_key=SecretStr(key),
        api_version=api_version,
        default_model="another-model",
        traits=TraitTable({"*": traits or {}}),
        attempts=attempts,
        max_connections=10,
        sleep=no_sleep,
    )

    async def main() -> T:
        client = OpenAiCompatibleClient(options, pages or doors())
        try:
            async with asyncio.timeout(NEVER_HANGS_S):
                return await use(client.for_model(model))
        finally:
            await client.close()

    return asyncio.run(main())


def request(model: str = "some-model", file_url: str = PAGES.url()) -> ExtractionRequest:
    """A request about two pages."""
    return build_extraction_request(
        model=model, file_url=file_url, schema=SCHEMA, schema_name="doc", options=ExtractionOptions(location=True)
    )


def ask(stub: ModelStub, timeout_s: float = 10, model: str = "some-model", **settings: Any) -> ChatCompletion:
    """One request and its answer."""
    base_url = settings.pop("base_url", stub.base_url)
    return run(base_url, lambda c: c.complete(request(model), timeout_s=timeout_s), model=model, **settings)


def fail(stub: ModelStub, **settings: Any) -> ClientError:
    """One request that must fail."""
    with pytest.raises(ClientError) as caught:
        ask(stub, **settings)
    return caught.value


def values(answer: ChatCompletion) -> Json:
    """The record in an answer."""
    (choice,) = answer.choices
    assert choice.message.tool_calls is None
    return json.loads(choice.message.text())


def sent(stub: ModelStub) -> Json:
    """The body of the last request."""
    return stub.requests()[-1]["body"]


def texts_of(body: Json) -> str:
    """Everything said to the user's side of a request."""
    content = body["messages"][1]["content"]
    return content if isinstance(content, str) else "\n".join(p.get("text", "") for p in content)


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("form", FORMS)
def test_each_form_of_answer_gives_the_record_as_content(
    stub: ModelStub, form: dict[str, JsonValue], stream: bool
) -> None:
    """The server refuses a strict schema that breaks a rule of OpenAI's, so ours breaks none."""
    stub.answers({"number": "A-7", "total": 12.5})
    answer = ask(stub, traits={**form, "stream": stream})
    assert (values(answer)["number"], values(answer)["total"]) == ("A-7", 12.5)
    assert answer.choices[0].finish_reason == "stop"
    assert answer.usage is not None
    assert answer.usage.total_tokens == 120
    assert stub.stats()["requests"] == 1


def test_the_wire_asks_for_every_key_and_lets_every_leaf_be_null(stub: ModelStub) -> None:
    """References resolved, our own keywords gone, formats kept only where strict mode takes them."""
    ask(stub)
    named = sent(stub)["response_format"]["json_schema"]
    schema = named["schema"]
    assert named["strict"] is True
    assert schema["required"] == list(SCHEMA["properties"])
    assert schema["properties"]["number"] == {"description": "Number of the invoice", "type": ["string", "null"]}
    assert schema["properties"]["issued"] == {"type": ["string", "null"], "format": "date"}
    assert schema["properties"]["website"] == {"description": "Format: uri.", "type": ["string", "null"]}
    assert schema["properties"]["total"] == {"type": ["number", "null"]}
    assert schema["properties"]["currency"]["enum"] == ["GBP", "EUR", None]
    assert schema["properties"]["lines"]["items"]["required"] == ["text", "amount"]
    assert schema["properties"]["lines"]["items"]["additionalProperties"] is False


def test_pages_go_as_text_numbered_from_one(stub: ModelStub) -> None:
    """Words with their distances; a page without words says so; our rules stand in the system message."""
    ask(stub)
    body = sent(stub)
    said = texts_of(body)
    assert '<page number="1">' in said
    assert "Invoice" in said
    assert "A-7" in said
    assert "(no words could be read on this page)" in said.split('<page number="2">')[1]
    assert body["messages"][0]["role"] == "system"
    assert "null" in body["messages"][0]["content"]
    assert (body["temperature"], "stream" in body, "logprobs" in body) == (0, False, False)


def test_a_model_with_eyes_gets_pictures_beside_the_text(stub: ModelStub) -> None:
    """Grey where there are words, in colour where the picture is all there is."""
    drawn: list[PagePicture] = []

    def draw(wanted: PagePicture) -> bytes:
        drawn.append(wanted)
        return b"jpeg"

    ask(stub, traits={"images": True, "image_dpi": 100}, pages=doors(draw))
    assert drawn == [PagePicture("blob-1", 3, 100, True), PagePicture("blob-1", 5, 100, False)]
    parts = sent(stub)["messages"][1]["content"]
    pictures = [p for p in parts if p["type"] == "image_url"]
    assert [p["image_url"]["url"].split(",")[0] for p in pictures] == ["data:image/jpeg;base64"] * 2
    assert "Invoice" in texts_of(sent(stub))


def test_pictures_alone_if_the_model_is_better_without_text(stub: ModelStub) -> None:
    """The words that were read are not sent."""
    ask(stub, traits={"images": True, "text": False})
    assert "Invoice" not in texts_of(sent(stub))
    assert "Page 2 as a picture:" in texts_of(sent(stub))


@pytest.mark.parametrize("broken", [3, 5])
def test_a_page_that_cannot_be_drawn_does_not_cost_the_others(stub: ModelStub, broken: int) -> None:
    """Its words stand for it; without words it is known as lost."""

    def draw(wanted: PagePicture) -> bytes:
        if wanted.page == broken:
            raise ReadingError(ErrorCode.PAGE_TIMEOUT, "too slow")
        return b"jpeg"

    ask(stub, traits={"images": True}, pages=doors(draw))
    assert len([p for p in sent(stub)["messages"][1]["content"] if p["type"] == "image_url"]) == 1
    assert '<page number="2">' in texts_of(sent(stub))


def test_words_that_could_only_be_drawn_and_cannot_end_the_call(stub: ModelStub) -> None:
    """Else a page that was read would be lost in silence."""

    def draw(_wanted: PagePicture) -> bytes:
        raise ReadingError(ErrorCode.PAGE_TIMEOUT, "too slow")

    with pytest.raises(ReadingError):
        ask(stub, traits={"images": True, "text": False}, pages=doors(draw))
    assert stub.stats()["requests"] == 0


def test_a_reasoning_model_is_asked_in_its_own_words(stub: ModelStub) -> None:
    """The server refuses `max_tokens` and a temperature."""
    answer = ask(stub, model="gpt-5-mini", traits={"extra_body": {"reasoning_effort": "low"}})
    assert answer.choices
    assert sent(stub)["max_completion_tokens"] > 0
    assert sent(stub)["reasoning_effort"] == "low"


def test_log_probabilities_are_asked_for_where_they_are_known(stub: ModelStub) -> None:
    """And come back with the answer."""
    answer = ask(stub, traits={"logprobs": True})
    assert answer.choices[0].logprobs is not None


def test_azure_is_called_at_its_deployment_with_its_version_and_key(stub: ModelStub) -> None:
    """The model's name becomes a part of the address."""
    base = f"{stub.root}/openai/deployments/{{model}}"
    answer = ask(stub, model="my-gpt", base_url=base, api_version="2024-10-21")
    assert answer.choices
    seen = stub.requests()[-1]
    assert seen["path"] == "/openai/deployments/my-gpt/chat/completions"
    assert seen["query"] == {"api-version": "2024-10-21"}
    assert "authorization" not in seen["headers"]
    assert ask(stub, base_url=f"{stub.root}/openai/deployments/x?api-version=2024-10-21").choices


@pytest.mark.parametrize("form", ["openai", "llama_cpp", "vllm"])
def test_a_question_that_is_too_long_asks_for_less(stub: ModelStub, form: str) -> None:
    """In every server's words; nothing is tried again."""
    stub.script({"fault": "context_length", "form": form})
    assert ask(stub, attempts=3).choices[0].finish_reason == "length"
    assert stub.stats()["requests"] == 1


def test_a_question_that_cannot_fit_is_not_even_asked(stub: ModelStub) -> None:
    """Some servers would cut it silently."""
    answer = ask(stub, traits={"context_tokens": 2048}, pages=doors(words=3000))
    assert answer.choices[0].finish_reason == "length"
    assert stub.stats()["requests"] == 0


def test_the_answer_gets_no_more_room_than_the_question_leaves(stub: ModelStub) -> None:
    """Servers refuse a sum that is beyond the context."""
    ask(stub, traits={"context_tokens": 4096, "max_output_tokens": 4000})
    assert 256 <= sent(stub)["max_tokens"] < 4000 - 500


def test_what_a_filter_holds_back_is_withheld_and_not_refused(stub: ModelStub) -> None:
    """Azure says it with a status."""
    stub.script("filtered")
    assert ask(stub).choices[0].finish_reason == "content_filter"


def test_a_refusal_of_the_model_is_handed_on(stub: ModelStub) -> None:
    """The decoder tells it from an empty answer."""
    stub.script("refusal")
    assert ask(stub).choices[0].message.refusal


@pytest.mark.parametrize(
    ("reason", "expected"),
    [("eos", "stop"), ("end_turn", "stop"), ("MAX_TOKENS", "length"), ("tool_use", "tool_calls"), ("odd", "odd")],
)
def test_other_vendors_reasons_are_understood(stub: ModelStub, reason: str, expected: str) -> None:
    """What nobody knows stays, for the decoder to refuse."""
    stub.script({"fault": "finish", "reason": reason})
    assert ask(stub).choices[0].finish_reason == expected


@pytest.mark.parametrize("stream", [False, True])
def test_thoughts_and_unknown_keys_are_not_the_answer(stub: ModelStub, stream: bool) -> None:
    """`reasoning_content` may hold JSON of its own."""
    stub.answers({"number": "A-7"})
    stub.script("thoughts")
    answer = ask(stub, traits={"stream": stream})
    assert values(answer)["number"] == "A-7"
    assert answer.choices[0].message.reasoning_content is None


def test_a_model_that_writes_its_call_as_text_is_read(stub: ModelStub) -> None:
    """Small models do."""
    stub.answers({"number": "A-7"})
    stub.script("in_content")
    assert values(ask(stub, traits=TOOL))["number"] == "A-7"


def test_an_answer_that_nobody_can_read_is_repaired_in_every_form(stub: ModelStub) -> None:
    """Some servers say that they keep to a schema and do not; what broke off is not patched."""
    stub.answers({"number": "A-7"})
    stub.script({"fault": "content", "text": '{"number": "A-7"'}, "ok")
    assert values(ask(stub, traits=STRICT))["number"] == "A-7"
    stub.script({"fault": "content", "text": '{"number": "A-8"}'})
    assert values(ask(stub, traits=STRICT)) == {"number": "A-8"}
    assert stub.stats()["requests"] == 3


def test_a_refusal_is_not_argued_with(stub: ModelStub) -> None:
    """One call, whatever the form."""
    stub.script("refusal")
    ask(stub, traits=PROMPT)
    assert stub.stats()["requests"] == 1


def test_a_form_that_a_server_refuses_is_given_up_for_the_next(stub: ModelStub) -> None:
    """And not tried again by the same process."""
    stub.answers({"number": "A-7"})
    no_schema = {"fault": "400", "message": "response_format of type json_schema is not supported by this model"}
    stub.script(no_schema, {"fault": "400", "message": "This model does not support tools"}, "ok", "ok")

    async def use(client: OpenAiCompatibleClient) -> list[ChatCompletion]:
        first = await client.complete(request(), timeout_s=10)
        return [first, await client.for_model("some-model").complete(request(), timeout_s=10)]

    assert [values(answer)["number"] for answer in run(stub.base_url, use)] == ["A-7", "A-7"]
    bodies = [seen["body"] for seen in stub.requests()]
    assert ["response_format" in body for body in bodies] == [True, False, False, False]
    assert ["tools" in body for body in bodies] == [False, True, False, False]


def test_another_refusal_is_not_taken_for_one_of_the_form(stub: ModelStub) -> None:
    """It would be refused in every form."""
    stub.script({"fault": "400", "message": "max_tokens is too large"})
    assert fail(stub).code is ErrorCode.MODEL_REJECTED
    assert stub.stats()["requests"] == 1


@pytest.mark.parametrize("form", [TOOL, PROMPT])
@pytest.mark.parametrize("bad", ["I see an invoice.", '{"number": "A-7"}', '{"number": ["A-7"], "total": "12"}'])
def test_an_answer_of_another_form_is_repaired_once(stub: ModelStub, form: dict[str, JsonValue], bad: str) -> None:
    """The model is told what is wrong, and both answers are paid for."""
    stub.answers({"number": "A-7"})
    stub.script({"fault": "content", "text": bad}, "ok")
    answer = ask(stub, traits=form)
    assert values(answer)["number"] == "A-7"
    assert answer.usage is not None
    assert answer.usage.total_tokens == 240
    assert stub.stats()["requests"] == 2
    assert sent(stub)["messages"][-2] == {"role": "assistant", "content": bad}


def test_fences_and_prose_need_no_repair(stub: ModelStub) -> None:
    """The decoder reads them."""
    stub.script({"fault": "content", "text": f"Here it is:\n```json\n{GOOD}\n```\n"})
    assert ask(stub, traits=PROMPT).choices[0].message.text().startswith("Here it is")
    assert stub.stats()["requests"] == 1


@pytest.mark.parametrize(
    "second", ["500", {"fault": "content", "text": "Sorry."}, {"fault": "content", "text": "{", "finish": "length"}]
)
def test_a_repair_that_fails_leaves_the_first_answer(stub: ModelStub, second: Json) -> None:
    """Half a form is better than none: the decoder drops what does not fit."""
    first = '{"number": "A-7", "total": "12.5"}'
    stub.script({"fault": "content", "text": first}, second)
    assert values(ask(stub, traits=PROMPT)) == json.loads(first)


def test_there_is_one_repair_and_no_more(stub: ModelStub) -> None:
    """What comes then is judged by the decoder."""
    stub.script({"fault": "content", "text": "no", "repeat": 5})
    assert ask(stub, traits=PROMPT).choices[0].message.text() == "no"
    assert stub.stats()["requests"] == 2


@pytest.mark.parametrize("form", FORMS)
def test_an_answer_that_was_cut_is_never_repaired(stub: ModelStub, form: dict[str, JsonValue]) -> None:
    """More text would only make it longer."""
    stub.script({"fault": "finish", "reason": "length"}, "ok")
    assert ask(stub, traits=form).choices[0].finish_reason == "length"
    assert stub.stats()["requests"] == 1


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
    fail(stub, key="")
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
    error = fail(stub, traits=STREAM, timeout_s=0.5)
    assert error.code is ErrorCode.MODEL_TIMEOUT
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
        run(stub.base_url, lambda c: c.complete(request(file_url="data:;base64,QQ=="), timeout_s=5))
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
