"""Rows of uploads, of the blobs they share, and of the pages that were read."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from functools import cache

from sqlalchemy import Connection, Insert, bindparam, delete, func, insert, select, update

from service.domain.files import StoredFile
from service.domain.pages import PageSize, PageText, TextSource, Turns
from service.domain.records import Issue
from service.storage import tables
from service.storage.blobs.base import derived_key, origin_key
from service.storage.codec import from_json, pack_page, to_columns, unpack_page
from service.storage.rows.upsert import put_rows, upsert_in

# Made once: building a statement takes longer than running it, and each step needs these.
_ADD = insert(tables.files)
_FILE = (
    select(tables.files, tables.blobs.c.turns)
    .join(tables.blobs)
    .where(tables.files.c.id == bindparam("of_id"), tables.files.c.tenant_id == bindparam("of_tenant"))
)
_NAMES = select(tables.files.c.id, tables.files.c.name).where(
    tables.files.c.tenant_id == bindparam("of_tenant"), tables.files.c.id.in_(bindparam("file_ids", expanding=True))
)
_SET_SOURCE = update(tables.files).where(tables.files.c.id == bindparam("of_id"))
_SOURCES = (
    select(tables.pages.c.page, tables.pages.c.source)
    .where(tables.pages.c.source_key == bindparam("of_source"))
    .order_by(tables.pages.c.page)
)
_SOME_SOURCES = _SOURCES.where(tables.pages.c.page.in_(bindparam("numbers", expanding=True)))
_ALL_BODIES = (
    select(tables.pages.c.body).where(tables.pages.c.source_key == bindparam("of_source")).order_by(tables.pages.c.page)
)
_BODIES = _ALL_BODIES.where(tables.pages.c.page.in_(bindparam("numbers", expanding=True)))
_COUNT = select(func.count()).select_from(tables.pages).where(tables.pages.c.source_key == bindparam("of_source"))
_ISSUES = (
    select(tables.pages.c.noticed)
    .where(tables.pages.c.source_key == bindparam("of_source"))
    .order_by(tables.pages.c.page)
)
_TURNS = select(tables.blobs.c.turns).where(tables.blobs.c.key == bindparam("of_key"))
_HOLD = (
    select(tables.files.c.id)
    .where(tables.files.c.tenant_id == bindparam("of_tenant"))
    .where(tables.files.c.id.in_(bindparam("file_ids", expanding=True)))
    .order_by(tables.files.c.id)
    .with_for_update(read=True, key_share=True)
)


class FileRows:
    """Uploads of a tenant and the blobs they count on."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def add(self, file: StoredFile) -> None:
        """Note an upload and count its blob; the bytes are already in the blob store."""
        self.count_blob(file.tenant_id, file.blob_key, file.size_bytes)
        row = to_columns(file)
        del row["turns"]  # of the blob
        self._connection.execute(_ADD, row)

    def get(self, tenant_id: str, file_id: str) -> StoredFile | None:
        """An upload, or None if this tenant has no such file."""
        row = self._connection.execute(_FILE, {"of_id": file_id, "of_tenant": tenant_id}).mappings().one_or_none()
        if row is None:
            return None
        file = from_json(StoredFile, row)
        return replace(file, turns={}).as_turned(file.turns)

    def names(self, tenant_id: str, file_ids: Collection[str]) -> Mapping[str, str]:
        """What uploads are called, by id; without those that this tenant does not have."""
        wanted = {"of_tenant": tenant_id, "file_ids": tuple(file_ids)}
        return {file_id: name for file_id, name in self._connection.execute(_NAMES, wanted)}

    def lock(self, tenant_id: str, file_id: str) -> StoredFile | None:
        """An upload that no job comes to stand on, and nobody removes, before this transaction ends; None: it is gone.

        Its blob is locked too: before the event log is, as everywhere, so that no two transactions wait for each other.
        """
        query = select(tables.files).where(tables.files.c.id == file_id, tables.files.c.tenant_id == tenant_id)
        row = self._connection.execute(query.with_for_update()).mappings().one_or_none()
        if row is None:
            return None
        file = from_json(StoredFile, row)
        blob = select(tables.blobs.c.key).where(tables.blobs.c.key == file.blob_key)
        self._connection.execute(blob.with_for_update())
        return file

    def hold(self, tenant_id: str, file_ids: Collection[str]) -> frozenset[str]:
        """Those of the uploads that are there, and stay so until this transaction ends."""
        wanted = {"of_tenant": tenant_id, "file_ids": tuple(file_ids)}
        return frozenset(self._connection.execute(_HOLD, wanted).scalars())

    def set_source(self, file_id: str, source_key: str, sizes: Sequence[PageSize]) -> None:
        """Note where the file's pages are read from, and what they measure."""
        found = {"of_id": file_id, "source_key": source_key, "page_sizes": [to_columns(s) for s in sizes]}
        self._connection.execute(_SET_SOURCE, found)

    def is_used(self, file_id: str) -> bool:
        """Whether a job stands on it."""
        query = select(func.count()).select_from(tables.jobs).where(tables.jobs.c.file_id == file_id)
        return self._connection.execute(query).scalar_one() > 0

    def idle(self, uploaded_before: float, most: int) -> tuple[StoredFile, ...]:
        """Uploads of all tenants that no job stands on."""
        used = select(tables.jobs.c.id).where(tables.jobs.c.file_id == tables.files.c.id).exists()
        query = select(tables.files).where(tables.files.c.created_at < uploaded_before, ~used).limit(most)
        return tuple(from_json(StoredFile, row) for row in self._connection.execute(query).mappings())

    def remove(self, file: StoredFile) -> bool:
        """Forget an upload; whether nobody counts on its blob any more, which the caller then deletes."""
        self._connection.execute(delete(tables.files).where(tables.files.c.id == file.id))
        return self.discount_blob(file.blob_key)

    def count_blob(self, tenant_id: str, key: str, size_bytes: int) -> None:
        """One more row counts on the blob."""
        row = {"tenant_id": tenant_id, "key": key, "size_bytes": size_bytes, "references": 1, "turns": {}}
        self._connection.execute(_count_once_more(self._connection.dialect.name), row)

    def counted(self, keys: Collection[str]) -> frozenset[str]:
        """Those of the blobs that rows count on."""
        query = select(tables.blobs.c.key).where(tables.blobs.c.key.in_(keys))
        return frozenset(self._connection.execute(query).scalars())

    def discount_blob(self, key: str) -> bool:
        """One row less counts on the blob; True, and its pages forgotten, when that was the last."""
        shrink = update(tables.blobs).where(tables.blobs.c.key == key)
        self._connection.execute(shrink.values(references=tables.blobs.c.references - 1))
        gone = delete(tables.blobs).where(tables.blobs.c.key == key, tables.blobs.c.references <= 0)
        if self._connection.execute(gone).rowcount == 0:
            return False
        for table in (tables.pages, tables.answers):
            sources = table.c.source_key.in_([key, derived_key(key)])
            self._connection.execute(delete(table).where(sources))
        return True


@cache
def _count_once_more(dialect: str) -> Insert:
    more = {"references": tables.blobs.c.references + 1}
    return upsert_in(dialect, tables.blobs).on_conflict_do_update(index_elements=["key"], set_=more)


class PageRows:
    """Words of pages, by the blob they were read from."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def sources(self, source_key: str) -> Mapping[int, TextSource]:
        """The pages that were read, in order, and how."""
        rows = self._connection.execute(_SOURCES, {"of_source": source_key})
        return {page: TextSource(source) for page, source in rows}

    def sources_of(self, source_key: str, numbers: Collection[int]) -> Mapping[int, TextSource]:
        """Those of some pages that were read, and how."""
        rows = self._connection.execute(_SOME_SOURCES, {"of_source": source_key, "numbers": tuple(set(numbers))})
        return {page: TextSource(source) for page, source in rows}

    def count(self, source_key: str) -> int:
        """How many pages were read."""
        return self._connection.execute(_COUNT, {"of_source": source_key}).scalar_one()

    def put(self, tenant_id: str, source_key: str, texts: Sequence[PageText]) -> None:
        """Keep pages; one that is already there is written anew (two jobs may read the same file at once)."""
        rows = [
            {
                "tenant_id": tenant_id,
                "source_key": source_key,
                "page": t.page,
                "source": t.source,
                "noticed": [to_columns(issue) for issue in t.issues],
                "body": pack_page(t),
            }
            for t in sorted(texts, key=lambda text: text.page)  # one order for all, so that no two wait for each other
        ]
        put_rows(self._connection, tables.pages, rows, keys=("source_key", "page"))

    def load(self, source_key: str, numbers: Sequence[int] | None = None) -> tuple[PageText, ...]:
        """Pages in order; those that were not read are left out. None: all."""
        if numbers is None:
            rows = self._connection.execute(_ALL_BODIES, {"of_source": source_key})
        else:
            rows = self._connection.execute(_BODIES, {"of_source": source_key, "numbers": tuple(numbers)})
        return tuple(unpack_page(body) for (body,) in rows)

    def issues(self, source_key: str) -> tuple[Issue, ...]:
        """What was noticed while reading, in page order."""
        lists = self._connection.execute(_ISSUES, {"of_source": source_key}).scalars()
        return tuple(from_json(Issue, issue) for issues in lists for issue in issues)

    def turns(self, source_key: str) -> Turns:
        """Which of its pages a person turned."""
        turned = self._connection.execute(_TURNS, {"of_key": origin_key(source_key)}).scalar() or {}
        return {int(page): degrees for page, degrees in turned.items()}

    def turn(self, source_key: str, by: Turns) -> None:
        """Turn pages further, by degrees clockwise; whoever holds the same bytes sees them so."""
        blob = tables.blobs.c.key == origin_key(source_key)
        self._connection.execute(select(tables.blobs.c.key).where(blob).with_for_update())
        now = self.turns(source_key)
        turned = {page: (now.get(page, 0) + by.get(page, 0)) % 360 for page in {*now, *by}}
        kept = {str(page): degrees for page, degrees in sorted(turned.items()) if degrees}
        self._connection.execute(update(tables.blobs).where(blob).values(turns=kept))

    def let_read(self, source_key: str) -> None:
        """Count pages on which nothing could be made out as failed, which the next run reads again.

        They stay: another job of the same file may be about to end.
        """
        page = tables.pages.c
        query = update(tables.pages).where(page.source_key == source_key, page.source == TextSource.UNREADABLE)
        self._connection.execute(query.values(source=TextSource.FAILED))
