"""Named schemas: kept in versions, found by `name` or `name@version`, and the ready ones that come with the product."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Literal

from service.domain.errors import ErrorCode, InputError, InternalError, StateError
from service.domain.records import JsonObject
from service.domain.routes import JobSchema
from service.domain.schema import DEFAULT_NAME, parse_schema
from service.domain.schema_version import AUTO, READY_VERSION, SchemaVersion
from service.jobs.intake.submit import check_any_schema, short_schema
from service.jobs.services import Services
from service.protocol.json_text import decode_json, encode_json

LONGEST_NAME = 100
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.\-]*")
_REFERENCE = re.compile(r"(?P<name>[^@]+)(?:@(?P<version>\d{1,9}))?")
_READY_FOLDER = "ready_schemas"
_MOST_TRIES = 20
READY_OWNER = "fieldmark"
"""Who made the ready schemas."""


MOST_SCHEMAS = 50
"""Of one job: they are kept with it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SchemaWish:
    """How a caller says what is wanted; exactly one is given."""

    source: JsonObject | None = None
    """A schema that comes with the job."""
    reference: str | None = None
    """`name` or `name@version`."""
    references: Sequence[str] | Literal["auto"] | None = None
    """Each document gets the one of these that it fits; `auto`: one of all there are."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChosenSchemas:
    """What a job is made with."""

    schemas: tuple[JobSchema, ...]
    is_routed: bool
    """Whether each document is given the one that it fits."""


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


def find_schema(services: Services, tenant_id: str, reference: str, *, param: str = "schema_ref") -> SchemaVersion:
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
        param=param,
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


def choose_schemas(services: Services, tenant_id: str, wish: SchemaWish) -> ChosenSchemas:
    """The schemas of a job, in the versions that are in force now.

    Raises:
        InputError: there is none, or more than one way to say it; a name comes twice; `invalid_schema`.
        StateError: `schema_not_found`.
    """
    given = {"schema": wish.source, "schema_ref": wish.reference, "schemas": wish.references}
    named = [name for name, value in given.items() if value is not None]
    if len(named) > 1:
        raise InputError(
            ErrorCode.INVALID_REQUEST, f"Send one of {', '.join(f'`{n}`' for n in named)}, not all.", param=named[1]
        )
    if wish.references is not None:
        return ChosenSchemas(schemas=_to_route(services, tenant_id, wish.references), is_routed=True)
    if wish.reference is not None:
        found = _frozen(find_schema(services, tenant_id, wish.reference))
        return ChosenSchemas(schemas=(found,), is_routed=False)
    if wish.source is None:
        raise InputError(
            ErrorCode.INVALID_REQUEST,
            "A job needs a `schema` (a JSON Schema of what is wanted), a `schema_ref` (the name of one) or `schemas` "
            "(several names, or `auto`).",
            param="schema",
        )
    name = _own_name(short_schema(services, wish.source, DEFAULT_NAME).name)
    return ChosenSchemas(schemas=(JobSchema(source=wish.source, name=name, version=None),), is_routed=False)


def _to_route(services: Services, tenant_id: str, references: Sequence[str]) -> tuple[JobSchema, ...]:
    if references == AUTO:
        known = list_schemas(services, tenant_id)
        found = [schema for schema in known if schema.version != READY_VERSION] or list(known)
    else:
        found = [find_schema(services, tenant_id, reference, param="schemas") for reference in references]
    names = [schema.name for schema in found]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise InputError(ErrorCode.INVALID_OPTION, f"`schemas` names {twice!r} twice; send it once.", param="schemas")
    if not 1 <= len(found) <= MOST_SCHEMAS:
        raise InputError(
            ErrorCode.INVALID_OPTION,
            f"A job takes 1 to {MOST_SCHEMAS} schemas, not {len(found)}; name those that matter.",
            param="schemas",
        )
    return tuple(map(_frozen, found))


def _frozen(schema: SchemaVersion) -> JobSchema:
    return JobSchema(source=schema.source, name=schema.name, version=schema.version)


@cache
def ready_schemas() -> dict[str, SchemaVersion]:
    """The schemas that come with the product, by name; they are read once."""
    found: dict[str, SchemaVersion] = {}
    folder = resources.files("service.jobs.intake") / _READY_FOLDER
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
