"""Where pages may go: allow-lists of models and hosts, of a tenant and of a schema. Both must allow a call."""

from __future__ import annotations

import fnmatch
from collections.abc import Mapping
from dataclasses import dataclass

from service.domain.errors import ErrorCode, InputError
from service.domain.records import Json, JsonObject
from service.domain.traffic import Destination

KEYWORD = "x-egress"
"""In a schema's root: `{"models": […], "hosts": […]}`; either may be left out."""
EVERYONE = "*"


@dataclass(frozen=True, slots=True, kw_only=True)
class EgressRule:
    """One allow-list; None allows all, an empty one nothing."""

    origin: str
    """Whose it is, as a message names it."""
    models: tuple[str, ...] | None = None
    """Patterns of `provider:model`, or providers."""
    hosts: tuple[str, ...] | None = None
    """Patterns of hosts, without ports."""

    def refusal(self, to: Destination) -> str | None:
        """Why a call may not go there; None: it may."""
        name = f"{to.provider}:{to.model}"
        if self.models is not None and not any(_matches(pattern, name, to.provider) for pattern in self.models):
            return f"{self.origin} does not allow the model {name!r}"
        return self.host_refusal(to.host)

    def host_refusal(self, host: str) -> str | None:
        """Why nothing may be asked of a host, with or without its port; None: it may."""
        name = host.rpartition(":")[0] if host.rpartition(":")[2].isdecimal() else host
        if self.hosts is None or any(fnmatch.fnmatchcase(name, pattern.lower()) for pattern in self.hosts):
            return None
        return f"{self.origin} does not allow the host {name!r}"


@dataclass(frozen=True, slots=True)
class EgressPolicy:
    """All rules that hold for one call; a model inside this process goes nowhere, so that none concerns it."""

    rules: tuple[EgressRule, ...] = ()

    def refusal(self, to: Destination) -> str | None:
        """Why a call may not go there; None: it may."""
        if not to.host:
            return None
        return next((why for rule in self.rules if (why := rule.refusal(to)) is not None), None)

    def host_refusal(self, host: str) -> str | None:
        """Why nothing may be asked of a host; None: it may."""
        return next((why for rule in self.rules if (why := rule.host_refusal(host)) is not None), None)


OPEN = EgressPolicy()


def tenant_rule(settings: Mapping[str, Mapping[str, list[str]]], tenant_id: str) -> tuple[EgressRule, ...]:
    """The rule of a tenant: its own, else everyone's, else none.

    Raises:
        InputError: `invalid_option`; the setting says something else.
    """
    found = settings.get(tenant_id, settings.get(EVERYONE))
    return () if found is None else (_rule(dict(found), f"FIELDMARK_EGRESS of the tenant {tenant_id!r}"),)


def schema_rule(source: JsonObject) -> tuple[EgressRule, ...]:
    """The rule that a schema carries.

    Raises:
        InputError: `invalid_schema`; the keyword is malformed, and what cannot be read allows nothing.
    """
    if KEYWORD not in source:
        return ()
    try:
        return (_rule(source[KEYWORD], f"the schema's {KEYWORD}"),)
    except InputError as error:
        raise InputError(ErrorCode.INVALID_SCHEMA, f"Invalid Schema: {error.message}", param=f"/{KEYWORD}") from None


def _rule(given: Json | dict[str, list[str]], origin: str) -> EgressRule:
    lists: dict[str, tuple[str, ...]] = {}
    if isinstance(given, dict) and given and set(given) <= {"models", "hosts"}:
        for name, found in given.items():
            if isinstance(found, list) and all(isinstance(item, str) and item for item in found):
                lists[name] = tuple(str(item) for item in found)
        if set(lists) == set(given):
            return EgressRule(origin=origin, models=lists.get("models"), hosts=lists.get("hosts"))
    raise InputError(
        ErrorCode.INVALID_OPTION,
        f'{origin} must be like {{"models": ["upstage:*"], "hosts": ["api.example.com"]}}.',
        param="egress",
    )


def _matches(pattern: str, name: str, provider: str) -> bool:
    return pattern == provider or fnmatch.fnmatchcase(name, pattern)
