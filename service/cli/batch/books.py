"""The books of a batch, added up for a person: where every file ended, and what to do about those that failed."""

from __future__ import annotations

from dataclasses import dataclass

from service.cli.batch.causes import action_for
from service.cli.batch.entries import shown
from service.cli.batch.ledger import Ledger
from service.cli.batch.tables import STATES
from service.cli.session import say

_MOST_CAUSES = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Books:
    """The books of a folder of results: every file that was found stands in one place."""

    counts: dict[str, int]
    earlier: int
    doubtful: int
    changed: int
    """Results that were made otherwise than they would be now."""

    @property
    def found(self) -> int:
        """All of them."""
        return sum(self.counts.values())

    @property
    def is_whole(self) -> bool:
        """Whether everything that can be read was read entirely."""
        return not any(self.counts.get(state) for state in ("failed", "partial", "unrouted", "waiting"))


def count_books(ledger: Ledger, made: str) -> Books:
    """Add up what the ledger says.

    Args:
        ledger: of the batch.
        made: with what results are made now.
    """
    question = f"SELECT ended, count(*) FROM ({STATES}) GROUP BY 1"  # noqa: S608 - our own text
    counts = {str(state): _int(number) for state, number in ledger.ask(question)}
    with_result = "ended IN ('succeeded', 'partial')"
    question = (
        "SELECT count(*) FILTER (WHERE done_in < ?), "  # noqa: S608 - our own text
        f"count(*) FILTER (WHERE doubtful AND {with_result}), "
        f"count(*) FILTER (WHERE made <> ? AND {with_result}) FROM ({STATES}) WHERE ended <> 'duplicate'"
    )
    earlier, doubtful, changed = next(ledger.ask(question, ledger.run, made))
    return Books(counts=counts, earlier=_int(earlier), doubtful=_int(doubtful), changed=_int(changed))


def print_books(books: Books, ledger: Ledger) -> None:
    """The balance, and below it what failed by cause, with what to do about each."""
    states = ("succeeded", "partial", "failed", "duplicate", "unrouted", "ignored")
    sides = [f"{books.counts.get(state, 0)} {state}" for state in states]
    if books.counts.get("waiting"):
        sides.append(f"{books.counts['waiting']} waiting")
    say(f"{books.found} files found = {' + '.join(sides)} ({books.earlier} of them done earlier)")
    if books.doubtful:
        say(f"  {books.doubtful} doubtful: a person should look at them in the review screen")
    if books.changed:
        say(f"  {books.changed} were made with another schema, model, options or engine; --rerun-if makes them anew")
    _print_causes(ledger)
    say(f"  books: {ledger.folder}")


def _print_causes(ledger: Ledger) -> None:
    query = (
        "SELECT code, count(*), min(label), message "  # noqa: S608 - our own text; SQLite gives the message of that label
        f"FROM ({STATES}) WHERE ended IN ('failed', 'unrouted') "
        "GROUP BY code ORDER BY 2 DESC, 1"
    )
    causes = list(ledger.ask(query))
    for code, count, label, message in causes[:_MOST_CAUSES]:
        say(f"  {count} × {code}: {message} (such as {shown(label) if isinstance(label, bytes) else ''})")
        say(f"      what to do: {action_for(str(code))}")
    if len(causes) > _MOST_CAUSES:
        say(f"  and {len(causes) - _MOST_CAUSES} further causes; see failures.csv")


def _int(value: object) -> int:
    return value if isinstance(value, int) else 0
