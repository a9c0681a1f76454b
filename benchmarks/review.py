"""`python -m benchmarks.review`: how quick the review screen is, measured in the browser, as Markdown.

    python -m benchmarks.review [--rounds 15]

A service, a model that answers at once, and Chromium on one machine, over loopback. Times are the browser's own: from
the key or the navigation to the frame in which what was asked for is painted.
"""

from __future__ import annotations

import argparse
import json
import statistics
import tempfile
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx
from fastapi import FastAPI
from playwright.sync_api import BrowserContext, Page

from service.app import make_routes
from tests.fakes.chromium import chromium
from tests.fakes.http_server import http_server
from tests.fakes.local_service import local_service
from tests.fakes.model_stub import ModelStub
from tests.ui.screen import LINES, TRUTH, Json, invoice, paper, schema

ROWS = 2000
_ROWS_A_PAGE = 30
_KEYS = 120
_IN_PAGE = """
window.shown = () => document.querySelectorAll('.box').length > 0 && document.querySelector('#picture').complete
  && document.querySelector('#picture').naturalWidth > 0 && !document.querySelector('#work').hidden;
window.painted = () => new Promise((done) => requestAnimationFrame(() => { const c = new MessageChannel();
  c.port1.onmessage = () => done(performance.now()); c.port2.postMessage(0); }));
window.whenShown = async (fresh) => { while (!fresh() || !window.shown()) await new Promise((r) => setTimeout(r, 1));
  return window.painted(); };
window.waits = [];
addEventListener('keydown', (event) => { const at = event.timeStamp;
  window.painted().then((then) => window.waits.push(then - at)); }, true);
"""


@dataclass(frozen=True, kw_only=True)
class Line:
    """One row of the table. Milliseconds."""

    name: str
    wanted: float
    found: Sequence[float]

    def text(self) -> str:
        """As Markdown."""
        ordered = sorted(self.found)
        p95 = ordered[max(0, -(-95 * len(ordered) // 100) - 1)]
        verdict = "yes" if p95 <= self.wanted else "no"
        cells = (
            self.name,
            f"{self.wanted:.0f}",
            f"{statistics.median(ordered):.0f}",
            f"{p95:.0f}",
            len(ordered),
            verdict,
        )
        return f"| {' | '.join(map(str, cells))} |"


@dataclass(frozen=True, kw_only=True)
class Bench:
    """A browser in front of a service."""

    context: BrowserContext
    client: httpx.Client
    url: str

    def hand_in(self, wanted: Json, name: str, data: bytes = b"") -> str:
        """A job that is over."""
        files = {"file": (name, data or invoice())}
        form = {"schema": json.dumps(wanted), "pages_per_chunk": "100"}
        job: str = self.client.post("/jobs", files=files, data=form).raise_for_status().json()["id"]
        while self.client.get(f"/jobs/{job}", params={"wait": 30}).json()["timing"]["finished_at"] is None:
            pass
        return job

    def page(self) -> Page:
        """One that measures."""
        page = self.context.new_page()
        page.add_init_script(_IN_PAGE)
        return page


@contextmanager
def bench() -> Generator[tuple[Bench, ModelStub]]:
    """Start everything, and leave nothing running."""
    with tempfile.TemporaryDirectory() as home, ModelStub() as stub:
        settings = {"upstage_base_url": stub.base_url, "upstage_api_key": "up_t"}
        with (
            local_service(Path(home) / "home", model="upstage:information-extract", **settings) as service,  # pyright: ignore[reportArgumentType] - settings alone
            http_server(_ready(service.app())) as url,
            httpx.Client(base_url=f"{url}/api/v1", timeout=120) as client,
            chromium() as browser,
        ):
            context = browser.new_context(viewport={"width": 1280, "height": 800})
            yield Bench(context=context, client=client, url=url), stub


def _ready(app: FastAPI) -> FastAPI:
    make_routes(app)  # as a server does before it listens
    return app


def opening(bench: Bench, rounds: int, *, warm: bool) -> list[float]:
    """From the inbox to the first page with its boxes; `warm`: after the inbox stood a moment."""
    found: list[float] = []
    for n in range(rounds):
        job = bench.hand_in(schema(), f"{n}.pdf")
        page = bench.page()
        if warm:
            page.goto(bench.url)
            page.wait_for_selector(f"tr[data-job='{job}']")
            page.wait_for_timeout(400)
        page.goto(f"{bench.url}/review/{job}", wait_until="commit")
        found.append(page.evaluate("whenShown(() => true)"))
        bench.client.post(f"/jobs/{job}/approve", json={"accept_unseen": True}).raise_for_status()
        page.close()
    return found


def going_on(bench: Bench, rounds: int) -> list[float]:
    """From Approve to the next document's page with its boxes."""
    for n in range(rounds + 1):
        bench.hand_in(schema(), f"next-{n}.pdf")
    page = bench.page()
    page.goto(bench.url)
    page.wait_for_selector("#jobs tbody tr")
    page.keyboard.press("n")
    page.wait_for_url("**/review/**")
    found: list[float] = []
    for _ in range(rounds):
        page.evaluate("whenShown(() => true)")
        page.wait_for_timeout(900)  # a reviewer looks at it meanwhile; the next one is loaded
        page.keyboard.press("Alt+Enter")
        page.wait_for_selector("#left:text('Nothing left')")
        page.wait_for_timeout(300)
        before = page.locator("#name").inner_text()
        page.evaluate(
            "before => { window.next = new Promise((done) => addEventListener('keydown', (event) => "
            "done(event.timeStamp), { capture: true, once: true })).then(async (at) => await whenShown("
            "() => document.querySelector('#name').innerText !== before) - at); }",
            before,
        )
        page.keyboard.press("Alt+y")
        found.append(page.evaluate("window.next"))
    page.close()
    return found


def typing(bench: Bench, stub: ModelStub) -> list[float]:
    """From a key to the frame that shows what it did, in a table of two thousand rows."""
    rows: list[dict[str, Json]] = [
        {"description": f"{LINES[n % 3]['description']} {n}", "quantity": n + 1, "amount": 10 + n / 100}
        for n in range(ROWS)
    ]
    stub.answers({**TRUTH, "lines": rows})
    printed = [(row["description"], str(row["quantity"]), f"{row['amount']:.2f}") for row in rows]
    sheets = [printed[at : at + _ROWS_A_PAGE] for at in range(0, ROWS, _ROWS_A_PAGE)]
    job = bench.hand_in(schema(lines=True), "long.pdf", paper(*sheets))
    page = bench.page()
    page.goto(f"{bench.url}/review/{job}")
    page.evaluate("whenShown(() => true)")
    page.locator(".grid-window .cell-button").nth(1).click()
    page.evaluate("window.waits.length = 0")
    for n in range(_KEYS):
        page.keyboard.press(("7", "Alt+ArrowDown", "Tab")[n % 3])
        page.wait_for_timeout(120)
    page.wait_for_timeout(500)
    waits = page.evaluate("window.waits")
    page.close()
    return waits


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=15)
    rounds: int = parser.parse_args().rounds
    with bench() as (running, stub):
        stub.answers({**TRUTH, "total": 452.4})
        lines = [
            Line(name="first page with boxes, from the inbox", wanted=300, found=opening(running, rounds, warm=True)),
            Line(
                name="the same by its address, nothing loaded before",
                wanted=300,
                found=opening(running, rounds, warm=False),
            ),
            Line(name="next document, from Approve", wanted=100, found=going_on(running, rounds)),
            Line(name=f"key to paint, table of {ROWS} rows", wanted=50, found=typing(running, stub)),
        ]
    print("| what | wanted, ms | median | p95 | times | reached |\n|---|---|---|---|---|---|")
    print("\n".join(line.text() for line in lines))


if __name__ == "__main__":
    main()
