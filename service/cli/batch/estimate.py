"""`fieldmark batch --dry-run`: what there is to do, how long it takes on this machine, and what it costs.

Nothing is written beside the results, no job of the installation is touched, and nothing goes to a model elsewhere.
"""

from __future__ import annotations

import hashlib
import heapq
import os
import tempfile
from contextlib import closing
from dataclasses import dataclass, field, replace
from pathlib import Path

from service.cli.batch.entries import Work, WorkState
from service.cli.batch.find import Selection
from service.cli.batch.ledger import EarlierWork, Ledger
from service.cli.batch.list import digest_of, list_files
from service.cli.batch.passwords import PasswordFinder, open_reader, read_passwords
from service.cli.batch.plan import BatchPlan, Decision, Made, decide, made_by
from service.cli.batch.show import duration
from service.cli.batch.times import Look, Times, take_times
from service.cli.desk.base import Order, with_schema
from service.cli.desk.opening import open_desk
from service.cli.session import say
from service.documents.reader import DocumentReader, sniff_file
from service.documents.sniffing import OFFICE_KINDS
from service.documents.text.judging import Route
from service.domain.errors import ErrorCode, InputError, ServiceError
from service.domain.pages import MediaKind
from service.settings import Settings

_OPENED = 400
"""Files whose pages are counted; of more, so many are drawn."""
_OFFICE_PAGES = 2
"""Of an office file, which would have to be laid out first."""
_OFFLINE = "embedded"
_TOKENS_A_PAGE = 1500.0
"""Of a model that is paid by tokens, where no earlier result tells."""
_CALL_S = 8.0
"""Of a model elsewhere, for the pages of one file."""


@dataclass(slots=True)
class Estimate:
    """What there is to do."""

    model: str
    found: int = 0
    done: int = 0
    """By earlier runs."""
    duplicate: int = 0
    ignored: int = 0
    unreadable: int = 0
    """Damaged or empty, or no password fits."""
    files: int = 0
    """Left to do."""
    pages: float = 0.0
    scanned: float = 0.0
    """Pages that are read from a picture."""
    seconds: float = 0.0
    tokens: float = 0.0
    cost: float | None = None
    """As earlier results tell it; None: they do not."""
    tried: int = 0
    """Files whose time was taken."""


@dataclass(slots=True)
class _Survey:
    """What was found out so far."""

    told: Estimate
    drawn: list[tuple[int, bytes]] = field(default_factory=list[tuple[int, bytes]])
    """Lots and paths of the files that are looked into: a heap, of the largest negative lots."""
    looks: list[Look] = field(default_factory=list[Look])
    earlier_pages: int = 0
    earlier_tokens: int = 0
    earlier_cost: float = 0.0


def estimate(plan: BatchPlan, settings: Settings, server: str | None) -> Estimate:
    """Find out what a batch would do.

    Args:
        plan: what the batch is told.
        settings: of this process.
        server: URL of the service that would do it; its machine is taken to be as quick as this one.
    """
    order, made = _resolve(plan.order, settings, server)
    words = () if plan.passwords is None else read_passwords(plan.passwords)
    survey = _Survey(told=Estimate(model=made.model))
    reader = open_reader(settings)
    try:
        with tempfile.TemporaryDirectory(prefix="fieldmark-") as folder:
            with Ledger(Path(folder)) as ledger:
                _list(replace(plan, order=order), made, ledger, survey)
            _look_into(plan.folder, survey, reader, PasswordFinder(words, reader))
            if survey.looks:
                say(f"taking the time of some of {survey.told.files} files …")
                home, seed = Path(folder) / "home", plan.selection.seed
                _add_up(survey, take_times(survey.looks, _plain(order), home, jobs=plan.jobs, seed=seed), plan.jobs)
    finally:
        reader.close()
    return survey.told


def print_estimate(told: Estimate) -> None:
    """For a person."""
    say(
        f"{told.found} files found: {told.files} to do, {told.done} done earlier, {told.duplicate} duplicate, "
        f"{told.ignored} ignored, {told.unreadable} that cannot be opened"
    )
    share = told.scanned / told.pages if told.pages else 0.0
    say(f"  pages   about {told.pages:.0f}, {share:.0%} of them scanned")
    say(f"  time    about {duration(told.seconds)} on this machine as it is now ({told.tried} files were tried)")
    if told.model.startswith(_OFFLINE):
        say(f"  cost    none: {told.model} works here")
    else:
        money = "" if told.cost is None else f"{told.cost:.2f}: "
        say(f"  cost    about {money}{told.tokens:.0f} tokens of {told.model}")


def _resolve(order: Order, settings: Settings, server: str | None) -> tuple[Order, Made]:
    """The order with the schemas that it names, and with what its results would be made."""
    with closing(open_desk(settings, workers=0, server=server)) as desk:
        order = with_schema(desk, order)
        return order, made_by(desk, order)


def _plain(order: Order) -> Order:
    """An order that a home without kept schemas takes: reading costs the most, and which schema it is the least."""
    schema = order.kept[0].source if order.kept else order.schema
    return replace(order, schema=schema, schema_ref=None, schemas=(), kept=(), model=_OFFLINE)


def _list(plan: BatchPlan, made: Made, ledger: Ledger, survey: _Survey) -> None:
    """Sort out what is foreign, double or done, and draw the files that are looked into."""
    told = survey.told
    list_files(ledger, plan.folder, plan.selection, plan.outputs.beside_input)
    with closing(EarlierWork(plan.outputs.out)) as earlier:
        for row in ledger.paths("state = 'waiting'"):
            told.found += 1
            try:
                digest = digest_of(plan.folder / os.fsdecode(row.path))
            except (InputError, OSError) as error:
                is_foreign = isinstance(error, InputError) and error.code is ErrorCode.UNSUPPORTED_FORMAT
                told.ignored += is_foreign
                told.unreadable += not is_foreign
                continue
            if ledger.work(digest) is not None:
                told.duplicate += 1
                continue
            ledger.put_work(_noted(digest, row.label))
            work = earlier.get(digest)
            if work is not None and work.tokens:
                survey.earlier_pages += work.pages
                survey.earlier_tokens += work.tokens
                survey.earlier_cost += work.cost or 0.0
            if decide(work, made, plan.rerun, run=0, has_passwords=plan.passwords is not None) is Decision.KEEP:
                told.done += 1
                continue
            told.files += 1
            _draw(survey, digest, row.path, plan.selection)


def _noted(digest: bytes, label: bytes) -> Work:
    """Remembers a content, so that the next file with it is a duplicate."""
    return Work(digest=digest, label=label, run=0, state=WorkState.OPEN, made="", desk="", submit_key="")


def _draw(survey: _Survey, digest: bytes, path: bytes, selection: Selection) -> None:
    lot = int.from_bytes(hashlib.sha256(str(selection.seed).encode() + digest).digest()[:8])
    heapq.heappush(survey.drawn, (-lot, path))
    if len(survey.drawn) > _OPENED:
        heapq.heappop(survey.drawn)


def _look_into(folder: Path, survey: _Survey, reader: DocumentReader, passwords: PasswordFinder) -> None:
    """Count the pages of the drawn files, and see how they are read."""
    told = survey.told
    broken = 0
    for _, path in survey.drawn:
        file = folder / os.fsdecode(path)
        try:
            survey.looks.append(_look(file, reader, passwords.find(file, path)))
        except (ServiceError, OSError):
            broken += 1
    scale = told.files / max(len(survey.drawn), 1)
    told.unreadable += round(broken * scale)
    told.files -= round(broken * scale)


def _look(file: Path, reader: DocumentReader, password: str | None) -> Look:
    kind = sniff_file(file)
    if kind in OFFICE_KINDS:
        return Look(path=file, pages=_OFFICE_PAGES, route=Route.DIGITAL, password=password)
    pages = len(reader.open(file, password=password).info.pages)
    route = reader.route_of(file, 1, password=password) if kind is MediaKind.PDF else Route.OCR
    is_known = route in (Route.DIGITAL, Route.PICTURES)
    return Look(path=file, pages=pages, route=route if is_known else Route.OCR, password=password)


def _add_up(survey: _Survey, times: Times, jobs: int) -> None:
    """From the files that were looked into to all that are left to do."""
    told, looks = survey.told, survey.looks
    scale = told.files / len(looks)
    told.pages = scale * sum(look.pages for look in looks)
    told.scanned = scale * sum(look.pages for look in looks if look.route is Route.OCR)
    told.seconds = times.start_s + scale * sum(look.weight * times.of_a_unit[look.route] for look in looks)
    told.tried = times.tried
    if not told.model.startswith(_OFFLINE):
        told.seconds = max(told.seconds, told.files * _CALL_S / jobs)
        a_page = survey.earlier_tokens / survey.earlier_pages if survey.earlier_pages else _TOKENS_A_PAGE
        told.tokens = told.pages * a_page
        told.cost = told.pages * survey.earlier_cost / survey.earlier_pages if survey.earlier_cost else None
