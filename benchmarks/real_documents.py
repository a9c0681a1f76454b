"""Real documents and broken files through REST: every job ends in time, every page is accounted for.

    python -m benchmarks.real_documents --url http://127.0.0.1:8000 [--each 20] [--out results.jsonl]

Reads the evaluation documents beside the repository (or in FIELDMARK_EVAL), which are never part of it.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import httpx

SETS = ("invoices-eu-xml", "sroie", "adbuy", "nda")
ANY_TEXT: dict[str, object] = {
    "type": "object",
    "properties": {
        "title": {"type": "string", "description": "Title or heading of the document"},
        "date": {"type": "string", "format": "date", "description": "Date of the document"},
        "first_line": {"type": "string", "description": "First line of text"},
    },
}


@dataclass(frozen=True, kw_only=True)
class Case:
    """One file to send."""

    name: str
    path: Path
    schema: dict[str, object]
    wanted: str | None = None
    """What a correct service does, in the words of the file's description."""


@dataclass(frozen=True, kw_only=True)
class Ending:
    """How a file ended."""

    case: Case
    http: int
    status: str
    code: str
    seconds: float
    digital: int
    scanned: int
    boxed: int
    missing_pages: tuple[int, ...]
    body: dict[str, Any]

    @property
    def limit_s(self) -> float:
        """60 s, 1 s a digital page and 20 s a scanned one."""
        return 60 + self.digital + 20 * self.scanned


def eval_folder() -> Path:
    """Where the evaluation documents are.

    Raises:
        SystemExit: they are not there.
    """
    folder = Path(os.environ.get("FIELDMARK_EVAL", Path(__file__).parents[1].parent / "shared" / "eval"))
    if not (folder / "nasty" / "nasty.jsonl").is_file():
        raise SystemExit(f"The evaluation documents are not in {folder}; set FIELDMARK_EVAL.")
    return folder


def cases(each: int) -> Iterator[Case]:
    """The first documents of each set, and every nasty file."""
    folder = eval_folder()
    for name in SETS:
        lines = (folder / "sets" / name / "truth.jsonl").read_text().splitlines()
        for row in map(json.loads, lines[:each]):
            yield Case(name=name, path=folder / "sets" / name / row["file"], schema=row["schema"])
    for row in map(json.loads, (folder / "nasty" / "nasty.jsonl").read_text().splitlines()):
        wanted = row["what a correct service should do"]
        yield Case(name="nasty", path=folder / "nasty" / row["file"], schema=ANY_TEXT, wanted=wanted)


def send(client: httpx.Client, case: Case) -> Ending:
    """Hand a file in, wait for its end, and look at the result."""
    started = time.monotonic()
    answer = client.post(
        "/api/v1/jobs",
        files={"file": (case.path.name, case.path.read_bytes())},
        data={"schema": json.dumps(case.schema)},
    )
    body: dict[str, Any] = answer.json()
    if answer.status_code >= 300:
        error = body["error"]
        return _ending(case, answer.status_code, "refused", str(error["code"]), started, body)
    job = body
    while job["status"] not in ("succeeded", "partially_succeeded", "failed", "cancelled"):
        job = client.get(f"/api/v1/jobs/{body['id']}", params={"wait": 30}).json()
        if time.monotonic() - started > 600:
            return _ending(case, answer.status_code, "stuck", str(job["status"]), started, job)
    result = client.get(f"/api/v1/jobs/{body['id']}/result").json()
    code = (result.get("error") or {}).get("code", "")
    return _ending(case, answer.status_code, str(job["status"]), code, started, result)


def _ending(case: Case, http: int, status: str, code: str, started: float, body: dict[str, Any]) -> Ending:
    coverage = body.get("coverage") or []
    covered = {row["page"] for row in coverage}
    total = len((body.get("file") or {}).get("pages") or [])
    fields = [entry for record in body.get("records") or [] for entry in record["fields"].values()]
    return Ending(
        case=case,
        http=http,
        status=status,
        code=code,
        seconds=time.monotonic() - started,
        digital=sum(row["text"] == "digital" for row in coverage),
        scanned=sum(row["text"] == "ocr" for row in coverage),
        boxed=sum(bool(entry.get("coordinates")) for entry in fields),
        missing_pages=tuple(n for n in range(1, total + 1) if n not in covered),
        body=body,
    )


def _line(ending: Ending) -> str:
    case = ending.case
    notes = [
        "LATE" if ending.seconds > ending.limit_s else "",
        f"NO COVERAGE OF {ending.missing_pages}" if ending.missing_pages else "",
        "no box" if ending.boxed == 0 and ending.status.endswith("succeeded") else "",
        f"| {case.wanted}" if case.wanted else "",
    ]
    where = f"{ending.digital}+{ending.scanned} pages, {ending.boxed} boxes"
    told = f"{ending.http} {ending.status:20} {ending.code:22} {ending.seconds:6.1f} s  {where}"
    return f"{case.name:16} {case.path.name:58.58} {told} {' '.join(filter(None, notes))}"


def main() -> int:
    """Send everything, two at a time, and print what is not as it should be."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--url", required=True)
    parser.add_argument("--each", type=int, default=20)
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    with httpx.Client(base_url=options.url, timeout=120) as client, ThreadPoolExecutor(2) as pool:
        endings = list(pool.map(partial(send, client), cases(options.each)))
    for ending in endings:
        print(_line(ending))
    if options.out:
        options.out.write_text("".join(json.dumps({"file": str(e.case.path), **e.body}) + "\n" for e in endings))
    return int(any(e.seconds > e.limit_s or e.missing_pages or e.status == "stuck" for e in endings))


if __name__ == "__main__":
    sys.exit(main())
