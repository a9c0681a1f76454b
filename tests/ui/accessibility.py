"""What axe-core finds on a page."""

from __future__ import annotations

from importlib import resources
from typing import Any

from playwright.sync_api import Page


def faults(page: Page) -> list[Any]:
    """What axe calls serious or critical. It is put in by the browser's own door, which no policy of a page closes."""
    source = (resources.files("axe_playwright_python") / "axe.min.js").read_text("utf-8")
    page.evaluate(source)
    found = page.evaluate("axe.run(document, { resultTypes: ['violations'] })")
    return [
        (fault["id"], [node["html"][:200] for node in fault["nodes"]][:5])
        for fault in found["violations"]
        if fault["impact"] in ("serious", "critical")
    ]
