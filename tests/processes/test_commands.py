"""Commands in a shell, without a running service."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from service.cli.exit_codes import ExitCode
from tests.fakes.mixed_pile import INVOICE, LETTER, RECEIPT, pile
from tests.fakes.serve_process import SAMPLES, environment, fieldmark

pytestmark = pytest.mark.processes


def run(*arguments: str | Path, cwd: Path, seconds: float = 600) -> subprocess.CompletedProcess[str]:
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


def test_extract_gives_each_document_the_schema_it_fits(tmp_path: Path):
    """A stranger has no record, and the exit code says that something is missing."""
    (tmp_path / "pile.pdf").write_bytes(pile(INVOICE, RECEIPT, LETTER))
    flags = ("--schemas", "invoice, receipt", "--split-documents")
    done = run("extract", "pile.pdf", *flags, cwd=tmp_path)
    result = json.loads(done.stdout)
    assert [record["schema"]["name"] for record in result["records"]] == ["invoice", "receipt"]
    assert [document["reason"] for document in result["documents"]] == [None, None, "no_fit"]
    assert done.returncode == ExitCode.PARTIAL
    table = run("extract", "pile.pdf", *flags, "--format", "csv", "--table", "documents", cwd=tmp_path)
    assert "receipt@0" in table.stdout
    both = run("extract", "pile.pdf", "--schemas", "auto", "--schema", "invoice", cwd=tmp_path)
    assert both.returncode == ExitCode.USAGE


def test_extract_loads_nothing_that_it_does_not_need(tmp_path: Path):
    """What costs its start is not imported: no Celery, web server or HTTP client."""
    script = (
        "import sys; from service.cli.main import app\n"
        f"sys.argv = ['fieldmark', 'extract', {str(SAMPLES / 'form' / 'document.pdf')!r}, '--schema', "
        f"{str(SAMPLES / 'form' / 'schema.json')!r}]\n"
        "try:\n    app()\nexcept SystemExit:\n    pass\n"
        "print(sorted({m.partition('.')[0] for m in sys.modules} & "
        "{'celery', 'kombu', 'redis', 'fastapi', 'starlette', 'uvicorn', 'httpx', 'aiohttp', "
        "'pypdfium2', 'onnxruntime', 'boto3'}), file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script],
        env=environment(),
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=600,
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
