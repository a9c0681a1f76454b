"""`fieldmark batch` as it is run: interrupted, killed, moved about, watched, and over all its formats."""

from __future__ import annotations

import csv
import hashlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

import openpyxl
import pytest

from tests.fakes.mixed_folder import PASSWORD, Mixture, encrypted_pdf, make_mixed_folder
from tests.fakes.model_stub import ModelStub
from tests.fakes.pipeline import wait_until
from tests.fakes.serve_process import SAMPLES, ServeProcess, environment, fieldmark, long_invoice
from tests.processes.batch_kills import books_of, compare, faults_of, jobs_in, run

pytestmark = pytest.mark.processes
SCHEMA = SAMPLES / "invoice" / "schema.json"
DONE_S = 600
COUNTS = re.compile(r"(\d+) files found = (.+) \((\d+) of them done earlier\)")
MOST_KB = 100_000


def batch(*arguments: str | Path, cwd: Path, **settings: str) -> subprocess.CompletedProcess[str]:
    """Run a batch to its end, in a home of the test's own."""
    return subprocess.run(
        fieldmark("batch", *arguments, "--home", cwd / "home"),
        env=environment(**settings),
        cwd=cwd,
        capture_output=True,
        text=True,
        timeout=DONE_S,
        check=False,
    )


def counts(said: str) -> dict[str, int]:
    """The numbers of the balance, by name, without those that are nothing."""
    found = COUNTS.search(said)
    assert found, said
    sides = {side.split()[1]: int(side.split()[0]) for side in found[2].split(" + ")}
    assert sum(sides.values()) == int(found[1])
    return {name: number for name, number in {**sides, "earlier": int(found[3])}.items() if number}


def states(out: Path) -> dict[str, str]:
    """How each file ended, by path."""
    return {row["path"]: row["state"] for row in books_of(out)}


@pytest.fixture
def mixed(tmp_path: Path) -> Path:
    """A folder with a bit of everything."""
    folder = tmp_path / "in"
    for place in ("a", "b", "c/deep"):
        (folder / place).mkdir(parents=True)
    shutil.copy(SAMPLES / "invoice" / "document.pdf", folder / "a" / "invoice.pdf")
    shutil.copy(SAMPLES / "form" / "document.pdf", folder / "b" / "invoice.pdf")
    shutil.copy(SAMPLES / "invoice" / "document.pdf", folder / "c" / "deep" / "copy.pdf")
    (folder / "c" / "broken.pdf").write_bytes(b"%PDF-1.7 and no more")
    (folder / "c" / "empty.pdf").touch()
    (folder / "c" / "locked.pdf").write_bytes(encrypted_pdf(1))
    (folder / "c" / "notes.txt").write_text("not a document")
    return folder


def test_a_killed_batch_ends_as_one_that_was_left_in_peace(tmp_path: Path):
    """The books balance, each file is one job, and the tables are the same to the byte."""
    sources = [SAMPLES / name / "document.pdf" for name in ("form", "invoice", "bank_statement", "bound_invoices")]
    folder = tmp_path / "in"
    make_mixed_folder(folder, [*sources, SAMPLES / "receipt" / "document.jpg"], Mixture.of(18), seed=5)
    schema = tmp_path / "schema.json"  # a blind sample of the good ones would be another one in each run
    schema.write_text(json.dumps({**json.loads(SCHEMA.read_text()), "x-review": {"sample": 0}}))

    def command(name: str) -> list[str | Path]:
        return [folder, "--schema", schema, "--out", tmp_path / name, "--home", tmp_path / f"home-{name}"]

    calm = run(command("calm"), tmp_path / "calm.log")
    assert faults_of(tmp_path / "calm", tmp_path / "home-calm", folder, calm.said) == []
    whole = _results_in(tmp_path / "calm")
    for share in (0.2, 0.6):
        killed = run(
            command("killed"),
            tmp_path / "killed.log",
            kill_when=lambda _seconds, share=share: _results_in(tmp_path / "killed") >= share * whole,
        )
        assert killed.code in (-signal.SIGKILL, calm.code), "it may be over before the signal"
    last = run(command("killed"), tmp_path / "killed.log")
    assert last.code == calm.code == 10
    assert faults_of(tmp_path / "killed", tmp_path / "home-killed", folder, last.said) == []
    assert compare(tmp_path / "calm", tmp_path / "killed") == []


def test_an_interrupted_batch_goes_on_and_a_third_run_does_nothing(tmp_path: Path, mixed: Path):
    """Counts balance each time; names never collide; copies get the result of their first."""
    for number in range(3):
        long_invoice(mixed / "c" / f"long-{number}.pdf", 20 + number)
    arguments = (mixed, "--schema", SCHEMA, "--out", tmp_path / "out", "--jobs", "1", "--model", "upstage")
    command = fieldmark("batch", *arguments, "--home", tmp_path / "home")
    with ModelStub() as stub:
        called = {"FIELDMARK_UPSTAGE_BASE_URL": stub.base_url, "FIELDMARK_UPSTAGE_API_KEY": "up_test"}
        stub.hold()
        stub.let_go(2)
        first = subprocess.Popen(command, env=environment(**called), cwd=tmp_path, stderr=subprocess.PIPE, text=True)
        _wait_until(lambda: _results_in(tmp_path / "out") >= 1, first)
        first.send_signal(signal.SIGINT)
        said = first.communicate(timeout=DONE_S)[1]
        assert first.returncode == 130, said
        assert "Traceback" not in said
        stub.let_go()
        _check_the_rest(tmp_path, mixed, partial(batch, *arguments, cwd=tmp_path, **called))


def _check_the_rest(tmp_path: Path, mixed: Path, batch: Callable[[], subprocess.CompletedProcess[str]]) -> None:
    second = batch()
    assert second.returncode == 10
    ended = counts(second.stderr)
    assert ended.pop("earlier") >= 1
    assert ended == {"succeeded": 5, "failed": 3, "duplicate": 1, "ignored": 1}
    for said in ("damaged_file", "empty_file", "password_required", "what to do: "):
        assert said in second.stderr
    results = sorted(str(p.relative_to(tmp_path / "out")) for p in (tmp_path / "out").rglob("*.json"))
    assert results == [
        "a/invoice.pdf.json",
        "b/invoice.pdf.json",
        "c/deep/copy.pdf.json",
        "c/long-0.pdf.json",
        "c/long-1.pdf.json",
        "c/long-2.pdf.json",
    ]
    assert (tmp_path / "out/a/invoice.pdf.json").read_bytes() == (tmp_path / "out/c/deep/copy.pdf.json").read_bytes()
    made = jobs_in(tmp_path / "home")
    (mixed / "a" / "invoice.pdf").rename(mixed / "swap")
    (mixed / "b" / "invoice.pdf").rename(mixed / "a" / "invoice.pdf")
    (mixed / "swap").rename(mixed / "b" / "invoice.pdf")
    third = batch()
    assert counts(third.stderr)["earlier"] == 7
    assert jobs_in(tmp_path / "home") == made
    for name in ("a/invoice.pdf", "b/invoice.pdf"):
        result = json.loads((tmp_path / "out" / f"{name}.json").read_bytes())
        assert result["file"]["sha256"] == hashlib.sha256((mixed / name).read_bytes()).hexdigest(), "under its new name"


def test_files_move_when_done_and_come_back_with_what_they_lacked(tmp_path: Path, mixed: Path):
    """Failures have their reason beside them; `--only failures.csv` with `--passwords` does those alone."""
    out, failed = tmp_path / "out", tmp_path / "failed"
    arguments = ("--schema", SCHEMA, "--out", out, "--done-dir", mixed / "done", "--failed-dir", failed)
    assert counts(batch(mixed, *arguments, cwd=tmp_path).stderr) == {
        "succeeded": 2,
        "failed": 3,
        "duplicate": 1,
        "ignored": 1,
    }
    assert sorted(str(p.relative_to(mixed)) for p in mixed.rglob("*") if p.is_file()) == [
        "c/empty.pdf",
        "c/notes.txt",
        "done/a/invoice.pdf",
        "done/b/invoice.pdf",
        "done/c/deep/copy.pdf",
    ]
    assert "password_required" in (failed / "c" / "locked.pdf.reason.txt").read_text()
    (tmp_path / "words").write_text(f"wrong one\n*.pdf\t{PASSWORD}\n")
    shutil.move(failed / "c" / "locked.pdf", mixed / "c" / "locked.pdf")
    failures = out / "_batch" / "failures.csv"
    again = batch(mixed, *arguments, "--only", failures, "--passwords", tmp_path / "words", cwd=tmp_path)
    assert counts(again.stderr)["succeeded"] == 3
    assert states(out)["c/locked.pdf"] == "succeeded"
    assert PASSWORD.encode() not in (out / "_batch" / "ledger.db").read_bytes()


def test_a_watched_folder_is_worked_on_as_files_come(tmp_path: Path):
    """A file under the name of one that was moved away is another file."""
    folder, out = tmp_path / "in", tmp_path / "out"
    folder.mkdir()
    arguments = (folder, "--schema", SCHEMA, "--out", out, "--done-dir", tmp_path / "done", "--home", tmp_path / "home")
    command = fieldmark("batch", *arguments, "--watch", "--every", "0.3")
    watching = subprocess.Popen(command, env=environment(), cwd=tmp_path, stderr=subprocess.PIPE, text=True)
    try:
        for name, number in (("scan.pdf", "FIRST-1"), ("scan.pdf", "SECOND-2")):
            long_invoice(tmp_path / "made.pdf", 1, number)
            (tmp_path / "made.pdf").rename(folder / name)  # whole from the first moment
            _wait_until(lambda: not any(folder.iterdir()), watching)
        _wait_until(lambda: len(_lines(out / "_batch" / "books.csv")) == 3, watching)
    finally:
        watching.send_signal(signal.SIGINT)
        watching.communicate(timeout=DONE_S)
    assert states(out) == {"scan.pdf": "succeeded", "scan~2.pdf": "succeeded"}
    numbers = {
        json.loads((out / f"{name}.pdf.json").read_bytes())["records"][0]["values"]["invoice_number"]
        for name in ("scan", "scan~2")
    }
    assert numbers == {"FIRST-1", "SECOND-2"}


def test_every_format_is_written_without_new_work(tmp_path: Path, mixed: Path):
    """Results and tables are written again from what is kept, also when the service has forgotten the jobs."""
    out = tmp_path / "out"
    arguments = (mixed, "--schema", SCHEMA, "--out", out)
    batch(*arguments, cwd=tmp_path)
    shutil.rmtree(tmp_path / "home")
    tables = [word for kind in ("csv", "jsonl", "xlsx", "parquet") for word in ("--tables", kind)]
    again = batch(*arguments, "--format", "csv", "--decimal-comma", *tables, cwd=tmp_path)
    assert counts(again.stderr)["earlier"] == 4
    assert jobs_in(tmp_path / "home") == 0
    with (out / "a" / "invoice.pdf.csv").open(newline="") as file:
        (row,) = csv.DictReader(file, delimiter=";")
    wanted = json.loads((SAMPLES / "invoice" / "expected.json").read_bytes())["records"][0]["values"]
    assert row["total"].replace(",", ".") == str(wanted["total"])
    assert (out / "c" / "deep" / "copy.pdf.lines.csv").is_file()
    folder = out / "_batch" / "tables"
    assert {path.suffix for path in folder.iterdir()} == {".csv", ".jsonl", ".xlsx", ".parquet"}
    lines = [json.loads(line) for line in _lines(folder / "records.jsonl")]
    assert [line["_file"] for line in lines] == ["a/invoice.pdf", "b/invoice.pdf"]
    with (folder / "lines.csv").open(newline="") as file:
        assert len(list(csv.DictReader(file, delimiter=";"))) == len(wanted["lines"])
    assert openpyxl.load_workbook(folder / "tables.xlsx").sheetnames == ["records", "lines"]


def test_a_named_service_does_the_work_and_limits_end_it(tmp_path: Path, mixed: Path):
    """By its own schema of that name, with the exit code of a limit; what was not begun is waiting."""
    with ServeProcess(tmp_path / "elsewhere") as service:
        arguments = (mixed, "--schema", "invoice", "--out", tmp_path / "out", "--server", service.info.url)
        stopped = batch(*arguments, "--jobs", "1", "--stop-after-failures", "0", cwd=tmp_path)
        assert stopped.returncode == 12, stopped.stderr
        assert counts(stopped.stderr)["waiting"] >= 1
        rest = batch(*arguments, cwd=tmp_path)
        assert counts(rest.stderr).get("waiting") is None
    result = json.loads((tmp_path / "out" / "a" / "invoice.pdf.json").read_text())
    assert result["schema"] == {"name": "invoice", "version": 0}
    assert not (tmp_path / "home").exists()


def test_a_batch_spends_no_more_than_its_budget(tmp_path: Path):
    """By the service's prices; the jobs of each run are one batch there, and a model without a price is refused."""
    folder, out = tmp_path / "in", tmp_path / "out"
    folder.mkdir()
    for number in range(4):
        long_invoice(folder / f"{number}.pdf", 1, f"INV-{number}")
        os.utime(folder / f"{number}.pdf", (1e9, 1e9))
    with ModelStub() as stub, ServeProcess(tmp_path / "elsewhere", **priced(stub)) as service:
        arguments = (folder, "--schema", SCHEMA, "--out", out, "--server", service.info.url)
        unpriced = batch(*arguments, "--model", "openai:other", "--budget", "3", cwd=tmp_path)
        assert unpriced.returncode == 2
        assert "FIELDMARK_MODEL_PRICES" in unpriced.stderr
        stopped = batch(*arguments, "--model", "upstage", "--budget", "3", "--jobs", "1", cwd=tmp_path)
        assert stopped.returncode == 12, stopped.stderr
        assert "3.00 were spent, 3.00 are allowed (--budget)" in stopped.stderr
        assert counts(stopped.stderr) == {"succeeded": 2, "waiting": 2}
        told = batch(*arguments, "--model", "upstage", "--dry-run", cwd=tmp_path)
        assert "cost    about 3.00: " in told.stderr
        more = batch(*arguments, "--model", "upstage", "--budget", "9", cwd=tmp_path)
        assert counts(more.stderr) == {"succeeded": 4, "earlier": 2}
        long_invoice(folder / "-1.pdf", 1, "INV-9")
        spent = batch(*arguments, "--model", "upstage", "--budget", "6", "--jobs", "1", cwd=tmp_path)
        assert spent.returncode == 12, "a new file goes before the others, and all is spent"
        assert counts(spent.stderr) == {"succeeded": 4, "earlier": 4, "waiting": 1}
        with service.client() as client:
            shown = client.get("/batches").json()["batches"]
    assert [(one["name"], one["state"], one["counts"]["total"]) for one in shown] == [("in", "finished", 2)] * 2


def priced(stub: ModelStub) -> dict[str, str]:
    """Settings of a service whose model costs 1.50 a request."""
    return {
        "FIELDMARK_UPSTAGE_BASE_URL": stub.base_url,
        "FIELDMARK_UPSTAGE_API_KEY": "up_test",
        "FIELDMARK_OPENAI_BASE_URL": stub.base_url,
        "FIELDMARK_MODEL_PRICES": '{"upstage:*": {"request": 1.5}}',
    }


def test_a_dry_run_says_what_there_is_to_do_and_leaves_nothing(tmp_path: Path, mixed: Path):
    """No ledger, no result, no job."""
    told = batch(mixed, "--schema", SCHEMA, "--out", tmp_path / "out", "--dry-run", cwd=tmp_path)
    assert told.returncode == 0, told.stderr
    found = re.search(
        r"(\d+) files found: (\d+) to do, (\d+) done earlier, (\d+) duplicate, (\d+) ignored, (\d+)", told.stderr
    )
    assert found, told.stderr
    assert [int(number) for number in found.groups()] == [7, 2, 0, 1, 1, 3]
    assert "pages   about 3," in told.stderr
    assert "cost    none" in told.stderr
    assert not (tmp_path / "out").exists()
    assert jobs_in(tmp_path / "home") == 0


def test_a_hundred_thousand_files_are_listed_in_constant_memory(tmp_path: Path):
    """Measured from outside, of a process that does nothing else."""
    folder = tmp_path / "in"
    for number in range(100):
        first = folder / f"{number:03d}" / "0000.pdf"
        first.parent.mkdir(parents=True)
        first.touch()
        for other in range(1, 1000):  # names for one file are made sooner than files
            os.link(first, first.with_name(f"{other:04d}.pdf"))
    script = (
        "import sys; from pathlib import Path\n"
        "from service.cli.batch.find import Selection\n"
        "from service.cli.batch.ledger import Ledger\n"
        "from service.cli.batch.list import list_files\n"
        "with Ledger(Path(sys.argv[2])) as ledger:\n"
        "    print(list_files(ledger, Path(sys.argv[1]), Selection(), ()))\n"
        "    print(sum(1 for _ in ledger.paths()))\n"
        "print(Path('/proc/self/status').read_text().split('VmHWM:')[1].split()[0])\n"
    )
    command = [sys.executable, "-c", script, str(folder), str(tmp_path / "out")]
    done = subprocess.run(command, env=environment(), capture_output=True, text=True, check=True, timeout=DONE_S)
    listed, kept, peak_kb = map(int, done.stdout.split())
    assert (listed, kept) == (100_000, 100_000)
    assert peak_kb < MOST_KB


def _results_in(out: Path) -> int:
    """How many files have their result."""
    return sum(1 for path in out.rglob("*.json") if "_batch" not in path.parts)


def _lines(path: Path) -> list[str]:
    return path.read_text().splitlines() if path.exists() else []


def _wait_until(is_so: Callable[[], bool], process: subprocess.Popen[str]) -> None:
    def so_far() -> bool:
        assert process.poll() is None, process.communicate()[1]
        return is_so()

    wait_until(so_far, DONE_S)
