"""What a person sees of a batch in a terminal, and the tables over all its results."""

from __future__ import annotations

import os
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from threading import Thread

import openpyxl
import orjson
import pytest

from service.cli.batch.entries import FoundPath, PathState, Work, WorkState
from service.cli.batch.ledger import Ledger
from service.cli.batch.plan import Outputs
from service.cli.batch.show import Display
from service.cli.batch.tables import write_tables
from service.cli.batch.tally import Tally
from service.domain.schema import parse_schema
from service.exports.formats import ExportFormat
from service.exports.schema_set import SchemaSet

WORK = Work(digest=b"d", label=b"a.pdf", run=1, state=WorkState.SUCCEEDED, made="", desk="home", submit_key="k")
ROUTED = SchemaSet.routed(
    (name, 0, parse_schema({"type": "object", "properties": {"a": {"type": "string"}, "lines": LINES}}))
    for LINES in [{"type": "array", "items": {"type": "object", "properties": {"b": {"type": "string"}}}}]
    for name in ("invoice", "letter", "receipt")
)


def test_a_terminal_shows_how_far_it_is(monkeypatch: pytest.MonkeyPatch):
    """From its first moment on, with what is waited for and with lines that stay."""
    ours, theirs = os.openpty()
    seen: list[bytes] = []
    looking = Thread(target=_look, args=(ours, seen), daemon=True)
    looking.start()
    with os.fdopen(theirs, "w") as terminal:
        monkeypatch.setattr("sys.stderr", terminal)
        monkeypatch.setenv("TERM", "xterm")
        tally = Tally(found=3)
        with Display(tally) as display:
            tally.count_ended(replace(WORK, doubtful=True))
            tally.count_ended(replace(WORK, state=WorkState.UNROUTED, doubtful=True))
            display.pause("the service is away")
            display.update()
            display.note("a line that stays")
    looking.join()
    os.close(ours)
    said = b"".join(seen).decode()
    for words in ("0 of 3 documents", "2 of 3 documents", "1 doubtful", "the service is away", "a line that stays"):
        assert words in said


def _look(screen: int, seen: list[bytes]) -> None:
    """Read what is shown, as it is shown: a terminal that nobody looks at keeps its writer waiting."""
    with suppress(OSError):  # the other end was closed
        while part := os.read(screen, 4096):
            seen.append(part)


def ended(ledger: Ledger, name: str, schema: str | None) -> None:
    """A file whose document was given a schema, or none."""
    label = name.encode()
    given = schema and {"name": schema, "version": 0}
    record = {"id": "rec_1", "index": 0, "pages": [1], "schema": given, "values": {"a": name, "lines": []}}
    result = {"documents": [{"index": 0, "pages": [1], "schema": given}], "records": [record] if schema else []}
    path = FoundPath(
        label=label,
        path=label,
        size=1,
        mtime_ns=1,
        noted_at=1.0,
        run=ledger.run,
        state=PathState.SETTLED,
        digest=label,
        written=None,
    )
    ledger.put_path(path)
    work = replace(WORK, digest=label, label=label, state=WorkState.SUCCEEDED if schema else WorkState.UNROUTED)
    ledger.put_work(work)
    ledger.end_work(work, orjson.dumps(result))


def test_there_are_tables_of_the_schemas_that_documents_have(tmp_path: Path):
    """Also empty ones of these, but none of the others, and none that an earlier run left."""
    outputs = Outputs(out=tmp_path, tables=tuple(kind for kind in ExportFormat if kind is not ExportFormat.JSON))
    tables = tmp_path / "_batch" / "tables"
    with Ledger(tmp_path) as ledger:
        ended(ledger, "a.pdf", "receipt")
        ended(ledger, "b.pdf", None)
        write_tables(ledger, outputs, ROUTED)
        first = {"documents", "receipt", "receipt.lines"}
        assert {path.stem for path in tables.glob("*.csv")} == first
        assert openpyxl.load_workbook(tables / "tables.xlsx").sheetnames == ["documents", "receipt", "receipt.lines"]
        assert (tables / "receipt.lines.csv").read_text().startswith("_file,")
        assert len((tables / "documents.jsonl").read_bytes().splitlines()) == 2
        ended(ledger, "a.pdf", "invoice")
        write_tables(ledger, outputs, ROUTED)
    for kind in ("csv", "jsonl", "parquet"):
        assert {path.stem for path in tables.glob(f"*.{kind}")} == {"documents", "invoice", "invoice.lines"}
