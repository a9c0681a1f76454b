"""Processes of workers begin alike, whoever starts them."""

from __future__ import annotations

from service.cli.serving.worker_process import environment_of
from service.domain.steps import QueueName


def test_a_process_of_many_threads_is_told_to_spare_memory() -> None:
    """What the operator set holds; processes that compute have one thread each, and are left alone."""
    given = {"PATH": "/bin", "MALLOC_ARENA_MAX": "8"}
    told = environment_of(QueueName.IO, given)
    assert told.items() >= given.items()
    assert "MALLOC_TRIM_THRESHOLD_" in told
    assert environment_of(QueueName.CPU, given) == given
