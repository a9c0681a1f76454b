"""A reviewer's day in a real browser: what is done on the screen is what the API gives."""

from __future__ import annotations

import json
import re
from contextlib import suppress
from pathlib import Path

from playwright.sync_api import Browser, expect
from playwright.sync_api import Error as PlaywrightError

from service.auth.keys import create_key
from service.domain.access import Role
from tests.fakes.chromium import launch
from tests.fakes.local_service import LocalService
from tests.fakes.model_stub import ModelStub
from tests.ui.conftest import PATIENCE_MS, Opener
from tests.ui.screen import LINES, TRUTH, Screen, Withheld, invoice, paper, schema

WRONG = {**TRUTH, "total": 452.4, "order_number": "LL-8331"}
MOST_PRESSES = 12


def test_from_upload_to_approval(open_screen: Opener, stub: ModelStub, tmp_path: Path) -> None:
    """Upload, live progress, a value dragged from the page, a row mended, approved."""
    rows = [*LINES[:2], {**LINES[2], "amount": 198.2}]
    stub.answers({**TRUTH, "total": 452.4, "lines": rows})
    screen = open_screen()
    page = screen.page
    file = tmp_path / "invoice.pdf"
    file.write_bytes(invoice())
    page.locator("#files").set_input_files(file)
    wanted = page.get_by_label("What to extract")
    expect(wanted).to_contain_text("receipt")  # ready schemas are offered before any was used
    wanted.select_option("Another JSON Schema…")
    asked = schema(lines=True)
    asked["schema"]["x-checks"] += ["lines[].amount <= 190"]
    page.get_by_role("textbox", name="JSON Schema").fill(json.dumps(asked))
    stub.hold()
    page.get_by_role("button", name="Add", exact=True).click()
    expect(page.locator("td .chip.busy")).to_be_visible()
    stub.let_go()
    page.get_by_role("link", name="invoice.pdf").click()
    expect(page.get_by_text("The sum of Lines · Amount should be Subtotal.").first).to_be_visible()
    expect(page.get_by_text("Lines, row 3: Amount should be at most 190.").first).to_be_visible()
    job = page.url.rpartition("/")[2]

    page.locator(".field", has_text="Total").last.click()
    page.locator("#thumbs button").nth(1).click()
    expect(page.locator("#page-number")).to_have_text("Page 2 of 2")
    expect(page.locator("#picture")).to_have_js_property("complete", value=True)
    screen.drag(job, 2, "425.40")
    expect(page.locator(".field", has_text="Total").last).to_contain_text("425.4")
    screen.stored()
    entry = screen.result(job)["records"][0]["fields"]["/total"]
    assert (entry["value"], entry["origin"], entry["page"]) == (425.4, "corrected", 2)

    page.locator(".cell-button", has_text="198.2").click()
    page.keyboard.type("189,20")
    expect(page.locator("#preview")).to_have_text("Will be stored as 189.2")
    page.keyboard.press("Enter")
    expect(page.locator(".grid-foot .good")).to_contain_text("matches 354.5")
    while page.locator("#left").inner_text() != "Nothing left to check":
        page.locator("#value").press("Enter")
        screen.stored()
    page.get_by_role("button", name=re.compile("^Approve")).click()
    page.wait_for_url(f"{screen.url}/")
    assert screen.values(job, "approved") == {**TRUTH, "lines": [dict(line) for line in LINES]}


def test_two_wrong_fields_by_keyboard_alone(open_screen: Opener, stub: ModelStub) -> None:
    """From the inbox to the next document in few presses, the typed characters aside."""
    stub.answers(WRONG)
    screen = open_screen()
    first = screen.hand_in(invoice(), schema(), "first.pdf")
    second = screen.hand_in(invoice(), schema(), "second.pdf")
    screen.page.goto(screen.url)
    expect(screen.page.get_by_role("link", name="first.pdf")).to_be_visible()
    screen.press("n")
    expect(screen.page.locator("#name")).to_have_text("first.pdf")
    for _ in range(MOST_PRESSES):
        if screen.page.locator("#left").inner_text() == "Nothing left to check":
            break
        label = screen.page.locator(".card-label").inner_text()
        right = {"Order number": TRUTH["order_number"], "Total": "425,40"}.get(label)
        if right:
            screen.page.keyboard.type(right)
        screen.press("Enter")
        expect(screen.page.locator(".card-label")).not_to_have_text(label) if label != "Total" else screen.stored()
    screen.press("Alt+y")
    expect(screen.page.locator("#name")).to_have_text("second.pdf")
    assert screen.page.url.endswith(second)
    assert screen.values(first, "approved") == dict(TRUTH)
    assert len(screen.presses) <= MOST_PRESSES
    screen.page.keyboard.press("Alt+z")
    screen.page.get_by_role("button", name="Reopen it").click()
    expect(screen.page.locator("#name")).to_have_text("first.pdf")
    expect(screen.page.locator("#state")).to_have_text("In review")


def test_two_reviewers_get_two_documents(
    open_screen: Opener, stub: ModelStub, service: tuple[str, LocalService]
) -> None:
    """Both sign in with their keys and ask at once; one who is not signed in sees nothing."""
    stub.answers(WRONG)
    screen = open_screen()
    jobs = {screen.hand_in(invoice(), schema(), f"{n}.pdf") for n in range(2)}
    screen.page.close()
    taken: set[str] = set()
    reviewers: list[Screen] = []
    for name in ("ada", "ben"):
        key = create_key(service[1].services, user=name, role=Role.REVIEW).secret
        reviewer = open_screen(expected="status of 401")  # of what is on its way when somebody signs out
        expect(reviewer.page).to_have_url(re.compile("/sign-in$"))
        reviewer.page.get_by_label("Your key").fill(key)
        reviewer.page.get_by_role("button", name="Sign in").click()
        expect(reviewer.page.locator("#counts")).to_contain_text("2 to review")
        reviewers.append(reviewer)
    for reviewer in reviewers:
        reviewer.page.keyboard.press("n")
    for reviewer in reviewers:
        reviewer.page.wait_for_url(re.compile("/review/"))
        taken.add(reviewer.page.url.rpartition("/")[2])
    assert taken == jobs
    cookie = next(c for c in reviewers[0].page.context.cookies() if c["name"] == "fieldmark_key")  # pyright: ignore[reportTypedDictNotRequiredAccess] - it is set
    assert (cookie.get("httpOnly"), cookie.get("sameSite")) == (True, "Strict")
    reviewers[0].page.goto(reviewers[0].url)
    reviewers[0].page.get_by_role("button", name="Sign out").click()
    reviewers[0].page.goto(reviewers[0].url)
    expect(reviewers[0].page).to_have_url(re.compile("/sign-in$"))


def test_a_change_by_a_colleague_is_shown_not_overwritten(open_screen: Opener, stub: ModelStub) -> None:
    """Both values, and a choice."""
    stub.answers(WRONG)
    screen = open_screen(expected="status of 412")  # the browser itself tells each answer that is an error
    job = screen.hand_in(invoice(), schema())
    screen.open(job)
    theirs = {"op": "set", "id": "theirs", "path": "/order_number", "old": "LL-8331", "value": "LL-0000"}
    assert screen.client.post(f"/jobs/{job}/corrections", json={"operations": [theirs]}).is_success
    screen.page.locator(".field", has_text="Order number").click()
    screen.page.keyboard.type("LL-3381")
    screen.page.keyboard.press("Enter")
    expect(screen.page.locator("#dialog")).to_contain_text("LL-0000")
    expect(screen.page.locator("#dialog")).to_contain_text("LL-3381")
    screen.page.get_by_role("button", name="Put mine").click()
    screen.stored()
    expect(screen.page.locator(".field", has_text="Order number")).to_contain_text("LL-3381")
    assert screen.values(job)["order_number"] == "LL-3381"


def test_what_was_shown_as_stored_outlives_the_browser(
    open_screen: Opener, browser: Browser, stub: ModelStub, service: tuple[str, LocalService]
) -> None:
    """The browser dies while the next value is being typed."""
    stub.answers(WRONG)
    screen = open_screen()
    job = screen.hand_in(invoice(), schema())
    doomed = launch(browser.browser_type)
    page = doomed.new_page()
    page.set_default_timeout(PATIENCE_MS)
    page.goto(f"{service[0]}/review/{job}")
    page.locator(".field", has_text="Order number").click()
    page.keyboard.type("LL-3381")
    page.keyboard.press("Enter")
    expect(page.locator(".field", has_text="Order number")).to_contain_text("LL-3381")
    expect(page.locator("#saved[data-state=stored]")).to_be_visible()
    page.keyboard.type("42")
    with suppress(PlaywrightError):
        doomed.new_browser_cdp_session().send("Browser.crash")
    assert screen.values(job)["order_number"] == "LL-3381"


def test_rows_are_added_deleted_pasted_and_taken_back(open_screen: Opener, stub: ModelStub) -> None:
    """As in a spreadsheet, with the sum beneath."""
    stub.answers({**TRUTH, "lines": [dict(line) for line in LINES[:2]]})
    screen = open_screen()
    job = screen.hand_in(invoice(), schema(lines=True))
    screen.open(job)
    page = screen.page
    expect(page.locator(".grid-foot .bad")).to_contain_text("-189.2 against 354.5")
    page.locator(".cell-button", has_text="Bone folder").click()
    text = "Bone\t3\t15,80\nInk\t13\t149,50\nBox\t22\t189,20"
    page.evaluate(
        """text => { const data = new DataTransfer(); data.setData("text/plain", text);
        document.querySelector("#value").dispatchEvent(
            new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true })); }""",
        text,
    )
    expect(page.locator(".grid-foot .good")).to_contain_text("matches 354.5")
    screen.stored()
    assert [row["description"] for row in screen.values(job)["lines"]] == ["Bone", "Ink", "Box"]
    page.get_by_role("button", name="Delete row 2").click()
    expect(page.locator(".grid-foot .bad")).to_be_visible()
    page.locator("#value").press("Alt+z")
    expect(page.locator(".grid-foot .good")).to_be_visible()
    screen.stored()
    assert [row["amount"] for row in screen.values(job)["lines"]] == [15.8, 149.5, 189.2]
    page.get_by_role("button", name="History").click()
    expect(page.locator(".history li").first).to_contain_text("took back a change of")


def test_an_input_method_keeps_its_enter(open_screen: Opener, stub: ModelStub) -> None:
    """Enter that ends a composition accepts nothing."""
    stub.answers(WRONG)
    screen = open_screen()
    screen.open(screen.hand_in(invoice(), schema()))
    label = screen.page.locator(".card-label").inner_text()
    screen.page.evaluate(
        """document.querySelector("#value").dispatchEvent(
        new KeyboardEvent("keydown", { key: "Enter", bubbles: true, cancelable: true, isComposing: true }))"""
    )
    expect(screen.page.locator(".card-label")).to_have_text(label)
    screen.stored()


def test_a_rejected_document_is_reopened(open_screen: Opener, stub: ModelStub) -> None:
    """With the reason in its history."""
    stub.answers(WRONG)
    screen = open_screen()
    job = screen.hand_in(invoice(), schema())
    screen.open(job)
    screen.page.get_by_role("button", name="More").click()
    screen.page.get_by_role("menuitem", name="Reject").click()
    screen.page.get_by_label("Why?").fill("Not ours")
    screen.page.get_by_role("button", name="Reject").click()
    screen.page.wait_for_url(f"{screen.url}/")
    screen.open(job)
    expect(screen.page.locator("#state")).to_have_text("Rejected")
    screen.page.get_by_role("button", name="More").click()
    screen.page.get_by_role("menuitem", name="Reopen").click()
    expect(screen.page.locator("#state")).to_have_text("In review")


def test_a_boundary_is_moved_and_corrections_stay(open_screen: Opener, stub: ModelStub) -> None:
    """One file becomes two documents; what was corrected on the pages that stay is still corrected."""
    stub.answers(WRONG)
    screen = open_screen()
    job = screen.hand_in(invoice(), schema())
    screen.open(job)
    page = screen.page
    page.locator(".field", has_text="Order number").click()
    page.keyboard.type("LL-3381")
    page.keyboard.press("Enter")
    screen.stored()
    page.get_by_role("button", name="More").click()
    page.get_by_role("menuitem", name="Documents in this file").click()
    page.get_by_label("Pages").last.fill("1, 2")
    screen.run_again(job, "Run again")
    expect(page.locator("#records button")).to_have_count(2)
    now = screen.result(job)
    assert [record["pages"] for record in now["records"]] == [[1], [2]]
    assert now["records"][0]["values"]["order_number"] == "LL-3381"


def test_an_approved_record_is_exported(open_screen: Opener, stub: ModelStub, tmp_path: Path) -> None:
    """As a file with the values that were approved."""
    stub.answers(TRUTH)
    screen = open_screen()
    job = screen.hand_in(invoice(), schema())
    assert screen.client.post(f"/jobs/{job}/approve", json={"accept_unseen": True}).is_success
    screen.page.goto(f"{screen.url}/review/{job}")
    expect(screen.page.locator("#state")).to_have_text("Approved")
    screen.page.get_by_role("button", name="More").click()
    with screen.page.expect_download() as waited:
        screen.page.get_by_role("menuitem", name="Export JSON").click()
    waited.value.save_as(tmp_path / "out.json")
    assert json.loads((tmp_path / "out.json").read_text())["records"][0]["values"] == dict(TRUTH)
    screen.page.get_by_role("button", name="More").click()
    with screen.page.expect_download() as waited:
        screen.page.get_by_role("menuitem", name="Export XLSX").click()
    assert waited.value.suggested_filename.endswith(".xlsx")


def test_a_failed_job_says_why(open_screen: Opener, stub: ModelStub) -> None:
    """In the inbox and on its own page."""
    stub.answers(TRUTH)
    screen = open_screen()
    job = screen.hand_in(b"%PDF-1.7\nnothing of a document", schema(), "broken.pdf")
    screen.page.reload()
    expect(screen.page.locator("#jobs .chip.bad")).to_have_text("Failed")
    screen.page.goto(f"{screen.url}/review/{job}")
    expect(screen.page.locator("#state")).to_have_text("Failed")
    expect(screen.page.locator("#nothing")).to_contain_text("not a readable PDF")
    expect(screen.page.get_by_role("button", name=re.compile("^Approve"))).to_be_hidden()
    screen.run_again(job, "Try again")
    expect(screen.page.locator("#nothing")).to_contain_text("not a readable PDF")
    assert screen.client.get(f"/jobs/{job}").json()["run"] == 2


def test_korean_and_arabic_documents(open_screen: Opener, stub: ModelStub) -> None:
    """Each value in its own direction, typed as people there type."""
    stub.answers({**TRUTH, "seller_name": "푸른별 종이상점", "buyer_name": "مكتبة الفانوس", "due_date": None})
    screen = open_screen()
    job = screen.hand_in(invoice(), schema(), "송장 ١٢.pdf")
    screen.open(job)
    page = screen.page
    assert page.locator("#name").inner_text() == "송장 ١٢.pdf"
    for label, typed, shown in (
        ("Due date", "2026년 10월 21일", "2026-10-21"),
        ("Total", "٤٢٥٫٤", "425.4"),
        ("Seller name", "푸른별 종이 상점", "푸른별 종이 상점"),
    ):
        field = page.locator(".field", has_text=label).last
        field.click()
        page.keyboard.insert_text(typed)
        page.keyboard.press("Enter")
        expect(field).to_contain_text(shown)
    direction = (
        page.locator(".field", has_text="Buyer name").locator("bdi").evaluate("e => getComputedStyle(e).direction")
    )
    assert direction == "rtl"
    screen.stored()
    assert screen.values(job)["due_date"] == "2026-10-21"


def test_approving_twice_in_haste_decides_one_document(open_screen: Opener, stub: ModelStub) -> None:
    """The second press does not reach the document that comes next."""
    stub.answers(TRUTH)
    screen = open_screen()
    policy = {**schema()["schema"], "x-review": {"mode": "always"}}
    jobs = [screen.hand_in(invoice(), {"name": "invoice", "schema": policy}, f"{n}.pdf") for n in range(2)]
    screen.open(jobs[0])
    expect(screen.page.locator("#state")).to_have_text("In review")
    approving = Withheld(screen.page, "**/approve")
    screen.page.keyboard.press("Alt+y")
    screen.page.keyboard.press("Alt+y")
    approving.let_go()
    expect(screen.page.locator("#name")).to_have_text("1.pdf")
    states = [screen.client.get(f"/jobs/{job}").json()["review"]["state"] for job in jobs]
    assert states == ["approved", "in_review"]


def test_two_hundred_pages_stay_at_hand(open_screen: Opener, stub: ModelStub) -> None:
    """Each page has its small picture, few of which are asked for; a field of the last page shows that page."""
    stub.answers({**TRUTH, "iban": "Page 200"})
    screen = open_screen()
    job = screen.hand_in(paper(*[[(f"Page {n}",)] for n in range(1, 201)]), schema(), "long.pdf")
    page = screen.page
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url) if "dpi=72" in request.url else None)
    screen.open(job)
    expect(page.locator("#thumbs button")).to_have_count(200)
    page.locator(".field", has_text="IBAN").click()
    expect(page.locator("#page-number")).to_have_text("Page 200 of 200")
    expect(page.locator("#picture")).to_have_js_property("complete", value=True)
    assert len(asked) < 60
    page.keyboard.press("PageUp")
    expect(page.locator("#page-number")).to_have_text("Page 199 of 200")


def test_the_menu_and_the_dialogs_need_no_mouse(open_screen: Opener, stub: ModelStub) -> None:
    """Arrows move in the menu, Escape gives the field back; a decided document cannot be typed into."""
    stub.answers(WRONG)
    screen = open_screen()
    job = screen.hand_in(invoice(), schema())
    screen.open(job)
    page = screen.page
    page.get_by_role("button", name="More").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("menuitem", name="Postpone")).to_be_focused()
    page.keyboard.press("ArrowUp")
    page.keyboard.press("ArrowUp")
    expect(page.get_by_role("menuitem", name="Export XLSX")).to_be_focused()
    page.keyboard.press("Home")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect(page.get_by_label("Why?")).to_be_focused()
    page.keyboard.press("Escape")
    expect(page.locator("#value")).to_be_focused()
    assert screen.client.post(f"/jobs/{job}/approve", json={"accept_unseen": True}).is_success
    page.reload()
    expect(page.locator("#state")).to_have_text("Approved")
    expect(page.locator("#value")).not_to_be_editable()
