"""Corrections, decisions and the hand-out over HTTP: what a reviewer and a program see."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
import pytest

from service.auth.keys import create_key
from service.domain.access import Role
from tests.api.job_calls import hand_in, letter, sample
from tests.fakes.local_service import LocalService
from tests.fakes.one_invoice import SCHEMA, draw_invoice

Result = dict[str, Any]
CHECKED = {**SCHEMA, "x-checks": ["sum(lines.amount) == subtotal"]}


@pytest.fixture
def result(client: httpx.Client) -> Result:
    """An invoice with three rows whose sum holds."""
    return hand_in(client, draw_invoice(), "?wait=110", schema=json.dumps(CHECKED)).json()


def send(
    client: httpx.Client, result: Result, *operations: dict[str, Any], query: str = "", **headers: str
) -> httpx.Response:
    """POST the operations."""
    body = {"operations": list(operations)}
    return client.post(f"/api/v1/jobs/{result['job_id']}/corrections{query}", json=body, headers=headers)


def read(client: httpx.Client, result: Result, version: str = "current") -> Result:
    """The result in a version."""
    answer = client.get(f"/api/v1/jobs/{result['job_id']}/result", params={"version": version})
    assert answer.status_code == 200, answer.text
    return answer.json()


def act(client: httpx.Client, result: Result, what: str, **body: Any) -> httpx.Response:
    """POST a decision."""
    return client.post(f"/api/v1/jobs/{result['job_id']}/{what}", json=body or None)


def rows_of(result: Result) -> list[str]:
    """Ids of the invoice's rows."""
    return result["records"][0]["rows"]["/lines"]


def values_of(result: Result) -> dict[str, Any]:
    """Values of the only record."""
    return result["records"][0]["values"]


BOX = [{"x": 0.5, "y": 0.1}, {"x": 0.6, "y": 0.1}, {"x": 0.6, "y": 0.2}, {"x": 0.5, "y": 0.2}]


def test_a_value_is_set_with_its_place_and_the_machines_answer_stays(client: httpx.Client, result: Result) -> None:
    """A date as it is printed is stored in the schema's form; the entry says who put it there."""
    old = values_of(result)["due_date"]
    location = {"page": 1, "coordinates": BOX}
    change = {"op": "set", "id": "a", "path": "/due_date", "old": old, "value": "1. Nov 2026", "location": location}
    answer = send(client, result, change)
    assert answer.status_code == 200, answer.text
    assert answer.json()["operations"][0]["entry"]["value"] == "2026-11-01"
    entry = read(client, result)["records"][0]["fields"]["/due_date"]
    assert (entry["value"], entry["origin"], entry["confidence"]) == ("2026-11-01", "corrected", "high")
    assert entry["coordinates"] == BOX
    assert (entry["reviewed"]["as"], entry["reviewed"]["by"]) == ("set", "local")
    assert values_of(read(client, result, "machine"))["due_date"] == old


@pytest.mark.parametrize(
    ("path", "typed", "stored"),
    [
        ("/total", "1.234,50 €", 1234.5),
        ("/total", "1,234.50", 1234.5),
        ("/total", "(12.5)", -12.5),
        ("/total", 7, 7),
        ("/due_date", "21.3.2026", "2026-03-21"),
        ("/due_date", "2026년 3월 21일", "2026-03-21"),
        ("/due_date", "March 21, 2026", "2026-03-21"),
        ("/seller_name", "  Name \u202e of <b>it</b> ", "Name \u202e of <b>it</b>"),
    ],
)
def test_any_local_form_is_read(client: httpx.Client, result: Result, path: str, typed: Any, stored: Any) -> None:
    """Numbers and dates of several countries; text stays as it is."""
    change = {"op": "set", "id": "x", "path": path, "old": values_of(result)[path[1:]], "value": typed}
    assert send(client, result, change).status_code == 200
    assert values_of(read(client, result))[path[1:]] == stored


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"op": "set", "path": "/total", "value": "twelve"}, "invalid_request_body"),
        ({"op": "set", "path": "/due_date", "value": "soon"}, "invalid_request_body"),
        ({"op": "set", "path": "/nothing", "value": "1"}, "invalid_request_body"),
        ({"op": "set", "path": "/lines/0/amount", "value": "1"}, "invalid_request_body"),
        ({"op": "set", "path": "/lines", "value": "1"}, "invalid_request_body"),
        ({"op": "set", "path": "/total"}, "invalid_request_body"),
        ({"op": "undo", "of": "never"}, "invalid_request_body"),
        ({"op": "insert_row", "path": "/lines", "value": {"colour": "red"}}, "invalid_request_body"),
        (
            {"op": "set", "path": "/total", "value": "1", "location": {"page": 9, "coordinates": BOX}},
            "invalid_request_body",
        ),
        ({"op": "delete_row", "path": "/lines/row_gone"}, "edit_conflict"),
    ],
)
def test_what_does_not_fit_is_refused_whole(
    client: httpx.Client, result: Result, change: dict[str, Any], code: str
) -> None:
    """Also the operation before it, which was fine."""
    fine = {"op": "confirm", "id": "fine", "path": "/total", "old": values_of(result)["total"]}
    answer = send(client, result, fine, {"id": "bad", "old": None, **change})
    assert answer.json()["error"]["code"] == code
    assert read(client, result)["revision"] == result["revision"]


def test_a_whole_number_of_any_size_is_kept_digit_by_digit(client: httpx.Client, result: Result) -> None:
    """A number of an order or an account has more digits than a number of a machine; asking again is the same."""
    number = 123456789012345678901234567890
    change = {
        "op": "set",
        "id": "o",
        "path": "/order_number",
        "old": values_of(result)["order_number"],
        "value": number,
    }
    assert send(client, result, change).is_success
    assert send(client, result, change).is_success
    assert values_of(read(client, result))["order_number"] == str(number)


def test_rows_keep_their_names_while_others_come_and_go(client: httpx.Client, result: Result) -> None:
    """Insert in front, move, delete: a cell that is named by its row is still the same cell."""
    first, second, third = rows_of(result)
    answer = send(
        client,
        result,
        {
            "op": "insert_row",
            "id": "i",
            "path": "/lines",
            "before": first,
            "value": {"amount": "10,00", "quantity": "1"},
        },
        {
            "op": "set",
            "id": "s",
            "path": f"/lines/{third}/description",
            "old": "Archive box, acid free",
            "value": "Box",
        },
        {"op": "move_row", "id": "m", "path": f"/lines/{third}", "before": second},
        {"op": "delete_row", "id": "d", "path": f"/lines/{first}"},
    )
    assert answer.status_code == 200, answer.text
    new = answer.json()["operations"][0]["row"]
    now = read(client, result)
    assert rows_of(now) == [new, third, second]
    assert [row["amount"] for row in values_of(now)["lines"]] == [10, 189.2, 149.5]
    assert now["records"][0]["fields"]["/lines/1/description"]["value"] == "Box"
    assert now["records"][0]["fields"]["/lines/1/description"]["reviewed"]["as"] == "set"
    leaves = {path for path in now["records"][0]["fields"] if path.startswith("/lines")}
    assert leaves == {f"/lines/{n}/{c}" for n in range(3) for c in ("description", "quantity", "unit_price", "amount")}


def test_checks_run_again(client: httpx.Client, result: Result) -> None:
    """A row too many breaks the sum; taking it back mends it."""
    assert [check["ok"] for check in result["records"][0]["checks"]] == [True]
    broken = send(client, result, {"op": "insert_row", "id": "i", "path": "/lines", "value": {"amount": 1}})
    record = result["records"][0]["id"]
    assert [check["ok"] for check in broken.json()["checks"][record]] == [False]
    assert "check:sum(lines.amount) == subtotal" in broken.json()["review"]["reasons"]
    mended = send(client, result, {"op": "undo", "id": "u", "of": "i"})
    assert [check["ok"] for check in mended.json()["checks"][record]] == [True]
    assert values_of(read(client, result)) == values_of(result)


def test_the_same_operation_is_done_once(client: httpx.Client, result: Result) -> None:
    """A retry after a lost answer is safe; another change under the same id is refused."""
    row = {"op": "insert_row", "id": "again", "path": "/lines", "value": {"amount": 1}}
    one, two = send(client, result, row), send(client, result, row)
    assert one.json() == two.json()
    assert len(rows_of(read(client, result))) == 4
    other = send(client, result, {**row, "value": {"amount": 2}})
    assert other.json()["error"]["code"] == "idempotency_mismatch"


def test_edits_of_different_cells_do_not_disturb_each_other(client: httpx.Client, result: Result) -> None:
    """Both looked at the same revision; the second is put on top of the first."""
    seen = {"If-Match": f'"{result["revision"]}"'}
    values = values_of(result)
    one = {"op": "set", "id": "1", "path": "/total", "old": values["total"], "value": "1"}
    two = {"op": "set", "id": "2", "path": "/subtotal", "old": values["subtotal"], "value": "2"}
    assert send(client, result, one, **seen).status_code == 200
    assert send(client, result, two, **seen).status_code == 200
    now = values_of(read(client, result))
    assert (now["total"], now["subtotal"]) == (1, 2)


def test_the_same_cell_is_a_conflict_with_both_values_and_the_name(
    start: Callable[..., tuple[httpx.Client, LocalService]],
) -> None:
    """Nobody's work is written over; a confirmation counts as work."""
    client, service = start()
    ada = _as(client, create_key(service.services, user="ada", role=Role.ADMIN).secret)
    ben = _as(client, create_key(service.services, user="ben", role=Role.REVIEW).secret)
    result = hand_in(ada, draw_invoice(), "?wait=110", schema=json.dumps(dict(SCHEMA))).json()
    seen = {"If-Match": f'"{result["revision"]}"'}
    old = values_of(result)["total"]
    assert send(ada, result, {"op": "set", "id": "1", "path": "/total", "old": old, "value": "9"}, **seen).is_success
    answer = send(ben, result, {"op": "set", "id": "2", "path": "/total", "old": old, "value": "8"}, **seen)
    assert answer.status_code == 412
    details = answer.json()["error"]["details"]
    assert (details["yours"], details["theirs"], details["by"], details["path"]) == ("8", 9, "ada", "/total")
    confirmed = {"op": "confirm", "id": "3", "path": "/subtotal", "old": values_of(result)["subtotal"]}
    assert send(ada, result, confirmed).is_success
    again = send(ben, result, {**confirmed, "op": "set", "id": "4", "value": "1"}, **seen)
    assert again.status_code == 412
    assert send(ben, result, {**confirmed, "op": "set", "id": "5", "value": "1"}).is_success
    for other in (ada, ben):
        other.close()


def _as(client: httpx.Client, secret: str) -> httpx.Client:
    return httpx.Client(base_url=client.base_url, timeout=120, headers={"Authorization": f"Bearer {secret}"})


def test_a_dry_run_says_what_would_be_stored(client: httpx.Client, result: Result) -> None:
    """And stores nothing."""
    change = {"op": "set", "id": "try", "path": "/due_date", "old": values_of(result)["due_date"], "value": "3 May 26"}
    answer = send(client, result, change, query="?dry_run=true")
    assert answer.json()["operations"][0]["entry"]["value"] == "2026-05-03"
    assert read(client, result)["revision"] == result["revision"]


def test_approved_stays_as_it_was_approved(client: httpx.Client, result: Result) -> None:
    """After that nothing changes until it is reopened; each deed is in the history."""
    early = client.get(f"/api/v1/jobs/{result['job_id']}/result", params={"version": "approved"})
    assert early.json()["error"]["code"] == "wrong_state"
    change = {"op": "mark_absent", "id": "n", "path": "/order_number", "old": values_of(result)["order_number"]}
    assert send(client, result, change).is_success
    assert act(client, result, "approve", accept_unseen=True).json()["review"]["state"] == "approved"
    late = {"op": "set", "id": "late", "path": "/total", "old": values_of(result)["total"], "value": "1"}
    assert send(client, result, late).json()["error"]["code"] == "wrong_state"
    assert values_of(read(client, result, "approved"))["order_number"] is None
    assert act(client, result, "reopen").json()["review"]["state"] == "in_review"
    assert send(client, result, late).is_success
    assert act(client, result, "reject", reason="Twice the same").json()["review"]["state"] == "rejected"
    history = client.get(f"/api/v1/jobs/{result['job_id']}/history").json()["events"]
    assert [event["op"] or event["action"] for event in history] == [
        "mark_absent",
        "approve",
        "reopen",
        "set",
        "reject",
    ]  # fmt: skip - one line reads better
    assert history[0]["old"] == values_of(result)["order_number"]
    assert history[0]["old_page"] == 1
    assert history[4]["detail"] == {"reason": "Twice the same"}


def test_open_doubts_are_asked_about_once(client: httpx.Client, result: Result) -> None:
    """Approving over them needs a word, and the history keeps how many there were."""
    assert send(client, result, {"op": "insert_row", "id": "i", "path": "/lines", "value": {"amount": 1}}).is_success
    refused = act(client, result, "approve")
    assert refused.status_code == 409
    unseen = refused.json()["error"]["details"]["unseen"]
    assert unseen >= 1
    assert act(client, result, "approve", accept_unseen=True).is_success
    history = client.get(f"/api/v1/jobs/{result['job_id']}/history").json()["events"]
    assert history[-1]["detail"] == {"unseen": unseen}


def test_a_new_run_takes_the_corrections_over_where_they_fit(client: httpx.Client, result: Result) -> None:
    """What the new run has no place for is listed, not lost."""
    values = values_of(result)
    assert send(
        client,
        result,
        {"op": "set", "id": "t", "path": "/total", "old": values["total"], "value": "1"},
        {"op": "set", "id": "o", "path": "/order_number", "old": values["order_number"], "value": "X"},
        {"op": "set", "id": "c", "path": f"/lines/{rows_of(result)[2]}/amount", "old": 189.2, "value": "2"},
    ).is_success
    schema = json.loads(json.dumps(CHECKED))
    del schema["properties"]["order_number"]
    again = client.post(f"/api/v1/jobs/{result['job_id']}/rerun", json={"schema": schema})
    assert again.status_code == 202, again.text
    client.get(f"/api/v1/jobs/{result['job_id']}", params={"wait": 110})
    now = read(client, result)
    assert now["run"] == 2
    assert values_of(now)["total"] == 1
    assert values_of(now)["lines"][2]["amount"] == 2
    assert [(u["path"], u["new"], u["run"]) for u in now["unplaced_corrections"]] == [("/order_number", "X", 1)]


def test_two_reviewers_never_get_the_same_document(start: Callable[..., tuple[httpx.Client, LocalService]]) -> None:
    """Asked at once, eight times over; then nothing is left, and a released one comes back."""
    client, service = start()
    names = ("ada", "ben", "cem", "dia")
    people = [_as(client, create_key(service.services, user=name, role=Role.ADMIN).secret) for name in names]
    schema = json.dumps({"name": "l", "schema": {**_LETTER, "x-review": {"mode": "always"}}})
    jobs = [hand_in(people[0], letter(f"Letter number: L-{n}"), schema=schema).json()["id"] for n in range(8)]
    for job in jobs:
        people[0].get(f"/api/v1/jobs/{job}", params={"wait": 110})
    with ThreadPoolExecutor(4) as pool:
        answers = list(pool.map(lambda n: people[n % 4].post("/api/v1/review/next").json()["job"], range(8)))
    assert sorted(answer["id"] for answer in answers) == sorted(jobs)
    assert people[0].post("/api/v1/review/next").json() == {"job": None, "waiting": 0}
    mine = next(a for a in answers if a["review"]["claimed_by"] == "ada")
    refused = people[1].post(f"/api/v1/jobs/{mine['id']}/approve", json={"accept_unseen": True})
    assert "'ada'" in refused.json()["error"]["message"]
    assert people[0].post(f"/api/v1/jobs/{mine['id']}/release").json()["review"]["claimed_by"] is None
    assert people[1].post("/api/v1/review/next").json()["job"]["id"] == mine["id"]
    for person in people:
        person.close()


_LETTER = {"type": "object", "properties": {"number": {"type": "string", "description": "Letter number"}}}


def test_only_reviewers_correct(start: Callable[..., tuple[httpx.Client, LocalService]]) -> None:
    """A key that hands in may not decide, and one that reviews may not hand in."""
    client, service = start()
    submit = _as(client, create_key(service.services, user="program", role=Role.SUBMIT).secret)
    job = hand_in(submit, letter(), "?wait=110").json()["job_id"]
    for path in ("approve", "claim", "corrections"):
        assert submit.post(f"/api/v1/jobs/{job}/{path}", json={}).status_code == 403
    submit.close()


@pytest.mark.parametrize(
    "policy", [{"critical": ["/nothing"]}, {"mode": "sometimes"}, {"sample": 3}, ["total"], {"other": 1}]
)
def test_a_policy_that_means_nothing_is_refused(client: httpx.Client, policy: Any) -> None:
    """Before any document is read."""
    answer = hand_in(client, letter(), schema=json.dumps({**_LETTER, "x-review": policy}))
    assert answer.json()["error"]["code"] == "invalid_schema"


def test_deleting_a_job_removes_its_history(client: httpx.Client) -> None:
    """Values that reviewers typed are gone with it."""
    data, schema = sample("form")
    result = hand_in(client, data, "?wait=110", schema=schema).json()
    path, entry = next((p, e) for p, e in result["records"][0]["fields"].items() if isinstance(e["value"], str))
    assert send(client, result, {"op": "confirm", "id": "1", "path": path, "old": entry["value"]}).is_success
    assert client.delete(f"/api/v1/jobs/{result['job_id']}").is_success
    assert client.get(f"/api/v1/jobs/{result['job_id']}/history").status_code == 410


def test_the_proof_sheet_needs_nothing_else(client: httpx.Client, result: Result) -> None:
    """Values beside their cuts, the hash of what it shows, markup as text, and nothing that is asked for elsewhere."""
    nasty = {
        "op": "set",
        "id": "n",
        "path": "/seller_name",
        "old": values_of(result)["seller_name"],
        "value": "<script>",
    }
    assert send(client, result, nasty).is_success
    answer = client.get(f"/api/v1/jobs/{result['job_id']}/proof")
    assert answer.status_code == 200
    sheet = answer.text
    assert sheet.count("data:image/jpeg;base64,") >= 15
    assert "&lt;script&gt;" in sheet
    for forbidden in ("<script", "http://", "https://", "<link", 'src="/'):
        assert forbidden not in sheet
    shown = client.get(f"/api/v1/jobs/{result['job_id']}/result").content
    assert hashlib.sha256(shown).hexdigest() in sheet
    assert result["file"]["sha256"] in sheet
    assert "unsafe" not in answer.headers["content-security-policy"]
