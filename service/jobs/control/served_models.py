"""The names that models have on the vendor's paths, and which model answers to each."""

from __future__ import annotations

import re
from dataclasses import dataclass

from service.domain.errors import ErrorCode, InputError
from service.jobs.services import Services

EXTRACTOR = "information-extract"
GENERATOR = "schema-generate"
DATED_EXTRACTOR = f"{EXTRACTOR}-261101"
"""What is echoed where a request names no date: the date is that of Fieldmark's own model."""
_NIGHTLY = f"{EXTRACTOR}-nightly"
_DATED = re.compile(rf"{EXTRACTOR}-[0-9]{{6}}")


@dataclass(frozen=True, slots=True)
class ServedModel:
    """What answers to a name, and what the answer says of itself."""

    model: str
    """`provider` or `provider:model`."""
    echo: str


def served_model(services: Services, name: str) -> ServedModel:
    """The model behind one of the vendor's names, or behind one of our own.

    Raises:
        InputError: `invalid_request_body`, as the vendor has it: there is no such model.
    """
    if name in (EXTRACTOR, _NIGHTLY):
        return ServedModel(services.dropin_model, DATED_EXTRACTOR)
    if _DATED.fullmatch(name):
        return ServedModel(services.dropin_model, name)
    try:
        return ServedModel(name, services.models.canonical(name))
    except InputError as error:
        raise InputError(
            ErrorCode.INVALID_REQUEST,
            f"The model {name[:100]!r} is invalid or no longer supported; use {EXTRACTOR!r} or one of GET /v1/models.",
            param="model",
        ) from error


def served_names(services: Services) -> tuple[str, ...]:
    """The names that a list of models shows: the vendor's, then those of the providers that can be used."""
    names = [EXTRACTOR, DATED_EXTRACTOR, GENERATOR]
    for provider in services.models.providers:
        try:
            names.append(services.models.canonical(provider))
        except InputError:  # its key is not set
            continue
    return tuple(names)
