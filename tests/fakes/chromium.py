"""A Chromium for the browser tests: found where it is, installed where it may be, else told how to get one."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Browser, BrowserType, sync_playwright

FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
_INSTALLED = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
_INSTALL_S = 600
_LAUNCH_MS = 300_000


class NoBrowserError(RuntimeError):
    """There is none, and none can be had."""


def find_chromium(own: str) -> str:
    """The browser's path: `CHROMIUM`, an installed one, Debian's package, or Playwright's own download.

    Args:
        own: where Playwright keeps its own.

    Raises:
        NoBrowserError: the message says how to get one.
    """
    named = os.environ.get("CHROMIUM")
    if named:
        if not Path(named).is_file():
            raise NoBrowserError(f"CHROMIUM names {named!r}, which is no file.")
        return named
    found = _installed() or _from_debian() or _from_playwright(Path(own))
    if found is None:
        raise NoBrowserError(
            "The browser tests need Chromium: install it (`apt-get install chromium`), or "
            "`.venv/bin/playwright install chromium`, or name one in CHROMIUM."
        )
    return found


def _installed() -> str | None:
    return next((path for name in _INSTALLED if (path := shutil.which(name))), None)


def _from_debian() -> str | None:
    if os.geteuid() != 0 or shutil.which("apt-get") is None:
        return None
    steps = (["apt-get", "update"], ["apt-get", "install", "-y", "chromium"])
    if all(_run(step) for step in steps):
        return _installed()
    return None


def _from_playwright(own: Path) -> str | None:
    if not own.is_file():
        _run([shutil.which("playwright", path=str(Path(sys.executable).parent)) or "playwright", "install", "chromium"])
    return str(own) if own.is_file() else None


def _run(command: list[str]) -> bool:
    try:
        return subprocess.run(command, capture_output=True, timeout=_INSTALL_S, check=False).returncode == 0
    except (OSError, subprocess.TimeoutExpired):
        return False


def launch(kind: BrowserType) -> Browser:
    """A new browser."""
    own = find_chromium(kind.executable_path)
    return kind.launch(executable_path=own, args=list(FLAGS), timeout=_LAUNCH_MS)


@contextmanager
def chromium() -> Generator[Browser]:
    """One browser, ended at the end."""
    with sync_playwright() as playwright:
        browser = launch(playwright.chromium)
        try:
            yield browser
        finally:
            if browser.is_connected():
                browser.close()
