"""The settings of each provider's page lead to an answer as they stand there, by the rehearsal server."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from service.domain.jobs import JobStatus
from tests.fakes.model_stub import ModelStub
from tests.fakes.pipeline import numbered_pdf, pipeline

_PAGES = Path(__file__).parents[2] / "docs" / "providers"
_SETTING = re.compile(r"^\| `(FIELDMARK_\w+)` \| (?:such as )?`([^`]+)`", re.MULTILINE)
"""A row of a page's table whose value is told as it is."""
_CHAT = "/v1/chat/completions"


def _read_page(name: str) -> tuple[dict[str, str], str]:
    """The settings by the names of their variables, and the model that the example names."""
    text = (_PAGES / f"{name}.md").read_text(encoding="utf-8")
    settings = dict(_SETTING.findall(text))
    examples = re.findall(r"^```\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    words = shlex.split(next(text for text in examples if "extract" in text).replace("\\\n", " "))
    settings |= dict(word.split("=", 1) for word in words if word.startswith("FIELDMARK_"))
    return settings, words[words.index("--model") + 1]


@pytest.mark.parametrize(
    ("page", "path", "header"),
    [
        ("vllm", _CHAT, ""),
        ("ollama", _CHAT, ""),
        ("llama-cpp", _CHAT, ""),
        ("openai", _CHAT, "authorization"),
        ("azure", "/openai/deployments/my-gpt-4o-deployment/chat/completions", "api-key"),
    ],
)
def test_the_settings_of_a_page_lead_to_an_answer(
    stub: ModelStub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, page: str, path: str, header: str
) -> None:
    """Only the host is another one; Azure's key is the one setting that a page cannot give."""
    settings, model = _read_page(page)
    base = urlsplit(settings.get("FIELDMARK_OPENAI_BASE_URL", "https://api.openai.com/v1"))
    settings["FIELDMARK_OPENAI_BASE_URL"] = f"{stub.root}{base.path}"
    if page == "azure":
        settings["FIELDMARK_OPENAI_API_KEY"] = "a key of the resource"
    for name, value in settings.items():
        monkeypatch.setenv(name, value)
    with pipeline(tmp_path) as service:
        job = service.run(numbered_pdf(1), model=model)
        result = service.result(job)
    sent = stub.requests()[-1]
    assert job.status is JobStatus.SUCCEEDED
    assert result["records"][0]["values"]["invoice_number"]
    assert (sent["path"], sent["body"]["model"]) == (path, model.removeprefix("openai:"))
    assert {"authorization", "api-key"} & set(sent["headers"]) == ({header} if header else set())
