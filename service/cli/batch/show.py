"""What a person sees of a batch: a live display in a terminal, a line now and then elsewhere."""

from __future__ import annotations

import time
from datetime import timedelta

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from service.cli.batch.tally import Tally
from service.cli.session import say

_EVERY_S = 10.0
"""Between two plain lines."""
_REFRESHES = 4
"""Of the live display, a second."""
_WIDTH = 40


class Display:
    """Open it with `with`."""

    def __init__(self, tally: Tally) -> None:
        self._tally = tally
        self._paused: str | None = None
        self._console = Console(stderr=True, highlight=False)
        self._live = (  # it is drawn as it is made
            Live(get_renderable=self._render, console=self._console, refresh_per_second=_REFRESHES, transient=True)
            if self._console.is_terminal
            else None
        )
        self._said_at = time.monotonic()
        self._said = ""

    def __enter__(self) -> Display:
        """Begin."""
        if self._live is not None:
            self._live.start()
        return self

    def __exit__(self, *_error: object) -> None:
        """Take the live display away."""
        if self._live is not None:
            self._live.stop()

    def update(self) -> None:
        """Say how far it is, if nothing is shown all the while and it is time again."""
        now = time.monotonic()
        if self._live is None and now - self._said_at >= _EVERY_S:
            self._said_at = now
            line = self._line()
            if line != self._said:
                self._said = line
                say(line)

    def pause(self, why: str | None) -> None:
        """Say why nothing goes on; None: it does again."""
        if self._live is None and why != self._paused:
            say(f"waiting: {why}" if why else "going on")
        self._paused = why

    def note(self, message: str) -> None:
        """A line that stays."""
        if self._live is not None:
            self._live.console.print(Text(message))
        else:
            say(message)

    def _line(self) -> str:
        tally = self._tally
        files, pages = tally.rates(time.monotonic())
        left = tally.remaining_s(files)
        parts = [
            f"{tally.ended} of {tally.found} files",
            f"{tally.pages} pages",
            f"{pages:.0f} pages a minute",
            *([f"about {duration(left)} left"] if left is not None else []),
            f"{tally.doubtful} doubtful",
            f"{tally.failed} failed",
        ]
        return ", ".join(parts)

    def _render(self) -> RenderableType:
        tally = self._tally
        files, pages = tally.rates(time.monotonic())
        left = tally.remaining_s(files)
        head = Table.grid(padding=(0, 2))
        head.add_row(
            ProgressBar(total=max(tally.found, 1), completed=tally.ended, width=_WIDTH),
            Text(f"{tally.ended} of {tally.found} documents"),
            Text(f"{duration(left)} left" if left is not None else "", style="dim"),
        )
        figures = Table.grid(padding=(0, 2))
        figures.add_row(
            Text(f"{tally.pages} pages"),
            Text(f"{pages:.0f} pages a minute"),
            Text(f"{tally.in_work} in work"),
            Text(f"{tally.doubtful} doubtful", style="yellow" if tally.doubtful else "dim"),
            Text(f"{tally.failed} failed", style="red" if tally.failed else "dim"),
        )
        lines: list[RenderableType] = [head, figures]
        if self._paused:
            lines.append(Text(f"waiting: {self._paused}", style="yellow"))
        return Group(*lines)


def duration(seconds: float) -> str:
    """Hours, minutes and seconds."""
    return str(timedelta(seconds=round(seconds)))
