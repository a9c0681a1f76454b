"""What a batch finds, how it decides, what it remembers, and where it puts things."""

from __future__ import annotations

import csv
import errno
import os
import sqlite3
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from service.cli.batch import keep as batch_keep
from service.cli.batch.books import count_books
from service.cli.batch.causes import action_for, is_of_the_file, is_tried_again
from service.cli.batch.entries import FoundPath, PathState, Work, WorkState
from service.cli.batch.find import Selection, find_files, fits, read_only_list, split_pattern
from service.cli.batch.keep import ResultFiles, move_away, with_room
from service.cli.batch.ledger import EarlierWork, Ledger
from service.cli.batch.limits import Limits, StopRule
from service.cli.batch.list import list_files
from service.cli.batch.passwords import Password, read_passwords
from service.cli.batch.plan import Decision, Made, Outputs, RerunIf, decide
from service.cli.batch.tables import write_books
from service.cli.batch.tally import Tally
from service.domain.errors import ErrorCode, InputError, StateError
from service.domain.schema import parse_schema
from service.exports.schema_set import SchemaSet

SCHEMAS = SchemaSet.one(parse_schema({"type": "object", "properties": {"a": {"type": "string"}}}))
MADE = Made(schema="invoice@1", model="embedded:1", options="{}", engine="0.1.0")
NAME_MAX, PATH_MAX = 255, 4096
"""What file systems allow, in bytes."""
WORK = Work(
    digest=b"d", label=b"a.pdf", run=1, state=WorkState.SUCCEEDED, made=MADE.text(), desk="home", submit_key="k"
)


def found_in(folder: Path, selection: Selection | None = None, *beside: Path) -> list[str]:
    """Names of what is found."""
    return sorted(os.fsdecode(f.path) for f in find_files(folder, selection or Selection(), beside))


def fill(folder: Path, *names: str) -> None:
    """Files with their names as content."""
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(name)


def test_files_are_found_to_the_depth_but_not_among_results(tmp_path: Path):
    """Of this batch or of another one; a linked folder is not followed."""
    fill(tmp_path, "b.pdf", "a/c.pdf", "out/a/c.pdf.json", "a/deep/d.pdf", "old/_batch/ledger.db", "old/x.xlsx")
    (tmp_path / "a" / "round").symlink_to(tmp_path, target_is_directory=True)
    assert found_in(tmp_path, None, tmp_path / "out") == ["a/c.pdf", "a/deep/d.pdf", "b.pdf"]


def test_what_cannot_be_looked_into_is_named_and_the_rest_is_found(tmp_path: Path):
    """A link in a circle, and a folder so deep that no file in it can be named: neither ends the batch."""
    fill(tmp_path, "a.pdf")
    (tmp_path / "circle.pdf").symlink_to("circle.pdf")
    here = os.open(tmp_path, os.O_RDONLY | os.O_DIRECTORY)
    try:
        for _ in range(PATH_MAX // NAME_MAX + 1):
            os.mkdir("d" * NAME_MAX, dir_fd=here)
            here, outer = os.open("d" * NAME_MAX, os.O_RDONLY | os.O_DIRECTORY, dir_fd=here), here
            os.close(outer)
    finally:
        os.close(here)
    found = found_in(tmp_path)
    assert found[:2] == ["a.pdf", "circle.pdf"]
    assert found[2].startswith("d" * NAME_MAX)


@pytest.mark.parametrize(
    ("pattern", "path", "meant"),
    [
        ("*.pdf", "a/b/C.PDF", True),
        ("*.pdf", "a/b.pdf.txt", False),
        ("2026/**/*.pdf", "2026/x.pdf", True),
        ("2026/**/*.pdf", "2026/11/30/x.pdf", True),
        ("2026/*.pdf", "2026/11/x.pdf", False),
        ("**/drafts/**", "a/drafts/b/c.pdf", True),
        ("inv-[0-9]?.pdf", "inv-7a.pdf", True),
        ("inv-[!0-9].pdf", "inv-7.pdf", False),
        ("a+b(1).pdf", "x/a+b(1).pdf", True),
    ],
)
def test_patterns_mean_what_a_shell_means(pattern: str, path: str, meant: bool):
    """One without a slash is about the name alone."""
    assert fits(path, pattern) is meant


def test_the_folder_may_be_a_pattern(tmp_path: Path):
    """Up to its first sign that is one."""
    fill(tmp_path, "in/x/a.pdf", "in/x/b.jpg", "in/c.pdf")
    folder, patterns = split_pattern(f"{tmp_path}/in/**/*.pdf")
    assert found_in(folder, Selection(include=patterns)) == ["c.pdf", "x/a.pdf"]
    with pytest.raises(InputError, match="no folder"):
        split_pattern(f"{tmp_path}/nothing")


def test_a_sample_is_the_same_for_the_same_seed(tmp_path: Path):
    """Whatever comes beside it; another seed draws others."""
    fill(tmp_path, *(f"{n}.pdf" for n in range(40)))
    first = found_in(tmp_path, Selection(sample=5, seed=1))
    assert first == found_in(tmp_path, Selection(sample=5, seed=1))
    assert first != found_in(tmp_path, Selection(sample=5, seed=2))
    assert len(first) == 5


def test_a_name_that_is_no_text_is_a_name(tmp_path: Path):
    """File systems keep bytes."""
    name = b"r\xe9sum\xe9.pdf"
    (tmp_path / os.fsdecode(name)).write_bytes(b"x")
    with Ledger(tmp_path / "out") as ledger:
        list_files(ledger, tmp_path, Selection(), (tmp_path / "out",))
        assert [row.path for row in ledger.paths()] == [name]
        write_books(ledger)
        assert "r\ufffdsum\ufffd.pdf" in (ledger.folder / "books.csv").read_text()


def test_while_watching_a_file_counts_once_it_is_still(tmp_path: Path):
    """The same size and time at two looks, one after the other."""
    folder = tmp_path / "in"
    fill(folder, "a.pdf")
    with Ledger(tmp_path / "out") as ledger:

        def look() -> PathState:
            list_files(ledger, folder, Selection(), (), watch=True)
            return next(ledger.paths()).state

        assert look() is PathState.ARRIVING
        (folder / "a.pdf").write_text("it grows")
        assert look() is PathState.ARRIVING
        assert look() is PathState.WAITING


def test_a_new_file_under_the_name_of_a_moved_one_gets_a_label_of_its_own(tmp_path: Path):
    """And one that was put back is known again."""
    folder = tmp_path / "in"
    (folder).mkdir()
    (folder / "scan.pdf").write_bytes(b"%PDF-1.7 second")
    with Ledger(tmp_path / "out") as ledger:
        moved = FoundPath(
            label=b"scan.pdf",
            path=b"scan.pdf",
            size=14,
            mtime_ns=1,
            noted_at=1.0,
            run=0,
            state=PathState.SETTLED,
            digest=bytes.fromhex("00" * 32),
            moved_to="done/scan.pdf",
        )
        ledger.put_path(moved)
        list_files(ledger, folder, Selection(), ())
        assert [row.label for row in ledger.paths()] == [b"scan.pdf", b"scan~2.pdf"]
        fill(folder, "scan~2.pdf")
        list_files(ledger, folder, Selection(), ())
        labels = {row.label: row.path for row in ledger.paths()}
        assert labels[b"scan~2.pdf"] == b"scan.pdf"
        assert labels[b"scan~2~2.pdf"] == b"scan~2.pdf"


@pytest.mark.parametrize(
    ("work", "rerun", "decision"),
    [
        (None, set(), Decision.HAND_IN),
        (WORK, set(), Decision.KEEP),
        (replace(WORK, state=WorkState.OPEN), set(), Decision.GO_ON),
        (replace(WORK, made=replace(MADE, engine="0.0.9").text()), set(), Decision.KEEP),
        (replace(WORK, made=replace(MADE, engine="0.0.9").text()), {RerunIf.MODEL}, Decision.KEEP),
        (replace(WORK, made=replace(MADE, engine="0.0.9").text()), {RerunIf.ENGINE}, Decision.HAND_IN),
        (replace(WORK, made=replace(MADE, schema="invoice@2").text()), {RerunIf.CHANGED}, Decision.HAND_IN),
        (WORK, {RerunIf.CHANGED}, Decision.KEEP),
        (replace(WORK, doubtful=True), {RerunIf.DOUBTFUL}, Decision.HAND_IN),
        (replace(WORK, state=WorkState.FAILED, code="damaged_file"), set(), Decision.KEEP),
        (replace(WORK, state=WorkState.FAILED, code="damaged_file"), {RerunIf.FAILED}, Decision.HAND_IN),
        (replace(WORK, state=WorkState.FAILED, code="model_timeout"), set(), Decision.HAND_IN),
        (replace(WORK, state=WorkState.FAILED, code="model_timeout", run=2), {RerunIf.FAILED}, Decision.KEEP),
    ],
)
def test_nothing_is_done_twice_by_accident(work: Work | None, rerun: set[RerunIf], decision: Decision):
    """In the second run."""
    assert decide(work, MADE, frozenset(rerun), run=2, has_passwords=False) is decision


def test_a_locked_file_is_tried_again_once_there_are_passwords():
    """Without, it stays as it is."""
    locked = replace(WORK, state=WorkState.FAILED, code="password_required")
    assert decide(locked, MADE, frozenset(), run=2, has_passwords=False) is Decision.KEEP
    assert decide(locked, MADE, frozenset(), run=2, has_passwords=True) is Decision.HAND_IN


def test_every_code_has_an_action_and_is_tried_again_or_not():
    """Also one of a newer service."""
    for code in ErrorCode:
        assert action_for(code)
        assert not (is_of_the_file(code) and is_tried_again(code))
    assert is_tried_again("something_new")


def test_the_ledger_keeps_what_was_last_said(tmp_path: Path):
    """Over its end; who only reads needs no lock."""
    with Ledger(tmp_path) as ledger:
        assert ledger.work(b"d") is None
        ledger.put_work(WORK)
        ledger.end_work(replace(WORK, pages=3), b'{"a": 1}')
        ledger.put_work(replace(WORK, pages=3, label=b"b.pdf"))
        first = ledger.run
        earlier = EarlierWork(tmp_path)
        assert earlier.get(b"d") == replace(WORK, pages=3, label=b"b.pdf")
        earlier.close()
    with Ledger(tmp_path) as ledger:
        assert ledger.run == first + 1
        assert ledger.work(b"d") == replace(WORK, pages=3, label=b"b.pdf")
        assert ledger.result(b"d") == b'{"a": 1}'


def test_a_ledger_of_an_earlier_version_goes_on(tmp_path: Path):
    """One without money; what a later version wrote is left alone, and said."""
    with Ledger(tmp_path) as ledger:
        ledger.end_work(replace(WORK, pages=3), b"{}")
        path = ledger.folder / "ledger.db"
    with sqlite3.connect(path) as old:
        old.executescript("ALTER TABLE contents DROP COLUMN cost; PRAGMA user_version = 0;")
    old.close()
    earlier = EarlierWork(tmp_path)
    assert earlier.get(b"d") == replace(WORK, pages=3)
    earlier.close()
    with Ledger(tmp_path) as ledger:
        assert ledger.work(b"d") == replace(WORK, pages=3)
        ledger.end_work(replace(WORK, cost=0.25), b"{}")
    with sqlite3.connect(path) as later:
        later.execute("PRAGMA user_version = 9")
    later.close()
    with pytest.raises(StateError, match="later Fieldmark"), Ledger(tmp_path):
        pass


def test_two_batches_never_write_into_one_folder(tmp_path: Path):
    """The second is told at once."""
    with Ledger(tmp_path), pytest.raises(StateError, match="Another `fieldmark batch`"), Ledger(tmp_path):
        pass


@settings(max_examples=30)  # each makes a ledger
@given(
    st.lists(st.tuples(st.sampled_from([*PathState]), st.integers(0, 4), st.sampled_from([*WorkState])), max_size=12)
)
def test_books_balance_whatever_happened(
    tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[PathState, int, WorkState]]
):
    """One row a path, each in one place; the failures are those of the books."""
    with Ledger(tmp_path_factory.mktemp("out")) as ledger:
        for number, (state, content, ended) in enumerate(rows):
            label, digest = b"%d.pdf" % number, bytes([content])
            digest = None if state in (PathState.IGNORED, PathState.FAILED) else digest
            if digest is not None and ledger.work(digest) is None:
                ledger.put_work(replace(WORK, digest=digest, label=label, state=ended))
            ledger.put_path(
                FoundPath(label=label, path=label, size=1, mtime_ns=1, noted_at=1.0, run=1, state=state, digest=digest)
            )
        books = count_books(ledger, MADE.text())
        write_books(ledger)
        with (ledger.folder / "books.csv").open(newline="") as file:
            written = list(csv.DictReader(file))
        assert books.found == len(rows) == len(written)
        assert {row["path"] for row in written} == {f"{n}.pdf" for n in range(len(rows))}
        wanted = [row["path"] for row in written if row["state"] in ("failed", "unrouted")]
        assert sorted(read_only_list(ledger.folder / "failures.csv")) == sorted(wanted)


def test_results_never_collide(tmp_path: Path):
    """Not with those of a file of the same name elsewhere, not with the batch's own files, however long the name."""
    files = ResultFiles(Outputs(out=tmp_path), SCHEMAS)
    names = [
        b"a/invoice.pdf",
        b"b/invoice.pdf",
        b"invoice.pdf",
        b"invoice.png",
        b"_batch/books.csv",
        b"__batch/books.csv",
    ]
    names += [b"x" * 250 + b".pdf", b"x" * 250 + b".png", b"\xff.pdf"]
    for name in names:
        files.write(name, name)
    written = {path.read_bytes() for path in tmp_path.rglob("*.json")}
    assert written == set(names)
    assert not (tmp_path / "_batch").exists()
    work = replace(WORK, job_id="job_1")
    for name in names:
        row = FoundPath(label=name, path=name, size=1, mtime_ns=1, noted_at=1.0, run=1, state=PathState.TAKEN)
        assert not files.is_there(row, work), "that of another content may lie there"
        assert files.is_there(replace(row, written=files.mark(work)), work)


def test_a_full_disk_is_waited_out(monkeypatch: pytest.MonkeyPatch):
    """Any other fault is not."""
    monkeypatch.setattr(batch_keep, "_PAUSE_S", 0.0)
    faults = [OSError(errno.ENOSPC, "No space left on device"), OSError(errno.EDQUOT, "Disk quota exceeded")]
    said: list[str | None] = []

    def write() -> str:
        if faults:
            raise faults.pop()
        return "done"

    assert with_room(write, said.append) == "done"
    assert said[-1] is None
    assert "full" in str(said[0])
    faults.append(OSError(errno.EACCES, "Permission denied"))
    with pytest.raises(PermissionError):
        with_room(write, said.append)


def test_a_file_that_failed_moves_with_its_reason(tmp_path: Path):
    """What is wrong, and what to do."""
    fill(tmp_path / "in", "a/b.pdf")
    row = FoundPath(label=b"a/b.pdf", path=b"a/b.pdf", size=1, mtime_ns=1, noted_at=1.0, run=1, state=PathState.TAKEN)
    work = replace(WORK, state=WorkState.FAILED, code="damaged_file", message="It is damaged.")
    target = move_away(tmp_path / "in" / "a" / "b.pdf", tmp_path / "failed", row, work)
    assert target.read_text() == "a/b.pdf"
    assert not (tmp_path / "in" / "a" / "b.pdf").exists()
    reason = (tmp_path / "failed" / "a" / "b.pdf.reason.txt").read_text()
    assert "damaged_file: It is damaged." in reason
    assert action_for("damaged_file") in reason


@pytest.mark.parametrize(
    ("text", "failed", "ended", "met"),
    [("5%", 1, 20, False), ("5%", 2, 20, True), ("5%", 9, 10, False), ("3", 3, 5, False), ("3", 4, 5, True)],
)
def test_a_batch_stops_after_too_many_failures(text: str, failed: int, ended: int, met: bool):
    """A share says nothing of a few files."""
    assert StopRule.parse(text).is_met(failed, ended) is met


@pytest.mark.parametrize("text", ["five", "-1", "1.5", "%"])
def test_a_limit_that_says_nothing_is_refused(text: str):
    """With what it takes."""
    with pytest.raises(InputError, match="5% or 20"):
        StopRule.parse(text)


def test_without_limits_nothing_stops():
    """Whatever fails."""
    assert Limits().met_by(Tally(failed_here=1000, done_here=1000, tokens=10**9, cost=1e6), 8) is None


@pytest.mark.parametrize(
    ("tally", "in_work", "flag"),
    [
        (Tally(cost=9.9, done_here=100), 0, None),
        (Tally(cost=9.9, done_here=100), 2, "--budget"),
        (Tally(cost=10.0, earlier=3), 0, "--budget"),
        (Tally(cost=3.0, tokens=999, done_here=1), 1, "--max-tokens"),
        (Tally(cost=0.0, tokens=0), 8, None),
    ],
)
def test_a_batch_stops_before_it_spends_too_much(tally: Tally, in_work: int, flag: str | None):
    """Files in work are expected to cost what the others did; what earlier runs spent counts."""
    met = Limits(cost=10.0, tokens=1000).met_by(tally, in_work)
    assert met is None if flag is None else met is not None and flag in met


def test_passwords_are_for_all_files_or_for_some(tmp_path: Path):
    """A word a line, or a pattern and a tab before it."""
    (tmp_path / "words").write_text("one two\n\nbank/*.pdf\tthree\n")
    assert read_passwords(tmp_path / "words") == (Password("", "one two"), Password("bank/*.pdf", "three"))
