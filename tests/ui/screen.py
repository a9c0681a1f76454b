"""How the tests of this folder make documents and use the screen."""

from __future__ import annotations

import io
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import httpx
import pypdfium2 as pdfium
from playwright.sync_api import Page, Route, expect
from reportlab.pdfgen.canvas import Canvas

Json = Any
FIELDS: Mapping[str, str] = {
    "invoice_number": "string",
    "invoice_date": "date",
    "due_date": "date",
    "order_number": "string",
    "seller_name": "string",
    "buyer_name": "string",
    "currency": "string",
    "subtotal": "number",
    "tax": "number",
    "total": "number",
    "iban": "string",
}
TRUTH: Mapping[str, Json] = {
    "invoice_number": "QF-2026-0417",
    "invoice_date": "2026-09-21",
    "due_date": "2026-10-21",
    "order_number": "LL-3381",
    "seller_name": "Quillfox Paperworks Ltd",
    "buyer_name": "Lantern & Loom Reading Rooms",
    "currency": "GBP",
    "subtotal": 354.5,
    "tax": 70.9,
    "total": 425.4,
    "iban": "GB00 QUIL 0000 0012 3456 78",
}
LINES: Sequence[Mapping[str, Json]] = (
    {"description": "Bone folder", "quantity": 2, "amount": 15.8},
    {"description": "Iron gall ink", "quantity": 13, "amount": 149.5},
    {"description": "Archive box", "quantity": 22, "amount": 189.2},
)
LONG_MS = 120_000
"""What a run may take on a machine that has other things to do."""
_ROW: Json = {
    "type": "object",
    "properties": {"description": {"type": "string"}, "quantity": {"type": "number"}, "amount": {"type": "number"}},
}


def schema(*, lines: bool = False) -> Json:
    """Eleven fields, with a table and its sum if it is wanted."""
    properties: Json = {
        name: {"type": "string", "format": "date"} if kind == "date" else {"type": kind}
        for name, kind in FIELDS.items()
    }
    if not lines:
        return {"name": "invoice", "schema": {"type": "object", "properties": properties}}
    properties["lines"] = {"type": "array", "items": _ROW}
    rules = ["sum(lines.amount) == subtotal"]
    return {"name": "invoice", "schema": {"type": "object", "properties": properties, "x-checks": rules}}


def paper(*pages: Sequence[tuple[str, ...]]) -> bytes:
    """A PDF with a line for each tuple, its texts at fixed columns."""
    out = io.BytesIO()
    canvas = Canvas(out, invariant=1)
    for lines in pages:
        canvas.setFont("Helvetica", 11)
        for row, texts in enumerate(lines):
            for x, text in zip((72, 250, 380), texts, strict=False):
                canvas.drawString(x, 770 - 24 * row, text)
        canvas.showPage()
    canvas.save()
    return out.getvalue()


def invoice() -> bytes:
    """Two pages that say the truth."""
    head = [(name.replace("_", " ").capitalize(), str(TRUTH[name])) for name in list(FIELDS)[:7]]
    rows = [(line["description"], str(line["quantity"]), f"{line['amount']:.2f}") for line in LINES]
    sums = [(name.capitalize(), "", f"{TRUTH[name]:.2f}") for name in ("subtotal", "tax", "total")]
    return paper([*head, ("Description", "Quantity", "Amount"), *rows], [*sums, ("IBAN", TRUTH["iban"])])


def turned(pdf: bytes, degrees: int) -> bytes:
    """The same pages, all turned clockwise."""
    document = pdfium.PdfDocument(pdf)
    for page in document:
        page.set_rotation(degrees)
    out = io.BytesIO()
    document.save(out)
    document.close()
    return out.getvalue()


class Withheld:
    """Requests of a page that change something, kept from the service until a test lets them go."""

    def __init__(self, page: Page, pattern: str) -> None:
        self._page = page
        self._kept: list[Route] | None = []
        page.route(pattern, self._meet)

    def _meet(self, route: Route) -> None:
        if self._kept is None or "dry_run" in route.request.url:
            route.continue_()
        else:
            self._kept.append(route)

    def let_go(self) -> None:
        """Once there is one: it and all that follow."""
        while not self._kept:
            self._page.wait_for_timeout(20)
        kept, self._kept = self._kept, None
        for route in kept:
            route.continue_()


@dataclass(frozen=True)
class Screen:
    """A page of the screen, and the API beside it."""

    page: Page
    client: httpx.Client
    url: str
    presses: list[str] = field(default_factory=list)

    def hand_in(self, data: bytes, wanted: Json, name: str = "invoice.pdf") -> str:
        """Make a job over the API and wait for it."""
        answer = self.client.post(
            "/jobs", params={"wait": 110}, files={"file": (name, data)}, data={"schema": json.dumps(wanted)}
        )
        assert answer.status_code == 200, answer.text
        return answer.json()["job_id"]

    def result(self, job: str, version: str = "current") -> Json:
        """The result as the API gives it."""
        answer = self.client.get(f"/jobs/{job}/result", params={"version": version})
        assert answer.status_code == 200, answer.text
        return answer.json()

    def values(self, job: str, version: str = "current") -> Json:
        """Values of the first record."""
        return self.result(job, version)["records"][0]["values"]

    def open(self, job: str) -> None:
        """Go to a document and wait until it is in hand."""
        self.page.goto(f"{self.url}/review/{job}")
        expect(self.page.locator("#value")).to_be_visible()

    def run_again(self, job: str, button: str) -> None:
        """Press a button that starts another run, and wait until its result has come."""
        with self.page.expect_response(lambda answer: f"/jobs/{job}/result" in answer.url, timeout=LONG_MS):
            self.page.get_by_role("button", name=button).click()

    def press(self, key: str) -> None:
        """Press a key and count it."""
        self.presses.append(key)
        self.page.keyboard.press(key)

    def drag(self, job: str, page: int, text: str) -> None:
        """Drag over the printed words of a text, on the page that is shown."""
        file = self.result(job)["file"]["id"]
        words = self.client.get(f"/files/{file}/pages/{page}").json()["words"]
        wanted = text.split()
        start = next(n for n in range(len(words)) if [w["text"] for w in words[n : n + len(wanted)]] == wanted)
        corners = [point for word in words[start : start + len(wanted)] for point in word["coordinates"]]
        area = self.page.locator("#page").bounding_box()
        assert area is not None
        xs = [area["x"] + point["x"] * area["width"] for point in corners]
        ys = [area["y"] + point["y"] * area["height"] for point in corners]
        self.page.mouse.move(min(xs) + 2, min(ys) + 2)
        self.page.mouse.down()
        self.page.mouse.move(max(xs) - 2, max(ys) - 2, steps=4)
        self.page.mouse.up()

    def stored(self) -> None:
        """Wait until the screen says that all is stored."""
        expect(self.page.locator("#saved[data-state=stored]")).to_be_visible()
