"""What most commands begin with: settings from flags and environment, logging, files that a person named."""

from __future__ import annotations

import logging
import re
import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, cast

import orjson

from service import __version__
from service.domain.errors import ErrorCode, InputError
from service.domain.records import JsonObject

if TYPE_CHECKING:
    from rich.console import Console

    from service.jobs.services import Services
    from service.settings import Settings

_PIPE_WIDTH = 200
_REFERENCE = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.\-]*(@\d{1,9})?")
_TALKATIVE = ("alembic", "celery", "httpx", "kombu")
"""Libraries that tell at INFO what only they care for."""


def load_settings(home: Path | None = None, **given: object) -> Settings:
    """Settings of this process: what is given as a flag goes before the environment and `.env`.

    Raises:
        InputError: `invalid_option`, a setting has a value that it cannot have.
    """
    from pydantic import ValidationError  # the help text and the version need neither

    from service.settings import Settings

    flags = {name: value for name, value in {"home": home, **given}.items() if value is not None}
    try:
        settings = Settings.model_validate(flags)
    except ValidationError as error:
        first = error.errors()[0]
        name = f"FIELDMARK_{str(first['loc'][0]).upper()}"
        raise InputError(ErrorCode.INVALID_OPTION, f"The setting {name} cannot be taken: {first['msg']}.") from None
    return settings.model_copy(update={"home": settings.home.expanduser().absolute()})


def start_logging(settings: Settings, role: str) -> None:
    """Plain lines on standard error: time, level, role of the process, message."""
    logging.basicConfig(
        stream=sys.stderr,
        level=settings.log_level,
        format=f"%(asctime)s %(levelname)s {role}: %(message)s",
        force=True,
    )
    for name in _TALKATIVE:
        logging.getLogger(name).setLevel(logging.WARNING)


def require_queue(settings: Settings) -> None:
    """A process of a fleet shares its queue with others.

    Raises:
        InputError: `invalid_option`, no queue is named.
    """
    if not settings.redis_url:
        raise InputError(
            ErrorCode.INVALID_OPTION,
            "A process of its own needs a queue to share: set FIELDMARK_REDIS_URL (`fieldmark serve` brings its own).",
        )


def quieter(settings: Settings) -> Settings:
    """A person who waits for a result reads warnings, not the life of the process, unless more was asked for."""
    return settings.model_copy(update={"log_level": "WARNING"}) if settings.log_level == "INFO" else settings


def schema_of_flag(flag: str) -> tuple[JsonObject, str | None]:
    """What `--schema` means: the content of a file, or else the reference of a kept or ready schema.

    Raises:
        InputError: `invalid_schema`, it is neither a file nor can it be a name.
    """
    if Path(flag).is_file():
        return read_schema(Path(flag)), None
    if not _REFERENCE.fullmatch(flag) or flag.endswith(".json"):
        raise InputError(
            ErrorCode.INVALID_SCHEMA,
            f"There is no file {flag!r}, and it is no name of a schema; `fieldmark schema list` shows those there are.",
        )
    return {}, flag


def read_schema(path: Path) -> JsonObject:
    """A JSON Schema from a file.

    Raises:
        InputError: `invalid_schema`.
    """
    try:
        body = orjson.loads(path.read_bytes())
    except OSError as error:
        raise InputError(
            ErrorCode.INVALID_SCHEMA, f"The schema {str(path)!r} cannot be read: {error.strerror}."
        ) from None
    except orjson.JSONDecodeError as error:
        raise InputError(
            ErrorCode.INVALID_SCHEMA,
            f"The schema {str(path)!r} is not JSON (line {error.lineno}, column {error.colno}).",
        ) from None
    if not isinstance(body, dict):
        raise InputError(ErrorCode.INVALID_SCHEMA, f"The schema {str(path)!r} must be a JSON object.")
    return cast(JsonObject, body)


def say(message: str) -> None:
    """A line for the person at the terminal; results alone go to standard output."""
    print(message, file=sys.stderr, flush=True)  # noqa: T201 - a command talks to a person


def counted(number: int, noun: str) -> str:
    """`1 page`, `2 pages`."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def make_console() -> Console:
    """A terminal as wide as it is; a pipe wide enough for a line of a table."""
    from rich.console import Console  # JSON needs it not

    return Console(highlight=False, width=None if sys.stdout.isatty() else _PIPE_WIDTH)


def write_out(data: bytes) -> None:
    """Write a result to standard output."""
    sys.stdout.buffer.write(data if data.endswith(b"\n") else data + b"\n")
    sys.stdout.buffer.flush()


@contextmanager
def open_services(settings: Settings) -> Generator[Services]:
    """The stores of an installation, for a command that asks or changes something and runs no job."""
    from service.messaging.queue_inline import InlineQueue  # the help text needs none of these
    from service.wiring.services import build_services, close_services, prepare

    prepare(settings)
    services = build_services(settings, role="local", queue=InlineQueue({}))
    try:
        yield services
    finally:
        close_services(services)


def announce(url: str, home: Path, how: str) -> None:
    """One clear block once the service is ready."""
    say(
        f"\n  Fieldmark {__version__} is ready\n\n"
        f"    address   {url}\n"
        f"    home      {home}\n"
        f"    runs as   {how}\n\n"
        "  Ctrl-C ends it; what is unfinished goes on at the next start.\n"
    )
