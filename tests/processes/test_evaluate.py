"""`fieldmark evaluate` in a shell: what it prints, what it writes, how it ends."""

from __future__ import annotations

import json
import subprocess
from html.parser import HTMLParser
from pathlib import Path

import pytest

from tests.fakes.serve_process import environment, fieldmark
from tests.fakes.truth_sets import TRUTH, write_samples

pytestmark = pytest.mark.processes


def run(*arguments: str | Path, cwd: Path) -> subprocess.CompletedProcess[str]:
    """Evaluate to the end."""
    command = fieldmark("evaluate", *arguments)
    return subprocess.run(command, env=environment(), cwd=cwd, capture_output=True, text=True, timeout=600, check=False)


class Tags(HTMLParser):
    """The names of all elements, and what they load."""

    def __init__(self) -> None:
        super().__init__()
        self.names: set[str] = set()
        self.loads: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.names.add(tag)
        self.loads += [str(value) for name, value in attrs if name in ("src", "href")]


def test_a_run_is_printed_kept_drawn_and_compared(tmp_path: Path):
    """Table, JSON, a page that loads nothing and runs nothing, and the way to a failing build."""
    (tmp_path / "forms").mkdir()
    folder = write_samples(tmp_path / "forms", "form")
    first = run(folder, "--json", tmp_path / "a.json", "--html", tmp_path / "a.html", cwd=tmp_path)
    assert first.returncode == 0, first.stderr
    assert "date_of_birth" in first.stdout
    kept = json.loads((tmp_path / "a.json").read_bytes())
    whole = kept["sets"]["forms"]["all"]
    assert kept["model"].startswith("embedded")
    assert (whole["documents"], whole["answered"], whole["pages"]) == (1, 1, 1)
    assert whole["fields"]["date_of_birth"]["f1"] == 1.0
    halves = [kept["sets"]["forms"][half]["documents"] for half in ("development", "validation")]
    assert sum(halves) == 1
    tags = Tags()
    tags.feed((tmp_path / "a.html").read_text(encoding="utf-8"))
    assert {"table", "svg", "polyline"} <= tags.names
    assert "script" not in tags.names
    assert tags.loads == []

    again = run(folder, "--against", tmp_path / "a.json", "--fail-below", "1.0", cwd=tmp_path)
    assert again.returncode == 11
    assert "forms: F1" in again.stderr
    assert "+0.000" in again.stdout


def test_documents_without_an_answer_are_named_and_a_wrong_command_is_no_result(tmp_path: Path):
    """A missing file and a file of no kind count as empty; an unknown model ends the run."""
    (tmp_path / "forms").mkdir()
    folder = write_samples(tmp_path / "forms", "form")
    row = json.loads((folder / TRUTH).read_text(encoding="utf-8"))
    (folder / "note.txt").write_text("hello", encoding="utf-8")
    rows = [{**row, "file": "gone.pdf"}, {**row, "file": "note.txt"}]
    (folder / TRUTH).write_text("".join(json.dumps(r) + "\n" for r in rows), encoding="utf-8")
    partly = run(folder, cwd=tmp_path)
    assert partly.returncode == 10, partly.stderr
    assert "gone.pdf [no_file]" in partly.stdout
    assert "note.txt [unsupported_format]" in partly.stdout
    write_samples(folder, "form")
    assert run(folder, "--model", "nobody:nothing", cwd=tmp_path).returncode == 2
    assert run(folder, folder, cwd=tmp_path).returncode == 2
