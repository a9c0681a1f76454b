"""What a job may spend, what it need not ask again, and where its pages may go: from a job to its result."""

from __future__ import annotations

from pathlib import Path

import pytest

from service.domain.budget import Budget
from service.domain.errors import ErrorCode, InputError
from service.domain.jobs import JobStatus
from service.jobs.control.ending import delete_job
from service.jobs.control.retry import retry_job
from tests.fakes.model_stub import ModelStub
from tests.fakes.pipeline import SCHEMA, TENANT, Clock, Pipeline, numbered_pdf, pipeline, wait_until

PRICES = {"upstage:*": {"page": 0.02, "input": 1.0}}


def test_max_requests_is_never_exceeded_and_what_came_before_stays(service: Pipeline, stub: ModelStub) -> None:
    """Six splits, four requests: two end with a warning, the job is partly done."""
    job = service.run(numbered_pdf(6, mark="four"), pages_per_chunk=1, budget=Budget(max_requests=4))
    result = service.result(job)
    assert job.status is JobStatus.PARTIALLY_SUCCEEDED
    assert stub.stats()["requests"] == 4
    assert result["usage"]["requests"] == 4
    assert [issue["code"] for issue in result["issues"]] == [ErrorCode.BUDGET_EXCEEDED] * 2
    assert {row["state"] for row in result["coverage"]} == {"extracted", "failed"}


def test_repeated_requests_count(service: Pipeline, stub: ModelStub) -> None:
    """A request that fails and is sent again is two."""
    stub.script("500", "500", "ok")
    job = service.run(numbered_pdf(1, mark="again"), budget=Budget(max_requests=2))
    assert job.status is JobStatus.FAILED
    assert job.fault is not None
    assert job.fault.code == ErrorCode.BUDGET_EXCEEDED
    assert stub.stats()["requests"] == 2
    assert job.usage.requests == 2


def test_max_tokens_stops_with_the_request_that_goes_over_it(service: Pipeline, stub: ModelStub) -> None:
    """The first goes alone, the others are reckoned by it."""
    probe = service.run(numbered_pdf(1, mark="probe"))
    tokens = service.result(probe)["usage"]["total_tokens"]
    assert tokens > 0
    stub.reset()
    job = service.run(numbered_pdf(5, mark="tokens"), pages_per_chunk=1, budget=Budget(max_tokens=int(2.5 * tokens)))
    assert job.status is JobStatus.PARTIALLY_SUCCEEDED
    assert stub.stats()["requests"] == 3
    assert service.result(job)["usage"]["total_tokens"] <= 3.5 * tokens


def test_cost_is_told_and_bounded_by_the_price_table(stub: ModelStub, tmp_path: Path) -> None:
    """Two cents a page and a dollar a million tokens."""
    with pipeline(tmp_path, stub=stub, model_prices=PRICES) as service:
        usage = service.result(service.run(numbered_pdf(3)))["usage"]
        assert usage["cost"] == pytest.approx(0.06 + usage["prompt_tokens"] / 1e6)
        job = service.run(numbered_pdf(6, mark="dear"), pages_per_chunk=1, budget=Budget(max_cost=0.05))
        assert job.status is JobStatus.PARTIALLY_SUCCEEDED
        assert service.result(job)["usage"]["cost"] < 0.1


def test_a_cost_that_nobody_knows_cannot_be_bounded(service: Pipeline) -> None:
    """Refused when it is handed in."""
    with pytest.raises(InputError, match="FIELDMARK_MODEL_PRICES"):
        service.submit(numbered_pdf(1), budget=Budget(max_cost=1.0))


def test_the_same_request_is_not_sent_twice_and_the_usage_says_so(service: Pipeline, stub: ModelStub) -> None:
    """Same content, schema and model: the same values, nothing sent; another schema is another request."""
    first = service.result(service.run(numbered_pdf(2, mark="same")))
    again = service.result(service.run(numbered_pdf(2, mark="same")))
    assert stub.stats()["requests"] == 1
    assert (again["usage"]["requests"], again["usage"]["cached"], again["usage"]["total_tokens"]) == (0, 1, 0)
    assert again["records"][0]["values"] == first["records"][0]["values"]
    narrow = {"type": "object", "properties": {"total": SCHEMA["properties"]["total"]}}
    service.run(numbered_pdf(2, mark="same"), schema=narrow)
    assert stub.stats()["requests"] == 2


def test_the_cache_can_be_turned_off_for_a_job_and_for_all(service: Pipeline, stub: ModelStub, tmp_path: Path) -> None:
    """Asked for anew; what such a job is told is not kept either."""
    for _ in range(2):
        service.run(numbered_pdf(1, mark="off"), cache=False)
    assert stub.stats()["requests"] == 2
    with pipeline(tmp_path, stub=stub, answer_cache_days=0) as other:
        for _ in range(2):
            other.run(numbered_pdf(1, mark="off"))
        assert stub.stats()["requests"] == 4
        assert other.rows("SELECT count(*) FROM answers") == [(0,)]


def test_what_cannot_be_used_is_not_kept(service: Pipeline, stub: ModelStub) -> None:
    """A retry asks again."""
    stub.script({"fault": "content_filter"})
    job = service.run(numbered_pdf(1, mark="filter"))
    assert job.status is JobStatus.FAILED
    assert service.retry(job).status is JobStatus.SUCCEEDED
    assert stub.stats()["requests"] == 2


def test_delete_leaves_no_answer(stub: ModelStub, tmp_path: Path) -> None:
    """Neither as a row nor as bytes of the database."""
    planted = "PLANTED-7XQ"
    stub.answers({"invoice_number": planted})
    with pipeline(tmp_path, stub=stub) as service:
        job = service.run(numbered_pdf(1, mark="gone"))
        assert service.rows("SELECT count(*) FROM answers") == [(1,)]
        delete_job(service.services, TENANT, job.id)
        assert service.rows("SELECT count(*) FROM answers") == [(0,)]
        wait_until(lambda: service.holds(planted.encode()) == [])


def test_another_tenant_is_not_told(service: Pipeline, stub: ModelStub) -> None:
    """Whether somebody else asked the same is nobody's business."""
    service.run(numbered_pdf(1, mark="mine"))
    with service.services.store.read() as rows:
        [(key,)] = service.rows("SELECT key FROM answers ORDER BY created_at DESC LIMIT 1")
        assert rows.answers.get(TENANT, key, since=0.0) is not None
        assert rows.answers.get("other", key, since=0.0) is None


@pytest.mark.parametrize(
    ("egress", "named"),
    [
        ({"*": {"models": ["embedded", "openai:*"]}}, "upstage:information-extract"),
        ({"default": {"hosts": ["api.upstage.ai"]}}, "127.0.0.1"),
        ({"*": {"models": ["*"]}, "default": {"models": []}}, "upstage"),
    ],
)
def test_a_job_whose_pages_may_not_leave_is_refused(
    stub: ModelStub, tmp_path: Path, egress: dict[str, object], named: str
) -> None:
    """Before anything is stored; the message says whose rule it is."""
    with pipeline(tmp_path, stub=stub, egress=egress) as service:
        with pytest.raises(InputError, match="FIELDMARK_EGRESS") as caught:
            service.submit(numbered_pdf(1))
        assert caught.value.code is ErrorCode.EGRESS_DENIED
        assert named in caught.value.message
        assert service.run(numbered_pdf(1), model="embedded").status.is_terminal
        assert stub.stats()["requests"] == 0


def test_a_schema_may_keep_its_pages_at_home(service: Pipeline, stub: ModelStub) -> None:
    """Whatever the tenant may do."""
    private = SCHEMA | {"x-egress": {"models": ["embedded"]}}
    with pytest.raises(InputError, match="x-egress"):
        service.submit(numbered_pdf(1), schema=private)
    assert service.run(numbered_pdf(1, mark="home"), schema=private, model="embedded").status.is_terminal
    with pytest.raises(InputError, match="x-egress") as caught:
        service.submit(numbered_pdf(1), schema=SCHEMA | {"x-egress": ["embedded"]})
    assert caught.value.code is ErrorCode.INVALID_SCHEMA
    assert stub.stats()["requests"] == 0


def test_a_policy_that_came_later_holds_for_jobs_that_wait(stub: ModelStub, tmp_path: Path) -> None:
    """The door below the clients asks again, for a job that was taken before."""
    with pipeline(tmp_path, stub=stub, working=False, sweeping=False) as service:
        job = service.submit(numbered_pdf(1))
    later = Clock(60.0)  # when a message that was not heard is sent again
    with pipeline(tmp_path, stub=stub, clock=later, egress={"*": {"hosts": ["elsewhere.example"]}}) as service:
        ended = service.finish(job)
        assert ended.fault is not None
        assert ended.fault.code == ErrorCode.EGRESS_DENIED
        assert stub.stats()["requests"] == 0
    with pipeline(tmp_path, stub=stub) as service:
        assert service.finish(retry_job(service.services, TENANT, job.id)).status is JobStatus.SUCCEEDED


def test_the_result_says_who_saw_which_pages(stub: ModelStub, tmp_path: Path) -> None:
    """Provider, host, model as asked and as answered; pages whose call failed were seen too."""
    stub.script("ok", "500")
    with pipeline(tmp_path, stub=stub, model_attempts=1, step_attempts=1) as service:
        job = service.run(numbered_pdf(2, mark="seen"), pages_per_chunk=1)
        seen = service.result(job)["processing"]
        at_home = service.result(service.run(numbered_pdf(1, mark="embedded"), model="embedded"))["processing"]
    assert {entry["provider"] for entry in seen} == {"upstage"}
    assert {entry["host"] for entry in seen} == {stub.base_url.split("/")[2]}
    assert {entry["model"] for entry in seen} == {"information-extract"}
    assert sorted(page for entry in seen for page in entry["pages"]) == [1, 2]
    assert {entry["version"] for entry in seen} == {"information-extract-260904", None}
    assert [(entry["provider"], entry["host"], entry["pages"]) for entry in at_home] == [("embedded", None, [1])]
