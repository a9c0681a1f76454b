"""What is wrong with a request, in words for the one who sent it."""

from __future__ import annotations

from dataclasses import dataclass

from pydantic import ValidationError


@dataclass(frozen=True, slots=True)
class RequestFault:
    """The first fault of a body; it never holds what the body held."""

    message: str
    """What is wrong, and how many faults there are besides."""
    param: str | None
    """Where, as `messages[0].content[1].image_url`; None: in the body as a whole."""


def request_fault(error: ValidationError) -> RequestFault:
    """The fault to report for a request that was refused."""
    faults = error.errors(include_url=False, include_context=False, include_input=False)
    first, others = faults[0], len(faults) - 1
    param = _place(first["loc"])
    message = first["msg"].removeprefix("Value error, ")
    more = f" ({others} further fault{'s' if others > 1 else ''})" if others else ""
    return RequestFault(f"{param}: {message}{more}" if param else f"{message}{more}", param or None)


def _place(steps: tuple[int | str, ...]) -> str:
    """The steps as one text, without the marks in angle brackets that name a variant and no key."""
    place = ""
    for step in steps:
        if isinstance(step, int):
            place += f"[{step}]"
        elif not step.startswith("<"):
            place += f".{step}" if place else step
    return place
