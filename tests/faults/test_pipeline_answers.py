"""What becomes of a job when the model's answers are cut short, withheld, or not what was asked for."""

from __future__ import annotations

import json
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest

from service.domain.errors import ErrorCode
from service.domain.jobs import JobStatus
from service.domain.steps import StepKind
from tests.fakes.model_stub import ModelStub
from tests.fakes.pipeline import Pipeline, numbered_pdf, pipeline

ONE_FIELD: dict[str, Any] = {"type": "object", "properties": {"invoice_number": {"type": "string"}}}
SECRET = "Schluesselblume"


@pytest.fixture(scope="module")
def service(server: ModelStub, tmp_path_factory: pytest.TempPathFactory) -> Generator[Pipeline]:
    """A service that asks twice at most before a split is given back, and claims it twice."""
    home = Path(tmp_path_factory.mktemp("home"))
    with pipeline(home, stub=server, model_attempts=2, step_attempts=2, answer_cache_days=0) as running:
        yield running


def test_a_truncated_answer_is_asked_for_again_in_halves_until_it_is_whole(service: Pipeline, stub: ModelStub) -> None:
    """10 pages, then 5 and 5, and what comes third is halved too: one record of all rows, every page extracted.

    That is the second five, or the first three of the first.
    """
    stub.script({"fault": "length", "repeat": 3})
    stub.hold()
    job = service.submit(numbered_pdf(10))
    stub.wait_for(script_left=2)
    stub.let_go(1)
    stub.wait_for(script_left=0)  # both halves have asked, and will be cut, before a part of either can ask
    stub.let_go()
    job = service.finish(job)
    result = service.result(job)
    assert job.status is JobStatus.SUCCEEDED
    assert stub.stats()["requests"] == 7
    assert {row["state"] for row in result["coverage"]} == {"extracted"}
    assert [record["pages"] for record in result["records"]] == [list(range(1, 11))]
    assert len(result["records"][0]["values"]["lines"]) == 8
    lines = [result["records"][0]["fields"][f"/lines/{n}/amount"]["page"] for n in range(8)]
    assert lines in ([1, 1, 4, 4, 6, 6, 9, 9], [1, 1, 3, 3, 4, 4, 6, 6])


def test_a_truncated_answer_for_one_page_is_asked_for_again_in_fewer_fields(service: Pipeline, stub: ModelStub) -> None:
    """One page and three fields: two fields and one, all found, one record."""
    stub.script("length")
    job = service.run(numbered_pdf(1))
    [record] = service.result(job)["records"]
    asked = [list(r["body"]["response_format"]["json_schema"]["schema"]["properties"]) for r in stub.requests()]
    assert job.status is JobStatus.SUCCEEDED
    assert sorted(asked[1:]) == [["invoice_number", "total"], ["lines"]]
    assert list(record["values"]) == ["invoice_number", "total", "lines"]
    assert all(value not in (None, []) for value in record["values"].values())


def test_an_answer_truncated_at_the_floor_ends_its_split_and_keeps_the_others(
    service: Pipeline, stub: ModelStub
) -> None:
    """One page of two, one field: `output_truncated`, partially succeeded, the other page's value is there."""
    stub.script("length")
    job = service.run(numbered_pdf(2), schema=ONE_FIELD, pages_per_chunk=1)
    result = service.result(job)
    assert job.status is JobStatus.PARTIALLY_SUCCEEDED
    assert sorted(row["state"] for row in result["coverage"]) == ["extracted", "failed"]
    assert [issue["code"] for issue in result["issues"] if issue["stage"] == "extract"] == ["output_truncated"]
    assert result["records"][0]["values"]["invoice_number"]
    assert result["records"][0]["pages"] == [1, 2]


def test_truncated_text_is_never_read(service: Pipeline, stub: ModelStub) -> None:
    """A model that cuts every answer gives nothing, though what it wrote holds whole values."""
    stub.answers({"invoice_number": SECRET})
    stub.script({"fault": "length", "repeat": 20})
    job = service.run(numbered_pdf(1))
    assert job.status is JobStatus.FAILED
    assert job.fault is not None
    assert job.fault.code == ErrorCode.OUTPUT_TRUNCATED
    assert stub.stats()["requests"] == 5
    assert SECRET not in json.dumps(service.result(job))
    assert service.result(job)["records"] == []
    assert [row["state"] for row in service.result(job)["coverage"]] == ["failed"]


def test_a_withheld_answer_ends_its_split_with_a_safe_message(service: Pipeline, stub: ModelStub) -> None:
    """Asked once; the other pages are kept; no word of the document in the message."""
    stub.script("content_filter")
    job = service.run(numbered_pdf(2, mark=SECRET), pages_per_chunk=1)
    result = service.result(job)
    [issue] = [issue for issue in result["issues"] if issue["stage"] == "extract"]
    assert job.status is JobStatus.PARTIALLY_SUCCEEDED
    assert stub.stats()["requests"] == 2
    assert issue["code"] == "content_filtered"
    assert SECRET not in issue["message"]


def test_a_job_whose_only_answer_is_withheld_fails(service: Pipeline, stub: ModelStub) -> None:
    """The job says why."""
    stub.script("content_filter")
    job = service.run(numbered_pdf(1))
    assert job.status is JobStatus.FAILED
    assert service.result(job)["error"]["code"] == "content_filtered"


def test_an_unknown_reason_to_stop_is_named(service: Pipeline, stub: ModelStub) -> None:
    """It is not asked for again, and the reason stands in the message."""
    stub.script("unknown_finish_reason")
    job = service.run(numbered_pdf(1))
    assert job.status is JobStatus.FAILED
    assert job.fault is not None
    assert (job.fault.code, stub.stats()["requests"]) == (ErrorCode.UNKNOWN_FINISH_REASON, 1)
    assert "recitation" in job.fault.message


def test_an_answer_that_broke_on_the_way_is_asked_for_again(service: Pipeline, stub: ModelStub) -> None:
    """Six jobs, each given something else in place of its first answer: the second one counts."""
    broken = ("non_json_200", "error_in_200", "no_choices", "empty_200", "cut", "drop")
    stub.script(*broken)
    jobs = [service.submit(numbered_pdf(1, mark=fault)) for fault in broken]
    assert {service.finish(job).status for job in jobs} == {JobStatus.SUCCEEDED}
    assert stub.stats()["requests"] == 2 * len(broken)


def test_a_model_that_answers_nonsense_is_asked_twice_and_no_more(service: Pipeline, stub: ModelStub) -> None:
    """The split ends with `model_bad_answer`."""
    stub.script({"fault": "not_a_completion", "repeat": 9})
    job = service.run(numbered_pdf(1))
    assert job.status is JobStatus.FAILED
    assert job.fault is not None
    assert (job.fault.code, stub.stats()["requests"]) == (ErrorCode.MODEL_BAD_ANSWER, 2)


LOOSE = (
    "fences",
    "prose",
    "extra_keys",
    "bare_choice",
    "null_finish_reason",
    "missing_leaves",
    "no_tool_calls",
    "arguments_object",
    "arguments_broken",
    "page_minus_one",
    "page_beyond",
    "empty_content",
    "null_content",
)


@pytest.mark.parametrize("fault", LOOSE)
def test_a_loose_answer_gives_the_same_values_and_an_entry_for_each(
    service: Pipeline, stub: ModelStub, fault: str
) -> None:
    """Text around the JSON, values that stand in the additional ones alone, places that do not exist: no difference."""
    wanted = service.result(service.run(numbered_pdf(2)))["records"][0]
    stub.script(fault)
    job = service.run(numbered_pdf(2))
    [record] = service.result(job)["records"]
    assert job.status is JobStatus.SUCCEEDED
    assert wanted["values"] == record["values"]
    assert wanted["fields"].keys() == record["fields"].keys()
    assert {entry["page"] for entry in record["fields"].values() if entry["value"] is not None} <= {1, 2, None}


def test_values_of_a_wrong_type_are_made_right_or_left_out(service: Pipeline, stub: ModelStub) -> None:
    """`"1,234.5"` for a number is that number; every leaf has its entry and its type."""
    stub.answers({"total": 1234.5})
    stub.script("wrong_types")
    job = service.run(numbered_pdf(1))
    [record] = service.result(job)["records"]
    assert job.status is JobStatus.SUCCEEDED
    assert record["values"]["total"] == 1234.5
    assert isinstance(record["values"]["invoice_number"], str | None)
    assert all(isinstance(line["amount"], float | None) for line in record["values"]["lines"])
    assert {"/invoice_number", "/total", "/lines/0/amount"} <= record["fields"].keys()


def test_the_halves_of_a_truncated_split_are_carried_over_by_a_retry(service: Pipeline, stub: ModelStub) -> None:
    """4 pages are cut in halves; one half is withheld; the retry asks for that half alone."""
    stub.script("length", "content_filter")
    job = service.run(numbered_pdf(4))
    assert job.status is JobStatus.PARTIALLY_SUCCEEDED
    ended = service.retry(job)
    assert ended.status is JobStatus.SUCCEEDED
    assert stub.stats()["requests"] == 4
    assert len(service.result(ended)["records"][0]["values"]["lines"]) == 4
    assert len(service.steps(ended, StepKind.EXTRACT)) == 3
