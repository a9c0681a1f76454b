"""One page through every extraction client: one shape of result, whatever stands behind it.

Embedded; Upstage against a server in its live shape; an OpenAI-compatible client against a server that keeps OpenAI's
rules, in each form of answer; and the same client against a real server with a small real model.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from service.domain.jobs import JobStatus
from service.domain.schema import walk_leaves
from tests.fakes.model_stub import GOOD_KEY, ModelStub
from tests.fakes.one_invoice import SCHEMA, TRUTH, draw_invoice
from tests.fakes.pipeline import UPSTAGE, Pipeline, pipeline
from tests.fakes.small_model import CONTEXT_TOKENS, MODEL, small_model

Json = Any
LEAVES = dict(walk_leaves(dict(TRUTH)))
PATIENCE_S = 700.0
"""A small model that takes seconds may take minutes where others compute."""


@contextmanager
def embedded(home: Path) -> Generator[Pipeline]:
    """No server at all."""
    with pipeline(home) as service:
        yield service


@contextmanager
def upstage(home: Path) -> Generator[Pipeline]:
    """A server in the vendor's live shape that reads well, with boxes of its own making."""
    with ModelStub() as stub:
        stub.answers(TRUTH)
        with pipeline(home, stub=stub) as service:
            yield service


def openai(**traits: Json) -> Callable[[Path], AbstractContextManager[Pipeline]]:
    """A server that keeps OpenAI's rules and reads well."""

    @contextmanager
    def serve(home: Path) -> Generator[Pipeline]:
        with ModelStub() as stub:
            stub.answers(TRUTH)
            settings: dict[str, Json] = {"openai_base_url": stub.base_url, "openai_api_key": GOOD_KEY}
            with pipeline(home, openai_models={"*": traits}, **settings) as service:
                yield service

    return serve


@contextmanager
def real_model(home: Path) -> Generator[Pipeline]:
    """A real server and a real model, if a very small one."""
    traits = {"context_tokens": CONTEXT_TOKENS, "max_output_tokens": 200, "stream": True}
    with small_model() as base_url, pipeline(home, openai_base_url=base_url, openai_models={"*": traits}) as service:
        yield service


@dataclass(frozen=True)
class Road:
    """A client with what stands behind it."""

    serve: Callable[[Path], AbstractContextManager[Pipeline]]
    model: str
    least_right: int
    """Of the twenty values."""
    loses_its_way: bool = False
    """It may repeat one row until its answer is cut; what it was asked for then ends as lost, and says so."""


ROADS = {
    "embedded": Road(embedded, "embedded", 16),
    "upstage": Road(upstage, UPSTAGE, 16),
    "openai strict": Road(openai(), "openai:reads", 20),
    "openai tool, streamed": Road(openai(strict_schema=False, stream=True), "openai:calls", 20),
    "openai prompt, pictures": Road(openai(strict_schema=False, tool_calls=False, images=True), "openai:sees", 20),
    "real small model": Road(real_model, f"openai:{MODEL}", 1, loses_its_way=True),
}


@pytest.mark.parametrize("name", ROADS)
def test_every_client_gives_a_record_of_one_shape(name: str, tmp_path: Path) -> None:
    """Every leaf has its entry; what is right has a box on its page; nothing without a source is trusted."""
    road = ROADS[name]
    with road.serve(tmp_path) as service:
        job = service.finish(service.submit(draw_invoice(), schema=SCHEMA, model=road.model), seconds=PATIENCE_S)
        result = service.result(job)
    lost = [issue for issue in result["issues"] if issue["code"] == "output_truncated"]
    assert road.loses_its_way or not lost
    assert job.status is (JobStatus.PARTIALLY_SUCCEEDED if lost else JobStatus.SUCCEEDED), result["issues"]
    assert result["model"].startswith(road.model)
    assert [(row["page"], row["state"]) for row in result["coverage"]] == [(1, "failed" if lost else "extracted")]
    (record,) = result["records"]
    assert set(record["values"]) == set(TRUTH)
    found = dict(walk_leaves(record["values"]))
    assert found.keys() - record["fields"].keys() == set()
    right = [path for path, value in LEAVES.items() if found.get(path) == value]
    assert len(LEAVES) == 20
    assert len(right) >= road.least_right, {p: (v, found.get(p)) for p, v in LEAVES.items() if found.get(p) != v}
    placed = [path for path in right if record["fields"][path]["page"] == 1]
    assert len(placed) >= len(right) * 0.9
    for path, entry in record["fields"].items():
        assert entry["confidence"] == "low" or entry["page"] == 1, path
