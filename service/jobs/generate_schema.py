"""Propose a schema that fits a few documents."""

from __future__ import annotations

from collections.abc import Sequence

from service.domain.errors import ErrorCode, InputError
from service.domain.jobs import StoredFile
from service.domain.records import JsonObject
from service.jobs.services import Services


def generate_schema(
    services: Services, tenant_id: str, files: Sequence[StoredFile], instruction: str
) -> tuple[str, JsonObject]:
    """A schema's name and the schema, inside the grammar that every model takes.

    Args:
        services: of this process.
        tenant_id: whose files they are.
        files: 1 to 3 documents of one kind.
        instruction: what the caller says of them; may be empty.

    Raises:
        InputError: `option_not_supported`.
    """
    del services, tenant_id, files, instruction
    raise InputError(
        ErrorCode.OPTION_NOT_SUPPORTED,
        "This version does not generate schemas yet; write one, or take one of samples/ as a start.",
        param="model",
    )
