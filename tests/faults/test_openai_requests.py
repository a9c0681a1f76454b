"""What the real OpenAI-compatible client sends: forms of the schema, pages as text and pictures, what fits."""

from __future__ import annotations

import pytest
from pydantic import JsonValue

from service.clients.openai_compatible.client import PagePicture
from service.domain.errors import ErrorCode, ReadingError
from tests.fakes.model_stub import ModelStub
from tests.faults.openai_calls import (
    FORMS,
    SCHEMA,
    ask,
    doors,
    sent,
    texts_of,
    values,
)


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
