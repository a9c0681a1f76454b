"""What became of a job, step by step: for `fieldmark doctor --explain`."""

from __future__ import annotations

from datetime import UTC, datetime

from rich import box
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from service.auth.callers import LOCAL_TENANT
from service.cli.session import make_console, open_services
from service.domain.jobs import Job
from service.domain.steps import Step, StepState
from service.jobs.queries import get_job
from service.settings import Settings

_STYLES = {StepState.DONE: "green", StepState.FAILED: "red", StepState.RUNNING: "cyan"}


def explain_job(settings: Settings, job_id: str, now: float) -> None:
    """Print a job's current run.

    Raises:
        StateError: there is no such job.
    """
    with open_services(settings) as services:
        job = get_job(services, LOCAL_TENANT, job_id)
        with services.store.read() as rows:
            steps = rows.steps.of_run(job)
    make_console().print(render_run(job, steps, now))


def render_run(job: Job, steps: tuple[Step, ...], now: float) -> RenderableType:
    """The run as a table; times are in seconds since the job was made."""
    lines = [Text(f"{job.id}  {job.status}  run {job.run}, made {_moment(job.created_at)}, model {job.options.model}")]
    if job.fault is not None:
        lines.append(Text(f"{job.fault.code}: {job.fault.message}", style="red"))
    table = Table(box=box.SIMPLE_HEAD, header_style="dim", show_edge=False)
    for name in ("step", "pages", "queue", "lane", "state", "queued at", "waited", "took", "attempts", "fault"):
        table.add_column(name, no_wrap=name != "fault")
    for step in sorted(steps, key=lambda s: (s.created_at, s.ordinal)):
        table.add_row(*_row(job, step, now))
    return Group(*lines, table)


def _row(job: Job, step: Step, now: float) -> list[Text]:
    pages = f"{step.pages[0]}-{step.pages[-1]}" if step.pages else ""
    began = step.started_at if step.started_at is not None else None if step.state.is_terminal else now
    ended = step.finished_at if step.finished_at is not None else now if step.started_at is not None else None
    took = _seconds(None if step.started_at is None or ended is None else ended - step.started_at)
    fault = f"{step.fault.code}: {step.fault.message}" if step.fault else ""
    return [
        Text(f"{step.kind} {step.ordinal}"),
        Text(pages),
        Text(step.queue),
        Text(step.priority.name.lower()),
        Text(step.state, style=_STYLES.get(step.state, "")),
        Text(_seconds(step.created_at - job.created_at)),
        Text(_seconds(None if began is None else began - step.created_at)),
        Text(took),
        Text(str(step.attempt)),
        Text(fault),
    ]


def _seconds(duration_s: float | None) -> str:
    return "" if duration_s is None else f"{duration_s:.2f} s"


def _moment(at: float) -> str:
    return datetime.fromtimestamp(at, UTC).isoformat(timespec="seconds")
