"""What the real OpenAI-compatible client makes of answers: other words, prose, refusals, and one repair."""

from __future__ import annotations

import json
from typing import Any

import pytest
from pydantic import JsonValue

from service.clients.openai_compatible.client import OpenAiCompatibleClient
from service.domain.errors import ErrorCode
from service.protocol.completion import ChatCompletion
from tests.fakes.model_stub import ModelStub
from tests.faults.openai_calls import (
    FORMS,
    GOOD,
    PROMPT,
    STRICT,
    TOOL,
    ask,
    fail,
    request,
    run,
    sent,
    values,
)

Json = Any


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
        first = await client.complete(request(), timeout_s=60)
        return [first, await client.for_model("some-model").complete(request(), timeout_s=60)]

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
