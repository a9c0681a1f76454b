"""What people approved, as an evaluation set: the same from either side of HTTP, and scored like any other."""

from __future__ import annotations

import json
from collections.abc import Generator
from pathlib import Path

import httpx
import orjson
import pytest

from service.cli.desk.base import Desk
from service.cli.desk.http import HttpDesk
from service.cli.desk.local import LocalDesk
from service.cli.evaluate.reviewed import write_reviewed
from service.cli.evaluate.run import answer_cases
from service.domain.errors import ErrorCode, InputError
from service.evaluation.cases import load_cases
from service.evaluation.report import measure
from service.settings import Settings
from tests.fakes.http_server import http_server
from tests.fakes.local_service import local_service
from tests.fakes.one_invoice import SCHEMA, draw_invoice


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    """Of a home of the test's own."""
    return Settings.model_validate({"home": tmp_path / "home", "model": "embedded"})


@pytest.fixture
def server(settings: Settings) -> Generator[str]:
    """A running service over that home, with one approved document and one that nobody looked at."""
    with local_service(settings.home) as service, http_server(service.app()) as url:
        with httpx.Client(base_url=f"{url}/api/v1", timeout=120) as client:
            for approved in (True, False):
                form = {"schema": json.dumps(SCHEMA)}
                files = {"file": ("an invoice.pdf", draw_invoice())}
                job = client.post("/jobs", params={"wait": 110}, files=files, data=form).json()
                if approved:
                    old = job["records"][0]["values"]["total"]
                    wrong = {"op": "set", "id": "a", "path": "/total", "old": old, "value": 999}
                    client.post(f"/jobs/{job['job_id']}/corrections", json={"operations": [wrong]}).raise_for_status()
                    body = {"accept_unseen": True}
                    client.post(f"/jobs/{job['job_id']}/approve", json=body).raise_for_status()
        yield url


def check(desk: Desk, folder: Path) -> None:
    """One case, of the one field that somebody looked at."""
    assert write_reviewed(desk, folder) == 1
    [row] = [orjson.loads(line) for line in (folder / "truth.jsonl").read_bytes().splitlines()]
    assert (row["truth"], row["absent"]) == ({"total": 999}, [])
    assert (folder / row["file"]).read_bytes() == draw_invoice()


def test_both_desks_give_the_same_set(server: str, settings: Settings, tmp_path: Path) -> None:
    """Over HTTP, and from the home itself; and it can be measured."""
    desk: Desk = HttpDesk(server, "")
    check(desk, tmp_path / "http")
    desk.close()
    here = LocalDesk(settings, workers=1)
    try:
        check(here, tmp_path / "here")
        check(here, tmp_path / "here")
        cases = load_cases(tmp_path / "here")
        answers = answer_cases(cases, here, model=None, jobs=1, report=lambda _: None)
    finally:
        here.close()
    total = measure(cases, answers, seconds=1.0).total
    assert (total.present, total.filled) == (1, 1)


def test_a_folder_with_something_else_is_left_alone(server: str, tmp_path: Path) -> None:
    """Nothing of it is written over."""
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "letter.txt").write_text("dear")
    desk = HttpDesk(server, "")
    with pytest.raises(InputError) as refused:
        write_reviewed(desk, tmp_path / "mine")
    desk.close()
    assert refused.value.code is ErrorCode.INVALID_OPTION
    assert [path.name for path in (tmp_path / "mine").iterdir()] == ["letter.txt"]
