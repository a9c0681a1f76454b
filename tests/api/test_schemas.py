"""The registry of schemas over REST, and jobs that name one."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx
import jsonschema
import pytest
from pydantic import BaseModel, Field

from service.cli.desk.base import Order, with_schema
from service.cli.desk.http import HttpDesk
from service.domain.errors import StateError
from tests.api.job_calls import error_of, letter, sample
from tests.fakes.local_service import LocalService

READY = {"bank_statement", "contract", "invoice", "purchase_order", "receipt", "tax_form"}
BARE = {"type": "object", "properties": {"number": {"type": "string"}, "when": {"type": "string", "format": "date"}}}


def put(client: httpx.Client, name: str, schema: Any) -> httpx.Response:
    """PUT /schemas/{name}."""
    return client.put(f"/api/v1/schemas/{name}", json=schema)


def submit(client: httpx.Client, **fields: str) -> httpx.Response:
    """POST /jobs of a letter, waiting for its end."""
    return client.post("/api/v1/jobs?wait=110", files={"file": ("a.pdf", letter())}, data=fields)


def test_the_same_content_is_the_same_version(client: httpx.Client) -> None:
    """However often it comes, in whatever wrapper; another content is the next one, and none is ever changed."""
    first = put(client, "letter.same", BARE)
    assert (first.status_code, first.json()["version"]) == (201, 1)
    assert first.headers["location"] == "/api/v1/schemas/letter.same@1"
    for again in (
        BARE,
        {"name": "x", "strict": True, "schema": BARE},
        {"type": "json_schema", "json_schema": {"schema": BARE}},
    ):
        answer = put(client, "letter.same", again)
        assert (answer.status_code, answer.json()["version"]) == (200, 1)
    other = {"type": "object", "properties": {"number": {"type": "integer"}}}
    assert put(client, "letter.same", other).json()["version"] == 2
    latest = client.get("/api/v1/schemas/letter.same").json()
    assert (latest["version"], latest["schema"], latest["versions"]) == (2, other, [1, 2])
    assert client.get("/api/v1/schemas/letter.same@1").json()["schema"] == BARE
    assert put(client, "letter.same", BARE).json()["version"] == 1


def test_versions_that_come_together_have_numbers_of_their_own(client: httpx.Client) -> None:
    """None is lost, none twice."""
    contents = [{"properties": {f"a{n % 5}": {"type": "string"}}} for n in range(15)]
    with ThreadPoolExecutor(5) as pool:
        numbers = list(pool.map(lambda content: put(client, "letter.race", content).json()["version"], contents))
    assert sorted(set(numbers)) == [1, 2, 3, 4, 5]
    assert [numbers[n] for n in range(5)] == [numbers[n + 5] for n in range(5)]


def test_the_list_has_the_ready_schemas_and_the_callers(client: httpx.Client) -> None:
    """Of each name the version that it means."""
    put(client, "letter.listed", BARE)
    found = {entry["name"]: entry for entry in client.get("/api/v1/schemas").json()["schemas"]}
    assert found.keys() >= READY | {"letter.listed"}
    assert (found["receipt"]["version"], found["receipt"]["ready"]) == (0, True)
    assert (found["letter.listed"]["version"], found["letter.listed"]["created_by"]) == (1, "local")


def test_what_is_nested_too_deep_is_refused(bare: tuple[httpx.Client, LocalService]) -> None:
    """By its place, also where nobody looks: in a word of the caller's own."""
    deep: Any = {"x-note": 1}
    for _ in range(300):
        deep = [deep]
    answer = put(bare[0], "deep", {**BARE, "x-note": deep})
    assert (answer.status_code, error_of(answer)["code"]) == (400, "invalid_request_body")
    assert "nested too deep" in error_of(answer)["message"]
    answer = submit(bare[0], schema=json.dumps({**BARE, "x-note": deep}))
    assert (answer.status_code, error_of(answer)["code"]) == (400, "invalid_schema")


def test_ones_own_schema_goes_before_the_ready_one(client: httpx.Client) -> None:
    """Which stays there as version 0."""
    assert put(client, "tax_form", BARE).json()["versions"] == [0, 1]
    assert client.get("/api/v1/schemas/tax_form").json()["schema"] == BARE
    assert "tax_year" in client.get("/api/v1/schemas/tax_form@0").json()["schema"]["properties"]


def test_each_fault_is_named_with_its_path(bare: tuple[httpx.Client, LocalService]) -> None:
    """All at once, not one a try."""
    schema = {
        "type": "object",
        "properties": {
            "a": {"type": "date"},
            "b": {"type": "object", "properties": {"c": {"type": "array"}, "d": {"enum": "x"}}},
            "ok": {"type": "string"},
        },
    }
    error = put(bare[0], "faulty", schema).json()["error"]
    assert (error["code"], error["param"]) == ("invalid_schema", "/properties/a")
    assert set(error["details"]) == {"/properties/a", "/properties/b/properties/c", "/properties/b/properties/d/enum"}
    assert "array needs `items`" in error["details"]["/properties/b/properties/c"]
    assert bare[0].get("/api/v1/schemas/faulty").status_code == 404


@pytest.mark.parametrize(
    ("schema", "said"),
    [
        ({"properties": {"a": {"type": "string", "pattern": "("}}}, "/a"),
        ({"properties": {"a": {"type": "number"}}, "x-checks": ["a == b"]}, "a == b"),
        ({"properties": {"a": {"type": "number"}}, "x-checks": ["a =="]}, "a =="),
        ({"properties": {}}, "at /"),
        ({"type": "array", "items": {"type": "string"}}, "at /"),
    ],
)
def test_checks_and_patterns_are_read_before_they_are_kept(
    bare: tuple[httpx.Client, LocalService], schema: Any, said: str
) -> None:
    """Not when the first document comes."""
    answer = put(bare[0], "faulty", schema)
    assert (answer.status_code, error_of(answer)["code"]) == (400, "invalid_schema")
    assert said in error_of(answer)["message"]


@pytest.mark.parametrize(
    ("path", "status", "code"),
    [
        ("none", 404, "schema_not_found"),
        ("invoice@7", 404, "schema_not_found"),
        ("invoice@x", 404, "schema_not_found"),
        ("a%2Fb", 404, "route_not_found"),
        (f"{'x' * 101}", 404, "schema_not_found"),
    ],
)
def test_what_is_not_there_is_not_found(
    bare: tuple[httpx.Client, LocalService], path: str, status: int, code: str
) -> None:
    """A name that cannot be one is not there either."""
    answer = bare[0].get(f"/api/v1/schemas/{path}")
    assert (answer.status_code, error_of(answer)["code"]) == (status, code)


def test_a_job_names_its_schema(client: httpx.Client) -> None:
    """In a form and in JSON; job and result say which version it was, also when there is a later one."""
    put(client, "letter.named", BARE)
    result = submit(client, schema_ref="letter.named").json()
    assert result["schema"] == {"name": "letter.named", "version": 1}
    assert result["records"][0]["schema"] == {"name": "letter.named", "version": 1}
    assert set(result["records"][0]["values"]) == {"number", "when"}
    put(client, "letter.named", {"properties": {"number": {"type": "string"}}})
    file = client.post("/api/v1/files", files={"file": ("a.pdf", letter())}).json()["id"]
    for reference, version in (("letter.named", 2), ("letter.named@1", 1), ("receipt", 0)):
        body = {"file_id": file, "schema_ref": reference}
        job = client.post("/api/v1/jobs", json=body).json()
        assert job["schema"] == {"name": reference.partition("@")[0], "version": version}
    listed = client.get("/api/v1/jobs?schema=letter.named").json()["jobs"]
    assert [job["schema"]["version"] for job in listed] == [1, 2, 1]


def test_a_new_version_is_run_over_an_old_document(client: httpx.Client) -> None:
    """A rerun names it."""
    put(client, "letter.again", BARE)
    job = submit(client, schema_ref="letter.again").json()["job_id"]
    put(client, "letter.again", {"properties": {"number": {"type": "string"}}})
    answer = client.post(f"/api/v1/jobs/{job}/rerun", json={"schema_ref": "letter.again"})
    assert (answer.status_code, answer.json()["schema"]) == (202, {"name": "letter.again", "version": 2})
    assert client.get(f"/api/v1/jobs/{job}?wait=110").json()["status"] == "succeeded"
    assert set(client.get(f"/api/v1/jobs/{job}/result").json()["records"][0]["values"]) == {"number"}


@pytest.mark.parametrize(
    ("fields", "status", "code", "param"),
    [
        ({"schema_ref": "nothing"}, 404, "schema_not_found", "schema_ref"),
        ({"schema_ref": "invoice@9"}, 404, "schema_not_found", "schema_ref"),
        ({"schema_ref": "invoice", "schema": json.dumps(BARE)}, 400, "invalid_request_body", "schema_ref"),
        ({}, 400, "invalid_request_body", "schema"),
    ],
)
def test_a_reference_that_leads_nowhere_makes_no_job(
    bare: tuple[httpx.Client, LocalService], fields: dict[str, str], status: int, code: str, param: str
) -> None:
    """And leaves no file."""
    answer = submit(bare[0], **fields)
    assert (answer.status_code, error_of(answer)["code"], error_of(answer)["param"]) == (status, code, param)
    assert bare[0].get("/api/v1/jobs").json()["jobs"] == []


def test_a_repeated_request_stays_the_same_when_its_schema_has_a_new_version(client: httpx.Client) -> None:
    """The key stands for what was asked, not for what the name means now."""
    put(client, "letter.key", BARE)
    headers = {"Idempotency-Key": "schema-17"}
    body = {"files": {"file": ("a.pdf", letter())}, "data": {"schema_ref": "letter.key"}, "headers": headers}
    first = client.post("/api/v1/jobs", **body)
    put(client, "letter.key", {"properties": {"number": {"type": "string"}}})
    again = client.post("/api/v1/jobs", **body)
    assert again.headers["idempotent-replayed"] == "true"
    assert first.json()["id"] == again.json()["id"]


def test_a_command_names_a_schema_of_the_service_it_hands_its_files_to(client: httpx.Client, tmp_path: Path) -> None:
    """The version that was in force when it began."""
    put(client, "letter.desk", BARE)
    path = tmp_path / "a.pdf"
    path.write_bytes(letter())
    desk = HttpDesk(str(client.base_url), "")
    try:
        order = with_schema(desk, Order(path=path, schema={}, schema_ref="letter.desk"))
        put(client, "letter.desk", {"properties": {"number": {"type": "string"}}})
        assert (order.schema, order.schema_ref) == (BARE, "letter.desk@1")
        job = desk.submit(order)
        assert client.get(f"/api/v1/jobs/{job}?wait=110").json()["schema"] == {"name": "letter.desk", "version": 1}
        with pytest.raises(StateError, match="no schema"):
            desk.schema("nothing")
    finally:
        desk.close()


class Part(BaseModel):
    """One line."""

    what: str = Field(description="What was bought")
    price: float | None = None


class Bill(BaseModel):
    """As people write it in Python."""

    number: str
    total: float | None = Field(None, description="Sum of all")
    parts: list[Part] = []


def test_a_schema_made_by_pydantic_is_taken(client: httpx.Client) -> None:
    """References, unions with null, defaults and titles."""
    kept = put(client, "bill", Bill.model_json_schema()).json()
    effective = kept["effective_schema"]["properties"]
    assert effective["total"]["type"] == ["number", "null"]
    assert effective["parts"]["items"]["properties"]["price"]["type"] == ["number", "null"]
    wrapped = {
        "type": "json_schema",
        "json_schema": {"name": "bill", "schema": Bill.model_json_schema(), "strict": True},
    }
    assert put(client, "bill", wrapped).json()["version"] == kept["version"]


@pytest.mark.parametrize("name", ["bank_statement", "form", "invoice", "mixed", "receipt"])
@pytest.mark.parametrize("absent", ["null", "omit"])
def test_values_always_satisfy_the_effective_schema(client: httpx.Client, name: str, absent: str) -> None:
    """As a validator of JSON Schema sees it."""
    data, schema = sample(name)
    effective = put(client, f"sample.{name}", json.loads(schema)).json()["effective_schema"]
    fields = {"schema_ref": f"sample.{name}", "absent": absent}
    answer = client.post("/api/v1/jobs?wait=100", files={"file": ("a", data)}, data=fields)
    jsonschema.Draft202012Validator.check_schema(effective)
    for record in answer.json()["records"]:
        jsonschema.validate(record["values"], effective, jsonschema.Draft202012Validator)


def test_a_schema_is_generated_from_files_and_uploads(client: httpx.Client) -> None:
    """It is taken back unchanged, and what came with the request is not kept."""
    document = ("a.pdf", letter("Letter number: L-17"))
    said = {"instruction": "Fields: due date"}
    answer = client.post("/api/v1/schemas/generate", files=[("file", document), ("file", document)], data=said)
    assert answer.status_code == 200, answer.text
    generated = answer.json()
    assert {"letter_number", "due_date"} <= generated["schema"]["properties"].keys()
    upload = client.post("/api/v1/files", files={"file": document}).json()["id"]
    named = client.post("/api/v1/schemas/generate", json={"file_ids": [upload], **said})
    assert named.json() == generated
    assert client.get(f"/api/v1/files/{upload}").status_code == 200
    result = submit(client, schema=json.dumps(generated)).json()
    assert result["records"][0]["values"]["letter_number"] == "L-17"


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        ({}, 400, "no_file"),
        ({"file_ids": ["file_none"]}, 404, "file_not_found"),
        ({"file_ids": ["a", "b", "c", "d"]}, 400, "invalid_request_body"),
        ({"file_ids": ["a"], "wish": "x"}, 400, "invalid_option"),
    ],
)
def test_a_schema_needs_one_to_three_files(client: httpx.Client, body: Any, status: int, code: str) -> None:
    """What is missing is named."""
    answer = client.post("/api/v1/schemas/generate", json=body)
    assert (answer.status_code, error_of(answer)["code"]) == (status, code)


def test_nothing_can_be_generated_from_an_empty_page(client: httpx.Client) -> None:
    """The message says what to do."""
    answer = client.post("/api/v1/schemas/generate", files={"file": ("a.pdf", letter(""))})
    assert error_of(answer)["code"] == "no_pages"


def test_a_command_generates_in_the_service(client: httpx.Client, tmp_path: Path) -> None:
    """As if it had read the file itself."""
    path = tmp_path / "a.pdf"
    path.write_bytes(letter("Letter number: L-17"))
    desk = HttpDesk(str(client.base_url), "")
    try:
        name, schema = desk.generate_schema([path], "")
    finally:
        desk.close()
    assert name == "document_schema"
    assert "letter_number" in json.dumps(schema)
