"""The Python client against a running service."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import threading
import tomllib
from collections.abc import Generator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import httpx
import pytest
from fieldmark_client import (
    ApiError,
    Fieldmark,
    JobFields,
    NoAnswerError,
    RerunFields,
    Retries,
    StillRunningError,
    WebhookError,
    verify_webhook,
)
from standardwebhooks import Webhook

from service.api.payloads.job_requests import WAYS_TO_NAME_A_SCHEMA, JobRequest, RerunRequest
from tests.api.job_calls import SCHEMA, letter
from tests.fakes.http_server import http_server
from tests.fakes.local_service import SAMPLES, local_service
from tests.fakes.pipeline import wait_until
from tests.fakes.receiver import Received, Receiver, receiver

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "clients" / "python"
LETTER: dict[str, Any] = dict(SCHEMA)
QUICK = Retries(first_wait_s=0.01, longest_wait_s=0.05)


@pytest.fixture(scope="module")
def base_url(tmp_path_factory: pytest.TempPathFactory) -> Generator[str]:
    """A working service."""
    home = tmp_path_factory.mktemp("client") / "home"
    with local_service(home, webhook_hosts="127.0.0.1") as service, http_server(service.app()) as url:
        yield url


@pytest.fixture
def client(base_url: str) -> Generator[Fieldmark]:
    """A client of it."""
    with Fieldmark(base_url) as client:
        yield client


def test_everything_that_a_job_may_be_asked_has_a_type() -> None:
    """Schema and file are parameters of their own."""
    apart = {*WAYS_TO_NAME_A_SCHEMA, "file_id"}
    for fields, request in ((JobFields, JobRequest), (RerunFields, RerunRequest)):
        names = {field.alias or name for name, field in request.model_fields.items()}
        assert fields.__annotations__.keys() == names - apart


def test_a_document_becomes_typed_values_with_their_places(client: Fieldmark) -> None:
    """In one call: page, box, confidence, checks."""
    result = client.extract(SAMPLES / "receipt" / "document.jpg", schema="receipt", fields={"external_id": "r-1"})
    (record,) = result.records
    total = record.fields["/total"]
    assert (result.status, result.external_id, record.values["total"]) == ("succeeded", "r-1", 37.3)
    assert (total.value, total.verdict, total.page) == (37.3, "found", 1)
    box = total.box
    assert box is not None
    assert 0 < box.x0 < box.x1 < 1
    assert 0 < box.top < box.bottom < 1
    assert all(check.ok for check in record.checks)
    assert {f.is_sure for f in record.doubtful.values()} == {False}


def test_an_upload_tells_its_progress(client: Fieldmark, tmp_path: Path) -> None:
    """Up to the last byte; the schema may lie in a file."""
    told: list[tuple[int, int]] = []
    path = SAMPLES / "receipt" / "document.jpg"
    wanted = tmp_path / "letter.schema.json"
    wanted.write_text(json.dumps(LETTER))
    client.submit(path, schema=wanted, progress=lambda sent, size: told.append((sent, size)))
    assert told[-1] == (path.stat().st_size,) * 2
    assert [sent for sent, _ in told] == sorted(sent for sent, _ in told)


def test_the_same_key_makes_one_job(client: Fieldmark) -> None:
    """Whoever sends a request again, after a crash of its own, says so."""
    ids = {client.submit(letter("Letter number: K"), schema=LETTER, idempotency_key="k-1").id for _ in range(2)}
    assert len(ids) == 1
    assert client.submit(letter("Letter number: K"), schema=LETTER).id not in ids


def test_jobs_results_and_events_are_iterated(client: Fieldmark) -> None:
    """Page by page, by what they are looked for."""
    after = max((event.position or 0 for event in client.events()), default=0)
    made = [
        client.submit(letter(f"Letter number: I-{n}"), schema=LETTER, fields={"external_id": "iterated"}).id
        for n in range(3)
    ]
    for job_id in made:
        client.wait(job_id, timeout_s=200)
    assert [job.id for job in client.jobs(external_id="iterated")] == made[::-1]
    numbers = {result.records[0].values["number"] for result in client.results(external_id="iterated", view="values")}
    assert numbers == {"I-0", "I-1", "I-2"}
    ends = [e.job_id for e in client.events(after=after) if e.data.get("status") == "succeeded" and e.job_id in made]
    assert sorted(filter(None, ends)) == sorted(made)
    following = client.events(after=after, follow=True, wait_s=1)
    assert next(following).type == "job.status"


def test_errors_are_exceptions_that_tell_what_to_do(client: Fieldmark) -> None:
    """By code; what is wrong, and which part."""
    with pytest.raises(ApiError) as caught:
        client.submit(b"", schema=LETTER)
    assert (caught.value.code, caught.value.status, caught.value.param) == ("empty_file", 400, "file")
    assert not caught.value.retryable
    assert caught.value.request_id
    with pytest.raises(ApiError, match="job_not_found"):
        client.job("job_none")


def test_a_job_that_goes_on_is_told(tmp_path: Path) -> None:
    """And its result is not there yet."""
    with (
        local_service(tmp_path / "home", working=False) as service,
        http_server(service.app()) as url,
        Fieldmark(url) as client,
    ):
        job = client.submit(letter(), schema=LETTER)
        with pytest.raises(StillRunningError, match="queued"):
            client.wait(job.id, timeout_s=0.2)
        with pytest.raises(ApiError, match="not_finished"):
            client.result(job.id)
        assert client.cancel(job.id).status == "cancelled"
        assert client.cancel(job.id).is_over


def test_a_record_is_corrected_approved_and_its_job_deleted(client: Fieldmark) -> None:
    """What a person says goes before what the machine says."""
    result = client.extract(letter("Letter number: C-1"), schema=LETTER)
    operation = {"op": "set", "path": "/number", "old": "C-1", "value": "C-2"}
    client.correct(result.job_id, [operation], revision=result.revision)
    with pytest.raises(ApiError) as caught:
        client.correct(result.job_id, [operation])
    assert caught.value.code == "edit_conflict"
    assert caught.value.details["theirs"] == "C-2"
    client.approve(result.job_id, accept_unseen=True)
    approved = client.result(result.job_id, version="approved")
    assert approved.records[0].values == {"number": "C-2"}
    assert approved.review.state == "approved"
    client.reopen(result.job_id)
    client.reject(result.job_id, "not ours")
    receipt = client.delete(result.job_id)
    assert receipt.job_id == result.job_id
    with pytest.raises(ApiError, match="expired"):
        client.job(result.job_id)


def test_a_kept_schema_is_named_and_a_job_run_anew_with_it(client: Fieldmark) -> None:
    """The reference names the version."""
    reference = client.put_schema("client-letter", LETTER["schema"])
    assert reference == "client-letter@1"
    result = client.extract(letter("Letter number: S-1"), schema=LETTER)
    again = client.wait(client.rerun(result.job_id, schema=reference).id)
    assert (again.run, again.status) == (2, "succeeded")
    routed = client.extract(letter("Letter number: S-2"), schema=["client-letter", "receipt"])
    assert routed.job_id


# what stands between


class _Flaky(BaseHTTPRequestHandler):
    """Fails as it is told, then answers with a job."""

    script: list[tuple[int, dict[str, str], dict[str, Any] | None]]
    seen: list[tuple[str, str | None, int]]

    def do_POST(self) -> None:
        size = len(self.rfile.read(int(self.headers.get("content-length", 0))))
        self.seen.append((self.path, self.headers.get("idempotency-key"), size))
        status, headers, body = self.script.pop(0)
        if status == 0:
            self.connection.close()
            return
        data = b"" if body is None else json.dumps(body).encode()
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    do_GET = do_POST

    def log_message(self, format: str, *args: Any) -> None:
        del format, args


JOB: dict[str, Any] = {
    "id": "job_1",
    "status": "queued",
    "run": 1,
    "revision": 1,
    "file_id": "file_1",
    "model": "embedded",
    "review": {"state": "not_needed"},
    "something_newer": [1, 2],
}


def overloaded(retryable: bool) -> dict[str, Any]:
    """The body of an error."""
    return {"error": {"code": "overloaded", "message": "Later.", "retryable": retryable, "request_id": "req_1"}}


@pytest.fixture
def flaky() -> Generator[tuple[type[_Flaky], str]]:
    """A server that fails as its script says."""

    class Handler(_Flaky):
        """One with nothing to forget."""

    Handler.script, Handler.seen = [], []

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        server.daemon_threads = True
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield Handler, f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


def test_what_may_pass_is_tried_again_with_the_same_key_and_the_whole_file(flaky: tuple[type[_Flaky], str]) -> None:
    """Overload, a gateway without a body, a connection that breaks."""
    handler, url = flaky
    handler.script += [
        (429, {"Retry-After": "0"}, overloaded(True)),
        (502, {}, None),
        (0, {}, None),
        (202, {}, JOB),
    ]
    with Fieldmark(url, retries=QUICK) as client:
        job = client.submit(b"%PDF-1.7 " * 100, schema="invoice")
    assert job.id == "job_1"
    assert len(handler.seen) == 4
    assert len({key for _, key, _ in handler.seen}) == 1
    assert handler.seen[0][1]
    assert min(size for _, _, size in handler.seen) > 900


def test_what_will_not_pass_is_not_tried_again(flaky: tuple[type[_Flaky], str]) -> None:
    """Nor is a request of which nobody knows whether it was taken."""
    handler, url = flaky
    handler.script += [(429, {}, overloaded(False)), (0, {}, None)]
    with Fieldmark(url, retries=QUICK) as client:
        with pytest.raises(ApiError, match="overloaded"):
            client.submit(b"x", schema="invoice")
        with pytest.raises(NoAnswerError):
            client.retry("job_1")
    assert len(handler.seen) == 2


def test_tries_come_to_an_end(flaky: tuple[type[_Flaky], str]) -> None:
    """With the last error; and without any answer as `NoAnswerError`."""
    handler, url = flaky
    handler.script += [(503, {}, overloaded(True))] * 5
    with Fieldmark(url, retries=QUICK) as client, pytest.raises(ApiError) as caught:
        client.job("job_1")
    assert (caught.value.code, caught.value.request_id) == ("overloaded", "req_1")
    assert len(handler.seen) == 5
    with Fieldmark("http://127.0.0.1:1", retries=QUICK) as client, pytest.raises(NoAnswerError):
        client.job("job_1")


# webhooks


def test_a_webhook_is_verified_as_the_reference_does(client: Fieldmark, base_url: str) -> None:
    """One that the service sent; and none that somebody changed, kept or made up."""
    with receiver() as target:
        wanted = {"url": target.base_url, "types": ["job.status"]}
        made = httpx.post(f"{base_url}/api/v1/webhooks", json=wanted, timeout=60).json()
        job_id = client.extract(letter("Letter number: W"), schema=LETTER).job_id
        wait_until(lambda: bool(_told_of(target, job_id)))
        one, *_again = _told_of(target, job_id)
        httpx.delete(f"{base_url}{made['links']['self']}", timeout=60)
    event = verify_webhook(made["secret"], one.headers, one.body)
    assert (event.type, event.data["job_id"], event.data["status"]) == ("job.status", job_id, "succeeded")
    assert event.id in {logged.id for logged in client.events()}
    assert Webhook(made["secret"]).verify(one.body, dict(one.headers))["id"] == event.id
    other = "whsec_" + "QUFB" * 8
    bad: list[tuple[str, dict[str, str], bytes]] = [
        (made["secret"], dict(one.headers), one.body + b" "),
        (other, dict(one.headers), one.body),
        (made["secret"], {**one.headers, "webhook-timestamp": "1000"}, one.body),
        (made["secret"], {**one.headers, "webhook-id": "evt_other"}, one.body),
        (made["secret"], {}, one.body),
    ]
    for secret, headers, body in bad:
        with pytest.raises(WebhookError):
            verify_webhook(secret, headers, body)


def _told_of(target: Receiver, job_id: str) -> list[Received]:
    """What came of a job; earlier ones may end meanwhile."""
    return [one for one in target.received if one.event["data"]["job_id"] == job_id]


# the package


def test_it_needs_httpx_and_pydantic_alone() -> None:
    """Nothing of the service comes with it."""
    project = tomllib.loads((PACKAGE / "pyproject.toml").read_text())["project"]
    assert sorted(re.split(r"[<>=]", name)[0] for name in project["dependencies"]) == ["httpx", "pydantic"]
    ask = (
        "import sys, fieldmark_client; print(sorted(n for n in sys.modules if n.split('.')[0] in ('service', 'tests')))"
    )
    answer = subprocess.run([sys.executable, "-c", ask], cwd=PACKAGE, capture_output=True, text=True, check=True)
    assert answer.stdout.strip() == "[]"


@pytest.mark.parametrize("page", ["README.md", "docs/client.md"])
def test_examples_of_the_documentation_run(base_url: str, page: str, tmp_path: Path) -> None:
    """As they stand there, against a service on another port."""
    blocks = re.findall(r"```python\n(from fieldmark_client import .*?)```", (ROOT / page).read_text(), re.S)
    runnable = [block for block in blocks if "Fieldmark(" in block]
    assert runnable
    for block in runnable:
        code = block.replace("http://127.0.0.1:8000", base_url)
        script = tmp_path / "example.py"
        script.write_text(code)
        done = subprocess.run(
            [sys.executable, str(script)],
            cwd=ROOT,
            env={"PYTHONPATH": str(PACKAGE), "PATH": ""},
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        assert "/total 37.3 " in done.stdout
