"""The work of `fieldmark batch`: find files, hand them in a few at a time, keep their results, count every one."""

from __future__ import annotations

import hashlib
import os
import time
from collections import Counter, deque
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

import orjson

from service.cli.batch_ledger import FOLDER, Entry, EntryState, Ledger
from service.cli.desk import Desk, JobView, Order
from service.documents.reader import sniff_file
from service.domain.errors import ErrorCode, ServiceError, StateError
from service.domain.jobs import JobStatus
from service.domain.records import JsonObject
from service.exports.files import export_endings, export_tables
from service.exports.formats import ExportOptions
from service.exports.schema_set import SchemaSet

_LOOK_S = 0.1
_JSON = ExportOptions()
_STATES = {JobStatus.SUCCEEDED: EntryState.SUCCEEDED, JobStatus.PARTIALLY_SUCCEEDED: EntryState.PARTIAL}


@dataclass(slots=True)
class Tally:
    """Where each file ended; `found` is always the sum of the five others."""

    found: int = 0
    succeeded: int = 0
    partial: int = 0
    failed: int = 0
    duplicate: int = 0
    ignored: int = 0
    earlier: int = 0
    """Of those: done by an earlier run."""
    causes: Counter[tuple[str, str]] = field(default_factory=Counter[tuple[str, str]])
    """Code and message of failures → how many files."""
    examples: dict[tuple[str, str], str] = field(default_factory=dict[tuple[str, str], str])

    @property
    def ended(self) -> int:
        """Files of which it is known how they ended."""
        return self.succeeded + self.partial + self.failed + self.duplicate + self.ignored

    def count(self, entry: Entry) -> None:
        """Count one content that is over."""
        if entry.state is EntryState.FAILED:
            self.failed += 1
            cause = (entry.code or ErrorCode.INTERNAL, entry.message or "")
            self.causes[cause] += 1
            self.examples.setdefault(cause, entry.path)
        elif entry.state is EntryState.PARTIAL:
            self.partial += 1
        else:
            self.succeeded += 1


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchPlan:
    """What a batch is told."""

    folder: Path
    out: Path
    home: Path
    order: Order
    """Schema and options; its path is replaced for each file."""
    jobs: int
    """Files in work at once."""
    written: ExportOptions = _JSON
    """In which format results are written."""


def run_batch(plan: BatchPlan, desk: Desk, ledger: Ledger, report: Callable[[Tally], None]) -> Tally:
    """Work through a folder; an interruption at any moment leaves a state from which the next run goes on."""
    return _Batch(plan, desk, ledger, report).run()


def find_files(folder: Path, out: Path) -> Iterator[Path]:
    """Every file below a folder in a fixed order; not below `out`, not through linked folders."""
    for root, folders, names in os.walk(folder):
        here = Path(root)
        folders[:] = sorted(name for name in folders if (here / name).resolve() != out.resolve() and name != FOLDER)
        for name in sorted(names):
            yield here / name


def key_of(path: Path, order: Order) -> str:
    """Names the work: content, schema and options. A file renamed or moved is the same work."""
    wanted = {
        "schema": order.schema,
        "schemas": list(order.schemas),
        "model": order.model,
        "split_documents": order.split_documents,
        "pages_per_chunk": order.pages_per_chunk,
    }
    digest = hashlib.sha256(orjson.dumps(wanted, option=orjson.OPT_SORT_KEYS))
    with path.open("rb") as file:
        digest.update(hashlib.file_digest(file, "sha256").digest())
    return digest.hexdigest()


class _Batch:
    """One run."""

    def __init__(self, plan: BatchPlan, desk: Desk, ledger: Ledger, report: Callable[[Tally], None]) -> None:
        self._plan = plan
        self._desk = desk
        self._ledger = ledger
        self._report = report
        self._tally = Tally()
        self._first: dict[str, Path] = {}
        self._copies: list[tuple[str, Path]] = []
        self._working: dict[str, Entry] = {}

    def run(self) -> Tally:
        waiting = deque(find_files(self._plan.folder, self._plan.out))
        self._tally.found = len(waiting)
        while waiting or self._working:
            while waiting and len(self._working) < self._plan.jobs:
                self._begin(waiting.popleft())
            self._report(self._tally)
            if self._working:
                self._look_after()
        for key, path in self._copies:
            self._copy(key, path)
        self._report(self._tally)
        return self._tally

    def _begin(self, path: Path) -> None:
        try:
            sniff_file(path)
            key = key_of(path, self._plan.order)
        except (ServiceError, OSError):
            self._tally.ignored += 1
            return
        if key in self._first:
            self._tally.duplicate += 1
            self._copies.append((key, path))
            return
        self._first[key] = path
        known = self._ledger.get(key)
        if known is not None and self._is_done(known, path):
            self._tally.earlier += 1
            self._tally.count(known)
            return
        self._hand_in(key, path, known)

    def _hand_in(self, key: str, path: Path, known: Entry | None) -> None:
        """Go on with the job of an interrupted run, if its desk still knows it; else make one."""
        name = str(path.relative_to(self._plan.folder))
        entry = Entry(key=key, desk=str(self._plan.home), state=EntryState.OPEN, job_id=None, path=name)
        if known is not None and known.state is EntryState.OPEN and known.desk == entry.desk and known.job_id:
            with suppress(StateError):
                if self._desk.look(known.job_id).status is not JobStatus.CANCELLED:
                    self._working[key] = replace(entry, job_id=known.job_id)
                    return
        try:
            job_id = self._desk.submit(replace(self._plan.order, path=path))
        except ServiceError as error:
            if error.retryable:
                raise  # the installation, not the file: a later run goes on
            self._end(replace(entry, state=EntryState.FAILED, code=error.code, message=error.message))
            return
        self._working[key] = replace(entry, job_id=job_id)
        self._ledger.put(self._working[key])

    def _look_after(self) -> None:
        ended = 0
        for key, entry in list(self._working.items()):
            view = self._view(entry)
            if view.status.is_terminal:
                ended += 1
                del self._working[key]
                self._keep(entry, view)
        if not ended:
            time.sleep(_LOOK_S)

    def _view(self, entry: Entry) -> JobView:
        try:
            return self._desk.look(entry.job_id or "")
        except StateError as error:
            return JobView(status=JobStatus.FAILED, fault_code=error.code, fault_message=error.message)

    def _keep(self, entry: Entry, view: JobView) -> None:
        state = _STATES.get(view.status, EntryState.FAILED)
        if state is not EntryState.FAILED:
            self._write(self._plan.folder / entry.path, self._desk.result(entry.job_id or ""))
        message = view.fault_message or (f"the job was {view.status}" if state is EntryState.FAILED else None)
        self._end(replace(entry, state=state, code=view.fault_code, message=message))

    def _end(self, entry: Entry) -> None:
        self._ledger.put(entry)
        self._tally.count(entry)

    def _is_done(self, known: Entry, path: Path) -> bool:
        """Whether an earlier run did it; its result is fetched again if it lies under another name, or nowhere."""
        if known.state not in _STATES.values():
            return False
        name = str(path.relative_to(self._plan.folder))
        if known.path == name and self._target(path, self._endings[0]).is_file():
            return True
        if known.desk != str(self._plan.home) or known.job_id is None:
            return False
        try:
            self._write(path, self._desk.result(known.job_id))
        except StateError:
            return False
        self._ledger.put(replace(known, path=name))
        return True

    def _copy(self, key: str, path: Path) -> None:
        """Give a file with the content of an earlier one the same result."""
        first = self._first[key]
        for ending in self._endings:
            source = self._target(first, ending)
            if source.is_file():
                self._put(path, ending, source.read_bytes())

    @cached_property
    def _endings(self) -> tuple[str, ...]:
        """Of the files of a result; the first is that of the records, and is written last."""
        return export_endings(self._schemas, self._plan.written)

    @cached_property
    def _schemas(self) -> SchemaSet:
        return self._plan.order.schema_set()

    def _target(self, path: Path, ending: str) -> Path:
        """The whole name stays: `a.pdf` and `a.png` have results of their own."""
        relative = path.relative_to(self._plan.folder)
        return self._plan.out / relative.with_name(relative.name + ending)

    def _write(self, path: Path, result: JsonObject) -> None:
        for ending, content in reversed(export_tables(result, self._schemas, self._plan.written)):
            self._put(path, ending, content)

    def _put(self, path: Path, ending: str, content: bytes) -> None:
        target = self._target(path, ending)
        target.parent.mkdir(parents=True, exist_ok=True)
        draft = target.with_name(f".{target.name}.part")
        draft.write_bytes(content)
        draft.replace(target)
