"""langchain-upstage's extraction tool, unmodified but for the base URL."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import openai
import pytest
from langchain_upstage import ChatUpstage, UpstageUniversalInformationExtraction

from tests.api.job_calls import letter
from tests.dropin.conftest import KEY, Live
from tests.dropin.vendor_calls import response_format


def tool_of(live: Live, **clients: Any) -> UpstageUniversalInformationExtraction:
    """The tool writes the vendor's address into its chat model, so that is exchanged; connections are our own."""
    tool = UpstageUniversalInformationExtraction(api_key=KEY)
    tool.api_wrapper = ChatUpstage(
        model="information-extract", api_key=KEY, base_url=live.base_url, max_retries=0, **clients
    )
    return tool


def invoke(live: Live, **asked: Any) -> Any:
    """What the tool gives."""
    with openai.DefaultHttpxClient() as connections:
        return tool_of(live, http_client=connections).invoke({"response_format": response_format(), **asked})


@pytest.fixture
def paths(tmp_path: Path) -> list[str]:
    """One document."""
    path = tmp_path / "letter.pdf"
    path.write_bytes(letter(pages=2))
    return [str(path)]


def test_the_tool_gives_the_record(live: Live, paths: list[str]) -> None:
    """With all that it sends: stream false, doc_split, chunking, confidence, location."""
    assert invoke(live, image_urls=paths, location=True)["number"] == "L-17"


def test_the_tool_gives_the_record_asynchronously(live: Live, paths: list[str]) -> None:
    """As agents call it."""

    async def run() -> Any:
        async with openai.DefaultAsyncHttpxClient() as connections:
            asked = {"image_urls": paths, "response_format": response_format(), "doc_split": True}
            return await tool_of(live, http_async_client=connections).ainvoke(asked)

    assert asyncio.run(run())["number"] == "L-17"


def test_a_refusal_reaches_the_agent_in_words(live: Live, paths: list[str]) -> None:
    """Several files for one extraction: the tool allows it, the reference does not."""
    with pytest.raises(Exception, match="2 files: an extraction has one"):
        invoke(live, image_urls=paths * 2)
