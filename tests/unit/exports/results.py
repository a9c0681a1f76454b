"""A result of our own for the tests of this folder, small or long."""

from __future__ import annotations

from typing import Any

from service.domain.schema import parse_schema
from service.exports.schema_set import SchemaSet

SCHEMA = parse_schema(
    {
        "name": "order",
        "schema": {
            "type": "object",
            "properties": {
                "number": {"type": "string"},
                "date": {"type": "string", "format": "date"},
                "seller": {"type": "object", "properties": {"name": {"type": "string"}, "vat": {"type": "string"}}},
                "total": {"type": "number"},
                "pieces": {"type": "integer"},
                "paid": {"type": "boolean"},
                "notes": {"type": "array", "items": {"type": "string"}},
                "lines": {
                    "type": "array",
                    "items": {
                        "type": "object",
                        "properties": {
                            "what": {"type": "string"},
                            "price": {"type": "number"},
                            "day": {"type": "string", "format": "date"},
                        },
                    },
                },
            },
        },
    }
)
SCHEMAS = SchemaSet.one(SCHEMA)
LIVE = ["=1+1", "@x", "+x", "-x", "\t=1", "\r=1", "'=1+1", " =1", "＝1"]


def result_of(values: dict[str, Any], low: tuple[str, ...] = ()) -> dict[str, Any]:
    """A result with one record, in which every leaf has an entry."""
    lines = values.get("lines")
    return {
        "job_id": "job_1",
        "status": "succeeded",
        "external_id": None,
        "file": {"id": "file_1", "name": "Bestellung Ä 7.pdf", "sha256": "0" * 64, "pages": []},
        "records": [
            {
                "id": "rec_1",
                "index": 0,
                "pages": [1, 3],
                "values": values,
                "fields": dict(_entries(values, "", low)),
                "rows": {"/lines": [f"row_{n}" for n, _ in enumerate(lines if isinstance(lines, list) else [])]},
            }
        ],
    }


def order(rows: int = 3, **changes: Any) -> dict[str, Any]:
    """Values of an order with that many lines."""
    lines = [{"what": f"Stuhl {n} 椅子 ✓", "price": n - 1.25, "day": f"2026-02-{n % 28 + 1:02d}"} for n in range(rows)]
    values = {
        "number": "007",
        "date": "2026-01-31",
        "seller": {"name": 'Weiß; "Söhne",\nKG', "vat": None},
        "total": -1234.5,
        "pieces": 12,
        "paid": False,
        "notes": ["a", "b"],
        "lines": lines,
    }
    return values | changes


def _entries(value: Any, path: str, low: tuple[str, ...]):
    if isinstance(value, dict):
        for name, child in value.items():
            yield from _entries(child, f"{path}/{name}", low)
    elif isinstance(value, list):
        for index, child in enumerate(value):
            yield from _entries(child, f"{path}/{index}", low)
    elif value is None:
        yield path, {"value": None, "verdict": "absent", "confidence": "high"}
    else:
        corners = [{"x": x, "y": y} for x, y in ((0.1, 0.2), (0.3, 0.2), (0.3, 0.25), (0.1, 0.25))]
        entry = {"value": value, "raw": str(value), "verdict": "found", "page": 2, "coordinates": corners}
        yield path, entry | {"confidence": "low" if path in low else "high"}
