"""What every shape on the wire has in common: unknown keys are kept, nothing is changed in place."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, BeforeValidator, ConfigDict


class WireModel(BaseModel):
    """A JSON object set by others: frozen, and it keeps the keys it does not know (`model_extra`)."""

    model_config = ConfigDict(extra="allow", frozen=True, validate_by_alias=True, validate_by_name=True)


def _null_as_zero(value: object) -> object:
    return 0 if value is None else value


Count = Annotated[int, BeforeValidator(_null_as_zero)]
"""A count that some servers send as null."""
