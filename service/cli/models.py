"""`fieldmark models`: what the option `--model` may be."""

from __future__ import annotations

from typing import TYPE_CHECKING

from service.cli.flag_groups import HomeFlag
from service.cli.session import load_settings, quieter, start_logging, write_out

if TYPE_CHECKING:
    from service.settings import Settings


def models(home: HomeFlag = None) -> None:
    """List the models that can be used here, and what the others need."""
    settings = load_settings(home)
    start_logging(quieter(settings), "models")
    write_out("\n".join(describe_models(settings)).encode())


def describe_models(settings: Settings) -> list[str]:
    """A line for each provider."""
    from service.clients.registry import parse_model_name  # the help text needs none of these
    from service.domain.errors import InputError
    from service.messaging.queue_inline import InlineQueue
    from service.wiring.services import build_services

    default = parse_model_name(settings.model)[0]
    registry = build_services(settings, role="local", queue=InlineQueue({})).models
    lines: list[str] = []
    for provider in registry.providers:
        mark = " (default)" if provider == default else ""
        try:
            lines.append(f"{registry.canonical(provider)}{mark}")
        except InputError as error:
            lines.append(f"{provider}{mark}: {error.message}")
    return lines
