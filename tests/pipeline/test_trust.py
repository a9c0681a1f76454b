"""Whom a result trusts: models that tell no confidence, those that do, and the embedded one as a second opinion."""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from service.domain.jobs import JobStatus
from service.domain.pages import TextSource
from service.jobs.steps.second_opinion import Asked, ask_embedded
from tests.fakes.model_stub import GOOD_KEY, ModelStub
from tests.fakes.one_invoice import SCHEMA, TRUTH, draw_invoice
from tests.fakes.pipeline import UPSTAGE, Pipeline, pipeline

Json = Any
READS = "openai:reads"


@contextmanager
def service(home: Path, traits: Json = None, **settings: Json) -> Generator[tuple[Pipeline, ModelStub]]:
    """A service with both providers, and the server that stands for them."""
    with ModelStub() as stub:
        stub.answers(TRUTH)
        settings |= {"openai_base_url": stub.base_url, "openai_api_key": GOOD_KEY, "openai_models": {"*": traits or {}}}
        with pipeline(home, stub=stub, **settings) as running:
            yield running, stub


def result_of(running: Pipeline, model: str = READS, **options: Json) -> Json:
    """The whole result of the invoice."""
    job = running.finish(running.submit(draw_invoice(), schema=SCHEMA, model=model, **options))
    assert job.status is JobStatus.SUCCEEDED
    return running.result(job)


def high(result: Json, only: Callable[[str], bool] = lambda _path: True) -> set[str]:
    """Pointers of the values that are trusted."""
    (record,) = result["records"]
    return {p for p, e in record["fields"].items() if e["confidence"] == "high" and e["value"] is not None and only(p)}


def test_a_model_that_tells_no_confidence_is_trusted_where_the_embedded_one_agrees(tmp_path: Path) -> None:
    """Nothing is `high` without it; who saw the pages is told, and no request is counted for it."""
    with service(tmp_path) as (running, _):
        assert high(result_of(running)) == set()
        result = result_of(running, second_opinion=True, cache=False)
    trusted = high(result)
    assert {"/invoice_number", "/total"} <= trusted
    fields = result["records"][0]["fields"]
    assert all(fields[p]["box_check"] == "match" and fields[p]["probability"] >= 0.5 for p in trusted)
    assert [seen["provider"] for seen in result["processing"]] == ["openai", "embedded"]
    assert result["usage"]["requests"] == 1


def test_a_value_of_which_the_embedded_model_has_another_is_low_and_both_are_kept(tmp_path: Path) -> None:
    """Also where the provider called it high, and also where the installation wants it rather than the job."""
    with service(tmp_path, second_opinion=True) as (running, stub):
        stub.answers({**TRUTH, "total": 354.5})
        for model in (READS, UPSTAGE):
            result = result_of(running, model)
            (record,) = result["records"]
            assert record["fields"]["/total"]["confidence"] == "low"
            kept = [c for c in record["conflicts"] if c["path"] == "/total"]
            assert [(c["other"]["value"], c["rule"]) for c in kept] == [(425.4, "second_opinion")]
        assert not result_of(running, second_opinion=False)["records"][0]["conflicts"]


def test_sure_tokens_alone_make_nothing_high(tmp_path: Path) -> None:
    """With the second opinion they do no harm."""
    with service(tmp_path, {"logprobs": True}) as (running, _):
        assert high(result_of(running)) == set()
        assert {"/invoice_number", "/total"} <= high(result_of(running, second_opinion=True, cache=False))


def test_a_high_of_upstage_is_checked(tmp_path: Path) -> None:
    """What is not under its box, nor anywhere else, is low whatever the vendor says."""
    with service(tmp_path) as (running, stub):
        stub.answers({**TRUTH, "order_number": "LL-3382", "seller_name": "Quillfax Paperwerks Ltd"})
        result = result_of(running, UPSTAGE)
    fields = result["records"][0]["fields"]
    assert high(result, lambda path: path == "/invoice_number")
    assert (fields["/order_number"]["box_check"], fields["/order_number"]["confidence"]) == ("none", "low")
    assert (fields["/seller_name"]["box_check"], fields["/seller_name"]["confidence"]) == ("partial", "low")


def test_an_opinion_that_cannot_be_had_ends_nothing(tmp_path: Path) -> None:
    """It is told as an issue, without a word of the document."""
    with service(tmp_path) as (running, _):
        job = running.finish(running.submit(draw_invoice(), schema=SCHEMA, model=READS, second_opinion=True))
        hasty = replace(running.services, limits=replace(running.services.limits, model_timeout_s=0.0))
        asked = ask_embedded(hasty, job, 0, {1: TextSource.DIGITAL})
        unread = ask_embedded(running.services, job, 0, {1: TextSource.UNREADABLE})
    assert asked.opinion is None
    assert [(issue.code, issue.page) for issue in asked.issues] == [("no_second_opinion", 1)]
    assert unread == Asked()
