"""Every sample goes through the whole pipeline with the embedded model."""

from __future__ import annotations

import json
from typing import Any

import pytest

from service.domain.jobs import JobStatus
from service.domain.schema import walk_leaves
from tests.fakes.local_service import SAMPLES
from tests.fakes.pipeline import Pipeline

NAMES = sorted(folder.name for folder in SAMPLES.iterdir() if (folder / "schema.json").exists())


def test_there_are_samples() -> None:
    """The list below is not empty by mistake."""
    assert len(NAMES) >= 6


@pytest.mark.parametrize("name", NAMES)
def test_a_sample_becomes_records_with_an_entry_and_a_place_for_every_value(service: Pipeline, name: str) -> None:
    """Status, ledger of pages, an entry a leaf, and a box on an existing page for what was found."""
    folder = SAMPLES / name
    schema = json.loads((folder / "schema.json").read_text(encoding="utf-8"))
    document = next(folder.glob("document.*"))
    job = service.run(
        document.read_bytes(),
        schema=schema,
        name=document.name,
        model="embedded",
        split_documents=name.startswith("bound"),
    )
    result = service.result(job)
    assert job.status is JobStatus.SUCCEEDED, result["issues"]
    page_count = len(result["file"]["pages"])
    assert [row["page"] for row in result["coverage"]] == list(range(1, page_count + 1))
    expected = json.loads((folder / "expected.json").read_text(encoding="utf-8"))["records"]
    assert len(expected) == len(result["records"])
    for record in result["records"]:
        _check_record(record, schema, page_count)


def _check_record(record: Any, schema: Any, page_count: int) -> None:
    paths = {path for path, _ in walk_leaves(record["values"])}
    assert paths - record["fields"].keys() == set()
    assert set(schema["properties"]) == set(record["values"])
    found = [entry for entry in record["fields"].values() if entry["verdict"] == "found"]
    placed = [entry for entry in found if entry["page"] is not None]
    assert placed, "not one value has a place"
    for entry in placed:
        assert 1 <= entry["page"] <= page_count
        assert all(0 <= point[axis] <= 1 for point in entry["coordinates"] for axis in "xy")
        assert len(entry["coordinates"]) == 4
