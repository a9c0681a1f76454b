"""Named schemas: kept in versions, found by `name` or `name@version`, and the ready ones that come with the product."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from functools import cache
from importlib import resources

from service.domain.errors import ErrorCode, InputError, InternalError, StateError
from service.domain.records import JsonObject
from service.domain.schema import parse_schema
from service.domain.schema_version import READY_VERSION, SchemaVersion
from service.jobs.services import Services
from service.jobs.submit import check_any_schema
from service.protocol.json_text import decode_json, encode_json

LONGEST_NAME = 100
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.\-]*")
_REFERENCE = re.compile(r"(?P<name>[^@]+)(?:@(?P<version>\d{1,9}))?")
_READY_FOLDER = "ready_schemas"
_MOST_TRIES = 20
READY_OWNER = "fieldmark"
"""Who made the ready schemas."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JobSchema:
    """What a job is made with."""

    source: JsonObject
    name: str
    version: int | None
    """None: it came with the job."""


def put_schema(
    services: Services, tenant_id: str, name: str, source: JsonObject, *, created_by: str = ""
) -> tuple[SchemaVersion, bool]:
    """Keep a schema under a name; the same content is the same version, however often and in whatever wrapper it comes.

    Returns:
        The version, and whether it is new.

    Raises:
        InputError: `invalid_option`, the name cannot be one; `invalid_schema` with the path of each fault.
    """
    _check_name(name)
    bare = parse_schema(source, name).source
    check_any_schema(services, bare, name)
    sha256 = hashlib.sha256(encode_json(bare)).hexdigest()
    for _ in range(_MOST_TRIES):
        with services.store.write(durable=True) as rows:
            known = rows.schemas.of_content(tenant_id, name, sha256)
            if known is not None:
                return known, False
            new = SchemaVersion(
                tenant_id=tenant_id,
                name=name,
                version=max(rows.schemas.versions(tenant_id, name), default=0) + 1,
                sha256=sha256,
                source=bare,
                created_at=services.clock(),
                created_by=created_by,
            )
            if rows.schemas.add(new):
                return new, True
    raise InternalError(ErrorCode.OVERLOADED, f"Too many write versions of {name!r} at once; try again.")


def find_schema(services: Services, tenant_id: str, reference: str) -> SchemaVersion:
    """A version by `name@version`, or the latest by `name`; the tenant's own go before the ready ones.

    Raises:
        StateError: `schema_not_found`.
    """
    read = _REFERENCE.fullmatch(reference)
    if read is not None:
        number = None if read["version"] is None else int(read["version"])
        found = None
        if number != READY_VERSION:
            with services.store.read() as rows:
                found = rows.schemas.get(tenant_id, read["name"], number)
        if found is None and number in (None, READY_VERSION):
            found = ready_schemas().get(read["name"])
        if found is not None:
            return found
    raise StateError(
        ErrorCode.SCHEMA_NOT_FOUND,
        f"There is no schema {reference[:200]!r}; GET /schemas or `fieldmark schema list` shows those there are.",
        param="schema_ref",
    )


def schema_versions(services: Services, tenant_id: str, name: str) -> tuple[int, ...]:
    """The versions of a name, oldest first; 0 is a ready one."""
    with services.store.read() as rows:
        own = rows.schemas.versions(tenant_id, name)
    return (READY_VERSION, *own) if name in ready_schemas() else own


def list_schemas(services: Services, tenant_id: str) -> tuple[SchemaVersion, ...]:
    """The version that each name means, by name."""
    with services.store.read() as rows:
        own = {schema.name: schema for schema in rows.schemas.latest(tenant_id)}
    known = {**ready_schemas(), **own}
    return tuple(known[name] for name in sorted(known))


def choose_schema(services: Services, tenant_id: str, source: JsonObject | None, reference: str | None) -> JobSchema:
    """The schema of a job: one that comes with it, or one that it names.

    Raises:
        InputError: there is none, or both; `invalid_schema`.
        StateError: `schema_not_found`.
    """
    if source is not None and reference is not None:
        raise InputError(ErrorCode.INVALID_REQUEST, "Send a `schema` or a `schema_ref`, not both.", param="schema_ref")
    if reference is not None:
        found = find_schema(services, tenant_id, reference)
        return JobSchema(source=found.source, name=found.name, version=found.version)
    if source is None:
        raise InputError(
            ErrorCode.INVALID_REQUEST,
            "A job needs a `schema` (a JSON Schema of what is wanted) or a `schema_ref` (the name of one).",
            param="schema",
        )
    return JobSchema(source=source, name=_own_name(parse_schema(source).name), version=None)


@cache
def ready_schemas() -> dict[str, SchemaVersion]:
    """The schemas that come with the product, by name; they are read once."""
    found: dict[str, SchemaVersion] = {}
    folder = resources.files("service.jobs") / _READY_FOLDER
    for file in sorted(folder.iterdir(), key=lambda f: f.name):
        name = file.name.removesuffix(".json")
        source = decode_json(file.read_bytes())
        assert isinstance(source, dict)
        sha256 = hashlib.sha256(encode_json(source)).hexdigest()
        found[name] = SchemaVersion(
            tenant_id="",
            name=name,
            version=READY_VERSION,
            sha256=sha256,
            source=source,
            created_at=0.0,
            created_by=READY_OWNER,
        )
    return found


def _check_name(name: str) -> None:
    if len(name) > LONGEST_NAME or _NAME.fullmatch(name) is None:
        raise InputError(
            ErrorCode.INVALID_OPTION,
            f"A schema's name is 1 to {LONGEST_NAME} letters, digits, `_`, `-` and `.`, a letter or digit first.",
            param="name",
        )


def _own_name(name: str) -> str:
    if len(name) > LONGEST_NAME or not name.isprintable():
        raise InputError(
            ErrorCode.INVALID_SCHEMA,
            f"Invalid Schema: its name must be at most {LONGEST_NAME} printable characters.",
            param="schema",
        )
    return name
