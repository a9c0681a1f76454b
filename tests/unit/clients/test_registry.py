"""Model names lead to clients."""

from __future__ import annotations

import asyncio

import pytest
from pydantic import SecretStr

from service.clients.base import ExtractionClient
from service.clients.registry import ClientRegistry, Provider, parse_model_name
from service.clients.upstage.client import DEFAULT_MODEL, UpstageClient, UpstageOptions
from service.domain.errors import ErrorCode, InputError


def make() -> ExtractionClient:
    """A client that is never called."""
    return UpstageClient(
        UpstageOptions(base_url="http://127.0.0.1:9/v1", api_key=SecretStr("k"), attempts=1, max_connections=1)
    )


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("upstage:information-extract", ("upstage", "information-extract")),
        ("upstage", ("upstage", "")),
        (" Upstage : information-extract-260904 ", ("upstage", "information-extract-260904")),
        ("openai:ft:gpt:org", ("openai", "ft:gpt:org")),
    ],
)
def test_names_are_cut_at_the_first_colon(name: str, expected: tuple[str, str]) -> None:
    """Models may hold colons themselves."""
    assert parse_model_name(name) == expected


@pytest.mark.parametrize("name", ["", "  ", ":information-extract"])
def test_a_name_without_a_provider_is_refused(name: str) -> None:
    """The message says how a name is written."""
    with pytest.raises(InputError, match="provider:model") as caught:
        parse_model_name(name)
    assert caught.value.code is ErrorCode.UNKNOWN_MODEL


def test_a_client_is_made_once_and_only_when_needed() -> None:
    """Connections are kept for the life of the process."""
    made: list[ExtractionClient] = []

    def counted() -> ExtractionClient:
        made.append(make())
        return made[-1]

    registry = ClientRegistry({"upstage": Provider(make=counted, default_model=DEFAULT_MODEL)})
    assert made == []
    client, model = registry.resolve("upstage")
    assert registry.resolve("upstage:information-extract-260904") == (client, "information-extract-260904")
    assert model == "information-extract"
    assert len(made) == 1
    asyncio.run(registry.close())


def test_an_unknown_provider_is_refused_with_the_known_ones() -> None:
    """The caller sees what could be written instead."""
    registry = ClientRegistry({"upstage": Provider(make=make, default_model=DEFAULT_MODEL)})
    with pytest.raises(InputError, match=r"'acme'.*upstage") as caught:
        registry.resolve("acme:model")
    assert caught.value.code is ErrorCode.UNKNOWN_MODEL
    assert caught.value.param == "model"


def test_an_alias_leads_to_its_provider() -> None:
    """Results name the provider itself."""
    providers = {"upstage": Provider(make=make, default_model=DEFAULT_MODEL)}
    registry = ClientRegistry(providers, aliases={"solar": "upstage"})
    assert registry.canonical("solar:x") == "upstage:x"
    assert registry.resolve("solar") == registry.resolve("upstage")
    assert registry.providers == ("upstage",)
    asyncio.run(registry.close())
