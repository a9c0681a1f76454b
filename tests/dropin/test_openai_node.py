"""OpenAI's client for Node.js, from its package, unmodified."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.dropin import openai_objects
from tests.dropin.conftest import KEY, Live
from tests.dropin.vendor_calls import body

PACKAGE = "openai@7.59.0"
SCRIPT = Path(__file__).with_name("openai_client.mjs")


def run(command: Sequence[str | Path], folder: Path, text: str = "") -> str:
    """What a command prints; its own words when it fails."""
    done = subprocess.run(
        command, cwd=folder, input=text, capture_output=True, text=True, timeout=280, check=False
    )  # fmt: skip
    assert done.returncode == 0, f"{command[0]} failed:\n{done.stderr[-3000:]}"
    return done.stdout


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the package in it."""
    assert shutil.which("npm"), "this test needs Node.js with npm: install them, or leave tests/dropin out"
    folder = tmp_path_factory.mktemp("node")
    quietly = ("--silent", "--no-audit", "--no-fund", "--ignore-scripts")
    patiently = ("--prefer-offline", "--fetch-retries=5")
    cache = () if os.access(Path.home(), os.W_OK) else ("--cache", folder / "cache")
    run(["npm", "install", *quietly, *patiently, *cache, PACKAGE], folder)
    shutil.copy(SCRIPT, folder)
    return folder


def test_the_client_for_node_reads_every_answer(live: Live, package: Path) -> None:
    """Whole, raw, streamed, collected by its helper, and refused."""
    request = json.dumps(body(location=True, confidence=True))
    said: dict[str, Any] = json.loads(run(["node", SCRIPT.name, live.base_url, KEY], package, request))
    for answer in (said["whole"], said["raw"]):
        plain = {key: value for key, value in answer.items() if key != "_request_id"}
        openai_objects.assert_is(openai_objects.COMPLETION, plain)
        assert json.loads(answer["choices"][0]["message"]["content"])["number"] == "L-17"
    assert said["requestId"].startswith("req_")
    for chunk in said["streamed"]:
        openai_objects.assert_is(openai_objects.CHUNK, chunk)
    joined = "".join(c["choices"][0]["delta"].get("content") or "" for c in said["streamed"] if c["choices"])
    assert json.loads(joined)["number"] == json.loads(said["collected"])["number"] == "L-17"
    refused = said["refused"]
    assert (refused["name"], refused["status"], refused["code"]) == ("BadRequestError", 400, "invalid_request_body")
    assert refused["requestID"].startswith("req_")
