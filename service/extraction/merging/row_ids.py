"""Names for rows that stay when other rows are inserted: made from where a row stands on the page."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping

from service.domain.geometry import quad_box
from service.domain.records import FieldEntry, Json
from service.domain.schema import FieldType, SchemaField, escape_pointer


def name_rows(
    values: Json, root: SchemaField, fields: Mapping[str, FieldEntry], record_id: str
) -> dict[str, tuple[str, ...]]:
    """Ids for the rows of every array of objects, by the array's JSON Pointer.

    The same input gives the same ids. A row without a place is named by its position in the record.
    """
    firsts = _first_places(fields)
    taken: set[str] = set()
    named: dict[str, tuple[str, ...]] = {}
    for path, general, length in _arrays(values, root, "", ""):
        seeds = [f"{general}|{firsts.get(f'{path}/{n}') or f'{record_id}|{path}|{n}'}" for n in range(length)]
        named[path] = tuple(_fresh_id(seed, taken) for seed in seeds)
    return named


def _fresh_id(seed: str, taken: set[str]) -> str:
    attempt = 0
    while True:
        digest = hashlib.blake2b(f"{seed}|{attempt}".encode(), digest_size=9).hexdigest()
        name = f"row_{digest}"
        if name not in taken:
            taken.add(name)
            return name
        attempt += 1


def _first_places(fields: Mapping[str, FieldEntry]) -> dict[str, str]:
    """For every pointer that leads to a located leaf, the place of the first such leaf, to a thousandth of the page."""
    places: dict[str, str] = {}
    for path, entry in fields.items():
        if entry.location is None:
            continue
        words = entry.location.word_coordinates
        box = quad_box(words[0] if words else entry.location.coordinates)
        place = f"{entry.location.page}|{box.y0:.3f}|{box.x0:.3f}"
        parent = path
        while parent := parent.rpartition("/")[0]:
            places.setdefault(parent, place)
    return places


def _arrays(value: Json, field: SchemaField, path: str, general: str) -> Iterator[tuple[str, str, int]]:
    """Arrays of objects below a value: pointer, pointer with `*` for rows, number of rows."""
    if isinstance(value, dict):
        for prop in field.properties:
            token = escape_pointer(prop.name)
            yield from _arrays(value.get(prop.name), prop, f"{path}/{token}", f"{general}/{token}")
    elif isinstance(value, list) and field.items is not None:
        if field.items.type is FieldType.OBJECT:
            yield path, general, len(value)
        for index, child in enumerate(value):
            yield from _arrays(child, field.items, f"{path}/{index}", f"{general}/*")
