"""Figures for Prometheus: what this process answered, and what the database says of jobs, steps and processes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from fastapi.routing import APIRoute
from prometheus_client import CollectorRegistry, Counter, Histogram, generate_latest
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.registry import Collector
from starlette.types import Scope

from service.jobs.services import Services

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
ALIVE_S = 10.0
"""A process that was heard of within this time counts as alive."""
_BUCKETS = (0.005, 0.02, 0.1, 0.5, 2.0, 10.0, 60.0)


class Metrics:
    """A registry of this app alone, so that several apps in one process do not mix."""

    def __init__(self, services: Services) -> None:
        self._registry = CollectorRegistry()
        labels = ("method", "route", "status")
        self._requests = Counter("fieldmark_http_requests", "Answers given.", labels, registry=self._registry)
        self._seconds = Histogram(
            "fieldmark_http_request_seconds",
            "Time from a request's head to the end of its answer.",
            ("route",),
            registry=self._registry,
            buckets=_BUCKETS,
        )
        self._registry.register(_State(services))

    def count(self, scope: Scope, status: int, seconds: float) -> None:
        """Note an answer, under its route's template and never under an id."""
        route = scope.get("route")
        path = route.path if isinstance(route, APIRoute) else "other"
        self._requests.labels(scope["method"], path, str(status)).inc()
        self._seconds.labels(path).observe(seconds)

    def text(self) -> bytes:
        """All figures in Prometheus's text form."""
        return generate_latest(self._registry)


class _State(Collector):
    """Counts that are asked of the database at each scrape."""

    def __init__(self, services: Services) -> None:
        self._services = services

    def collect(self) -> Iterator[GaugeMetricFamily]:
        """See prometheus_client."""
        services = self._services
        with services.store.read() as rows:
            jobs = rows.jobs.count_by_status()
            steps = rows.steps.count_open_by_queue()
            alive = rows.upkeep.alive(services.clock() - ALIVE_S)
        yield _gauge("fieldmark_jobs", "Jobs that are kept, by status.", "status", jobs)
        yield _gauge("fieldmark_open_steps", "Steps that are queued or running, by queue.", "queue", steps)
        yield _gauge("fieldmark_processes_alive", "Processes heard of within 10 s, by kind.", "kind", alive)

    def describe(self) -> Iterator[GaugeMetricFamily]:
        """Nothing is asked of the database before the first scrape."""
        return iter(())


def _gauge(name: str, text: str, label: str, counts: Mapping[str, int]) -> GaugeMetricFamily:
    family = GaugeMetricFamily(name, text, labels=(label,))
    for key, count in sorted(counts.items()):
        family.add_metric((key,), float(count))
    return family
