"""A schema of 369 fields inside one object: a whole record through models that take a hundred at a time."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from service.domain.jobs import JobStatus
from service.domain.schema import walk_leaves
from service.rehearsal.values import default_value
from tests.fakes.model_stub import GOOD_KEY, ModelStub
from tests.fakes.one_invoice import draw_invoice
from tests.fakes.pipeline import UPSTAGE, pipeline

Json = Any
_PARTS, _FIELDS = 9, 41
_KINDS = ("string", "number", "integer")


def _wide() -> Json:
    """One object at the root, in it nine that point to one definition, with 41 fields each."""
    fields = {f"field_{n:02}": {"type": [_KINDS[n % 3], "null"], "description": "What it says"} for n in range(_FIELDS)}
    parts = {f"part_{n}": {"$ref": "#/$defs/part"} for n in range(_PARTS)}
    return {
        "type": "object",
        "$defs": {"part": {"type": "object", "properties": fields}},
        "properties": {"report": {"anyOf": [{"type": "object", "properties": parts}, {"type": "null"}]}},
    }


@pytest.mark.parametrize("model", [UPSTAGE, "openai:reads"])
def test_a_wide_schema_gives_a_whole_record(model: str, tmp_path: Path) -> None:
    """Every field has the value that was answered under its name; no request is wider than the model takes."""
    flat = model == UPSTAGE
    with ModelStub() as stub:
        settings: dict[str, Json] = {"openai_base_url": stub.base_url, "openai_api_key": GOOD_KEY}
        with pipeline(tmp_path, stub=stub, openai_models={"*": {"max_properties": 100}}, **settings) as service:
            job = service.finish(service.submit(draw_invoice(), schema=_wide(), model=model))
            result = service.result(job)
        asked = stub.stats()["requests"]
    assert job.status is JobStatus.SUCCEEDED, result["issues"]
    (record,) = result["records"]
    found = dict(walk_leaves(record["values"]))
    assert len(found) == len(record["fields"]) == _PARTS * _FIELDS
    for n, (path, value) in enumerate(found.items()):
        names = path[1:].split("/")
        assert value == default_value("_".join(names) if flat else names[-1], {"type": _KINDS[n % _FIELDS % 3]}), path
    assert 4 <= asked <= 6


def test_a_nested_schema_reaches_upstage_flat_and_comes_back_nested(tmp_path: Path) -> None:
    """From the request to the record: values, places and the check of the places stand where the caller asked."""
    line = {"text": {"type": "string"}, "price": {"type": "object", "properties": {"amount": {"type": "number"}}}}
    schema: Json = {
        "type": "object",
        "properties": {
            "seller": {"type": "object", "properties": {"name": {"type": "string"}}},
            "lines": {"type": "array", "items": {"type": "object", "properties": line}},
        },
    }
    rows = [("Bone folder, large", 15.8), ("Iron gall ink, 60 ml", 149.5)]
    flat = {"seller_name": "Quillfox Paperworks Ltd", "lines": [{"text": t, "price_amount": n} for t, n in rows]}
    with ModelStub() as stub, pipeline(tmp_path, stub=stub) as service:
        stub.answers(flat)
        job = service.run(draw_invoice(), schema=schema)
        (record,) = service.result(job)["records"]
    assert job.status is JobStatus.SUCCEEDED
    assert record["values"] == {
        "seller": {"name": "Quillfox Paperworks Ltd"},
        "lines": [{"text": text, "price": {"amount": amount}} for text, amount in rows],
    }
    assert record["fields"].keys() == dict(walk_leaves(record["values"])).keys()
    assert {(entry["page"], entry["box_check"]) for entry in record["fields"].values()} == {(1, "match")}
