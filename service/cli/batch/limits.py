"""When a batch stops by itself; what is in work is finished."""

from __future__ import annotations

from dataclasses import dataclass, field

from service.cli.batch.tally import Tally
from service.domain.errors import ErrorCode, InputError

_FEWEST = 20
"""Files that must have ended before a share of failures says anything."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StopRule:
    """When too many files failed."""

    share: float | None = None
    count: int | None = None

    @classmethod
    def parse(cls, text: str) -> StopRule:
        """From `5%` or `20`.

        Raises:
            InputError: `invalid_option`.
        """
        number = text.strip().removesuffix("%")
        try:
            value = float(number)
        except ValueError:
            value = -1.0
        if value < 0 or ("%" not in text and not number.isdigit()):
            raise InputError(
                ErrorCode.INVALID_OPTION,
                f"--stop-after-failures takes a share or a number, such as 5% or 20, not {text!r}.",
                param="stop_after_failures",
            )
        return cls(share=value / 100) if "%" in text else cls(count=int(number))

    def is_met(self, failed: int, ended: int) -> bool:
        """Whether more failed than is allowed."""
        if self.count is not None:
            return failed > self.count
        return self.share is not None and ended >= _FEWEST and failed > self.share * ended


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What a batch may not go beyond, with what earlier runs used."""

    failures: StopRule = field(default_factory=StopRule)
    cost: float | None = None
    """By the price table of whoever does the work."""
    tokens: int | None = None
    """Of all model calls."""

    def met_by(self, tally: Tally, in_work: int) -> str | None:
        """Why no further file is handed in, if so; what is in work is expected to use what the others did.

        Args:
            tally: how it stands.
            in_work: files that were handed in and have not ended.
        """
        if self.failures.is_met(tally.failed_here, tally.done_here):
            return f"{tally.failed_here} of {tally.done_here} files failed (--stop-after-failures)"
        share = 1 + in_work / max(tally.done_here + tally.earlier, 1)
        if self.cost is not None and tally.cost * share >= self.cost:
            return f"{tally.cost:.2f} were spent, {self.cost:.2f} are allowed (--budget)"
        if self.tokens is not None and tally.tokens * share >= self.tokens:
            return f"{tally.tokens} tokens were used, {self.tokens} are allowed (--max-tokens)"
        return None
