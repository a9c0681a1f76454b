"""The vendor's asynchronous jobs."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta, timezone

import pytest
from pydantic import ValidationError

from service.protocol.async_job import ExtractionJob, JobReceipt, JobStatus, read_submission, wire_time
from service.protocol.request import ExtractionOptions

JOB_ID = "00000000-0000-4000-8000-000000000000"
SCHEMA = {"type": "object", "properties": {"bank_name": {"type": "string"}}}
JOB = {
    "job_id": JOB_ID,
    "status": "PARTIALLY_COMPLETED",
    "model": "information-extract-260904",
    "total_documents": 2,
    "completed_documents": 1,
    "created_at": "2026-09-01T00:00:00Z",
    "started_at": "2026-09-01T00:00:02Z",
    "completed_at": "2026-09-01T00:01:10Z",
    "batches": [
        {
            "id": 1,
            "file_name": "a.pdf",
            "status": "COMPLETED",
            "failure_message": "",
            "result": {
                "id": "iex-AAAAAAAAAAAAAAAA",
                "model": "information-extract-260904",
                "choices": [{"message": {"content": '{"bank_name":"Bank of Dream"}'}}],
                "usage": {"prompt_tokens": 951, "completion_tokens": 9, "total_tokens": 960},
            },
        },
        {"id": 2, "file_name": "b.pdf", "status": "FAILED", "failure_message": "damaged"},
    ],
}


def read(**changes: object) -> ExtractionJob:
    """A job as it comes off the wire, with changes."""
    return ExtractionJob.model_validate_json(json.dumps(JOB | changes))


def test_a_receipt_is_read():
    """The answer to a submission."""
    receipt = JobReceipt.model_validate(
        {"job_id": JOB_ID, "status": "CREATED", "created_at": "2026-09-01T00:00:00Z", "message": "..."}
    )
    assert (receipt.job_id, receipt.status) == (JOB_ID, JobStatus.CREATED)


def test_a_finished_job_is_read_with_its_results():
    """One file done, one failed."""
    job = read()
    done, failed = job.batches
    assert done.result is not None
    assert done.result.choices[0].message.text() == '{"bank_name":"Bank of Dream"}'
    assert (failed.result, failed.failure_message) == (None, "damaged")
    assert (job.total_documents, job.completed_documents) == (2, 1)


def test_moments_not_reached_may_be_null_or_absent():
    """Before a job starts."""
    waiting = {key: value for key, value in JOB.items() if key not in ("started_at", "completed_at", "batches")}
    job = ExtractionJob.model_validate(waiting | {"status": "CREATED"})
    assert (job.started_at, job.completed_at, job.batches) == (None, None, [])
    assert (
        read(started_at=None, batches=[{"id": 1, "status": "CREATED", "failure_message": None}])
        .batches[0]
        .failure_message
        == ""
    )


def test_a_job_is_written_as_documented():
    """A result as its path writes it; none where there is none."""
    written = read().body()
    result = {
        "id": "iex-AAAAAAAAAAAAAAAA",
        "choices": [
            {
                "finish_reason": None,
                "index": 0,
                "message": {"content": '{"bank_name":"Bank of Dream"}', "role": "assistant"},
            }
        ],
        "created": None,
        "model": "information-extract-260904",
        "usage": {"prompt_tokens": 951, "completion_tokens": 9, "total_tokens": 960},
    }
    assert written == JOB | {"batches": [{**JOB["batches"][0], "result": result}, JOB["batches"][1]]}  # type: ignore[index,dict-item] - a list of objects


def test_a_submission_is_read_from_form_fields():
    """The schema bare, as text; options as text; an empty field as none."""
    submission = read_submission(
        {
            "model": "information-extract",
            "schema": json.dumps(SCHEMA),
            "mode": "",
            "location": "true",
            "location_granularity": "word",
            "confidence": "false",
            "doc_split": "true",
            "chunking": '{"pages_per_chunk": 5}',
        }
    )
    assert (submission.model, submission.source) == ("information-extract", SCHEMA)
    assert submission.options() == ExtractionOptions(
        location=True, location_granularity="word", confidence=False, split=True, pages_per_chunk=5
    )


@pytest.mark.parametrize(
    ("fields", "place"),
    [
        ({"schema": "{}"}, "model"),
        ({"model": "m"}, "schema"),
        ({"model": "m", "schema": "{"}, "schema"),
        ({"model": "m", "schema": "[]"}, "schema"),
        ({"model": "m", "schema": "{}", "chunking": "five"}, "chunking"),
        ({"model": "m", "schema": "{}", "location": "perhaps"}, "location"),
    ],
)
def test_a_faulty_field_is_named(fields: dict[str, str], place: str):
    """So that the API can say which."""
    with pytest.raises(ValidationError) as caught:
        read_submission(fields)
    assert {error["loc"][0] for error in caught.value.errors()} == {place}


def test_moments_are_written_in_utc():
    """Whole seconds, with Z."""
    assert wire_time(datetime(2026, 9, 1, tzinfo=UTC)) == "2026-09-01T00:00:00Z"
    assert wire_time(datetime(2026, 9, 1, 9, tzinfo=timezone(timedelta(hours=9)))) == "2026-09-01T00:00:00Z"
