"""The least time that work can take: the model's, the machine's, or that of the slowest single document."""

from __future__ import annotations

import math
from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Costs:
    """CPU seconds of the raw work, measured by `benchmarks.reference` in the same run."""

    page_s: float
    call_s: float


@dataclass(frozen=True, kw_only=True)
class Load:
    """Documents, all alike, handed in together."""

    documents: int
    pages: int
    """Of each document."""
    latency_s: float
    in_flight: int
    """Calls that the service may have under way."""
    pages_a_call: int = 10

    @property
    def calls(self) -> int:
        """Of all documents."""
        return self.documents * math.ceil(self.pages / self.pages_a_call)


def ideal_s(load: Load, costs: Costs, cores: float) -> float:
    """The least makespan on that many cores; neither uploading nor merging is counted, so it cannot quite be reached.

    Page work comes before the call of its split, so the last call begins when all CPU work is done at the earliest.
    """
    work = load.documents * load.pages * costs.page_s + load.calls * costs.call_s
    model_bound = math.ceil(load.calls / load.in_flight) * load.latency_s
    return max(model_bound, work / cores + load.latency_s, _one_document_s(load, costs, cores))


def _one_document_s(load: Load, costs: Costs, cores: float) -> float:
    chunk = min(load.pages_a_call, load.pages)
    chunks = math.ceil(load.pages / load.pages_a_call)
    chunk_s = chunk * costs.page_s
    waves = math.ceil(chunks / load.in_flight) * load.latency_s
    reading = (chunks - 1) * chunk_s / min(cores, max(chunks, 1)) + load.latency_s
    return chunk_s + max(waves, reading)
