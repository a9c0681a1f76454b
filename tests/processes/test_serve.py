"""`fieldmark serve` as a person meets it: started, used, used from the side, and ended."""

from __future__ import annotations

import json
import signal
import subprocess
from collections.abc import Generator
from pathlib import Path

import httpx
import pytest

from tests.fakes.serve_process import OVER, SAMPLES, ServeProcess, environment, fieldmark, status_of, submit

pytestmark = pytest.mark.processes
INVOICE = SAMPLES / "invoice" / "document.pdf"
SCHEMA = SAMPLES / "invoice" / "schema.json"


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Generator[ServeProcess]:
    """A running service."""
    with ServeProcess(tmp_path_factory.mktemp("serve") / "home") as service:
        yield service


def read_invoice(service: ServeProcess) -> dict:
    """Upload the sample invoice and wait for its result."""
    with service.client() as client:
        job_id = submit(client, INVOICE, SCHEMA.read_text())
        service.wait_until(lambda: status_of(client, job_id) in OVER, 300)
        return client.get(f"/jobs/{job_id}/result").json()


def test_an_upload_becomes_a_record_with_places(served: ServeProcess):
    """The main job, over REST and through real workers."""
    result = read_invoice(served)
    assert result["status"] == "succeeded"
    entry = result["records"][0]["fields"]["/invoice_number"]
    assert (entry["value"], entry["page"], len(entry["coordinates"])) == ("QF-2026-0417", 1, 4)


def test_serve_says_once_where_it_is(served: ServeProcess):
    """One block with the address, and no text of documents."""
    read_invoice(served)
    assert served.log.count("is ready") == 1
    assert served.info.url in served.log
    assert "Quillfox" not in served.log


def test_its_address_is_for_its_user_alone(served: ServeProcess):
    """serve.json may hold a password."""
    assert (served.home / "run" / "serve.json").stat().st_mode & 0o777 == 0o600


def test_a_second_serve_of_the_home_says_who_has_it(served: ServeProcess):
    """It ends at once, with pid and address of the first."""
    done = subprocess.run(
        fieldmark("serve", "--port", "0", "--home", served.home),
        env=environment(),
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.returncode == 6
    assert f"pid {served.process.pid}" in done.stderr
    assert served.info.url in done.stderr


def test_extract_hands_its_file_to_the_serve_that_owns_the_home(served: ServeProcess):
    """Its job is then one of the service's."""
    done = subprocess.run(
        fieldmark("extract", INVOICE, "--schema", SCHEMA, "--home", served.home),
        env=environment(),
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    job_id = json.loads(done.stdout)["job_id"]
    with served.client() as client:
        assert status_of(client, job_id) == "succeeded"


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_one_signal_ends_all(tmp_path: Path, number: signal.Signals):
    """Ctrl-C, a service manager, a closed terminal: exit code 0 and no process left."""
    with ServeProcess(tmp_path / "home") as service:
        assert service.end(number) == 0
        service.check_nothing_is_left()
        assert not (service.home / "run" / "serve.json").exists()


def test_without_a_redis_program_one_process_does_it_all(tmp_path: Path):
    """It says so, works, and ends as cleanly."""
    with ServeProcess(tmp_path / "home", FIELDMARK_REDIS_BINARY="none", PATH="") as service:
        assert "No Redis or Valkey program was found" in service.log
        assert service.info.redis_url == ""
        assert {p.ppid() for p in service.family()} <= {service.process.pid}
        assert read_invoice(service)["status"] == "succeeded"
        assert service.end(signal.SIGINT) == 0
        service.check_nothing_is_left()


def test_a_home_too_deep_for_a_unix_socket_gets_a_port_with_a_password(tmp_path: Path):
    """Redis then listens on loopback, and lets nobody in without the password."""
    home = tmp_path / ("deep" * 12) / ("er" * 24)
    home.parent.mkdir(parents=True)
    with ServeProcess(home) as service:
        assert service.info.redis_url.startswith("redis://:")
        assert "@127.0.0.1:" in service.info.redis_url
        assert read_invoice(service)["status"] == "succeeded"
        password = service.info.redis_url.split("@")[0].split(":")[-1]
        assert password not in service.log
        assert not any(password in line for line in service.command_lines())


def test_beyond_loopback_only_with_keys(tmp_path: Path):
    """Refused before anything listens; with a key it serves those who show it."""
    home = tmp_path / "home"
    asked = fieldmark("serve", "--host", "0.0.0.0", "--port", "0", "--home", home)
    done = subprocess.run(asked, env=environment(), capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 2
    assert "fieldmark keys add" in done.stderr
    made = subprocess.run(
        fieldmark("keys", "add", "anna", "--role", "admin", "--home", home),
        env=environment(),
        capture_output=True,
        text=True,
        timeout=600,
        check=True,
    )
    with ServeProcess(home, FIELDMARK_API_HOST="0.0.0.0") as service:
        url = f"{service.info.url}/api/v1/jobs"
        assert httpx.get(url, timeout=60, trust_env=False).status_code == 401
        headers = {"Authorization": f"Bearer {made.stdout.strip()}"}
        assert httpx.get(url, headers=headers, timeout=60, trust_env=False).status_code == 200
