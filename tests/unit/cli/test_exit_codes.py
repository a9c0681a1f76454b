"""Exit codes: a total table, documented, and shown in the help."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from service.cli.exit_codes import EXIT_CODES, ExitCode, exit_code_of
from service.cli.main import app
from service.domain.errors import ErrorCode
from service.domain.jobs import JobStatus

DOCS = Path(__file__).parents[3] / "docs" / "cli.md"


def test_every_error_code_has_an_exit_code():
    """None is left to chance."""
    assert set(EXIT_CODES) == set(ErrorCode)


def test_the_documentation_says_the_same():
    """Each code stands in the row of its exit code, and nowhere else."""
    rows = re.findall(r"^\| (\d+) \| .*? \| (.*?) \|$", DOCS.read_text(), re.M)
    documented = {code: int(number) for number, codes in rows for code in re.findall(r"`(\w+)`", codes)}
    assert documented == {str(code): int(exit_code) for code, exit_code in EXIT_CODES.items()}
    assert {int(number) for number, _ in rows} == {int(code) for code in ExitCode}


def test_the_help_names_every_exit_code():
    """`fieldmark --help` ends with them."""
    said = CliRunner().invoke(app, ["--help"]).output
    assert [code for code in ExitCode if not re.search(rf"\b{int(code)}\b", said)] == []


@pytest.mark.parametrize(
    ("status", "fault", "expected"),
    [
        (JobStatus.SUCCEEDED, None, ExitCode.OK),
        (JobStatus.PARTIALLY_SUCCEEDED, None, ExitCode.PARTIAL),
        (JobStatus.CANCELLED, None, ExitCode.STATE),
        (JobStatus.FAILED, "damaged_file", ExitCode.DOCUMENT),
        (JobStatus.FAILED, "model_timeout", ExitCode.MODEL),
        (JobStatus.FAILED, "of_a_newer_service", ExitCode.INTERNAL),
    ],
)
def test_a_job_ends_a_command_by_its_state(status: JobStatus, fault: str | None, expected: ExitCode):
    """A script need not read the message."""
    assert exit_code_of(status, fault) is expected
