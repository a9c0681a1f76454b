"""Who types faster than the service answers: nothing typed is lost, and nobody is in a conflict with themselves."""

from __future__ import annotations

from datetime import datetime, timedelta

from playwright.sync_api import Page, Route, expect

from tests.fakes.model_stub import ModelStub
from tests.ui.conftest import Opener
from tests.ui.screen import TRUTH, Withheld, invoice, schema

WRONG = {**TRUTH, "total": 452.4, "order_number": "LL-8331"}
ANSWER_MS = 600
"""Longer than typing waits before it asks what would be stored."""


def answer_slowly(page: Page) -> list[str]:
    """Let the service think about each change; the addresses that were asked."""
    asked: list[str] = []

    def slowly(route: Route) -> None:
        asked.append(route.request.url)
        page.wait_for_timeout(ANSWER_MS)
        route.continue_()

    page.route("**/corrections*", slowly)
    return asked


def test_who_types_quickly_is_not_told_of_a_conflict_with_themselves(open_screen: Opener, stub: ModelStub) -> None:
    """What would be stored is not asked any more once it was sent, however slowly the service answers."""
    stub.answers(WRONG)
    screen = open_screen()
    screen.open(screen.hand_in(invoice(), schema()))
    asked = answer_slowly(screen.page)
    screen.page.locator(".field", has_text="Total").last.click()
    screen.page.clock.install()
    screen.page.clock.pause_at(datetime.now() + timedelta(minutes=1))  # so quickly that no time passes
    screen.page.keyboard.type("425,40")
    screen.page.keyboard.press("Enter")
    screen.page.clock.resume()
    screen.stored()
    expect(screen.page.locator(".field", has_text="Total").last).to_contain_text("425.4")
    assert [url for url in asked if "dry_run" in url] == []


def test_what_is_typed_after_enter_belongs_to_the_next_field(open_screen: Opener, stub: ModelStub) -> None:
    """Both doubtful fields are typed in one go, before the first answer is there."""
    stub.answers(WRONG)
    screen = open_screen()
    job = screen.hand_in(invoice(), schema())
    screen.open(job)
    expect(screen.page.locator(".card-label")).to_have_text("Order number")
    answer_slowly(screen.page)
    for text in (TRUTH["order_number"], "425,40"):
        screen.page.keyboard.type(str(text))
        screen.page.keyboard.press("Enter")
    screen.stored()
    expect(screen.page.locator("#left")).to_have_text("Nothing left to check")
    assert screen.values(job) == dict(TRUTH)


def test_a_document_is_not_approved_past_what_was_refused_or_not_sent(open_screen: Opener, stub: ModelStub) -> None:
    """The last correction is no number, then nobody answers: the document stays, and the screen says why."""
    stub.answers({**TRUTH, "total": 452.4})
    screen = open_screen(expected="Failed to load")
    job = screen.hand_in(invoice(), schema())
    screen.open(job)
    label, notice = screen.page.locator(".card-label"), screen.page.locator("#notice")
    expect(label).to_have_text("Total")
    screen.page.keyboard.type("much")
    screen.press("Alt+y")
    expect(screen.page.locator("#preview")).to_contain_text("must be a number")
    expect(screen.page.locator("#value")).to_have_value("much")
    screen.page.keyboard.press("Control+a")
    screen.page.keyboard.type("425,40")
    screen.press("Enter")
    screen.stored()
    screen.page.context.set_offline(True)
    screen.press("Alt+y")
    expect(notice).to_have_text("The service does not answer; try again.")
    assert screen.client.get(f"/jobs/{job}").json()["review"]["state"] == "in_review"
    screen.page.context.set_offline(False)
    screen.press("Alt+y")
    screen.page.wait_for_url(f"{screen.url}/")
    assert screen.values(job, "approved")["total"] == TRUTH["total"]


def test_a_refused_value_comes_back_as_it_was_typed(open_screen: Opener, stub: ModelStub) -> None:
    """At once if nothing is typed elsewhere; from something half typed nobody is taken away."""
    stub.answers({**TRUTH, "subtotal": 345.5, "total": 452.4})
    screen = open_screen(expected="400")
    job = screen.hand_in(invoice(), schema())
    screen.open(job)
    label, value = screen.page.locator(".card-label"), screen.page.locator("#value")
    expect(label).to_have_text("Subtotal")
    refusing = Withheld(screen.page, "**/corrections*")
    screen.page.keyboard.type("many")
    screen.page.keyboard.press("Enter")
    expect(label).to_have_text("Total")
    screen.page.keyboard.type("425,4")
    refusing.let_go()
    expect(screen.page.locator("#notice")).to_contain_text("Subtotal")
    expect(value).to_have_value("425,4")
    screen.page.keyboard.press("Enter")
    expect(label).to_have_text("Subtotal")
    expect(value).to_have_value("many")
    screen.page.keyboard.type("354,50")
    screen.page.keyboard.press("Enter")
    screen.stored()
    assert screen.values(job) == dict(TRUTH)
    screen.page.locator(".field", has_text="Total").last.click()
    screen.page.keyboard.type("much")
    screen.page.keyboard.press("Enter")
    expect(value).to_have_value("much")
    expect(screen.page.locator("#preview")).not_to_be_empty()
