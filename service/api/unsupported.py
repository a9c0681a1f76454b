"""Options that are planned but that this version does not do: refused by name, never ignored."""

from __future__ import annotations

from collections.abc import Mapping

from service.domain.errors import ErrorCode, InputError

_LATER: Mapping[str, str] = {
    "url": "upload the file, or send it with the job",
    "fields_under": "read all of `fields`, or ask for view=values",
}


def refuse_unsupported(name: str) -> InputError:
    """The error for an option that is not taken: either not yet, or not at all."""
    instead = _LATER.get(name)
    if instead is None:
        return InputError(
            ErrorCode.INVALID_OPTION,
            f"There is no option {name[:100]!r} here; docs/api.md lists all.",
            param=name[:100],
        )
    return InputError(
        ErrorCode.OPTION_NOT_SUPPORTED, f"This version does not take {name!r} yet; {instead}.", param=name
    )
