"""What every shape on the wire has in common: unknown keys are kept, nothing is changed in place."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated

from pydantic import BaseModel, BeforeValidator, ConfigDict, ValidationError, WrapValidator


class WireModel(BaseModel):
    """A JSON object set by others: frozen, and it keeps the keys it does not know (`model_extra`)."""

    model_config = ConfigDict(extra="allow", frozen=True, validate_by_alias=True, validate_by_name=True)


def _null_as_zero(value: object) -> object:
    return 0 if value is None else value


Count = Annotated[int, BeforeValidator(_null_as_zero)]
"""A count that some servers send as null."""


def _none_if_odd(value: object, handler: Callable[[object], object]) -> object:
    try:
        return handler(value)
    except ValidationError:
        return None


ODD_IS_NONE = WrapValidator(_none_if_odd)
"""For what an answer can do without: a value of another form than described counts as absent."""
