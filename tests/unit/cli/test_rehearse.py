"""`fieldmark rehearse` as a process of its own, as people and benchmarks start it."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import urllib.error
import urllib.request
from pathlib import Path

import pytest
from typer.testing import CliRunner

from service.cli.main import app
from service.domain.errors import InputError
from service.rehearsal.script import FAULTS, parse_script
from service.rehearsal.way_faults import RETRY_FORMS
from tests.fakes.model_stub import StubControl

DOCS = Path(__file__).parents[3] / "docs" / "rehearse.md"
SCRIPT = {
    "faults": [{"fault": "503", "repeat": 1}],
    "answers": {"number": "A-7"},
    "patterns": {"lines": r"^(?P<text>\w+) (?P<amount>[\d.,]+)$"},
}
QUESTION = {
    "model": "any",
    "messages": [{"role": "user", "content": "Pear 1,200.50\nPlum 7\nno row"}],
    "tools": [
        {
            "function": {
                "name": "record",
                "parameters": {
                    "type": "object",
                    "properties": {
                        "number": {"type": ["string", "null"]},
                        "lines": {
                            "type": "array",
                            "items": {
                                "type": "object",
                                "properties": {"text": {"type": "string"}, "amount": {"type": "number"}},
                            },
                        },
                    },
                },
            }
        }
    ],
    "tool_choice": {"function": {"name": "record"}},
}


def ask(base_url: str) -> tuple[int, object]:
    """Status and record of one question."""
    headers = {"Authorization": "Bearer any", "Content-Type": "application/json"}
    request = urllib.request.Request(f"{base_url}/chat/completions", json.dumps(QUESTION).encode(), headers)
    try:
        with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request, timeout=60) as response:
            call = json.load(response)["choices"][0]["message"]["tool_calls"][0]
            return response.status, json.loads(call["function"]["arguments"])
    except urllib.error.HTTPError as error:
        with error:
            return error.code, None


def test_it_says_where_it_listens_keeps_to_its_script_and_ends_on_sigterm(tmp_path: Path) -> None:
    """First the fault of the flag, then that of the file, then what was planted and what the words say."""
    script = tmp_path / "script.json"
    script.write_text(json.dumps(SCRIPT))
    command = [sys.executable, "-m", "service.cli.main", "rehearse", "--port", "0"]
    command += ["--fault", "429", "--script", str(script)]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, cwd=Path(__file__).parents[3]
    ) as process:
        assert process.stdout is not None
        told = json.loads(process.stdout.readline())
        rows = [{"text": "Pear", "amount": 1200.5}, {"text": "Plum", "amount": 7}]
        answers = [ask(told["base_url"]) for _ in range(3)]
        assert answers == [(429, None), (503, None), (200, {"number": "A-7", "lines": rows})]
        assert StubControl(told["port"]).stats()["requests"] == 3
        process.terminate()
        assert process.wait(60) == 0


def test_a_misspelt_fault_is_refused() -> None:
    """A test with a wrong script does not pass as one with a good server."""
    with pytest.raises(ValueError, match="lenght"):
        parse_script(["lenght"])
    ended = CliRunner().invoke(app, ["rehearse", "--fault", "lenght"])
    assert isinstance(ended.exception, InputError)
    assert "'lenght'" in ended.exception.message


@pytest.mark.parametrize("text", ["{", '{"fault": []}', '{"patterns": {"a": "("}}', '["no such"]'])
def test_a_script_that_says_nothing_is_refused(tmp_path: Path, text: str) -> None:
    """With a message, before anything listens."""
    script = tmp_path / "script.json"
    script.write_text(text)
    ended = CliRunner().invoke(app, ["rehearse", "--script", str(script)])
    assert isinstance(ended.exception, InputError)


def test_the_documentation_names_every_fault_and_no_other() -> None:
    """With its kind, and every way to say when to come back."""
    text = DOCS.read_text(encoding="utf-8")
    rows = re.findall(r"^\| `(\w+)` \| (\w+) \|", text, re.MULTILINE)
    assert rows == [(name, str(note.kind)) for name, note in FAULTS.items()]
    assert re.findall(r"^\* `(\w+)`", text, re.MULTILINE) == list(RETRY_FORMS)


def test_the_faults_can_be_listed() -> None:
    """On the command line too."""
    shown = CliRunner().invoke(app, ["rehearse", "--faults"]).stdout
    assert [line.split()[0] for line in shown.splitlines()] == list(FAULTS)
