"""The OpenAPI document is complete, and what the service does is what it says."""

from __future__ import annotations

import re
from collections.abc import Generator
from pathlib import Path
from typing import Any

import httpx
import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from pydantic import BaseModel
from schemathesis import Case, GenerationMode
from schemathesis.checks import (
    content_type_conformance,
    not_a_server_error,
    response_schema_conformance,
    status_code_conformance,
)
from schemathesis.config import GenerationConfig, ProjectConfig, ProjectsConfig, SchemathesisConfig
from schemathesis.core.result import Ok
from schemathesis.schemas import BaseSchema

from service.api.payloads import batches as batch_payloads
from service.api.payloads import events as event_payloads
from service.api.payloads import (
    examples,
    exports,
    job_requests,
    retention,
    review_examples,
    schema_reruns,
    schemas,
    webhooks,
)
from service.api.payloads import jobs as job_payloads
from service.api.payloads import parts as payloads
from service.api.payloads import results as result_payloads
from service.api.payloads import reviews as review_payloads
from service.api.payloads.base import API
from tests.api.job_calls import hand_in, letter
from tests.fakes.http_server import http_server
from tests.fakes.local_service import local_service

CHECKS = [not_a_server_error, status_code_conformance, content_type_conformance, response_schema_conformance]
BOUNDED = settings(
    max_examples=25,
    deadline=None,
    derandomize=True,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)
CHANGING = ("POST", "DELETE")


@pytest.fixture(scope="module")
def api(tmp_path_factory: pytest.TempPathFactory) -> Generator[httpx.Client]:
    """A service with one finished job."""
    with (
        local_service(tmp_path_factory.mktemp("openapi") / "home", webhook_hosts="127.0.0.1") as service,
        http_server(service.app()) as base_url,
        httpx.Client(base_url=base_url, timeout=120) as client,
    ):
        yield client


@pytest.fixture(scope="module")
def known(api: httpx.Client) -> dict[str, Any]:
    """Ids that exist."""
    result = hand_in(api, letter(), "?wait=110").json()
    webhook_id = api.post("/api/v1/webhooks", json={"url": "https://127.0.0.1:1/none"}).json()["id"]
    batch_id = api.post("/api/v1/batches", json={}).json()["id"]
    ids = {"job_id": result["job_id"], "file_id": result["file"]["id"], "webhook_id": webhook_id}
    return {**ids, "batch_id": batch_id, "page": 1}


@pytest.fixture(scope="module")
def document(api: httpx.Client) -> BaseSchema:
    """The document as served."""
    generation = GenerationConfig(max_examples=20, deterministic=True)
    project = ProjectConfig(base_url=str(api.base_url), generation=generation)
    config = SchemathesisConfig(seed=17, projects=ProjectsConfig(default=project))
    return schemathesis.openapi.from_dict(api.get("/openapi.json").json(), config=config)


def test_answers_are_as_documented(
    document: BaseSchema, api: httpx.Client, known: dict[str, Any], subtests: pytest.Subtests
) -> None:
    """Whatever is sent: no fault of ours, only documented statuses, types and shapes."""

    def call(case: Case[Any]) -> None:
        for name, value in known.items():
            generated = case.path_parameters.get(name) if case.path_parameters else None
            if generated is not None and len(str(generated)) % 2:
                fresh = name == "job_id" and case.method in CHANGING
                case.path_parameters[name] = _fresh_job(api) if fresh else value
        if case.query and str(case.query.get("wait", "")).isdigit():
            case.query["wait"] = min(int(case.query["wait"]), 1)
        case.call_and_validate(checks=CHECKS)

    for found in document.get_all_operations():
        assert isinstance(found, Ok), found
        operation = found.ok()
        wrong = [GenerationMode.NEGATIVE] if operation.path.startswith(API) else []  # probes take nothing
        for mode in (GenerationMode.POSITIVE, *wrong):
            with subtests.test(f"{operation.label}, {mode.value}"):
                BOUNDED(given(operation.as_strategy(generation_mode=mode))(call))()


def _fresh_job(api: httpx.Client) -> str:
    job: str = hand_in(api, letter()).json()["id"]
    return job


def test_every_route_says_what_it_does(api: httpx.Client) -> None:
    """A summary, a description, and a success with a documented content."""
    for path, methods in api.get("/openapi.json").json()["paths"].items():
        for method, operation in methods.items():
            where = f"{method} {path}"
            assert operation["summary"], where
            assert operation["description"], where
            told = [answer for status, answer in operation["responses"].items() if status < "300" and status != "204"]
            content = [answer["content"] for answer in told]
            assert content, where
            for media_types in content:
                for media_type, described in media_types.items():
                    assert media_type != "application/json" or described["schema"], where


def test_every_json_answer_and_body_has_an_example(api: httpx.Client) -> None:
    """A reader sees one before writing any code."""
    for path, methods in api.get("/openapi.json").json()["paths"].items():
        for method, operation in methods.items():
            bodies = [operation["requestBody"]["content"]] if "requestBody" in operation else []
            answers = [a["content"] for status, a in operation["responses"].items() if status in ("200", "201", "202")]
            for content in (*bodies, *answers):
                if "application/json" in content:
                    shown = content["application/json"]
                    assert "example" in shown or "examples" in shown, f"{method} {path}"


def test_statuses_are_documented_with_their_codes(api: httpx.Client) -> None:
    """Each error status of a route names the codes that it may have."""
    jobs = api.get("/openapi.json").json()["paths"]["/api/v1/jobs"]["post"]["responses"]
    assert "`no_file`" in jobs["400"]["description"]
    assert "`idempotency_in_flight`" in jobs["409"]["description"]
    assert "422" in jobs
    assert all("HTTPValidationError" not in str(answer) for answer in jobs.values())


@pytest.mark.parametrize(
    ("model", "shown"),
    [
        (batch_payloads.BatchPayload, batch_payloads.BATCH),
        (batch_payloads.BatchListPayload, batch_payloads.BATCH_LIST),
        (batch_payloads.RefusedListPayload, batch_payloads.REFUSED_LIST),
        (batch_payloads.ArchivePayload, batch_payloads.ARCHIVE),
        (exports.ExportPayload, exports.EXPORT),
        (exports.ExportListPayload, exports.EXPORT_LIST),
        (payloads.FilePayload, examples.FILE),
        (payloads.PagePayload, examples.PAGE),
        (job_payloads.JobPayload, examples.JOB),
        (job_payloads.JobListPayload, examples.JOB_LIST),
        (result_payloads.ResultPayload, examples.RESULT),
        (result_payloads.CompletionPayload, examples.COMPLETION),
        (job_payloads.ReceiptPayload, examples.RECEIPT),
        (review_payloads.CorrectionsRequest, review_examples.CORRECTIONS_REQUEST),
        (review_payloads.CorrectionsPayload, review_examples.CORRECTIONS),
        (review_payloads.HistoryPayload, review_examples.HISTORY),
        (review_payloads.NextPayload, review_examples.NEXT),
        (event_payloads.EventListPayload, examples.EVENT_LIST),
        (payloads.ModelListPayload, examples.MODEL_LIST),
        (payloads.HealthPayload, examples.HEALTH),
        (payloads.ReadyPayload, examples.READY),
        (payloads.ReadyPayload, examples.NOT_READY),
        (job_requests.JobRequest, examples.JOB_REQUEST),
        (schemas.SchemaListPayload, examples.SCHEMA_LIST),
        (schemas.SchemaPayload, examples.SCHEMA_VERSION),
        (job_requests.RerunRequest, examples.RERUN_REQUEST),
        *webhooks.EXAMPLES,
        *retention.EXAMPLES,
        *schema_reruns.EXAMPLES,
    ],
)
def test_an_example_is_of_its_own_shape(model: type[BaseModel], shown: object) -> None:
    """A key that is added or renamed shows here."""
    model.model_validate(shown)


def test_documentation_lists_every_route(api: httpx.Client) -> None:
    """docs/api.md, in the same words, and in each row what may stand in the query."""
    text = (Path(__file__).parents[2] / "docs" / "api.md").read_text("utf-8")
    for path, methods in api.get("/openapi.json").json()["paths"].items():
        shown = re.sub(r"\{page\}", "{n}", re.sub(r"\{\w+_id\}", "{id}", path.removeprefix(API)))
        for method, operation in methods.items():
            row = next((line for line in text.splitlines() if line.startswith(f"| `{method.upper()} {shown}` |")), "")
            asked = [one["name"] for one in operation.get("parameters", []) if one["in"] == "query"]
            assert row, (method, path)
            assert [name for name in asked if f"`{name}" not in row] == [], (method, path)
