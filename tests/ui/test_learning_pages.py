"""What is learned is shown and can be forgotten; schemas are proposed and kept; several people, other programs."""

from __future__ import annotations

import re
from pathlib import Path

import httpx
from playwright.sync_api import expect

from service.auth.keys import create_key
from service.domain.access import Role
from tests.fakes.local_service import LocalService
from tests.fakes.model_stub import ModelStub
from tests.ui.accessibility import faults
from tests.ui.conftest import PROGRAM, Opener
from tests.ui.screen import LONG_MS, TRUTH, Screen, invoice, schema, turned

WRONG = {**TRUTH, "total": 452.4}


def correct_and_approve(screen: Screen, job: str, **right: object) -> None:
    """Over the API: fields that were wrong, then the decision."""
    values = screen.values(job)
    operations = [
        {"op": "set", "id": name, "path": f"/{name}", "old": values[name], "value": value}
        for name, value in right.items()
    ]
    assert screen.client.post(f"/jobs/{job}/corrections", json={"operations": operations}).is_success
    assert screen.client.post(f"/jobs/{job}/approve", json={"accept_unseen": True}).is_success


def test_the_quality_page_says_of_how_many(open_screen: Opener, stub: ModelStub) -> None:
    """One corrected value of one that was looked at; what was learned is shown, and forgotten on request."""
    stub.answers(WRONG)
    screen = open_screen()
    job = screen.hand_in(invoice(), schema())
    correct_and_approve(screen, job, total=425.4)
    page = screen.page
    page.get_by_role("link", name="Quality").click()
    expect(page.locator("#counts")).to_have_text("1 approved document")
    expect(page.locator("#fields tbody tr", has_text="Total")).to_contain_text("0 of 1")
    assert faults(page) == []
    page.locator(".memory summary").click()
    expect(page.locator(".memory")).to_contain_text("Total stands right of “total” on the last page")
    page.get_by_role("button", name="Forget").click()
    page.get_by_role("dialog").get_by_role("button", name="Forget").click()
    expect(page.locator("#memories")).to_contain_text("Nothing learned yet")
    assert screen.client.get("/memory").json() == {"memories": []}
    page.locator("#days").select_option("30")
    expect(page.locator("#fields tbody tr", has_text="Total")).to_be_visible()


def test_a_schema_is_proposed_edited_and_kept(open_screen: Opener, tmp_path: Path) -> None:
    """From a document to a name in the registry, with a field renamed and one that is nobody's wish removed."""
    screen = open_screen("/schemas")
    page = screen.page
    file = tmp_path / "invoice.pdf"
    file.write_bytes(invoice())
    page.locator("#files").set_input_files(file)
    page.get_by_role("button", name="Propose fields").click()
    expect(page.locator("#said")).to_contain_text("fields proposed")
    assert faults(page) == []
    names = page.get_by_label(re.compile("^Name of field"))
    count = names.count()
    first = names.first.input_value()
    names.first.fill("our_own_name")
    names.first.press("Enter")
    page.get_by_label(re.compile("^Kind of field 1")).first.select_option("text")
    page.get_by_role("button", name=re.compile("^Remove ")).last.click()
    page.get_by_label("Name", exact=True).fill("paper")
    page.get_by_role("button", name="Keep", exact=True).click()
    expect(page.locator("#said")).to_have_text("Kept as paper, version 1.")
    expect(page.locator("#kept")).to_contain_text("paper")
    kept = screen.client.get("/schemas/paper").json()["schema"]
    assert "our_own_name" in kept["properties"]
    assert first not in kept["properties"]
    assert names.count() < count
    page.get_by_role("button", name="As JSON").click()
    page.locator("#json").fill("{")
    page.get_by_role("button", name="Keep", exact=True).click()
    expect(page.locator("#fault")).to_have_text("This is not JSON.")


def test_documents_without_any_doubt_are_approved_together(open_screen: Opener, stub: ModelStub) -> None:
    """Those that a policy sends to a person although nothing is in doubt; a doubtful one stays."""
    certain = schema()
    certain["schema"]["x-review"] = {"mode": "always", "critical": ["/iban"]}
    stub.answers({**TRUTH, "iban": None})
    screen = open_screen()
    jobs = [screen.hand_in(invoice(), certain, f"{n}.pdf") for n in range(3)]
    stub.answers(WRONG)
    doubtful = screen.hand_in(invoice(), schema(), "doubtful.pdf")
    page = screen.page
    page.reload()
    page.get_by_role("button", name="Nothing to check").click()
    expect(page.locator("#jobs tbody tr")).to_have_count(3)
    page.get_by_role("button", name="Approve all 3").click()
    page.get_by_role("dialog").get_by_role("button", name="Approve").click()
    expect(page.locator("#jobs tbody tr")).to_have_count(0)
    states = {job: screen.client.get(f"/jobs/{job}").json()["review"]["state"] for job in (*jobs, doubtful)}
    assert states == {**dict.fromkeys(jobs, "approved"), doubtful: "needed"}


def test_a_colleague_who_is_asked_gets_the_document_next(
    open_screen: Opener, stub: ModelStub, service: tuple[str, LocalService]
) -> None:
    """With the question; the history keeps both names."""
    stub.answers(WRONG)
    screen = open_screen()
    older = screen.hand_in(invoice(), schema(), "older.pdf")
    asked = screen.hand_in(invoice(), schema(), "asked.pdf")
    screen.page.close()
    keys = {name: create_key(service[1].services, user=name, role=Role.REVIEW).secret for name in ("ada", "ben")}
    ada, ben = (_signed_in(open_screen(), keys[name]) for name in ("ada", "ben"))
    ada.page.goto(f"{ada.url}/review/{asked}")
    ada.page.get_by_role("button", name="More").click()
    ada.page.get_by_role("menuitem", name="Ask a colleague").click()
    ada.page.get_by_label("Who?").fill("ben")
    ada.page.get_by_label("Your question").fill("Is this total <b>right</b>?")
    ada.page.get_by_role("button", name="Ask", exact=True).click()
    expect(ada.page.locator("#name")).to_have_text("older.pdf")
    assert ada.page.url.endswith(older)
    ben.page.keyboard.press("n")
    expect(ben.page.locator("#asked")).to_have_text("ada asks ben: Is this total <b>right</b>?")
    assert ben.page.url.endswith(asked)
    ben.page.get_by_role("button", name="History").click()
    expect(ben.page.get_by_role("dialog")).to_contain_text("ada asked a colleague")


def _signed_in(screen: Screen, key: str) -> Screen:
    screen.page.get_by_label("Your key").fill(key)
    screen.page.get_by_role("button", name="Sign in").click()
    expect(screen.page.locator("#counts")).to_contain_text("to review")
    return screen


def test_a_signed_link_opens_one_document_and_leads_back(
    open_screen: Opener, stub: ModelStub, service: tuple[str, LocalService]
) -> None:
    """No key, no other document, and after the decision back to the program that sent the reviewer."""
    stub.answers(TRUTH)
    url, local = service
    screen = open_screen()
    job, other = (screen.hand_in(invoice(), schema(), f"{n}.pdf") for n in range(2))
    screen.page.close()
    key = create_key(local.services, user="erp", role=Role.REVIEW).secret
    client = httpx.Client(base_url=f"{url}/api/v1", headers={"Authorization": f"Bearer {key}"}, timeout=60)
    refused = client.post(f"/jobs/{job}/review-link", json={"return_url": "https://elsewhere.test/"})
    assert (refused.status_code, refused.json()["error"]["param"]) == (400, "return_url")
    link = client.post(f"/jobs/{job}/review-link", json={"return_url": f"{PROGRAM}/back?case=7", "user": "mia"}).json()
    linked = open_screen(link["url"])
    page = linked.page
    expect(page.locator("#value")).to_be_visible()
    assert "link=" not in page.url
    page.get_by_role("button", name="More").click()
    expect(page.get_by_role("menuitem", name="Next document")).to_be_hidden()
    page.keyboard.press("Escape")
    for path, status in ((f"jobs/{job}", 200), (f"jobs/{other}", 401), ("jobs", 401), ("quality", 401)):
        answer = page.request.get(f"{url}/api/v1/{path}")
        assert answer.status == status, path
    while page.locator("#left").inner_text() != "Nothing left to check":
        page.locator("#value").press("Enter")
        linked.stored()
    page.get_by_role("button", name=re.compile("^Approve")).click()
    page.wait_for_url(f"{PROGRAM}/back?case=7&job_id={job}&review=approved")
    decided = client.get(f"/jobs/{job}").json()["review"]
    assert (decided["state"], decided["by"]) == ("approved", "mia")
    client.close()
    changed = link["url"].replace("link=fl_", "link=fl_x")
    page.goto(url + changed)
    expect(page.locator("#ended")).to_be_visible()


def test_a_page_is_left_out_and_another_read_again(open_screen: Opener, stub: ModelStub) -> None:
    """Both by a new run, from the menu."""
    stub.answers(TRUTH)
    screen = open_screen()
    job = screen.hand_in(invoice(), schema())
    screen.open(job)
    page = screen.page
    page.get_by_role("button", name="More").click()
    page.get_by_role("menuitem", name="Documents in this file").click()
    page.get_by_label("Pages").last.fill("1, not 2")
    screen.run_again(job, "Run again")
    expect(page.locator("#value")).to_be_visible()
    assert [row["state"] for row in screen.result(job)["coverage"]] == ["extracted", "ignored"]
    page.get_by_role("button", name="More").click()
    page.get_by_role("menuitem", name="Read this page again").click()
    screen.run_again(job, "Read again")
    assert screen.result(job)["coverage"][0]["text"] == "ocr"


def test_a_page_is_turned_and_read_again(open_screen: Opener, stub: ModelStub) -> None:
    """The picture, the words under the mouse and the history follow; corrections stay."""
    stub.answers(WRONG)
    screen = open_screen()
    job = screen.hand_in(turned(invoice(), 270), schema())
    screen.open(job)
    page = screen.page
    page.locator(".field", has_text="Order number").click()
    page.keyboard.type("LL-9999")
    page.keyboard.press("Enter")
    screen.stored()
    lies = "image => image.naturalWidth > image.naturalHeight"
    assert page.locator("#picture").evaluate(lies)
    page.get_by_role("button", name="More").click()
    page.get_by_role("menuitem", name="Turn this page").click()
    page.get_by_role("combobox").select_option("A quarter to the right ↻")
    with page.expect_response(re.compile("/pages/1$"), timeout=LONG_MS):  # the words, which come after the picture
        page.get_by_role("button", name="Turn and read").click()
    expect(page.locator("#picture")).to_have_attribute("src", re.compile("rotation=0$"))
    expect(page.locator("#picture")).to_have_js_property("complete", value=True)
    assert not page.locator("#picture").evaluate(lies)
    assert screen.values(job)["order_number"] == "LL-9999"
    page.locator(".field", has_text="Seller name").click()
    screen.drag(job, 1, "Lantern & Loom")
    expect(page.locator(".field", has_text="Seller name")).to_contain_text("Lantern & Loom")
    page.get_by_role("button", name="History").click()
    expect(page.locator(".history")).to_contain_text("page 1 turned by 90°")
