"""One example of each answer, for the OpenAPI document; a test reads every one with its model."""

from __future__ import annotations

from service.api.payloads.base import API
from service.domain.records import Json, JsonObject

_FILE_ID = "file_0a1b2c3d4e5f60718293a4b5c6d7e8f9"
_JOB_ID = "job_9f8e7d6c5b4a39281706f5e4d3c2b1a0"
_EVENT_ID = "evt_9f8e7d6c5b4a39281706f5e4d3c2b1a0_1"
_SHA256 = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
_AT = "2026-11-30T09:00:00.120Z"
_REVIEW: JsonObject = {
    "state": "not_needed",
    "reasons": [],
    "by": None,
    "at": None,
    "claimed_by": None,
    "claimed_until": None,
}
_PAGES: list[Json] = [{"page": 1, "width": 595.28, "height": 841.89, "rotation": 0}]
_USAGE: JsonObject = {
    "prompt_tokens": 412,
    "completion_tokens": 38,
    "total_tokens": 450,
    "pages": 1,
    "requests": 1,
    "cached": 0,
    "cost": None,
}
_NOTHING_USED: JsonObject = _USAGE | {
    "prompt_tokens": 0,
    "completion_tokens": 0,
    "total_tokens": 0,
    "pages": 0,
    "requests": 0,
}
_CORNERS: list[Json] = [
    {"x": 0.6, "y": 0.1},
    {"x": 0.7, "y": 0.1},
    {"x": 0.7, "y": 0.12},
    {"x": 0.6, "y": 0.12},
]

SCHEMA: JsonObject = {
    "name": "invoice",
    "schema": {
        "type": "object",
        "properties": {
            "invoice_number": {"type": "string", "description": "Number of the invoice"},
            "due_date": {"type": "string", "format": "date", "description": "When it is to be paid"},
        },
    },
}
_VERSIONS: list[Json] = [0, 1, 2, 3]
_EFFECTIVE: JsonObject = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "properties": {"invoice_number": {"type": ["string", "null"]}, "due_date": {"type": ["string", "null"]}},
    "additionalProperties": False,
}
SCHEMA_ENTRY: JsonObject = {
    "name": "invoice",
    "version": 3,
    "ready": False,
    "sha256": _SHA256,
    "created_at": _AT,
    "created_by": "anna",
    "links": {"self": f"{API}/schemas/invoice@3"},
}
SCHEMA_LIST: JsonObject = {"schemas": [SCHEMA_ENTRY]}
SCHEMA_VERSION: JsonObject = {
    **SCHEMA_ENTRY,
    "versions": _VERSIONS,
    "schema": SCHEMA["schema"],
    "effective_schema": _EFFECTIVE,
    "checks": [],
}
GENERATION_REQUEST: JsonObject = {"file_ids": [_FILE_ID], "instruction": "Fields: invoice number, due date"}
GENERATED_SCHEMA: JsonObject = {"name": "document_schema", "schema": SCHEMA["schema"]}
JOB_REQUEST: JsonObject = {
    "file_id": _FILE_ID,
    "schema": SCHEMA,
    "split_documents": False,
    "external_id": "order-17",
    "metadata": {"team": "accounts"},
}
RERUN_REQUEST: JsonObject = {
    "model": "embedded",
    "documents": [{"first": 1, "last": 2}, {"first": 3, "last": 3, "schema_ref": "receipt"}],
}
FILE: JsonObject = {
    "id": _FILE_ID,
    "name": "invoice.pdf",
    "sha256": _SHA256,
    "size_bytes": 48211,
    "kind": "pdf",
    "created_at": _AT,
    "pages": _PAGES,
    "links": {
        "self": f"{API}/files/{_FILE_ID}",
        "content": f"{API}/files/{_FILE_ID}/content",
        "page": f"{API}/files/{_FILE_ID}/pages/{{page}}",
    },
}
PAGE: JsonObject = {
    "page": 1,
    "width": 595.28,
    "height": 841.89,
    "rotation": 0,
    "text": "digital",
    "words": [{"text": "INV-7", "coordinates": _CORNERS, "line": 3, "certainty": 1.0}],
    "issues": [],
}
_DOCUMENTS: list[Json] = [
    {"index": 0, "pages": [1], "schema": {"name": "invoice", "version": None}, "reason": None, "candidates": []}
]
JOB: JsonObject = {
    "id": _JOB_ID,
    "status": "extracting",
    "run": 1,
    "revision": 1,
    "file_id": _FILE_ID,
    "file_name": "invoice.pdf",
    "page_count": 1,
    "schema": {"name": "invoice", "version": None},
    "schemas": [{"name": "invoice", "version": None}],
    "schema_names": ["invoice"],
    "documents": _DOCUMENTS,
    "model": "embedded",
    "options": {
        "split_documents": False,
        "pages_per_chunk": "auto",
        "mode": "standard",
        "priority": "normal",
        "absent": "null",
        "retention_days": None,
        "max_tokens": None,
        "max_requests": None,
        "max_cost": None,
        "cache": True,
        "second_opinion": None,
    },
    "external_id": "order-17",
    "batch_id": None,
    "metadata": {"team": "accounts"},
    "created_by": "local",
    "review": _REVIEW,
    "hold": None,
    "progress": {"pages_total": 1, "pages_read": 1, "splits_total": 1, "splits_done": 0, "splits_failed": 0},
    "waiting": None,
    "deliveries": [],
    "exports": [],
    "issues": [],
    "usage": _NOTHING_USED,
    "error": None,
    "timing": {"queued_at": _AT, "started_at": _AT, "finished_at": None},
    "links": {
        "self": f"{API}/jobs/{_JOB_ID}",
        "file": f"{API}/files/{_FILE_ID}",
        "result": f"{API}/jobs/{_JOB_ID}/result",
        "review": f"/review/{_JOB_ID}",
        "schema": f"{API}/jobs/{_JOB_ID}/schema",
        "completion": f"{API}/jobs/{_JOB_ID}/completion",
        "events": f"{API}/jobs/{_JOB_ID}/events",
        "history": f"{API}/jobs/{_JOB_ID}/history",
        "corrections": f"{API}/jobs/{_JOB_ID}/corrections",
        "cancel": f"{API}/jobs/{_JOB_ID}/cancel",
        "retry": f"{API}/jobs/{_JOB_ID}/retry",
        "rerun": f"{API}/jobs/{_JOB_ID}/rerun",
    },
}
_ALONE: JsonObject = {"progress": None, "documents": None, "deliveries": None, "exports": None}
JOB_LIST: JsonObject = {"jobs": [JOB | _ALONE], "next_cursor": None}
RESULT: JsonObject = {
    "job_id": _JOB_ID,
    "status": "succeeded",
    "run": 1,
    "revision": 2,
    "model": "embedded:2026.11",
    "engine": "0.1.0",
    "external_id": "order-17",
    "metadata": {"team": "accounts"},
    "file": {"id": _FILE_ID, "name": "invoice.pdf", "sha256": _SHA256, "pages": _PAGES},
    "schema": {"name": "invoice", "version": None},
    "documents": _DOCUMENTS,
    "review": _REVIEW,
    "records": [
        {
            "id": "rec_7d1c0ffee",
            "index": 0,
            "pages": [1],
            "schema": {"name": "invoice", "version": None},
            "values": {"invoice_number": "INV-7", "due_date": None},
            "fields": {
                "/invoice_number": {
                    "value": "INV-7",
                    "raw": "INV-7",
                    "verdict": "found",
                    "confidence": "high",
                    "probability": 0.994,
                    "origin": "model",
                    "page": 1,
                    "coordinates": _CORNERS,
                    "word_coordinates": [_CORNERS],
                    "box_check": "match",
                },
                "/due_date": {"value": None, "verdict": "absent", "confidence": "high"},
            },
            "rows": {},
            "conflicts": [],
            "checks": [],
        }
    ],
    "unplaced_corrections": [],
    "coverage": [{"page": 1, "text": "digital", "splits": [0], "state": "extracted", "fields": 1}],
    "splits": [{"split": 0, "pages": [1], "rows_in": 0, "rows_out": 0}],
    "issues": [],
    "error": None,
    "usage": _USAGE,
    "processing": [{"pages": [1], "provider": "embedded", "host": None, "model": "2026.11", "version": None}],
    "timing": {"queued_at": _AT, "started_at": _AT, "finished_at": "2026-11-30T09:00:00.910Z"},
}
COMPLETION: JsonObject = {
    "id": "iex-9f8e7d6c5b4a3928",
    "choices": [
        {
            "finish_reason": "stop",
            "index": 0,
            "message": {
                "content": '{"invoice_number":"INV-7","due_date":null}',
                "role": "assistant",
                "tool_calls": [
                    {
                        "id": "call_9f8e7d6c5b4a3928_0_0",
                        "type": "function",
                        "function": {
                            "name": "additional_values",
                            "arguments": '{"invoice_number":{"_value":"INV-7","confidence":"high","page":1}}',
                        },
                    }
                ],
            },
        }
    ],
    "created": 1796029200,
    "model": "embedded:2026.11",
    "object": "chat.completion",
    "usage": {"completion_tokens": 38, "prompt_tokens": 412, "total_tokens": 450},
}
_REMOVED: JsonObject = {"file": 1, "results": 1, "steps": 4, "corrections": 2, "deliveries": 1}
RECEIPT: JsonObject = {
    "job_id": _JOB_ID,
    "file_sha256": _SHA256,
    "deleted_at": _AT,
    "reason": "requested",
    "removed": _REMOVED,
}
EVENT_LIST: JsonObject = {
    "events": [
        {
            "id": _EVENT_ID,
            "position": 41,
            "seq": 1,
            "job_id": _JOB_ID,
            "type": "job.status",
            "data": {"status": "queued", "run": 1, "revision": 1},
            "at": _AT,
        }
    ],
    "next_after": 41,
}
DELIVERY: JsonObject = {
    "id": "del_5a6b7c8d9e0f1a2b3c4d5e6f70819283",
    "webhook_id": "wh_1f2e3d4c5b6a79880716f5e4d3c2b1a0",
    "event_id": _EVENT_ID,
    "type": "job.status",
    "job_id": _JOB_ID,
    "host": "hooks.example.com",
    "state": "delivered",
    "attempts": 1,
    "next_attempt_at": None,
    "status_code": 204,
    "fault": None,
    "created_at": _AT,
    "finished_at": _AT,
}
MODEL_LIST: JsonObject = {
    "models": [
        {"id": "embedded:2026.11", "provider": "embedded", "available": True, "default": True},
        {"id": "upstage", "provider": "upstage", "available": False, "default": False},
    ]
}
HEALTH: JsonObject = {"status": "ok"}
READY: JsonObject = {"status": "ready", "missing": []}
NOT_READY: JsonObject = {"status": "not_ready", "missing": ["cpu_worker"]}
STREAM = (
    'event: job.status\ndata: {"id":"' + _EVENT_ID + '","position":41,"seq":1,"job_id":"' + _JOB_ID + '",'
    '"type":"job.status","data":{"status":"queued","run":1,"revision":1},"at":"' + _AT + '"}\nid: 1\nretry: 2000\n\n'
)
