"""Results of one schema or of several: which tables there are, and where each document went."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from service.domain.records import Json, JsonObject, Scalar
from service.domain.schema import ExtractionSchema
from service.exports.table_plan import Column, ColumnKind
from service.exports.tables import Cell, RecordKind, Table, flatten_records

DOCUMENTS = "documents"
"""Name and path of the table that says which schema each document has."""
_COLUMNS = (
    ("_job_id", ColumnKind.TEXT),
    ("_file", ColumnKind.TEXT),
    ("_record_index", ColumnKind.INTEGER),
    ("_first_page", ColumnKind.INTEGER),
    ("_last_page", ColumnKind.INTEGER),
    ("schema", ColumnKind.TEXT),
    ("reason", ColumnKind.TEXT),
    ("best", ColumnKind.TEXT),
    ("score", ColumnKind.NUMBER),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class SchemaSet:
    """The schemas that the records of a result may have."""

    kinds: tuple[RecordKind, ...]
    is_routed: bool = False
    """Whether each document was given one of them; then tables are named after them, and there is one of documents."""

    @classmethod
    def one(cls, schema: ExtractionSchema) -> SchemaSet:
        """For results whose records all have this schema."""
        return cls(kinds=(RecordKind(schema=schema),))

    @classmethod
    def routed(cls, schemas: Iterable[tuple[str, int | None, ExtractionSchema]]) -> SchemaSet:
        """For results whose documents were given one of these schemas each, by name and version."""
        taken = {DOCUMENTS}
        kinds: list[RecordKind] = []
        for name, version, schema in schemas:
            plain = name.replace("/", "_")
            label = next(n for n in _spellings(plain, version) if n not in taken)
            taken.add(label)
            kinds.append(RecordKind(schema=schema, label=label, named={"name": name, "version": version}))
        return cls(kinds=tuple(kinds), is_routed=True)

    def paths(self) -> tuple[str, ...]:
        """The paths of all tables that a result may have."""
        return (*((DOCUMENTS,) if self.is_routed else ()), *(path for kind in self.kinds for path in kind.paths()))

    def used(self, result: JsonObject) -> tuple[RecordKind, ...]:
        """The kinds that the tables of a result are of: all, or those it has records of."""
        return tuple(kind for kind in self.kinds if not self.is_routed or any(kind.records_of(result)))

    def tables(self, result: JsonObject, only: Sequence[str] | None = None) -> list[Table]:
        """The tables of a result, or those of some paths, also where these are empty."""
        found = [_documents(result)] if self.is_routed and (only is None or DOCUMENTS in only) else []
        for kind in self.used(result) if only is None else self.kinds:
            found += flatten_records(result, kind, only)
        return found


def _spellings(name: str, version: int | None) -> Iterator[str]:
    yield name
    yield f"{name}@{version or 0}"
    number = 2
    while True:
        yield f"{name}_{number}"
        number += 1


def _documents(result: JsonObject) -> Table:
    columns = tuple(Column(name=name, kind=kind) for name, kind in _COLUMNS)
    documents = result.get("documents")
    rows = [_row(result, d) for d in (documents if isinstance(documents, list) else []) if isinstance(d, dict)]
    return Table(name=DOCUMENTS, path=DOCUMENTS, columns=columns, rows=rows)


def _row(result: JsonObject, document: JsonObject) -> tuple[Cell, ...]:
    file, pages, candidates = result.get("file"), document.get("pages"), document.get("candidates")
    numbers = [page for page in pages if isinstance(page, int)] if isinstance(pages, list) else []
    best = candidates[0] if isinstance(candidates, list) and candidates else None
    values: tuple[Json, ...] = (
        result.get("job_id"),
        file.get("name") if isinstance(file, dict) else None,
        document.get("index"),
        min(numbers, default=None),
        max(numbers, default=None),
        _reference(document.get("schema")),
        document.get("reason"),
        _reference(best.get("schema")) if isinstance(best, dict) else None,
        best.get("score") if isinstance(best, dict) else None,
    )
    return tuple(Cell(value=_plain(value)) for value in values)


def _reference(schema: Json) -> str | None:
    if not isinstance(schema, dict):
        return None
    version = schema.get("version")
    return str(schema.get("name")) if version is None else f"{schema.get('name')}@{version}"


def _plain(value: Json) -> Scalar:
    return None if isinstance(value, (dict, list)) else value
