"""Every fault of the rehearsal server, from an upload over REST to the result, through both clients of the protocol.

The server reads the page well and then goes wrong: so what should be there after each fault is known.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest

from service.domain.schema import walk_leaves
from service.rehearsal.script import FAULTS, FaultKind
from service.rehearsal.way_faults import RETRY_FORMS
from tests.fakes.http_server import http_server
from tests.fakes.local_service import local_service
from tests.fakes.model_stub import GOOD_KEY, ModelStub
from tests.fakes.one_invoice import SCHEMA, TRUTH, draw_invoice

Json = Any
Answer = dict[str, Json]
TRUE_LEAVES = dict(walk_leaves(dict(TRUTH)))
MODELS: Mapping[str, Json] = {"plain*": {}, "streams*": {"stream": True}}
UPSTAGE, OPENAI, STREAMED = "upstage", "openai:plain", "openai:streams"
TIMEOUT_S = 3.0


@dataclass(frozen=True)
class Ended:
    """How a job ended, as a caller sees it."""

    job: Answer
    result: Answer
    requests: int


def leaves(ended: Ended) -> dict[str, Json]:
    """Every value of the one record."""
    (record,) = ended.result["records"]
    found = dict(walk_leaves(record["values"]))
    assert found.keys() <= record["fields"].keys()
    return found


def whole(ended: Ended) -> None:
    """Every value is there, with its box on the page."""
    assert ended.job["status"] == "succeeded", ended.result
    assert leaves(ended) == TRUE_LEAVES
    fields = ended.result["records"][0]["fields"]
    assert {(e["page"], e["box_check"]) for e in fields.values()} == {(1, "match")}


def failed(code: str, *words: str) -> Callable[[Ended], None]:
    """The job says why, in words, and no value of the half answer is passed on."""

    def check(ended: Ended) -> None:
        assert ended.job["status"] == "failed"
        error = ended.job["error"]
        assert error["code"] == code, error
        for word in words:
            assert word in error["message"]
        assert "Quillfox" not in json.dumps(ended.result)
        assert ended.result["records"] == []
        assert [row["state"] for row in ended.result["coverage"]] == ["failed"]

    return check


def without(*lost: str) -> Callable[[Ended], None]:
    """Some values are absent or unreadable, without a box and without trust; all others are right."""

    def check(ended: Ended) -> None:
        assert ended.job["status"] == "succeeded", ended.result
        found = leaves(ended)
        fields = ended.result["records"][0]["fields"]
        gone = {path for path in TRUE_LEAVES if path.startswith(lost)}
        assert {p: v for p, v in found.items() if v is not None} == {
            p: v for p, v in TRUE_LEAVES.items() if p not in gone
        }
        assert {fields[p]["confidence"] for p in gone if p in fields} <= {"low"}

    return check


def numbers_lost(ended: Ended) -> None:
    """Numbers that are none are unreadable, not made up, and the result says so."""
    numbers = tuple(path for path, value in TRUE_LEAVES.items() if isinstance(value, (int, float)))
    without(*numbers)(ended)
    assert "wrong_type" in issues(ended)
    assert ended.job["review"]["state"] == "needed"


def texts_lost(ended: Ended) -> None:
    """Numbers in print are read; texts in lists are not guessed at, and the result says so."""
    without(*(path for path, value in TRUE_LEAVES.items() if isinstance(value, str)))(ended)
    assert "wrong_type" in issues(ended)


def issues(ended: Ended) -> set[str]:
    """The codes of what a reader should know."""
    return {issue["code"] for issue in ended.result["issues"]}


def noted(code: str) -> Callable[[Ended], None]:
    """All is there, and the result tells what was put right."""

    def check(ended: Ended) -> None:
        whole(ended)
        assert code in issues(ended)

    return check


def doubled(ended: Ended) -> None:
    """Two rows never share a box: the second of each pair has no source and is not trusted."""
    (record,) = ended.result["records"]
    lines = record["values"]["lines"]
    assert [line["description"] for line in lines[::2]] == [line["description"] for line in TRUTH["lines"]]
    boxes = [json.dumps(record["fields"][f"/lines/{n}/description"].get("word_coordinates")) for n in range(6)]
    placed = [box for box in boxes if box not in ("null", "[]")]
    assert len(placed) == len(set(placed)) == 3
    trusted = [n for n in range(6) if record["fields"][f"/lines/{n}/amount"]["confidence"] == "high"]
    assert len(trusted) <= 3
    assert ended.job["review"]["state"] == "needed"


def one_row(ended: Ended) -> None:
    """A row that was not put into a list is a table of one row."""
    without("/lines/1", "/lines/2")(ended)
    assert "wrong_shape" in issues(ended)


def nothing(ended: Ended) -> None:
    """A model that found nothing: every field is absent, and a person is asked."""
    without(*TRUE_LEAVES)(ended)
    assert "nothing_found" in issues(ended)


def every_second(ended: Ended) -> None:
    """Keys that were left out are absent."""
    without(*(f"/{name}" for name in list(TRUTH)[1::2]))(ended)


def repaired(ended: Ended) -> None:
    """A model of which nothing but its words is sure is asked once more."""
    whole(ended)
    assert ended.requests == 2


def asked_for_less(ended: Ended) -> None:
    """The fields are asked for in halves, and put together again."""
    whole(ended)
    assert ended.requests == 3


bad, cut = failed("model_bad_answer", "model's answer"), failed("model_bad_answer", "answered 200")
UNAVAILABLE = failed("model_unavailable", "check the base URL")
LATE = failed("model_timeout", f"within {TIMEOUT_S:g} s")
Check = Callable[[Ended], None]
EXPECTED: Mapping[str, Check | tuple[Check, Check]] = {
    "ok": whole,
    "content": (bad, repaired),
    "blank": nothing,
    "length": asked_for_less,
    "cut_text": (bad, repaired),
    "content_filter": failed("content_filtered", "withheld"),
    "refusal": failed("content_filtered", "withheld"),
    "finish": whole,
    "unknown_finish_reason": failed("unknown_finish_reason", "'recitation'"),
    "null_finish_reason": whole,
    "fences": whole,
    "prose": whole,
    "thoughts": whole,
    "think_tags": whole,
    "in_content": whole,
    "double_encoded": whole,
    "listed": whole,
    "single_quotes": whole,
    "trailing_commas": whole,
    "nan": numbers_lost,
    "duplicate_keys": noted("duplicate_keys"),
    "numbers_as_text": whole,
    "wrong_types": texts_lost,
    "keys_as_values": failed("model_bad_answer", "repeats the schema's own words"),
    "schema_echo": (failed("model_bad_answer", "repeats the schema"), repaired),
    "envelope": failed("model_bad_answer", "envelope"),
    "extra_keys": noted("unknown_keys"),
    "missing_keys": every_second,
    "null_rows": whole,
    "duplicate_rows": doubled,
    "row_as_object": one_row,
    "control_characters": whole,
    "deep": (bad, repaired),
    "huge_value": noted("unknown_keys"),
    "loop": asked_for_less,
    "empty_content": (whole, repaired),
    "null_content": (whole, repaired),
    "bare_choice": whole,
    "no_tool_calls": whole,
    "missing_leaves": whole,
    "arguments_object": whole,
    "arguments_broken": (noted("malformed_locations"), whole),
    "page_minus_one": whole,
    "page_beyond": (noted("page_out_of_range"), whole),
    "boxes_outside": whole,
    "boxes_flat": whole,
    "no_choices": cut,
    "not_a_completion": cut,
    "error_in_200": cut,
    "non_json_200": cut,
    "empty_200": cut,
    "odd_packing": failed("model_bad_answer", "packed as 'br'"),
    "huge_body": failed("model_bad_answer", "longer than"),
    "context_length": (failed("model_rejected", "context_length_exceeded"), asked_for_less),
    "filtered": (failed("model_rejected", "content_filter"), failed("content_filtered", "withheld")),
    "no_quota": failed("model_access_denied", "insufficient_quota"),
    "hang": LATE,
    "drop": UNAVAILABLE,
    "cut": UNAVAILABLE,
    "slow": whole,
    "slow_drip": LATE,
    "endless": failed("model_bad_answer", "longer than"),
    "stream_cut": UNAVAILABLE,
    "stream_no_done": cut,
    "stream_error": failed("model_unavailable", "broke off"),
    "stream_junk": cut,
    "stream_loop": asked_for_less,
    "stream_drip": LATE,
    "not_streamed": whole,
}
"""What comes of each fault with one attempt at everything; where the two clients differ, the vendor's comes first."""
SAID: Mapping[str, Json] = {"content": {"fault": "content", "text": "I see an invoice."}}

STATUSES: Mapping[int, str] = {
    307: "model_rejected",
    400: "model_rejected",
    401: "model_access_denied",
    402: "model_access_denied",
    403: "model_access_denied",
    404: "model_rejected",
    408: "model_timeout",
    413: "model_rejected",
    415: "model_rejected",
    422: "model_rejected",
    500: "model_unavailable",
    503: "model_unavailable",
    504: "model_timeout",
}


@dataclass(frozen=True)
class Caller:
    """Hands in the invoice over REST."""

    client: httpx.Client
    hasty: httpx.Client
    """Of a service that waits a few seconds for an answer, and not a minute."""
    stub: ModelStub

    def run(self, model: str, *script: Json, expected: object = None) -> Ended:
        """One job, whose first requests meet these faults."""
        client = self.hasty if expected is LATE else self.client
        self.prepare(*script)
        return self.end(client, self.hand_in(client, model))

    def prepare(self, *script: Json) -> None:
        """What the next requests meet."""
        self.stub.reset()
        self.stub.answers(TRUTH)
        self.stub.script(*script)

    def hand_in(self, client: httpx.Client, model: str) -> str:
        """The id of a new job."""
        taken = client.post(
            "/api/v1/jobs",
            files={"file": ("invoice.pdf", draw_invoice())},
            data={"schema": json.dumps({"name": "invoice", "schema": SCHEMA}), "model": model},
        )
        assert taken.status_code == 202, taken.text
        return taken.json()["id"]

    def end(self, client: httpx.Client, job_id: str) -> Ended:
        """The job once it is over."""
        job = client.get(f"/api/v1/jobs/{job_id}", params={"wait": "110"}).json()
        result = client.get(f"/api/v1/jobs/{job['id']}/result", params={"view": "full"})
        assert result.status_code == 200, result.text
        return Ended(job, result.json(), self.stub.stats()["requests"])


@contextmanager
def _service(home: Path, stub: ModelStub, timeout_s: float) -> Generator[httpx.Client]:
    """A client of a service that tries everything once."""
    with (
        local_service(
            home,
            upstage_base_url=stub.base_url,
            upstage_api_key=GOOD_KEY,
            openai_base_url=stub.base_url,
            openai_api_key=GOOD_KEY,
            openai_models=MODELS,
            model_attempts=1,
            step_attempts=1,
            model_timeout_s=timeout_s,
            provider_failures=1_000_000,  # here each call fails on purpose, and the next one is another test's
            provider_patience_s=0.1,
            answer_cache_days=0,
        ) as service,
        http_server(service.app()) as base_url,
        httpx.Client(base_url=base_url, timeout=120) as client,
    ):
        yield client


@pytest.fixture(scope="module")
def caller(tmp_path_factory: pytest.TempPathFactory) -> Generator[Caller]:
    """Two services before one server."""
    with (
        ModelStub() as stub,
        _service(tmp_path_factory.mktemp("patient"), stub, 60.0) as patient,
        _service(tmp_path_factory.mktemp("hasty"), stub, TIMEOUT_S) as hasty,
    ):
        yield Caller(patient, hasty, stub)


def test_every_fault_has_an_expected_end() -> None:
    """None is forgotten, none is made up."""
    assert list(EXPECTED) == list(FAULTS)


@pytest.mark.parametrize("fault", [name for name, note in FAULTS.items() if note.kind is not FaultKind.STREAM])
def test_a_fault_in_the_vendors_shape_ends_as_it_should(caller: Caller, fault: str) -> None:
    """Upstage's client."""
    expected = EXPECTED[fault]
    ended = caller.run(UPSTAGE, SAID.get(fault, fault), expected=expected)
    (expected if callable(expected) else expected[0])(ended)


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_in_openais_shape_ends_as_it_should(caller: Caller, fault: str) -> None:
    """The OpenAI-compatible client, whose faults of streams are met in a stream."""
    model = STREAMED if FAULTS[fault].kind is FaultKind.STREAM else OPENAI
    expected = EXPECTED[fault]
    ended = caller.run(model, SAID.get(fault, fault), expected=expected)
    (expected if callable(expected) else expected[1])(ended)


@pytest.mark.parametrize("model", [UPSTAGE, OPENAI])
@pytest.mark.parametrize("status", STATUSES)
def test_a_status_ends_the_job_in_the_providers_words(caller: Caller, status: int, model: str) -> None:
    """With its number; the page goes nowhere else, whatever address the answer names."""
    elsewhere = {"location": f"{caller.stub.base_url}/elsewhere"}
    script = {"fault": str(status), "message": "the very reason", "headers": elsewhere}
    ended = caller.run(model, script)
    failed(STATUSES[status], str(status), "the very reason")(ended)
    assert ended.requests == 1


@pytest.mark.parametrize("model", [UPSTAGE, OPENAI])
def test_a_rate_limit_is_waited_out_in_whatever_way_it_is_said(caller: Caller, model: str) -> None:
    """Without an attempt less, since it is no failure: as many jobs as ways."""
    caller.prepare(*({"fault": "429", "form": form, "seconds": 1} for form in RETRY_FORMS))
    jobs = [caller.hand_in(caller.client, model) for _ in RETRY_FORMS]
    for job_id in jobs:
        whole(caller.end(caller.client, job_id))
    assert caller.stub.stats()["answered"] == {"429": len(RETRY_FORMS), "200": len(RETRY_FORMS)}
