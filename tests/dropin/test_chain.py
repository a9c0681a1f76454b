"""One Fieldmark behind another: our own Upstage client asks this server, and nothing is lost on the way."""

from __future__ import annotations

import json
from typing import Any

import httpx
import pytest

from tests.api.job_calls import sample
from tests.dropin.conftest import Live, Starter
from tests.dropin.vendor_calls import CHAT, body, content_of, leaves_of


def record_of(url: str, name: str, model: str) -> dict[str, Any]:
    """The record of a sample, by a model."""
    file, schema = sample(name)
    answer = httpx.post(
        f"{url}/api/v1/jobs?wait=100",
        files={"file": ("a.pdf", file)},
        data={"schema": json.dumps(json.loads(schema)), "model": model},
        timeout=120,
    )
    assert answer.status_code == 200, answer.text
    result = answer.json()
    assert result["status"] == "succeeded"
    (record,) = result["records"]
    return dict(record)


@pytest.mark.parametrize("name", ["invoice", "receipt", "bank_statement"])
def test_the_record_is_the_same_as_with_the_model_itself(live: Live, start: Starter, name: str) -> None:
    """Values, printed texts, verdicts, pages, boxes, words, confidence and checks, leaf by leaf."""
    near = start(upstage_base_url=f"{live.url}/v1", upstage_api_key="up_any")
    direct = record_of(live.url, name, "embedded")
    through = record_of(near.url, name, "upstage")
    assert through["values"] == direct["values"]
    assert {*through["fields"]} == {*direct["fields"]}
    for path, field in direct["fields"].items():
        assert comparable(through["fields"][path]) == comparable(field), path
    assert through["checks"] == direct["checks"]
    assert through["pages"] == direct["pages"]


def comparable(field: dict[str, Any]) -> dict[str, Any]:
    """A field with its places as the wire writes them: four decimals."""
    return dict(json.loads(json.dumps(field), parse_float=lambda text: round(float(text), 4)))


def test_everything_is_told_only_to_those_who_ask(live: Live) -> None:
    """By header; others get the vendor's keys and substitutes."""
    full = live.client.post(CHAT, json=body(), headers={"x-fieldmark-answer": "full"}).json()
    assert content_of(full)["fax"] is None
    assert leaves_of(full)["fax"] == {
        "_value": None,
        "confidence": leaves_of(full)["fax"]["confidence"],
        "page": -1,
        "coordinates": [],
        "word_coordinates": [],
        "verdict": "absent",
        **{key: value for key, value in leaves_of(full)["fax"].items() if key == "probability"},
    }
    assert leaves_of(full)["number"]["raw"] == "L-17"
    plain = live.client.post(CHAT, json=body(location=True, confidence=True, seed=3)).json()
    assert content_of(plain)["fax"] == ""
    assert list(leaves_of(plain)["number"]) == ["_value", "confidence", "page", "coordinates"]
