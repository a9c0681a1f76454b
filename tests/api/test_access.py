"""Who may ask, from where, and what the answer carries."""

from __future__ import annotations

from pathlib import Path

import httpx
import pytest

from service.auth.keys import create_key, list_keys, revoke_key
from service.domain.access import Role
from service.domain.errors import InputError
from tests.api.job_calls import SCHEMA, error_of, hand_in, letter
from tests.fakes.local_service import LocalService

Idle = tuple[httpx.Client, LocalService]


def bearer(secret: str) -> dict[str, str]:
    """The header that carries a key."""
    return {"Authorization": f"Bearer {secret}"}


def test_without_keys_this_machine_is_its_own_master(idle: Idle) -> None:
    """The first minute needs no set-up."""
    answer = hand_in(idle[0], letter())
    assert (answer.status_code, answer.json()["created_by"]) == (202, "local")


def test_the_first_key_shuts_the_door_at_once(idle: Idle) -> None:
    """Also for this machine."""
    client, service = idle
    assert client.get("/api/v1/jobs").status_code == 200
    made = create_key(service.services, user="Ada", role=Role.SUBMIT)
    answer = client.get("/api/v1/jobs")
    assert (answer.status_code, error_of(answer)["code"]) == (401, "invalid_api_key")
    assert answer.headers["www-authenticate"].startswith("Bearer")
    taken = hand_in(client, letter(), headers=bearer(made.secret))
    assert (taken.status_code, taken.json()["created_by"]) == (202, "Ada")


@pytest.mark.parametrize("header", ["", "Bearer", "Basic eDp5", "Bearer fm_wrong", "fm_x", "Bearer \u00ff"])
def test_a_key_that_is_none_is_refused(idle: Idle, header: str) -> None:
    """Missing, malformed, unknown: 401, and never an error of ours."""
    client, service = idle
    create_key(service.services, user="Ada", role=Role.ADMIN)
    answer = client.get("/api/v1/jobs", headers=[(b"Authorization", header.encode("latin-1"))])
    assert (answer.status_code, error_of(answer)["code"]) == (401, "invalid_api_key")


def test_a_role_opens_what_it_says(idle: Idle) -> None:
    """Read looks, submit hands in, review looks, admin does all."""
    client, service = idle
    job = hand_in(client, letter()).json()["links"]
    keys = {role: create_key(service.services, user=role.value, role=role).secret for role in Role}
    for role, secret in keys.items():
        may_submit = role in (Role.SUBMIT, Role.ADMIN)
        assert client.get("/api/v1/jobs", headers=bearer(secret)).status_code == 200
        assert hand_in(client, letter(), headers=bearer(secret)).status_code == (202 if may_submit else 403)
        answer = client.post(job["cancel"], headers=bearer(secret))
        assert answer.status_code == (200 if may_submit else 403)
        if not may_submit:
            assert error_of(answer)["code"] == "forbidden"


def test_a_reviewer_has_a_job_run_again_as_it_was_asked_for(idle: Idle) -> None:
    """Trying again, and other documents or pages; another schema or model is for who hands in."""
    client, service = idle
    job = hand_in(client, letter()).json()["links"]
    client.post(job["cancel"])
    keys = {role: create_key(service.services, user=role.value, role=role).secret for role in Role}

    def status(role: Role, call: str, body: dict[str, object] | None = None) -> int:
        return client.post(job[call], json=body, headers=bearer(keys[role])).status_code

    mended = {"documents": [{"first": 1, "last": 1}], "turn": [{"page": 1, "degrees": 90}]}  # it was never opened
    assert [status(role, "rerun", mended) for role in (Role.READ, Role.REVIEW, Role.SUBMIT)] == [403, 400, 400]
    for otherwise in ({"model": "embedded"}, {"schema": SCHEMA}, {"schema_ref": "invoice"}):
        assert status(Role.REVIEW, "rerun", otherwise) == 403
    assert [status(role, "retry") for role in (Role.READ, Role.REVIEW)] == [403, 202]


def test_tenants_do_not_see_each_other(idle: Idle) -> None:
    """Not the jobs, not the files, not the events."""
    client, service = idle
    job = hand_in(client, letter()).json()
    other = create_key(service.services, user="Eve", role=Role.ADMIN, tenant_id="other")
    for path in (job["links"]["self"], job["links"]["file"], job["links"]["result"], job["links"]["events"]):
        assert client.get(path, headers=bearer(other.secret)).status_code == 404
    assert client.delete(job["links"]["self"], headers=bearer(other.secret)).status_code == 404
    assert client.get("/api/v1/jobs", headers=bearer(other.secret)).json()["jobs"] == []
    assert client.get("/api/v1/events", headers=bearer(other.secret)).json()["events"] == []


def test_a_revoked_key_ends(idle: Idle) -> None:
    """One that no process has seen yet at once; ending it twice is told."""
    _, service = idle
    keep = create_key(service.services, user="Ada", role=Role.READ, label="laptop")
    made = create_key(service.services, user="Ada")
    revoke_key(service.services, made.key.id)
    assert idle[0].get("/api/v1/jobs", headers=bearer(made.secret)).status_code == 401
    assert idle[0].get("/api/v1/jobs", headers=bearer(keep.secret)).status_code == 200
    with pytest.raises(InputError, match="in force"):
        revoke_key(service.services, made.key.id)
    assert [key.label for key, _ in list_keys(service.services)] == ["laptop", ""]


def test_a_key_is_stored_nowhere(idle: Idle) -> None:
    """Only its digest and its first letters."""
    _, service = idle
    made = create_key(service.services, user="Ada")
    stored = [p for p in Path(service.settings.home).rglob("*") if p.is_file()]
    assert not any(made.secret.encode() in path.read_bytes() for path in stored)
    assert made.secret.startswith(made.key.prefix)
    assert len(made.secret) == len("fm_") + 43


def test_a_new_role_holds_for_all_keys_of_a_user(idle: Idle) -> None:
    """A role belongs to the user."""
    _, service = idle
    first = create_key(service.services, user="Ada", role=Role.READ)
    create_key(service.services, user="Ada", role=Role.SUBMIT)
    assert hand_in(idle[0], letter(), headers=bearer(first.secret)).status_code == 202


@pytest.mark.parametrize("user", ["", " ", "a\nb", "x" * 101])
def test_a_user_needs_a_name(idle: Idle, user: str) -> None:
    """It is shown beside what the user did."""
    with pytest.raises(InputError):
        create_key(idle[1].services, user=user)


def test_foreign_pages_are_kept_out(idle: Idle) -> None:
    """Neither a rebound name nor a cross-site post makes a job."""
    client, _ = idle
    for headers in ({"Host": "evil.example"}, {"Origin": "https://evil.example"}, {"Origin": "null"}):
        answer = hand_in(client, letter(), headers=headers)
        assert (answer.status_code, error_of(answer)["code"]) == (403, "origin_not_allowed")
        assert client.get("/healthz", headers=headers).status_code == 403
    assert client.get("/api/v1/jobs").json()["jobs"] == []
    own = {"Origin": str(client.base_url).rstrip("/")}
    assert hand_in(client, letter(), headers=own).status_code == 202


def test_a_request_keeps_its_own_id_if_it_is_sane(bare: Idle) -> None:
    """Nothing that would break a log line comes back."""
    client, _ = bare
    assert client.get("/healthz", headers={"X-Request-Id": "trace-7:a.b"}).headers["x-request-id"] == "trace-7:a.b"
    for given in ("", "a b", "x" * 101, "<script>"):
        assert client.get("/healthz", headers={"X-Request-Id": given}).headers["x-request-id"].startswith("req_")


def test_every_answer_has_safe_headers(bare: Idle) -> None:
    """Errors too."""
    client, _ = bare
    for path in ("/healthz", "/nowhere", "/api/v1/jobs", "/api/v1/jobs/job_none", "/openapi.json", "/metrics"):
        headers = client.get(path).headers
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["content-security-policy"].startswith("default-src 'none'")
        assert headers["cache-control"] == "no-store"


def test_what_is_not_there_is_told_in_the_one_form(idle: Idle) -> None:
    """Paths, methods, and HEAD, which is GET without a body."""
    client, _ = idle
    answer = client.get("/api/v1/nowhere")
    assert (answer.status_code, error_of(answer)["code"]) == (404, "route_not_found")
    answer = client.put("/api/v1/jobs")
    assert (answer.status_code, error_of(answer)["code"]) == (405, "method_not_allowed")
    assert answer.headers["allow"] == "GET, HEAD, POST"
    assert client.get("/api/v1/jobs/").status_code == 404
    job = hand_in(client, letter()).json()["links"]
    for path in ("/healthz", "/api/v1/jobs", job["self"], job["events"], f"{job['file']}/content"):
        head = client.head(path)
        assert (head.status_code, head.content) == (200, b"")
    assert client.head("/api/v1/nowhere").status_code == 404
