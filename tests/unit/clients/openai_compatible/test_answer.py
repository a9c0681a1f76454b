"""When a model has lost its way, and where a server is found."""

from __future__ import annotations

import json

import pytest

from service.clients.openai_compatible.answer import repeats_itself
from service.clients.openai_compatible.client import endpoint


@pytest.mark.parametrize("piece", [".", " ", "\n\t", "|  ", '{"text": null}, ', "x" * 255 + "y"])
def test_one_piece_over_and_over_is_no_answer(piece: str) -> None:
    """Whatever came before it."""
    assert repeats_itself('{"number": "A-7", "lines": [' + piece * (9_000 // len(piece)))


def test_a_long_table_is_an_answer() -> None:
    """With rows that are alike, and some that are the same."""
    rows = [{"date": f"2026-09-{n % 28 + 1:02}", "text": "Coffee", "amount": 5.0} for n in range(600)]
    same = [{"date": "2026-09-01", "text": "Coffee", "amount": 5.0}] * 20
    text = json.dumps({"lines": rows + same})
    assert not any(repeats_itself(text[:end]) for end in range(0, len(text), 1024))
    assert not repeats_itself("." * 500)


@pytest.mark.parametrize(
    ("base", "version", "expected"),
    [
        ("https://api.openai.com/v1", "", "https://api.openai.com/v1/chat/completions"),
        ("http://127.0.0.1:11434/v1/", "", "http://127.0.0.1:11434/v1/chat/completions"),
        ("http://127.0.0.1:1/v1/chat/completions", "", "http://127.0.0.1:1/v1/chat/completions"),
        (
            "https://r.openai.azure.com/openai/deployments/{model}",
            "2024-10-21",
            "https://r.openai.azure.com/openai/deployments/m%2F1/chat/completions?api-version=2024-10-21",
        ),
        ("https://r.example/x?api-version=a&k=1", "", "https://r.example/x/chat/completions?api-version=a&k=1"),
        ("https://r.example/x?api-version=a", "b", "https://r.example/x/chat/completions?api-version=b"),
    ],
)
def test_the_address_is_made_of_base_model_and_version(base: str, version: str, expected: str) -> None:
    """What is set apart wins over what stands in the base."""
    assert endpoint(base, "m/1", version) == expected
