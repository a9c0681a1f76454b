"""What is in a document is shown as text, whatever it is; pages are fit for everybody; tables stay quick."""

from __future__ import annotations

import re

import httpx
from playwright.sync_api import expect

from tests.fakes.local_service import LocalService
from tests.fakes.model_stub import ModelStub
from tests.ui.accessibility import faults
from tests.ui.conftest import Opener
from tests.ui.screen import LINES, TRUTH, invoice, schema

NASTY = {
    "seller_name": "<script>window.broken = 1</script><img src=x onerror=window.broken=1>",
    "buyer_name": "safe\u202egnp.exe",
    "order_number": '=HYPERLINK("http://example.test","click")',
    "invoice_number": "W" * 4000,
    "iban": "계좌 번호 ١٢٣ شركة",
}


def test_text_of_a_document_is_only_ever_text(open_screen: Opener, stub: ModelStub) -> None:
    """Markup, marks that turn the writing, formulas, endless words; also in file names and reviewers' words."""
    rows = [{"description": NASTY["seller_name"], "quantity": 1, "amount": 354.5}]
    stub.answers({**TRUTH, **NASTY, "lines": rows})
    screen = open_screen()
    job = screen.hand_in(invoice(), schema(lines=True), "<img src=x onerror=window.broken=1>\u202efdp.pdf")
    screen.page.reload()
    expect(screen.page.locator("#jobs tbody tr")).to_have_count(1)
    assert "\u202e" not in screen.page.locator("body").inner_text()
    screen.open(job)
    page = screen.page
    assert page.locator(".field", has_text="Seller name").locator(".field-value").inner_text() == NASTY["seller_name"]
    assert page.locator(".field", has_text="Buyer name").locator(".field-value").inner_text() == "safe‹202E›gnp.exe"
    assert page.locator("#fields img, #fields script, #tables img, #name img").count() == 0
    page.locator(".field", has_text="Seller name").click()
    expect(page.locator("#value")).to_have_value(NASTY["seller_name"])
    page.keyboard.press("Enter")
    screen.stored()
    page.get_by_role("button", name="History").click()
    expect(page.locator("#dialog li").first).to_be_visible()
    assert page.evaluate("window.broken") is None
    assert page.evaluate("document.documentElement.scrollWidth") <= 1280


def test_one_page_and_its_fields_fit_without_scrolling(open_screen: Opener, stub: ModelStub) -> None:
    """At 1280 × 800: the whole page, all fields, and nothing under the window's edge."""
    stub.answers(TRUTH)
    screen = open_screen()
    screen.open(screen.hand_in(invoice(), schema()))
    fits = "element => element.scrollHeight <= element.clientHeight + 1"
    for selector in ("html", "#viewport", "#scroller"):
        assert screen.page.locator(selector).evaluate(fits), selector


def test_at_twice_the_size_everything_is_reached_by_scrolling_down(open_screen: Opener, stub: ModelStub) -> None:
    """A window of 1280 × 800 at 200 %: nothing lies beyond the right edge, of the inbox and of a document."""
    stub.answers({**TRUTH, "lines": [dict(line) for line in LINES]})
    screen = open_screen()
    job = screen.hand_in(invoice(), schema(lines=True), f"{'long-name-' * 12}.pdf")
    screen.page.set_viewport_size({"width": 640, "height": 400})
    screen.page.reload()
    expect(screen.page.locator("#jobs tbody tr")).to_have_count(1)
    for button in ("Review next", "More", "Approve", "Not in document", "Add row"):
        if button == "More":
            screen.open(job)
        place = screen.page.get_by_role("button", name=button).bounding_box()
        assert place is not None
        assert 0 <= place["x"] <= 640 - place["width"], button
        assert screen.page.evaluate("document.documentElement.scrollWidth") == 640
    assert faults(screen.page) == []


def test_a_long_table_keeps_few_rows_in_the_page(open_screen: Opener, stub: ModelStub) -> None:
    """However far one scrolls; the cell that is opened is in view."""
    rows = [{"description": f"Item {n}", "quantity": n, "amount": 1} for n in range(400)]
    stub.answers({**TRUTH, "lines": rows})
    screen = open_screen()
    screen.open(screen.hand_in(invoice(), schema(lines=True)))
    page = screen.page
    page.locator(".grid-window").evaluate("element => { element.scrollTop = element.scrollHeight; }")
    page.locator(".cell-button", has_text="Item 399").click()
    expect(page.locator(".card-label")).to_have_text("Description, row 400")
    assert page.locator(".grid-body .grid-row").count() < 40


def test_no_serious_fault_of_accessibility(open_screen: Opener, stub: ModelStub) -> None:
    """Inbox, document, dialogs and sign-in, light and dark."""
    stub.answers({**TRUTH, "total": 1, "lines": [dict(line) for line in LINES]})
    for scheme in ("light", "dark"):
        screen = open_screen(color_scheme=scheme)
        job = screen.hand_in(invoice(), schema(lines=True))
        screen.page.reload()
        expect(screen.page.locator("#jobs tbody tr").first).to_be_visible()
        assert faults(screen.page) == []
        screen.open(job)
        assert faults(screen.page) == []
        screen.page.get_by_role("button", name="Keys").click()
        assert faults(screen.page) == []
        screen.page.goto(f"{screen.url}/sign-in?refused")
        assert faults(screen.page) == []


def test_every_call_is_explained_with_a_command(open_screen: Opener) -> None:
    """The page of the API has each of them, finds them by words, and opens the one that its address names."""
    screen = open_screen("/docs#create_job_api_v1_jobs_post")
    page = screen.page
    expect(page.locator("details[open]")).to_contain_text(
        f"curl -X POST '{screen.url}/api/v1/jobs' -F file=@document.pdf"
    )
    described = httpx.get(f"{screen.url}/openapi.json", timeout=60).json()["paths"]
    assert page.locator(".call").count() == sum(map(len, described.values()))
    page.evaluate("document.querySelectorAll('.call').forEach((call) => { call.open = true; })")
    expect(page.locator(".call:not(:has(figure))")).to_have_count(0)
    assert faults(page) == []
    page.get_by_label("Search").fill("webhooks rotate")
    expect(page.locator(".call:visible")).to_have_count(1)


def test_the_inbox_says_that_there_are_older_documents_and_shows_them(open_screen: Opener, stub: ModelStub) -> None:
    """It asks for so many at a time, here for one."""
    stub.answers(TRUTH)
    screen = open_screen()
    for name in ("first.pdf", "second.pdf"):
        screen.hand_in(invoice(), schema(), name)
    page = screen.page
    page.route(re.compile("limit=200"), lambda route: route.continue_(url=route.request.url.replace("200", "1")))
    page.reload()
    rows, counts = page.locator("#jobs tbody tr"), page.locator("#counts")
    expect(rows).to_contain_text(["second.pdf"])
    expect(counts).to_contain_text("1+ in all")
    page.get_by_role("button", name="Show older documents").click()
    expect(rows).to_contain_text(["second.pdf", "first.pdf"])
    expect(counts).to_contain_text("2 in all")
    expect(page.get_by_role("button", name="Show older documents")).to_be_hidden()


def test_an_older_document_that_is_deleted_while_it_runs_leaves_the_inbox(open_screen: Opener, stub: ModelStub) -> None:
    """The inbox asks about it alone, and goes on when it is told that it is gone."""
    stub.answers(TRUTH)
    screen = open_screen(expected="410")
    first, *_ = [screen.hand_in(invoice(), schema(), f"{name}.pdf") for name in ("first", "second", "third")]
    running = {**screen.client.get(f"/jobs/{first}").json(), "status": "extracting"}
    screen.client.delete(f"/jobs/{first}").raise_for_status()
    page = screen.page
    page.route(re.compile("limit=200"), lambda route: route.continue_(url=route.request.url.replace("200", "1")))
    page.route(re.compile("cursor="), lambda route: route.fulfill(json={"jobs": [running], "next_cursor": None}))
    page.reload()
    expect(page.locator("#counts")).to_contain_text("1+ in all")
    page.get_by_role("button", name="Show older documents").click()
    expect(page.locator("#counts")).to_contain_text("1 in all")
    expect(page.locator("#jobs tbody tr")).to_contain_text(["third.pdf"])


def test_pages_allow_nothing_that_they_do_not_need(service: tuple[str, LocalService]) -> None:
    """A strict policy on every page and file; what is not there is not found; a wrong key opens nothing."""
    url, _ = service
    with httpx.Client(base_url=url, timeout=60) as client:
        for path in ("/", "/review/job_x", "/sign-in", "/ui/old/review.js", "/ui/old/base.css", "/ui/old/mark.svg"):
            answer = client.get(path)
            policy = answer.headers["content-security-policy"]
            assert answer.status_code == 200
            assert "unsafe" not in policy
            assert "default-src 'none'" in policy
            assert "frame-ancestors 'none'" in policy
        assert client.get("/ui/old/review.js", headers={"If-None-Match": answer.headers["etag"]}).status_code == 200
        same = client.get("/ui/old/mark.svg", headers={"If-None-Match": answer.headers["etag"]})
        assert (same.status_code, same.content) == (304, b"")
        parts = re.findall(r'"(/ui/[^"]+)"', client.get("/").text)
        assert all("immutable" in client.get(part).headers["cache-control"] for part in parts)
        for path in ("/ui/x/none.js", "/ui/x/..%2fpages.py", "/ui/x/inbox.html"):
            assert client.get(path).status_code == 404
        refused = client.post("/sign-in", data={"key": "fm_wrong"})
        assert (refused.status_code, refused.headers["location"]) == (303, "/sign-in?refused")
        assert "set-cookie" not in refused.headers
        foreign = client.post("/sign-in", data={"key": "x"}, headers={"Origin": "https://elsewhere.test"})
        assert foreign.status_code == 403
