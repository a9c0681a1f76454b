"""What the trees learn from: every value that was chosen in a document, as features, and whether it is right."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import cast

import numpy as np
from numpy.typing import NDArray

from service.domain.records import Json, JsonObject
from service.domain.schema import FieldType, SchemaField, escape_pointer, parse_schema
from service.embedded.evidence.families import family
from service.embedded.evidence.features import NAMES, describe
from service.embedded.evidence.findings import Leaf
from service.embedded.reading import read_document
from service.evaluation.compare import align_rows, is_empty, is_same
from training.documents import Document


@dataclass(frozen=True)
class Examples:
    """Rows of features with their outcome and where they come from."""

    table: NDArray[np.float64]
    right: NDArray[np.bool_]
    group: NDArray[np.str_]
    """The kind of document, or the set."""
    family: NDArray[np.int64]
    """Of `FAMILIES`."""
    single: NDArray[np.bool_]
    document: NDArray[np.int64]
    """Number of the document among those of its source."""

    def __len__(self) -> int:
        return len(self.right)

    def where(self, chosen: NDArray[np.bool_]) -> Examples:
        """Some of the rows."""
        return Examples(
            self.table[chosen],
            self.right[chosen],
            self.group[chosen],
            self.family[chosen],
            self.single[chosen],
            self.document[chosen],
        )

    def joined(self, other: Examples) -> Examples:
        """The rows of both."""
        return Examples(
            np.concatenate([self.table, other.table]),
            np.concatenate([self.right, other.right]),
            np.concatenate([self.group, other.group]),
            np.concatenate([self.family, other.family]),
            np.concatenate([self.single, other.single]),
            np.concatenate([self.document, other.document]),
        )


def examples(documents: Iterable[Document]) -> Examples:
    """What the rules choose in some documents, in order."""
    tables: list[NDArray[np.float64]] = [np.zeros((0, len(NAMES)))]
    told: list[Outcome] = []
    groups: list[str] = []
    numbers: list[int] = []
    for number, document in enumerate(documents):
        table, outcomes = examine(document)
        tables.append(table)
        told += outcomes
        groups += [document.kind] * len(outcomes)
        numbers += [number] * len(outcomes)
    return Examples(
        np.concatenate(tables),
        np.array([outcome.right for outcome in told], bool),
        np.array(groups, str),
        np.array([outcome.family for outcome in told], np.int64),
        np.array([outcome.single for outcome in told], bool),
        np.array(numbers, np.int64),
    )


@dataclass(frozen=True)
class Outcome:
    """What became of a value that was chosen."""

    right: bool
    family: int
    single: bool
    """Whether it is neither a cell nor one of a list."""


def examine(document: Document) -> tuple[NDArray[np.float64], list[Outcome]]:
    """The features and the outcome of each chosen value that is known to be right or wrong."""
    schema = parse_schema(document.schema)
    findings = read_document(schema, document.pages).findings
    leaves = {leaf.path: leaf for leaf in findings.leaves}
    known: dict[str, bool] = {}
    for child in schema.root.properties:
        known |= dict(_outcomes(child, leaves, document.truth, document.absent))
    told = [leaf.path in known for leaf in findings.leaves]
    outcomes = [
        Outcome(known[leaf.path], family(findings, leaf), leaf.single) for leaf in findings.leaves if leaf.path in known
    ]
    return describe(findings)[np.array(told, bool)], outcomes


def _outcomes(
    child: SchemaField, leaves: Mapping[str, Leaf], truth: JsonObject, absent: frozenset[str]
) -> Iterator[tuple[str, bool]]:
    """Path → whether the value is right; nothing for what nobody knows."""
    base, want = f"/{escape_pointer(child.name)}", truth.get(child.name)
    if child.name in absent:
        yield from ((path, False) for path in leaves if path == base or path.startswith(f"{base}/"))
    elif child.name not in truth:
        return
    elif child.type is not FieldType.ARRAY:
        if base in leaves:
            yield base, not is_empty(want) and is_same(child, want, leaves[base].value)
    elif child.items is not None and child.items.type is FieldType.OBJECT:
        yield from _rows(child.items, base, leaves, cast("list[JsonObject]", want))
    elif child.items is not None:
        yield from _list(child.items, base, leaves, cast("list[Json]", want))


def _list(item: SchemaField, base: str, leaves: Mapping[str, Leaf], want: list[Json]) -> Iterator[tuple[str, bool]]:
    left = list(want)
    for path in (p for p in leaves if p.startswith(f"{base}/")):
        hit = next((value for value in left if is_same(item, value, leaves[path].value)), None)
        if hit is not None:
            left.remove(hit)
        yield path, hit is not None


def _rows(
    item: SchemaField, base: str, leaves: Mapping[str, Leaf], want: list[JsonObject]
) -> Iterator[tuple[str, bool]]:
    count = 1 + max(
        (int(p.removeprefix(f"{base}/").split("/")[0]) for p in leaves if p.startswith(f"{base}/")), default=-1
    )
    got: list[JsonObject] = [
        {
            cell.name: leaf.value
            for cell in item.properties
            if (leaf := leaves.get(f"{base}/{row}/{escape_pointer(cell.name)}")) is not None
        }
        for row in range(count)
    ]
    for i, j in align_rows(item, want, got):
        if j is None:
            continue
        row = want[i] if i is not None else {}
        for cell in item.properties:
            path = f"{base}/{j}/{escape_pointer(cell.name)}"
            if path in leaves and (i is None or cell.name in row):
                value = row.get(cell.name)
                yield path, not is_empty(value) and is_same(cell, value, leaves[path].value)
