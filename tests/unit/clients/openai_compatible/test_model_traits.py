"""What models can do is found by their names, and what the installation says lies over it."""

from __future__ import annotations

import pytest

from service.clients.openai_compatible.model_traits import TraitTable
from service.clients.openai_compatible.question import AnswerForm
from service.domain.errors import ErrorCode, InputError


@pytest.mark.parametrize(
    ("model", "images", "form", "reasoning"),
    [
        ("gpt-4o-mini-2024-07-18", True, AnswerForm.STRICT, False),
        ("openai/gpt-4.1", True, AnswerForm.STRICT, False),
        ("gpt-4-turbo", True, AnswerForm.TOOL, False),
        ("gpt-3.5-turbo", False, AnswerForm.TOOL, False),
        ("GPT-5-mini", True, AnswerForm.STRICT, True),
        ("o4-mini", True, AnswerForm.STRICT, True),
        ("gpt-oss:20b", False, AnswerForm.STRICT, False),
        ("qwen2.5-vl:7b", True, AnswerForm.STRICT, False),
        ("Qwen/Qwen2.5-VL-7B-Instruct", True, AnswerForm.STRICT, False),
        ("llama3.2-vision", True, AnswerForm.STRICT, False),
        ("qwen3:8b", False, AnswerForm.STRICT, False),
        ("a-model-nobody-knows", False, AnswerForm.STRICT, False),
    ],
)
def test_models_are_known_by_their_names(model: str, images: bool, form: AnswerForm, reasoning: bool) -> None:
    """With or without a gateway's vendor in front."""
    traits = TraitTable({}).find(model)
    assert (traits.images, AnswerForm.known(traits)[0], traits.reasoning) == (images, form, reasoning)
    assert traits.capabilities().queue == "io"
    assert traits.capabilities().pages_as == ("content" if images else "reference")


def test_the_installations_word_lies_over_the_table() -> None:
    """Key by key; the first pattern that fits."""
    table = TraitTable({"Qwen3*": {"context_tokens": 9000, "tool_calls": False}, "*": {"stream": True}})
    assert table.find("qwen3:8b").context_tokens == 9000
    assert table.find("qwen3:8b").stream is False
    assert table.find("gpt-4o").stream is True
    assert table.find("gpt-4o").context_tokens == 128_000


@pytest.mark.parametrize(
    "keys", [{"contxt": 1}, {"context_tokens": "many"}, {"text": False, "images": False}, {"max_pages": 0}]
)
def test_a_setting_that_cannot_be_is_named(keys: dict[str, str | int | bool]) -> None:
    """When the model is used, with the setting's name and the place in it."""
    with pytest.raises(InputError, match=r"FIELDMARK_OPENAI_MODELS.*'qwen") as caught:
        TraitTable({"qwen*": keys}).find("qwen3")
    assert caught.value.code is ErrorCode.UNKNOWN_MODEL


def test_a_chunk_is_no_larger_than_a_request() -> None:
    """Whoever lowers one need not know of the other."""
    assert TraitTable({"*": {"max_pages": 2}}).find("gpt-4o").capabilities().default_pages_per_chunk == 2
