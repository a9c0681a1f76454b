"""What no two documents may share: the second is told of the first, however both come."""

from __future__ import annotations

from typing import Any

import httpx
import pytest

from tests.api.conftest import Starter
from tests.api.job_calls import error_of, letter

RULE = "unique(number)"
SCHEMA = {
    "type": "object",
    "properties": {
        "number": {"type": "string", "description": "Letter number"},
        "colour": {"type": "string", "description": "Colour of the paper"},
    },
    "x-checks": [RULE],
}


@pytest.fixture
def client(start: Starter) -> httpx.Client:
    """A service with a schema whose numbers are unique."""
    client, _ = start()
    client.put("/api/v1/schemas/numbered", json=SCHEMA).raise_for_status()
    return client


def extract(client: httpx.Client, number: str) -> Any:
    """The result of a letter."""
    data = letter(f"Letter number: {number}")
    fields = {"schema_ref": "numbered"}
    return client.post("/api/v1/jobs?wait=110", files={"file": ("a.pdf", data)}, data=fields).json()


def check_of(client: httpx.Client, result: Any) -> Any:
    """How the rule stands for a job now."""
    now = client.get(f"/api/v1/jobs/{result['job_id']}/result").json()
    (check,) = (check for check in now["records"][0]["checks"] if check["rule"] == RULE)
    return check


def change(client: httpx.Client, result: Any, old: str, new: str, name: str) -> Any:
    """Correct the number of a letter."""
    operation = {"id": name, "op": "set", "path": "/number", "old": old, "value": new}
    answer = client.post(f"/api/v1/jobs/{result['job_id']}/corrections", json={"operations": [operation]})
    return answer.raise_for_status().json()


def test_the_second_document_with_a_number_names_the_first(client: httpx.Client) -> None:
    """A person should look at it; another number, another case of the same, and the first itself show the rule."""
    first, other = extract(client, "U-1"), extract(client, "U-2")
    second = extract(client, "u-1")
    assert (check_of(client, first)["ok"], check_of(client, other)["ok"]) == (True, True)
    broken = check_of(client, second)
    assert (broken["ok"], broken["paths"]) == (False, ["/number"])
    assert first["job_id"] in broken["message"]
    assert any(RULE in reason for reason in second["review"]["reasons"])
    assert not any(RULE in reason for reason in first["review"]["reasons"])


def test_a_correction_and_a_delete_change_who_shares_a_number(client: httpx.Client) -> None:
    """It is looked at anew with each of them."""
    first, second = extract(client, "U-3"), extract(client, "U-4")
    change(client, second, "U-4", "U-3", "one")
    assert first["job_id"] in check_of(client, second)["message"]
    reasons = client.get(f"/api/v1/jobs/{second['job_id']}").json()["review"]["reasons"]
    assert any(RULE in reason for reason in reasons)
    change(client, second, "U-3", "U-5", "two")
    assert check_of(client, second)["ok"]
    third = extract(client, "U-5")
    assert second["job_id"] in check_of(client, third)["message"]
    client.delete(f"/api/v1/jobs/{second['job_id']}")
    assert check_of(client, third)["ok"]


def test_a_new_run_keeps_its_place_in_the_order(client: httpx.Client) -> None:
    """Who was first stays first."""
    first, second = extract(client, "U-6"), extract(client, "U-6")
    client.post(f"/api/v1/jobs/{first['job_id']}/rerun", json={})
    client.get(f"/api/v1/jobs/{first['job_id']}?wait=110")
    assert check_of(client, first)["ok"]
    assert first["job_id"] in check_of(client, second)["message"]


@pytest.mark.parametrize(
    "rule", ["unique()", "unique(number", "unique(nothing)", "unique(number) == 1", "unique(rows)"]
)
def test_a_rule_that_means_nothing_is_refused(client: httpx.Client, rule: str) -> None:
    """With the place of the rule."""
    rows = {"type": "array", "items": {"type": "object", "properties": {"a": {"type": "string"}}}}
    schema = {**SCHEMA, "properties": {**SCHEMA["properties"], "rows": rows}, "x-checks": [rule]}
    refused = error_of(client.put("/api/v1/schemas/bad", json=schema))
    assert (refused["code"], refused["param"]) == ("invalid_schema", "/x-checks/0")
