"""One example of each answer and body of the routes of review; a test reads every one with its model."""

from __future__ import annotations

from service.api.payloads import examples
from service.domain.records import Json, JsonObject

_AT = "2026-11-30T09:05:00.000Z"
_BOX: list[Json] = [{"x": 0.6, "y": 0.4}, {"x": 0.7, "y": 0.4}, {"x": 0.7, "y": 0.42}, {"x": 0.6, "y": 0.42}]
_REVIEW: JsonObject = {
    "state": "in_review",
    "reasons": [],
    "by": None,
    "at": None,
    "claimed_by": "ada",
    "claimed_until": "2026-11-30T09:15:00.000Z",
}
_JOB = str(examples.JOB["id"])
SCHEMA: JsonObject = examples.SCHEMA
CORRECTIONS_REQUEST: JsonObject = {
    "operations": [
        {
            "op": "set",
            "id": "op-1",
            "path": "/due_date",
            "old": None,
            "value": "21.3.2026",
            "location": {"page": 1, "coordinates": _BOX},
        },
        {"op": "delete_row", "id": "op-2", "path": "/lines/row_3f2a"},
    ]
}
CORRECTIONS: JsonObject = {
    "job_id": _JOB,
    "revision": 3,
    "review": _REVIEW,
    "operations": [
        {
            "id": "op-1",
            "path": "/due_date",
            "pointer": "/due_date",
            "entry": {
                "value": "2026-03-21",
                "raw": "21.3.2026",
                "verdict": "found",
                "confidence": "high",
                "probability": None,
                "origin": "corrected",
                "page": 1,
                "coordinates": _BOX,
                "word_coordinates": [],
                "box_check": "unchecked",
            },
            "row": None,
        },
        {"id": "op-2", "path": "/lines/row_3f2a", "pointer": None, "entry": None, "row": "row_3f2a"},
    ],
    "checks": {"rec_7d1c0ffee": []},
}
HISTORY: JsonObject = {
    "events": [
        {
            "action": "correct",
            "by": "ada",
            "at": _AT,
            "run": 1,
            "revision": 3,
            "detail": {},
            "op": "set",
            "id": "op-1",
            "of": None,
            "record": "rec_7d1c0ffee",
            "path": "/due_date",
            "row": None,
            "old": None,
            "new": "2026-03-21",
            "old_page": None,
            "old_coordinates": None,
            "new_page": 1,
            "new_coordinates": _BOX,
        },
        {
            "action": "approve",
            "by": "ada",
            "at": _AT,
            "run": 1,
            "revision": 4,
            "detail": {"unseen": 0},
            "op": None,
            "id": None,
            "of": None,
            "record": None,
            "path": None,
            "row": None,
            "old": None,
            "new": None,
            "old_page": None,
            "old_coordinates": None,
            "new_page": None,
            "new_coordinates": None,
        },
    ]
}
_HELD: JsonObject = {"status": "succeeded", "review": _REVIEW}
LINK: JsonObject = {
    "url": "/review/job_8c1f0c7a4b4f0f9a6d8f4e2b1c0d9e3f?link=fl_eyJ0ZW5hbnQ.c2lnbmF0dXJl",
    "expires_at": "2026-11-30T10:00:00Z",
}
NEXT: JsonObject = {"job": {**examples.JOB, **_HELD}, "waiting": 12}
