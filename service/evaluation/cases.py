"""Cases: documents with their schema and truth, read from a folder's `truth.jsonl`."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import orjson

from service.domain.errors import ErrorCode, InputError
from service.domain.geometry import Box
from service.domain.records import Json, JsonObject
from service.domain.schema import ExtractionSchema, parse_schema

TRUTH_FILE = "truth.jsonl"


@dataclass(frozen=True, slots=True)
class Place:
    """Where a value stands: 1-based page and box in fractions of the page as displayed."""

    page: int
    box: Box


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One document with its truth. A field that is neither in `truth` nor in `absent` is unknown and not scored."""

    path: Path
    file: str
    """As written in the truth, relative to the set's folder."""
    schema: ExtractionSchema
    truth: JsonObject
    absent: frozenset[str] = frozenset()
    """Fields the document does not have."""
    ignored: frozenset[str] = frozenset()
    """Fields whose truth is too weak to be scored."""
    places: Mapping[str, tuple[Place, ...]] = field(default_factory=dict[str, tuple[Place, ...]])
    """JSON Pointer of a leaf of the truth → the places that are right, any of them."""
    group: str = ""
    """Whose document it is; all of one group are in one half."""

    @property
    def development(self) -> bool:
        """Whether it may be looked at: the first hex digit of the hash of its group (or else its name) is even."""
        told = self.group or Path(self.file).name
        return int(hashlib.sha256(told.encode()).hexdigest()[0], 16) % 2 == 0


def load_cases(folder: Path) -> tuple[Case, ...]:
    """The cases of a set, in the order of its `truth.jsonl`.

    Raises:
        InputError: `no_file` without that file, `invalid_request_body` for a line that is no case, `invalid_schema`.
    """
    truth = folder / TRUTH_FILE
    if not truth.is_file():
        raise InputError(ErrorCode.NO_FILE, f"{folder} has no {TRUTH_FILE}: an evaluation set is a folder with one.")
    lines = truth.read_bytes().splitlines()
    return tuple(_case(folder, line, number) for number, line in enumerate(lines, start=1) if line.strip())


def _case(folder: Path, line: bytes, number: int) -> Case:
    try:
        row = orjson.loads(line)
    except orjson.JSONDecodeError as error:
        raise _fault(number, "it is not JSON") from error
    if not isinstance(row, dict) or not isinstance(row.get("file"), str):
        raise _fault(number, "it has no `file`")
    schema, truth = row.get("schema"), row.get("truth")
    if not isinstance(schema, dict) or not isinstance(truth, dict):
        raise _fault(number, "it needs the objects `schema` and `truth`")
    file: str = row["file"]
    return Case(
        path=folder / file,
        file=file,
        schema=parse_schema(schema),
        truth=truth,
        absent=_names(row.get("absent")),
        ignored=_names(row.get("weak_fields")) | _names(row.get("not_verbatim")),
        places=dict(_places(row.get("boxes"), "")),
        group=group if isinstance(group := row.get("group"), str) else "",
    )


def _fault(number: int, why: str) -> InputError:
    return InputError(ErrorCode.INVALID_REQUEST, f"Line {number} of {TRUTH_FILE} is not a case: {why}.")


def _names(value: Json) -> frozenset[str]:
    return frozenset(v for v in value if isinstance(v, str)) if isinstance(value, list) else frozenset()


def _places(node: Json, path: str) -> list[tuple[str, tuple[Place, ...]]]:
    """All boxes of a truth line, by the pointer of their leaf; rows by the truth's own index."""
    if isinstance(node, list):
        return [item for i, child in enumerate(node) for item in _places(child, f"{path}/{i}")]
    if not isinstance(node, dict):
        return []
    alternatives = node.get("alternatives")
    others = alternatives if isinstance(alternatives, list) else []
    own = [node, *({"page": node.get("page"), "bbox": o} if isinstance(o, list) else o for o in others)]
    found = tuple(p for p in map(_place, own) if p is not None)
    if found:
        return [(path, found)]
    return [item for name, child in node.items() for item in _places(child, f"{path}/{name}")]


def _place(node: Json) -> Place | None:
    if not isinstance(node, dict):
        return None
    page, bbox = node.get("page"), node.get("bbox")
    if not isinstance(page, int) or not isinstance(bbox, list) or len(bbox) != 4:
        return None
    x0, y0, x1, y1 = (float(v) if isinstance(v, (int, float)) else 0.0 for v in bbox)
    return Place(page, Box(x0, y0, x1, y1))
