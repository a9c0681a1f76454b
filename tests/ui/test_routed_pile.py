"""A pile of several kinds on the screen: each document under its own schema, and a stranger given one."""

from __future__ import annotations

import re

from playwright.sync_api import expect

from tests.fakes.mixed_pile import INVOICE, LETTER, RECEIPT, pile
from tests.fakes.model_stub import ModelStub
from tests.ui.conftest import Opener


def test_a_stranger_is_told_and_given_a_schema(open_screen: Opener) -> None:
    """The notice says which pages have no record; the dialog gives them one, and the others keep theirs."""
    screen = open_screen()
    wanted = {"schemas": "invoice,receipt", "split_documents": "true", "model": "embedded"}
    files = {"file": ("pile.pdf", pile(INVOICE, RECEIPT, LETTER))}
    job = screen.client.post("/jobs", params={"wait": 110}, files=files, data=wanted).json()["job_id"]
    screen.page.reload()
    expect(screen.page.locator("#jobs tbody tr td").nth(1)).to_have_text("invoice, receipt")
    screen.open(job)
    page = screen.page
    expect(page.locator("#notice")).to_contain_text("Page 3: no schema fits")
    expect(page.locator("#records button")).to_have_text(["1 · invoice", "2 · receipt"])
    page.get_by_role("button", name="2 · receipt").click()
    expect(page.locator(".field", has_text="Tip")).to_contain_text("4")
    page.get_by_role("button", name="More").click()
    page.get_by_role("menuitem", name="Documents in this file").click()
    expect(page.get_by_text("Now: 1 invoice, 2 receipt, 3.")).to_be_visible()
    page.get_by_label("Pages").last.fill("1, 2, 3 contract")
    screen.run_again(job, "Run again")
    expect(page.locator("#records button")).to_have_text(["1 · invoice", "2 · receipt", "3 · contract"])
    assert [record["schema"]["version"] for record in screen.result(job)["records"]] == [0, 0, 0]
    page.goto(f"{screen.url}/")
    expect(page.locator("#jobs tbody tr").first).to_contain_text(re.compile("invoice, receipt, contract"))


def test_a_document_that_fits_nothing_is_shown_and_given_a_schema(open_screen: Opener) -> None:
    """Its pages stand where the record would, and one choice brings the record."""
    screen = open_screen()
    wanted = {"schemas": "invoice,receipt", "model": "embedded"}
    files = {"file": ("letter.pdf", pile(LETTER))}
    job = screen.client.post("/jobs", params={"wait": 110}, files=files, data=wanted).json()["job_id"]
    page = screen.page
    page.goto(f"{screen.url}/review/{job}")
    expect(page.get_by_role("img", name="Page 1")).to_have_js_property("complete", value=True)
    page.get_by_role("button", name="Choose its schema").click()
    page.locator("#dialog select").select_option("receipt")
    screen.run_again(job, "Run again")
    expect(page.locator("#value")).to_be_visible()
    assert [record["schema"]["name"] for record in screen.result(job)["records"]] == ["receipt"]


def test_a_document_that_fits_a_schema_and_failed_is_tried_again(open_screen: Opener, stub: ModelStub) -> None:
    """Its schema is known: what is offered is the call that failed, and no other schema."""
    stub.script({"fault": "400", "repeat": 99})
    screen = open_screen()
    wanted = {"schemas": "invoice,receipt", "model": "upstage"}
    files = {"file": ("receipt.pdf", pile(RECEIPT))}
    answer = screen.client.post("/jobs", params={"wait": 110}, files=files, data=wanted).json()
    assert [document["schema"]["name"] for document in answer["documents"]] == ["receipt"]
    assert answer["records"] == []
    page = screen.page
    page.goto(f"{screen.url}/review/{answer['job_id']}")
    expect(page.get_by_role("button", name="Try again")).to_be_visible()
    expect(page.get_by_role("button", name="Choose its schema")).to_have_count(0)
