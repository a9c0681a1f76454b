"""`fieldmark schema`, and schemas that other commands name."""

from __future__ import annotations

import json
from pathlib import Path

from typer.testing import CliRunner

from service.cli.main import app
from service.domain.errors import ErrorCode, ServiceError
from tests.unit.cli.running import run

SAMPLES = Path(__file__).parents[3] / "samples"


def fault(*arguments: object) -> ErrorCode:
    """Run a command that is refused."""
    caught = CliRunner().invoke(app, [str(a) for a in arguments]).exception
    assert isinstance(caught, ServiceError), caught
    return caught.code


def test_schemas_are_kept_listed_and_shown(home: Path):
    """The same content is the same version; ready ones are there from the start."""
    form = SAMPLES / "form" / "schema.json"
    assert run("schema", "add", "form", form).strip() == "form@1"
    assert run("schema", "add", "form", form).strip() == "form@1"
    assert json.loads(run("schema", "show", "form")) == json.loads(form.read_text())
    effective = json.loads(run("schema", "show", "form@1", "--effective"))
    assert effective["properties"]["plot_size"]["type"] == ["string", "null"]
    listed = run("schema", "list")
    assert "plot_size" in listed
    assert "bank_statement" in listed
    assert "x-checks" in json.loads(run("schema", "show", "invoice"))


def test_extract_takes_the_name_of_a_schema(home: Path):
    """The result says which version it was."""
    form = SAMPLES / "form"
    run("schema", "add", "form", form / "schema.json")
    result = json.loads(run("extract", form / "document.pdf", "--schema", "form"))
    assert result["schema"] == {"name": "form", "version": 1}
    text = run("extract", form / "document.pdf", "--schema", "form@1", "--format", "csv")
    assert "applicant_name" in text.splitlines()[0]


def test_what_is_neither_file_nor_schema_is_said(home: Path):
    """A path that is not there is no name."""
    document = SAMPLES / "form" / "document.pdf"
    assert fault("extract", document, "--schema", "nothing") is ErrorCode.SCHEMA_NOT_FOUND
    assert fault("extract", document, "--schema", "nothing.json") is ErrorCode.INVALID_SCHEMA
    assert fault("extract", document, "--schema", "a/b") is ErrorCode.INVALID_SCHEMA
    assert fault("schema", "show", "invoice@3") is ErrorCode.SCHEMA_NOT_FOUND
    assert fault("schema", "add", "a/b", SAMPLES / "form" / "schema.json") is ErrorCode.INVALID_OPTION


def test_a_schema_is_generated_that_extract_takes(home: Path):
    """What is printed is what `schema add` and `--schema` take; nothing else is kept."""
    form = SAMPLES / "form" / "document.pdf"
    made = home / "made.json"
    made.write_text(run("schema", "generate", form, "--instruction", "Fields: telephone"))
    assert {"phone"} <= json.loads(made.read_text())["schema"]["properties"].keys()
    result = json.loads(run("extract", form, "--schema", made, "--json"))
    assert any(value is not None for value in result["records"][0]["values"].values())
    assert run("schema", "add", "made", made).strip() == "made@1"


def test_no_more_than_three_documents_make_a_schema(home: Path):
    """The limit is told before anything is read."""
    form = SAMPLES / "form" / "document.pdf"
    assert fault("schema", "generate", *[form] * 4) is ErrorCode.INVALID_REQUEST
