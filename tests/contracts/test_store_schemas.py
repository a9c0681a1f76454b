"""Rows of named schemas, on every database."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

from service.domain.schema_version import SchemaVersion
from service.storage.store import Store
from tests.fakes.rows import OTHER, TENANT

FIRST = SchemaVersion(
    tenant_id=TENANT,
    name="order",
    version=1,
    sha256="a" * 64,
    source={"type": "object", "properties": {"z": {"type": "string"}, "a": {"type": "number"}}},
    created_at=1000.5,
    created_by="anna",
)
SECOND = replace(FIRST, version=2, sha256="b" * 64)


def add(store: Store, *schemas: SchemaVersion) -> list[bool]:
    """Keep versions, each in a transaction of its own."""
    kept: list[bool] = []
    for schema in schemas:
        with store.write() as rows:
            kept.append(rows.schemas.add(schema))
    return kept


def test_a_version_is_found_by_number_content_and_as_the_latest(store: Store) -> None:
    """With its properties in their order."""
    assert add(store, FIRST, SECOND) == [True, True]
    with store.read() as rows:
        assert rows.schemas.get(TENANT, "order") == SECOND
        assert rows.schemas.get(TENANT, "order", 1) == FIRST
        assert rows.schemas.of_content(TENANT, "order", "a" * 64) == FIRST
        assert rows.schemas.versions(TENANT, "order") == (1, 2)
        found = rows.schemas.get(TENANT, "order", 1)
    assert found is not None
    assert list(found.source["properties"]) == ["z", "a"]


def test_neither_number_nor_content_is_taken_twice(store: Store) -> None:
    """And what is there is not changed."""
    add(store, FIRST)
    assert add(store, replace(FIRST, sha256="c" * 64), replace(FIRST, version=5)) == [False, False]
    with store.read() as rows:
        assert rows.schemas.versions(TENANT, "order") == (1,)
        assert rows.schemas.get(TENANT, "order") == FIRST


def test_tenants_do_not_see_each_other(store: Store) -> None:
    """A name of one is free for the other."""
    add(store, FIRST, replace(SECOND, tenant_id=OTHER, name="other"), replace(FIRST, tenant_id=OTHER))
    with store.read() as rows:
        assert [schema.name for schema in rows.schemas.latest(TENANT)] == ["order"]
        assert [schema.name for schema in rows.schemas.latest(OTHER)] == ["order", "other"]
        assert rows.schemas.get(TENANT, "other") is None


def test_of_two_that_come_together_one_is_kept(store: Store) -> None:
    """The other is told, and no error is raised."""
    with ThreadPoolExecutor(4) as pool:
        kept = list(pool.map(lambda n: add(store, replace(FIRST, sha256=f"{n:064d}"))[0], range(8)))
    assert kept.count(True) == 1
