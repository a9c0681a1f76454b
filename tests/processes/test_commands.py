"""Commands in a shell, without a running service."""

from __future__ import annotations

import json
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.fakes.serve_process import SAMPLES, environment, fieldmark, long_invoice

pytestmark = pytest.mark.processes
SCHEMA = SAMPLES / "invoice" / "schema.json"
COUNTS = re.compile(
    r"(\d+) files found = (\d+) succeeded \+ (\d+) partial \+ (\d+) failed \+ (\d+) duplicate \+ (\d+) ignored "
    r"\((\d+) of them done earlier\)"
)


def run(*arguments: str | Path, cwd: Path, seconds: float = 90) -> subprocess.CompletedProcess[str]:
    """Run a command to its end."""
    return subprocess.run(
        fieldmark(*arguments), env=environment(), cwd=cwd, capture_output=True, text=True, timeout=seconds, check=False
    )


def test_extract_in_a_pipe_gives_json(tmp_path: Path):
    """The full result on standard output, nothing else there."""
    done = run("extract", SAMPLES / "form" / "document.pdf", "--schema", SAMPLES / "form" / "schema.json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    assert result["status"] == "succeeded"
    assert result["file"]["name"] == "document.pdf"
    assert any(entry.get("page") == 1 for entry in result["records"][0]["fields"].values())


def test_a_file_of_several_documents_gives_several_records(tmp_path: Path):
    """With --split-documents."""
    folder = SAMPLES / "bound_invoices"
    done = run(
        "extract", folder / "document.pdf", "--schema", folder / "schema.json", "--split-documents", cwd=tmp_path
    )
    assert done.returncode == 0, done.stderr
    assert len(json.loads(done.stdout)["records"]) == 3


@pytest.mark.parametrize(
    ("content", "schema", "code", "said"),
    [
        (b"hello", '{"type": "object", "properties": {"a": {"type": "string"}}}', 3, "unsupported_format"),
        (b"%PDF-1.7 and no more", '{"type": "object", "properties": {"a": {"type": "string"}}}', 3, "damaged_file"),
        (b"%PDF-1.7", '{"type": "array"}', 2, "invalid_schema"),
        (b"%PDF-1.7", "{", 2, "invalid_schema"),
    ],
)
def test_what_is_refused_has_its_exit_code_and_one_clear_line(
    tmp_path: Path, content: bytes, schema: str, code: int, said: str
):
    """No traceback."""
    (tmp_path / "file.pdf").write_bytes(content)
    (tmp_path / "schema.json").write_text(schema)
    done = run("extract", "file.pdf", "--schema", "schema.json", cwd=tmp_path)
    assert done.returncode == code
    assert said in done.stderr
    assert "Traceback" not in done.stderr


def test_extract_loads_nothing_that_it_does_not_need(tmp_path: Path):
    """What costs its start is not imported: no Celery, web server or HTTP client."""
    script = (
        "import sys; from service.cli.main import app\n"
        f"sys.argv = ['fieldmark', 'extract', {str(SAMPLES / 'form' / 'document.pdf')!r}, '--schema', "
        f"{str(SAMPLES / 'form' / 'schema.json')!r}]\n"
        "try:\n    app()\nexcept SystemExit:\n    pass\n"
        "print(sorted({m.partition('.')[0] for m in sys.modules} & "
        "{'celery', 'kombu', 'redis', 'fastapi', 'starlette', 'uvicorn', 'httpx', 'aiohttp', 'dateparser', "
        "'pypdfium2', 'onnxruntime', 'boto3'}), file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script],
        env=environment(),
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert json.loads(done.stdout)["status"] == "succeeded"
    assert done.stderr.splitlines()[-1] == "[]"


def test_doctor_tells_what_became_of_a_job(tmp_path: Path):
    """Step by step."""
    made = run("extract", SAMPLES / "form" / "document.pdf", "--schema", SAMPLES / "form" / "schema.json", cwd=tmp_path)
    told = run("doctor", "--explain", json.loads(made.stdout)["job_id"], cwd=tmp_path)
    assert told.returncode == 0
    assert [word for word in ("open 0", "extract 0", "merge 0") if word not in told.stdout] == []


def test_an_interrupted_batch_goes_on_and_a_third_run_does_nothing(tmp_path: Path):
    """Counts balance each time; names never collide; copies get the result of their first."""
    folder = tmp_path / "in"
    for place in ("a", "b", "c/deep"):
        (folder / place).mkdir(parents=True)
    shutil.copy(SAMPLES / "invoice" / "document.pdf", folder / "a" / "invoice.pdf")
    shutil.copy(SAMPLES / "form" / "document.pdf", folder / "b" / "invoice.pdf")
    shutil.copy(SAMPLES / "invoice" / "document.pdf", folder / "c" / "deep" / "copy.pdf")
    (folder / "c" / "broken.pdf").write_bytes(b"%PDF-1.7 and no more")
    (folder / "c" / "notes.txt").write_text("not a document")
    for number in range(3):
        long_invoice(folder / "c" / f"long-{number}.pdf", 20 + number)
    arguments = ("batch", folder, "--schema", SCHEMA, "--out", tmp_path / "out", "--jobs", "1")

    first = subprocess.Popen(fieldmark(*arguments), env=environment(), cwd=tmp_path, stderr=subprocess.PIPE, text=True)
    until = time.monotonic() + 60
    while not (tmp_path / "out" / "a" / "invoice.pdf.json").exists() and time.monotonic() < until:
        time.sleep(0.02)
    first.send_signal(signal.SIGINT)
    assert first.communicate(timeout=30)[1].count("Traceback") == 0
    assert first.returncode == 130

    second = run(*arguments, cwd=tmp_path)
    assert second.returncode == 10
    found, *ended, earlier = counts(second.stderr)
    assert (found, sum(ended)) == (8, 8)
    assert ended == [5, 0, 1, 1, 1]
    assert earlier >= 1
    assert "damaged_file" in second.stderr
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

    third = run(*arguments, cwd=tmp_path)
    assert counts(third.stderr) == [8, 5, 0, 1, 1, 1, 5]


def counts(said: str) -> list[int]:
    """The numbers of the last line."""
    found = COUNTS.search(said)
    assert found, said
    return [int(number) for number in found.groups()]
