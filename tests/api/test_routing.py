"""Jobs of several schemas, from the request to the record, its review and its files."""

from __future__ import annotations

import csv
import io
import json
from typing import Any

import httpx
import openpyxl
import pytest

from tests.api.conftest import Starter
from tests.api.job_calls import error_of
from tests.fakes.mixed_pile import INVOICE, LETTER, RECEIPT, pile

API = "/api/v1"
Json = dict[str, Any]


def submit(client: httpx.Client, data: bytes, **fields: str) -> Json:
    """The result of a job, in full."""
    answer = client.post(f"{API}/jobs?wait=100", files={"file": ("pile.pdf", data)}, data=fields)
    assert answer.status_code == 200, answer.text
    return answer.json()


def job_of(client: httpx.Client, result: Json) -> Json:
    """The job behind a result."""
    return client.get(f"{API}/jobs/{result['job_id']}").json()


@pytest.fixture(scope="module")
def bound(shared: tuple[httpx.Client, object]) -> Json:
    """An invoice, a receipt and a letter in one file."""
    data = pile(INVOICE, RECEIPT, LETTER)
    return submit(shared[0], data, schemas="invoice,receipt", split_documents="true")


def test_each_document_of_a_bound_file_has_the_schema_it_fits(client: httpx.Client, bound: Json) -> None:
    """And its record is that schema's; a stranger has none."""
    records = {record["schema"]["name"]: record for record in bound["records"]}
    assert {name: record["pages"] for name, record in records.items()} == {"invoice": [1], "receipt": [2]}
    assert records["invoice"]["values"]["invoice_number"] == "MA-2041"
    assert records["receipt"]["values"]["total"] == 41.9
    assert "tip" not in records["invoice"]["values"]
    assert (bound["schema"], bound["status"]) == (None, "partially_succeeded")
    assert job_of(client, bound)["schemas"] == [{"name": "invoice", "version": 0}, {"name": "receipt", "version": 0}]


def test_a_stranger_is_listed_with_its_reason_and_calls_a_person(client: httpx.Client, bound: Json) -> None:
    """No page is without a state, no document without an answer."""
    *_, stranger = bound["documents"]
    assert (stranger["index"], stranger["pages"], stranger["schema"]) == (2, [3], None)
    assert stranger["reason"] == "no_fit"
    assert {candidate["schema"]["name"] for candidate in stranger["candidates"]} == {"invoice", "receipt"}
    assert all(candidate["score"] < 0.3 for candidate in stranger["candidates"])
    assert [row["state"] for row in bound["coverage"]] == ["extracted", "extracted", "unrouted"]
    assert [(i["code"], i["page"]) for i in bound["issues"] if i["code"] == "unrouted"] == [("unrouted", 3)]
    assert "unrouted:2" in bound["review"]["reasons"]
    assert job_of(client, bound)["documents"] == bound["documents"]


def test_the_completion_has_a_choice_for_each_record_alone(client: httpx.Client, bound: Json) -> None:
    """Nothing is missing from the documents that have one."""
    choices = client.get(f"{API}/jobs/{bound['job_id']}/completion").json()["choices"]
    assert [choice["finish_reason"] for choice in choices] == ["stop", "stop"]
    assert "invoice_number" in json.loads(choices[0]["message"]["content"])
    assert "tip" in json.loads(choices[1]["message"]["content"])


def test_a_job_is_found_by_the_schemas_that_its_documents_have(client: httpx.Client, bound: Json) -> None:
    """Not by one that it might have had."""
    found = {
        name: [job["id"] for job in client.get(f"{API}/jobs?schema={name}&limit=200").json()["jobs"]]
        for name in ("invoice", "receipt", "contract")
    }
    assert bound["job_id"] in found["invoice"]
    assert bound["job_id"] in found["receipt"]
    assert bound["job_id"] not in found["contract"]


def test_files_have_a_table_for_each_schema(client: httpx.Client, bound: Json) -> None:
    """And one of all documents, that says where each went."""
    here = f"{API}/jobs/{bound['job_id']}/result"
    book = openpyxl.load_workbook(io.BytesIO(client.get(f"{here}?format=xlsx").content))
    assert book.sheetnames == ["documents", "invoice", "invoice.lines", "receipt", "receipt.items"]
    rows = list(csv.DictReader(io.StringIO(client.get(f"{here}?format=csv&table=documents").text, newline="")))
    assert [(row["schema"], row["reason"]) for row in rows] == [("invoice@0", ""), ("receipt@0", ""), ("", "no_fit")]
    (receipt,) = csv.DictReader(io.StringIO(client.get(f"{here}?format=csv&table=receipt").text, newline=""))
    assert (receipt["total"], receipt["_first_page"]) == ("41.9", "2")
    lines = client.get(f"{here}?format=csv&table=invoice/lines").text
    assert "Oak shelf" in lines
    unnamed = client.get(f"{here}?format=csv")
    assert (unnamed.status_code, error_of(unnamed)["param"]) == (400, "table")


def test_the_schema_of_a_document_is_told_by_its_index(client: httpx.Client, bound: Json) -> None:
    """As the screen asks for it."""
    here = f"{API}/jobs/{bound['job_id']}/schema"
    assert "tip" in client.get(f"{here}?document=1").json()["properties"]
    assert error_of(client.get(f"{here}?document=2"))["code"] == "schema_not_found"
    assert error_of(client.get(here))["param"] == "document"


def test_corrections_and_approval_go_by_the_records_own_schema(start: Starter) -> None:
    """A number is a number in the one, a field of the other is none."""
    client, _ = start()
    result = submit(client, pile(INVOICE, RECEIPT), schemas='["invoice", "receipt"]', split_documents="true")
    receipt = result["records"][1]
    here = f"{API}/jobs/{result['job_id']}"
    change: Json = {"id": "one", "op": "set", "record": receipt["id"], "path": "/tip", "old": 4.0, "value": "4,50"}
    done = client.post(f"{here}/corrections", json={"operations": [change]})
    assert done.status_code == 200, done.text
    wrong = change | {"id": "two", "path": "/invoice_number", "old": None, "value": "x"}
    assert client.post(f"{here}/corrections", json={"operations": [wrong]}).status_code == 400
    assert client.post(f"{here}/approve", json={"accept_unseen": True}).status_code == 200
    approved = client.get(f"{here}/result?version=approved").json()
    assert approved["records"][1]["values"]["tip"] == 4.5
    assert approved["records"][1]["schema"]["name"] == "receipt"
    assert "Receipt" in client.get(f"{here}/proof").text or "receipt" in client.get(f"{here}/proof").text


def test_a_whole_file_is_one_document_without_splitting(client: httpx.Client) -> None:
    """Its kind decides."""
    result = submit(client, pile(RECEIPT), schemas="invoice,receipt")
    assert [record["schema"]["name"] for record in result["records"]] == ["receipt"]
    assert [document["pages"] for document in result["documents"]] == [[1]]


def test_auto_means_the_ready_schemas_until_there_are_own_ones(start: Starter) -> None:
    """Then these alone, in the versions that are in force when the job comes."""
    client, _ = start()
    first = submit(client, pile(RECEIPT), schemas="auto")
    assert [record["schema"] for record in first["records"]] == [{"name": "receipt", "version": 0}]
    assert len(job_of(client, first)["schemas"]) > 3
    source = client.get(f"{API}/schemas/receipt").json()["schema"]
    client.put(f"{API}/schemas/till_slip", json=source)
    second = submit(client, pile(RECEIPT), schemas="auto")
    assert job_of(client, second)["schemas"] == [{"name": "till_slip", "version": 1}]
    assert second["records"][0]["schema"] == {"name": "till_slip", "version": 1}


def test_a_person_gives_a_document_its_schema_by_a_rerun(client: httpx.Client, bound: Json) -> None:
    """The way out of a wrong route; the other documents keep theirs."""
    job_id = submit(client, pile(INVOICE, RECEIPT, LETTER), schemas="invoice,receipt", split_documents="true")["job_id"]
    documents = [
        {"first": 1, "last": 1, "schema_ref": "purchase_order"},
        {"first": 2, "last": 2},
        {"first": 3, "last": 3, "schema_ref": "contract"},
    ]
    answer = client.post(f"{API}/jobs/{job_id}/rerun", json={"documents": documents})
    assert answer.status_code == 202, answer.text
    client.get(f"{API}/jobs/{job_id}?wait=110")
    result = client.get(f"{API}/jobs/{job_id}/result").json()
    assert [record["schema"]["name"] for record in result["records"]] == ["purchase_order", "receipt", "contract"]
    assert result["status"] == "succeeded"
    assert result["documents"][0]["candidates"] == []
    assert bound["job_id"] != job_id


def test_a_rerun_with_one_schema_ends_the_routing(client: httpx.Client) -> None:
    """And a job of one schema can be given several."""
    job_id = submit(client, pile(LETTER), schemas="invoice,receipt")["job_id"]
    assert client.post(f"{API}/jobs/{job_id}/rerun", json={"schema_ref": "contract"}).status_code == 202
    client.get(f"{API}/jobs/{job_id}?wait=110")
    result = client.get(f"{API}/jobs/{job_id}/result").json()
    assert (result["schema"], result["status"]) == ({"name": "contract", "version": 0}, "succeeded")
    assert client.post(f"{API}/jobs/{job_id}/rerun", json={"schemas": ["receipt", "invoice"]}).status_code == 202
    client.get(f"{API}/jobs/{job_id}?wait=110")
    assert client.get(f"{API}/jobs/{job_id}/result").json()["records"] == []


@pytest.mark.parametrize(
    ("fields", "code", "param"),
    [
        ({"schemas": "invoice,nothing_such"}, "schema_not_found", "schemas"),
        ({"schemas": "invoice,invoice@0"}, "invalid_option", "schemas"),
        ({"schemas": "invoice,"}, "invalid_option", "schemas"),
        ({"schemas": '["invoice"'}, "invalid_option", "schemas"),
        ({"schemas": "invoice", "schema_ref": "receipt"}, "invalid_request_body", "schemas"),
        ({"schemas": "auto", "schema": '{"properties": {"a": {"type": "string"}}}'}, "invalid_request_body", "schemas"),
    ],
)
def test_schemas_that_cannot_be_taken_are_refused_by_name(
    client: httpx.Client, fields: dict[str, str], code: str, param: str
) -> None:
    """Before anything is made."""
    answer = client.post(f"{API}/jobs", files={"file": ("a.pdf", pile(RECEIPT))}, data=fields)
    found = error_of(answer)
    assert (found["code"], found["param"]) == (code, param), found["message"]


def test_json_takes_a_list_of_names(client: httpx.Client) -> None:
    """Of a file that was uploaded before."""
    file_id = client.post(f"{API}/files", files={"file": ("r.pdf", pile(RECEIPT))}).json()["id"]
    answer = client.post(f"{API}/jobs?wait=100", json={"file_id": file_id, "schemas": ["invoice", "receipt"]})
    assert answer.status_code == 200, answer.text
    assert [record["schema"]["name"] for record in answer.json()["records"]] == ["receipt"]
