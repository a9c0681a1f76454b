"""The work of `fieldmark batch`: hand files in a few at a time, keep what comes back, and never do anything twice."""

from __future__ import annotations

import time
import uuid
from dataclasses import dataclass, replace
from typing import cast

from service.cli.batch.causes import CANCELLED, is_of_the_file
from service.cli.batch.desk import BatchDesk
from service.cli.batch.entries import FoundPath, PathState, Work, WorkState
from service.cli.batch.group import ServiceBatch
from service.cli.batch.keep import ResultFiles
from service.cli.batch.ledger import Ledger
from service.cli.batch.list import digest_of, list_files
from service.cli.batch.outcome import WITH_RESULT, read_outcome
from service.cli.batch.passwords import PasswordFinder
from service.cli.batch.placing import Placing
from service.cli.batch.plan import BatchPlan, Decision, Made, decide
from service.cli.batch.show import Display
from service.cli.batch.tally import Tally
from service.cli.desk.base import JobView
from service.domain.errors import ErrorCode, InputError, ServiceError, StateError
from service.domain.jobs import JobStatus

_WAIT_S = 1
"""Longest question for what ended; then new files are handed in."""
_LOOK_S = 0.1
_QUIET_S = 15.0
"""After so long without news the oldest job is asked for itself."""
_LATER_S = 10.0
_LATER = (ErrorCode.IDEMPOTENCY_IN_FLIGHT,)


@dataclass(frozen=True, slots=True, kw_only=True)
class Tools:
    """What a run works with."""

    desk: BatchDesk
    ledger: Ledger
    files: ResultFiles
    display: Display
    passwords: PasswordFinder


class BatchRun:
    """One run over a folder; an interruption at any moment leaves a state from which the next run goes on."""

    def __init__(self, plan: BatchPlan, made: Made, tools: Tools, tally: Tally) -> None:
        self._plan = plan
        self._made = made
        self._desk = tools.desk
        self._batch = ServiceBatch(tools.desk, tools.ledger, plan.folder)
        self._ledger = tools.ledger
        self._files = tools.files
        self._display = tools.display
        self._placing = Placing(plan, tools.ledger, tools.files, tools.display.pause)
        self._passwords = tools.passwords
        self._tally = tally
        self._working: dict[str, Work] = {}
        """By job, the oldest first."""
        self._later: list[tuple[float, Work]] = []
        """Handed in again at a moment, in monotonic seconds."""
        self._position: int | None = None
        self._heard_at = time.monotonic()
        self._looked_at = 0.0
        self.stopped: str | None = None
        """Why no further files were handed in; None: there were none."""

    def run(self) -> None:
        """Work until nothing is left; with `watch_s` until Ctrl-C or a limit.

        Raises:
            ServiceError: what would meet every file: the schema, the model, the key, the service.
        """
        self._look_around(first=True)
        self._count_done()
        changed = True
        while True:
            changed |= self._fill()
            if self._working or self._later:
                self._wait()
            else:
                if changed:
                    self._placing.close_books()
                    changed = False
                if self._plan.watch_s is None or self.stopped is not None:
                    self._batch.close()
                    return
                time.sleep(self._plan.watch_s)
            if self._plan.watch_s is not None and time.monotonic() - self._looked_at >= self._plan.watch_s:
                self._look_around(first=False)

    def _look_around(self, *, first: bool) -> None:
        plan = self._plan
        watch = plan.watch_s is not None
        known = plan.outputs.beside_input
        self._placing.room(lambda: list_files(self._ledger, plan.folder, plan.selection, known, watch=watch))
        if first and plan.selection.is_everything:
            self._ledger.forget_vanished()
        (self._tally.found,) = cast(tuple[int], next(self._ledger.ask("SELECT count(*) FROM paths")))
        if first:
            self._count_moved()
        self._looked_at = time.monotonic()

    def _count_moved(self) -> None:
        """Files that an earlier run moved, and files outside of what is meant now, have ended."""
        for row in self._ledger.paths("run <> ?", self._ledger.run):
            work = None if row.digest is None else self._ledger.work(row.digest)
            if work is None or row.state in (PathState.IGNORED, PathState.FAILED):
                self._tally.ignored += row.state is PathState.IGNORED
                self._tally.failed += row.state is PathState.FAILED
            elif work.label != row.label:
                self._tally.duplicate += 1
            elif work.state is not WorkState.OPEN:
                self._tally.count_earlier(work)

    def _count_done(self) -> None:
        """What earlier runs used is known before anything is begun, whatever the order of the files."""
        if self._plan.limits.cost is None and self._plan.limits.tokens is None:
            return
        for row in self._ledger.paths("state = ? AND run = ?", PathState.WAITING, self._ledger.run):
            work = None if row.digest is None else self._ledger.work(row.digest)
            if work is not None and self._decide(work) is Decision.KEEP:
                self._begin(row)

    def _decide(self, work: Work | None) -> Decision:
        has_passwords = self._plan.passwords is not None
        return decide(work, self._made, self._plan.rerun, run=self._ledger.run, has_passwords=has_passwords)

    def _fill(self) -> bool:
        """Begin with files while there is room; whether any was begun."""
        begun = False
        while len(self._working) + len(self._later) < self._plan.jobs and not self._is_over_limits():
            row = self._ledger.next_waiting()
            if row is None:
                break
            begun = True
            self._begin(row)
            self._show()
        return begun

    def _begin(self, row: FoundPath) -> None:
        try:
            digest = row.digest or digest_of(self._placing.path_of(row))
        except (InputError, OSError) as error:
            self._note_unread(row, error)
            return
        row = replace(row, digest=digest, state=PathState.TAKEN)
        self._placing.room(lambda: self._ledger.put_path(row))
        work = self._ledger.work(digest)
        if work is not None and work.label != row.label and self._is_present(work):
            self._tally.duplicate += 1
            return
        decision = self._decide(work)
        if work is None or decision is Decision.HAND_IN:
            self._hand_in(row, digest)
        elif decision is Decision.GO_ON:
            self._go_on(row, replace(work, label=row.label, run=self._ledger.run))
        else:
            self._keep_earlier(row, work)

    def _note_unread(self, row: FoundPath, error: InputError | OSError) -> None:
        """A file that is no document is ignored; one that should be one and cannot be read has failed."""
        code, message = (
            (str(error.code), error.message)
            if isinstance(error, InputError)
            else (ErrorCode.NO_FILE, f"The file cannot be read: {error.strerror}.")
        )
        foreign = code == ErrorCode.UNSUPPORTED_FORMAT or isinstance(error, FileNotFoundError)
        state = PathState.IGNORED if foreign else PathState.FAILED
        self._tally.ignored += foreign
        self._tally.failed += not foreign
        self._placing.room(lambda: self._ledger.put_path(replace(row, state=state, code=code, message=message)))

    def _is_present(self, work: Work) -> bool:
        """Whether the file that the work is named after is still there, or was moved by us."""
        row = self._ledger.path(work.label)
        return row is not None and row.digest == work.digest

    def _hand_in(self, row: FoundPath, digest: bytes) -> None:
        work = Work(
            digest=digest,
            label=row.label,
            run=self._ledger.run,
            state=WorkState.OPEN,
            made=self._made.text(),
            desk=self._desk.name,
            submit_key=uuid.uuid4().hex,
        )
        self._placing.room(lambda: self._ledger.put_work(work))
        self._submit(row, work)

    def _submit(self, row: FoundPath, work: Work) -> None:
        """Hand a file in. The key is in the ledger already: doing it again after a crash makes no second job."""
        path = self._placing.path_of(row)
        self._listen()
        try:
            password = self._passwords.find(path, row.path)
            order = replace(self._plan.order, path=path, key=work.submit_key, password=password)
            batch_id = self._batch.open_id()
            job_id = self._desk.ask(lambda desk: desk.submit(order, batch_id))
        except StateError as error:
            if error.code not in _LATER:
                raise
            self._later.append((time.monotonic() + _LATER_S, work))
        except OSError as error:
            self._end(replace(work, state=WorkState.FAILED, code=ErrorCode.NO_FILE, message=str(error.strerror)), None)
        except ServiceError as error:
            if error.code is ErrorCode.IDEMPOTENCY_MISMATCH:  # an interrupted run began it with other flags
                self._hand_in(row, work.digest)
                return
            if not is_of_the_file(error.code):
                raise
            self._end(replace(work, state=WorkState.FAILED, code=error.code, message=error.message), None)
        else:
            self._take_up(replace(work, job_id=job_id))

    def _listen(self) -> None:
        """Know where the event log ends, before the first job that may end."""
        if self._position is None:
            self._position = self._desk.ask(lambda desk: desk.newest_position())

    def _take_up(self, work: Work) -> None:
        assert work.job_id is not None
        self._working[work.job_id] = work
        self._placing.room(lambda: self._ledger.put_work(work))

    def _go_on(self, row: FoundPath, work: Work) -> None:
        """Go on with what an interrupted run began, if its job is still known."""
        if work.desk != self._desk.name:
            self._hand_in(row, work.digest)
            return
        if work.job_id is None:
            self._submit(row, work)
            return
        self._listen()
        view = self._look(work.job_id)
        if view is None or view.status is JobStatus.CANCELLED:
            self._hand_in(row, work.digest)
            return
        self._take_up(work)
        if view.status.is_terminal:
            self._finish(work.job_id)

    def _keep_earlier(self, row: FoundPath, work: Work) -> None:
        """What is done stays; its result is written again where it lies under another name or in another format."""
        if work.label != row.label:
            work = replace(work, label=row.label)
            self._placing.room(lambda: self._ledger.put_work(work))
        self._tally.count_earlier(work)
        if work.state.has_result and not self._files.is_there(row, work):
            body = self._earlier_body(work)
            if body is not None:
                self._placing.room(lambda: self._files.write(row.label, body))
        self._placing.settle(row, work)

    def _earlier_body(self, work: Work) -> bytes | None:
        """The result as it was: from the service if all of it is wanted and still there, else from the ledger."""
        job_id = work.job_id
        if self._files.is_plain and work.desk == self._desk.name and job_id is not None:
            try:
                return self._desk.ask(lambda desk: desk.result_bytes(job_id, "full"))
            except StateError:
                pass
        return self._ledger.result(work.digest)

    def _wait(self) -> None:
        """Wait for the next end of a job, and take in what ended."""
        now = time.monotonic()
        due = [work for at, work in self._later if at <= now]
        self._later = [(at, work) for at, work in self._later if at > now]
        for work in due:
            row = self._ledger.path(work.label)
            if row is not None:
                self._submit(row, work)
                self._display.pause(None)
        if not self._working:
            time.sleep(_LOOK_S)
            return
        position = self._position or 0
        ended, self._position = self._desk.ask(lambda desk: desk.ended_since(position, _WAIT_S))
        ours = [job_id for job_id in self._working if job_id in ended]
        if now - self._heard_at > _QUIET_S:
            self._heard_at = now
            ours = [*ours, *(job_id for job_id in [next(iter(self._working))] if job_id not in ours)]
        for job_id in ours:
            self._heard_at = now
            self._finish(job_id)
            self._show()
        if not ours:
            time.sleep(_LOOK_S)
        self._show()

    def _look(self, job_id: str) -> JobView | None:
        """How a job stands; None: the service does not know it any more."""
        try:
            return self._desk.ask(lambda desk: desk.look(job_id))
        except StateError:
            return None

    def _finish(self, job_id: str) -> None:
        view = self._look(job_id)
        if view is not None and not view.status.is_terminal:
            return  # somebody had it done again
        work = self._working.pop(job_id)
        if view is None or view.status is JobStatus.CANCELLED:
            why = "was deleted" if view is None else "was cancelled"
            self._end(replace(work, state=WorkState.FAILED, code=CANCELLED, message=f"The job {why}."), None)
        elif view.fault_code == ErrorCode.STORAGE_FULL:  # of the service: it is tried until there is room
            self._display.pause(view.fault_message)
            self._later.append((time.monotonic() + _LATER_S, replace(work, submit_key=uuid.uuid4().hex, job_id=None)))
        elif view.status in WITH_RESULT:
            self._keep(work, view)
        else:
            message = view.fault_message or f"the job was {view.status}"
            work = replace(work, state=WorkState.FAILED, code=view.fault_code, message=message)
            self._end(replace(work, tokens=view.tokens, cost=view.cost), None)

    def _keep(self, work: Work, view: JobView) -> None:
        job_id = work.job_id or ""
        body = self._desk.ask(lambda desk: desk.result_bytes(job_id, "full" if self._files.is_plain else "compact"))
        work, kept = read_outcome(work, view, body)
        if work.state.has_result:
            self._placing.room(lambda: self._files.write(work.label, body))
        self._end(work, kept)

    def _end(self, work: Work, result: bytes | None) -> None:
        self._placing.room(lambda: self._ledger.end_work(work, result))
        self._tally.count_ended(work)
        row = self._ledger.path(work.label)
        if row is not None:
            self._placing.settle(row, work)

    def _is_over_limits(self) -> bool:
        if self.stopped is None:
            self.stopped = self._plan.limits.met_by(self._tally, len(self._working))
        return self.stopped is not None

    def _show(self) -> None:
        self._tally.in_work = len(self._working)
        self._display.update()
