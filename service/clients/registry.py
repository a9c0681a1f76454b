"""Which provider name stands for which client. The concrete classes come from wiring; nothing here imports one."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from threading import Lock
from typing import Protocol

from service.clients.base import ExtractionClient
from service.domain.errors import ErrorCode, InputError


@dataclass(frozen=True, slots=True, kw_only=True)
class Provider:
    """How to come by a provider's client, and its model when a job names none."""

    make: Callable[[], ExtractionClient]
    default_model: str


def parse_model_name(name: str) -> tuple[str, str]:
    """Cut `provider:model` at its first colon; the model is empty where only the provider is named.

    Raises:
        InputError: `unknown_model`; no provider is named.
    """
    provider, _, model = name.strip().partition(":")
    if not provider:
        raise InputError(
            ErrorCode.UNKNOWN_MODEL, f"Model {name!r} names no provider; write 'provider:model'.", param="model"
        )
    return provider.strip().lower(), model.strip()


class Closable(Protocol):
    """What is closed with the clients."""

    async def close(self) -> None:
        """Close every connection."""
        ...


class ClientRegistry:
    """Makes each provider's client when it is first needed, and closes those it made."""

    def __init__(
        self,
        providers: Mapping[str, Provider],
        *,
        aliases: Mapping[str, str] | None = None,
        beside: Sequence[Closable] = (),
    ) -> None:
        """Make none yet.

        Args:
            providers: by name.
            aliases: further names of providers.
            beside: what the clients use, to be closed behind them; it may grow.
        """
        self._beside = beside
        self._providers = dict(providers)
        self._aliases = dict(aliases or {})
        self._clients: dict[str, ExtractionClient] = {}
        self._lock = Lock()

    @property
    def providers(self) -> tuple[str, ...]:
        """The names that are known, in alphabetical order, without aliases."""
        return tuple(sorted(self._providers))

    def resolve(self, name: str) -> tuple[ExtractionClient, str]:
        """The client for `provider:model` or `provider`, and the model to name in the request.

        Raises:
            InputError: `unknown_model`; there is no such provider.
        """
        key, model = self._parse(name)
        provider = self._providers.get(key)
        if provider is None:
            known = ", ".join(self.providers)
            raise InputError(
                ErrorCode.UNKNOWN_MODEL, f"There is no provider {key!r}; use one of: {known}.", param="model"
            )
        with self._lock:
            if key not in self._clients:
                self._clients[key] = provider.make()
            client = self._clients[key]
        chosen = model or provider.default_model
        return client.for_model(chosen), chosen

    def canonical(self, name: str) -> str:
        """`provider:model` in full and without aliases, as results name it."""
        _, model = self.resolve(name)
        return f"{self._parse(name)[0]}:{model}"

    def _parse(self, name: str) -> tuple[str, str]:
        key, model = parse_model_name(name)
        return self._aliases.get(key, key), model

    async def close(self) -> None:
        """Close every client that was made, and what they used."""
        with self._lock:
            made, self._clients = self._clients, {}
        for one in (*made.values(), *self._beside):
            await one.close()
