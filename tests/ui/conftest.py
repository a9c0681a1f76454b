"""A browser in front of a whole service whose model answers as each test says."""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import ExitStack
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, expect

from tests.fakes.chromium import chromium
from tests.fakes.http_server import http_server
from tests.fakes.local_service import LocalService, local_service
from tests.fakes.model_stub import ModelStub
from tests.ui.screen import Screen

Opener = Callable[..., Screen]
PATIENCE_MS = 90_000
"""How long a page may take that shares its machine; what is there at once is seen at once all the same."""
expect.set_options(timeout=PATIENCE_MS)
PROGRAM = "https://erp.example.test"
"""The origin of a program that sends reviewers to the screen."""


@pytest.fixture(scope="module")  # Playwright keeps an event loop running in this thread as long as it is open
def browser() -> Generator[Browser]:
    """One for the tests of a file; each has a context of its own."""
    with chromium() as running:
        yield running


@pytest.fixture(scope="session")
def stub() -> Generator[ModelStub]:
    """The model: it answers what a test told it, with places that are of no use."""
    with ModelStub(latency_s=0.1) as running:
        yield running


@pytest.fixture
def service(stub: ModelStub, tmp_path: Path) -> Generator[tuple[str, LocalService]]:
    """A service of the test's own: its address, and itself."""
    stub.reset()
    settings: dict[str, object] = {"review_return_origins": PROGRAM, "model": "upstage:information-extract"}
    settings |= {"upstage_base_url": stub.base_url, "upstage_api_key": "up_t"}
    with (
        local_service(tmp_path / "home", **settings) as running,  # pyright: ignore[reportArgumentType] - settings alone
        http_server(running.app()) as url,
    ):
        yield url, running


@pytest.fixture
def open_screen(browser: Browser, service: tuple[str, LocalService]) -> Generator[Opener]:
    """Opens screens, and fails at the end if a page complained of anything or called elsewhere."""
    url, _ = service
    complaints: list[str] = []

    with ExitStack() as held:

        def begin(path: str = "/", *, expected: str = "nothing", **options: object) -> Screen:
            context: BrowserContext = browser.new_context(viewport={"width": 1280, "height": 800}, **options)  # pyright: ignore[reportArgumentType] - options of Playwright's own
            held.callback(context.close)
            context.set_default_timeout(PATIENCE_MS)
            page: Page = context.new_page()

            def tell(message: ConsoleMessage) -> None:
                if message.type in ("error", "warning") and expected not in message.text:
                    complaints.append(message.text)

            page.on("console", tell)
            page.on("pageerror", lambda error: complaints.append(str(error)))
            page.on(
                "request", lambda request: complaints.append(request.url) if not _is_ours(request.url, url) else None
            )
            page.route(f"{PROGRAM}/**", lambda route: route.fulfill(body="back", content_type="text/plain"))
            client = held.enter_context(httpx.Client(base_url=f"{url}/api/v1", timeout=120))
            screen = Screen(page=page, client=client, url=url)
            page.goto(url + path)
            return screen

        yield begin
    assert complaints == []


def _is_ours(address: str, url: str) -> bool:
    return address.startswith((url, "blob:", "data:", f"{PROGRAM}/back"))
