"""Questions of those who run the service: does it live, is it ready, what does it do."""

from __future__ import annotations

from typing import cast

from fastapi import APIRouter, Depends, Request, Response

from service.api.context import ServicesOf, refuse_query
from service.api.documentation import errors, success
from service.api.metrics import ALIVE_S, CONTENT_TYPE, Metrics
from service.api.payloads import examples
from service.api.payloads.parts import HealthPayload, ReadyPayload
from service.domain.steps import QueueName
from service.jobs.services import Services

_PROBE = "readiness"
"""The row that the probe writes."""
_ALL_IN_ONE = "local"
"""The kind of a process that works on every queue."""
router = APIRouter(tags=["operation"], dependencies=[Depends(refuse_query)])


@router.get(
    "/healthz",
    summary="Does the process live?",
    responses=errors() | success(HealthPayload, examples.HEALTH, "It does."),
)
async def read_health() -> HealthPayload:
    """The process answers; it says nothing of the others."""
    return HealthPayload(status="ok")


@router.get(
    "/readyz",
    summary="Is the service ready?",
    responses=errors()
    | success(ReadyPayload, examples.READY, "It is.")
    | success(ReadyPayload, examples.NOT_READY, "It is not: what is missing.", status=503),
)
def read_readiness(services: ServicesOf, response: Response) -> ReadyPayload:
    """Whether a job that is handed in now will be done: database, queue, and a worker of each kind."""
    missing = find_missing(services)
    if missing:
        response.status_code = 503
        response.headers["Retry-After"] = "1"
    return ReadyPayload(status="not_ready" if missing else "ready", missing=missing)


@router.get(
    "/metrics",
    summary="Figures for Prometheus",
    response_class=Response,
    responses=errors() | {200: {"description": "Text form 0.0.4.", "content": {"text/plain": {}}}},
)
def read_metrics(request: Request) -> Response:
    """Counts of jobs, open steps, processes and requests; no names, no contents."""
    metrics = cast(Metrics, request.app.state.metrics)
    return Response(metrics.text(), media_type=CONTENT_TYPE)


def find_missing(services: Services) -> list[str]:
    """What keeps jobs from being done, by name; the probe writes, for a database that is only readable takes no job."""
    now = services.clock()
    try:
        with services.store.write() as rows:
            rows.upkeep.take_duty(_PROBE, services.process_id, now, now)
            alive = rows.upkeep.alive(now - ALIVE_S)
    except Exception:  # whatever keeps the database away, the answer is that it is missing
        return ["database"]
    missing = [] if services.queue.is_reachable() else ["queue"]
    return missing + [f"{kind}_worker" for kind in QueueName if not (alive.get(kind) or alive.get(_ALL_IN_ONE))]
