"""What a batch finds, how it names its work, and what its ledger keeps."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.cli.batch_ledger import Entry, EntryState, Ledger
from service.cli.batch_run import Tally, find_files, key_of
from service.cli.desk import Order
from service.domain.errors import StateError

SCHEMA = {"type": "object", "properties": {"a": {"type": "string"}}}


def test_files_are_found_to_the_depth_but_not_among_the_results(tmp_path: Path):
    """The out folder may lie inside; a linked folder is not followed."""
    for name in ("b.pdf", "a/c.pdf", "out/a/c.pdf.json", "a/deep/d.pdf"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(b"x")
    (tmp_path / "a" / "round").symlink_to(tmp_path, target_is_directory=True)
    found = [str(p.relative_to(tmp_path)) for p in find_files(tmp_path, tmp_path / "out")]
    assert found == ["b.pdf", "a/c.pdf", "a/deep/d.pdf"]


def test_work_is_named_by_content_schema_and_options(tmp_path: Path):
    """A moved file is the same work; another schema, model or way of splitting is not."""
    one, two = tmp_path / "one.pdf", tmp_path / "two.pdf"
    one.write_bytes(b"same")
    two.write_bytes(b"same")
    order = Order(path=tmp_path, schema=SCHEMA)
    keys = {
        key_of(one, order),
        key_of(one, Order(path=tmp_path, schema=SCHEMA, model="other")),
        key_of(one, Order(path=tmp_path, schema=SCHEMA, split_documents=True)),
        key_of(one, Order(path=tmp_path, schema={**SCHEMA, "title": "b"})),
    }
    assert len(keys) == 4
    assert key_of(one, order) == key_of(two, order)
    two.write_bytes(b"other")
    assert key_of(one, order) != key_of(two, order)


def test_the_ledger_keeps_what_was_last_said(tmp_path: Path):
    """Over its end."""
    entry = Entry(key="k", desk="h", state=EntryState.OPEN, job_id="job_1", path="a/b.pdf")
    done = Entry(key="k", desk="h", state=EntryState.FAILED, job_id="job_1", path="a/b.pdf", code="c", message="m")
    with Ledger(tmp_path) as ledger:
        assert ledger.get("k") is None
        ledger.put(entry)
        ledger.put(done)
    with Ledger(tmp_path) as ledger:
        assert ledger.get("k") == done


def test_two_batches_never_write_into_one_folder(tmp_path: Path):
    """The second is told at once."""
    with Ledger(tmp_path), pytest.raises(StateError, match="Another `fieldmark batch`"), Ledger(tmp_path):
        pass


@given(st.lists(st.sampled_from([EntryState.SUCCEEDED, EntryState.PARTIAL, EntryState.FAILED])))
def test_counts_balance(states: list[EntryState]):
    """Every content is counted once, every failure has a cause."""
    tally = Tally()
    for state in states:
        tally.count(Entry(key="k", desk="h", state=state, job_id=None, path="p", code="c", message="m"))
    assert tally.ended == len(states)
    assert tally.causes.total() == states.count(EntryState.FAILED)
