"""Plain curl, as in the vendor's documentation."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

from tests.api.job_calls import letter
from tests.dropin.conftest import KEY, Live
from tests.dropin.vendor_calls import SCHEMA, body, content_of, wait_until_over


def curl(*arguments: str, folder: Path | None = None) -> str:
    """What curl prints."""
    assert shutil.which("curl"), "this test needs curl: install it, or leave tests/dropin out"
    command = ["curl", "--silent", "--show-error", "-H", f"Authorization: Bearer {KEY}", *arguments]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=300, check=True)
    return done.stdout


def test_json_with_a_data_url(live: Live, tmp_path: Path) -> None:
    """The body from a file, since it is longer than a command line."""
    (tmp_path / "request.json").write_text(json.dumps(body()))
    said = curl(live.base_url, "-H", "Content-Type: application/json", "-d", "@request.json", folder=tmp_path)
    answer: dict[str, Any] = json.loads(said)
    assert content_of(answer)["number"] == "L-17"
    assert answer["object"] is answer["choices"][0]["index"] is answer["choices"][0]["message"]["tool_calls"] is None


def test_a_stream_is_lines_that_anybody_can_read(live: Live, tmp_path: Path) -> None:
    """`data:` lines with an empty line behind each, `[DONE]` at the end."""
    (tmp_path / "request.json").write_text(json.dumps(body(stream=True)))
    said = curl(
        "--no-buffer", "-i", f"{live.base_url}/chat/completions", "-d", "@request.json", folder=tmp_path
    )  # fmt: skip
    head, _, events = said.replace("\r\n", "\n").partition("\n\n")
    assert "content-type: text/event-stream" in head.lower()
    assert events.endswith("data: [DONE]\n\n")
    for event in events.strip().split("\n\n"):
        assert event.startswith(("data: ", ":"))
        assert "\n" not in event


def test_a_form_with_several_files(live: Live, tmp_path: Path) -> None:
    """The asynchronous path: submit, poll, read."""
    (tmp_path / "a.pdf").write_bytes(letter())
    (tmp_path / "b.pdf").write_bytes(letter("Letter number: B-2"))
    form = [
        *("-F", "documents=@a.pdf"),
        *("-F", "documents=@b.pdf"),
        *("-F", f"schema={json.dumps(SCHEMA)}"),
        *("-F", "model=information-extract"),
    ]
    receipt = json.loads(curl(f"{live.base_url}/async", *form, folder=tmp_path))
    assert receipt["status"] == "CREATED"
    job = wait_until_over(live.client, receipt["job_id"])
    assert [content_of(batch["result"])["number"] for batch in job["batches"]] == ["L-17", "B-2"]
