"""The whole installation, with workers and a queue of its own, behind OpenAI's client."""

from __future__ import annotations

import json
from collections.abc import Generator
from concurrent.futures import ThreadPoolExecutor

import pytest
from openai import OpenAI

from tests.api.job_calls import letter
from tests.dropin.conftest import KEY
from tests.dropin.vendor_calls import body
from tests.fakes.serve_process import ServeProcess

pytestmark = pytest.mark.processes
MANY = 64


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Generator[ServeProcess]:
    """`fieldmark serve` as a person starts it."""
    with ServeProcess(tmp_path_factory.mktemp("served") / "home") as process:
        yield process


def test_sixty_four_clients_of_a_whole_installation_are_served(served: ServeProcess) -> None:
    """Each with its own answer, none dropped."""
    names = [f"W-{number}" for number in range(MANY)]
    base_url = f"{served.info.url}/v1/information-extraction"

    def ask(client: OpenAI, name: str) -> str:
        answer = client.chat.completions.create(**body(letter(f"Letter number: {name}")))
        assert answer.choices[0].finish_reason == "stop"
        return str(json.loads(answer.choices[0].message.content or "")["number"])

    with OpenAI(base_url=base_url, api_key=KEY, timeout=240) as client, ThreadPoolExecutor(MANY) as threads:
        assert list(threads.map(lambda name: ask(client, name), names)) == names
