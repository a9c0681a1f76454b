"""What a job may spend, and what models cost."""

from __future__ import annotations

import fnmatch
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal

from service.domain.records import Usage

_MILLION = Decimal(1_000_000)


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    """Most that one run may use; None: as much as it takes."""

    max_tokens: int | None = None
    max_requests: int | None = None
    max_cost: float | None = None
    """In the currency of the price table."""

    @property
    def is_set(self) -> bool:
        """Whether anything is bounded."""
        return self != NO_BUDGET


NO_BUDGET = Budget()


@dataclass(frozen=True, slots=True, kw_only=True)
class Price:
    """What a model's work costs."""

    input: Decimal = Decimal(0)
    """Per million tokens of questions."""
    output: Decimal = Decimal(0)
    """Per million tokens of answers."""
    page: Decimal = Decimal(0)
    request: Decimal = Decimal(0)

    def of(self, usage: Usage) -> Decimal:
        """The price of what was used."""
        tokens = self.input * usage.prompt_tokens + self.output * usage.completion_tokens
        return tokens / _MILLION + self.page * usage.pages + self.request * usage.requests


FREE = Price()


@dataclass(frozen=True, slots=True)
class PriceTable:
    """Prices by pattern of `provider:model`; the first that matches counts."""

    prices: Mapping[str, Price]

    def find(self, model: str) -> Price | None:
        """The price of `provider:model`; None: it is not known."""
        return next((price for name, price in self.prices.items() if fnmatch.fnmatchcase(model, name)), None)
