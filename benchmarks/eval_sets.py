"""The evaluation sets as they are measured: no issuer in both halves, and foreign fields that must stay empty.

A prepared set is a folder of its own whose `truth.jsonl` has more to each line; the documents are linked, not copied.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from service.evaluation.cases import TRUTH_FILE
from service.evaluation.compare import text_key

FOREIGN = Path(__file__).with_name("foreign_fields.json")
EACH = 4
"""Foreign fields that a document is asked for."""
ISSUERS = {"sroie": "company", "wildreceipt": "store_name", "invoices-eu-xml": "seller_name", "invoices-misc": "issuer"}
"""Set → the field that says whose document it is."""
CRITICAL = {
    "sroie": ("date", "total"),
    "wildreceipt": ("subtotal", "tax", "total"),
    "invoices-eu-xml": ("invoice_number", "date", "total_net", "total_tax", "total_gross", "amount_due"),
    "invoices-misc": ("invoice_number", "date", "amount_untaxed", "amount_tax", "amount"),
}
"""Set → what its documents are booked by: numbers, days and amounts, as far as a schema asks for them."""
ALIKE = 8
"""Letters and digits that tell issuers apart: the same one is written in several ways."""


@dataclass(frozen=True)
class Foreign:
    """Fields that no document of a set has; each was looked for in the words of all of them."""

    fields: dict[str, dict[str, Any]]
    """Name → JSON Schema."""
    sets: dict[str, tuple[str, ...]]


@lru_cache(maxsize=1)
def foreign_fields() -> Foreign:
    """The list beside this file."""
    source = json.loads(FOREIGN.read_text(encoding="utf-8"))
    return Foreign(source["fields"], {name: tuple(fields) for name, fields in source["sets"].items()})


def prepare(sets: Sequence[Path], into: Path, *, foreign: bool) -> list[Path]:
    """Folders with the same documents, each line with its issuer and, if asked for, with foreign fields."""
    return [_prepare(folder, into / folder.name, foreign=foreign) for folder in sets]


def issuer_of(set_name: str, truth: dict[str, Any]) -> str:
    """Whose document it is, so that all of one issuer are in one half; empty where nobody says."""
    return text_key(truth.get(ISSUERS.get(set_name, "")) or "")[:ALIKE]


def _prepare(folder: Path, into: Path, *, foreign: bool) -> Path:
    into.mkdir(parents=True)
    for entry in folder.iterdir():
        if entry.is_dir():
            (into / entry.name).symlink_to(entry.resolve(), target_is_directory=True)
    lines = (folder / TRUTH_FILE).read_text(encoding="utf-8").splitlines()
    rows = [_row(folder.name, json.loads(line), foreign=foreign) for line in lines if line.strip()]
    (into / TRUTH_FILE).write_text("\n".join(map(json.dumps, rows)) + "\n", encoding="utf-8")
    return into


def _row(set_name: str, row: dict[str, Any], *, foreign: bool) -> dict[str, Any]:
    issuer = issuer_of(set_name, row["truth"])
    row = {**row, "group": issuer} if issuer else row
    names = list(_foreign_to(set_name, row)) if foreign else []
    properties = {**row["schema"]["properties"], **{name: foreign_fields().fields[name] for name in names}}
    critical = [f"/{name}" for name in CRITICAL.get(set_name, ()) if name in properties]
    review = {"x-review": {"critical": critical}} if critical else {}
    return {
        **row,
        "schema": {**row["schema"], "properties": properties, **review},
        "absent": [*row.get("absent", []), *names],
    }


def _foreign_to(set_name: str, row: dict[str, Any]) -> Iterator[str]:
    """The next few of a set's foreign fields, from a place that the file's name tells."""
    known = [n for n in foreign_fields().sets.get(set_name, ()) if n not in row["schema"]["properties"]]
    start = int(hashlib.sha256(Path(row["file"]).name.encode()).hexdigest()[:8], 16)
    for step in range(min(EACH, len(known))):
        yield known[(start + step) % len(known)]
