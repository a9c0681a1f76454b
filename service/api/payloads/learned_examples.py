"""Examples of the routes of quality and memory, for the OpenAPI document."""

from __future__ import annotations

from service.domain.records import JsonObject

_SHARE: JsonObject = {"right": 97, "count": 100, "value": 0.97, "least": 0.915}
_WEEK: JsonObject = {"begins": "2026-11-26T00:00:00Z", "looked_at": _SHARE}
QUALITY: JsonObject = {
    "since": "2026-09-01T00:00:00Z",
    "documents": 42,
    "fields": [
        {
            "schema": "invoice",
            "field": "/lines/*/amount",
            "looked_at": _SHARE,
            "high": {"right": 80, "count": 80, "value": 1.0, "least": 0.954},
            "demoted": False,
            "weeks": [_WEEK],
        }
    ],
    "weeks": [_WEEK],
    "high": {"right": 80, "count": 80, "value": 1.0, "least": 0.954},
    "low": {"right": 17, "count": 20, "value": 0.85, "least": 0.64},
    "curve": [{"begins": 0.9, "ends": 1.0, "looked_at": _SHARE}],
    "calibration": [
        {
            "schema": "invoice",
            "model": "embedded:2026.11",
            "meanings": [
                {"told": 0.9, "called": None, "meant": 0.87, "reviewed": 212},
                {"told": None, "called": "low", "meant": 0.71, "reviewed": 64},
            ],
        }
    ],
    "straight_through": {"right": 120, "count": 200, "value": 0.6, "least": 0.531},
    "sample": {"right": 5, "count": 5, "value": 1.0, "least": 0.566},
    "seconds": {"documents": 40, "median": 21.5, "nine_in_ten": 64.0},
}
_MEMORY: JsonObject = {
    "id": "mem_3f6c1f0c7a4b4f0f9a6d8f4e2b1c0d9e",
    "layout": "layout_9a6d8f4e2b1c0d9e3f6c1f0c7a4b4f0f",
    "title": "Quillfox Paperworks",
    "schema": "invoice",
    "job_id": "job_8c1f0c7a4b4f0f9a6d8f4e2b1c0d9e3f",
    "created_at": "2026-11-30T09:00:00Z",
    "created_by": "ada",
    "lessons": [{"path": "/total", "kind": "place", "where": "right of “to hand over” on page 1", "value": 425.4}],
    "tables": [{"path": "/lines", "columns": {"/lines/*/amount": "worth"}}],
}
MEMORY_LIST: JsonObject = {"memories": [_MEMORY]}
FORGOTTEN: JsonObject = {"id": "mem_3f6c1f0c7a4b4f0f9a6d8f4e2b1c0d9e", "forgotten": True}
CASE_LIST: JsonObject = {
    "cases": [
        {
            "job_id": "job_8c1f0c7a4b4f0f9a6d8f4e2b1c0d9e3f",
            "file_id": "file_2b1c0d9e3f6c1f0c7a4b4f0f9a6d8f4e",
            "file_name": "invoice.pdf",
            "schema_name": "invoice",
            "schema": {"type": "object", "properties": {"total": {"type": "number"}}},
            "truth": {"total": 425.4},
            "absent": [],
        }
    ],
    "next_cursor": None,
}
