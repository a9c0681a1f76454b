"""`make quality`: how right the model is on every evaluation set, written to docs/quality.md.

    python -m benchmarks.quality [--model M] [--words DIR] [--keep RUN.json] [--from RUN.json] [--out FILE]

Reads the evaluation documents beside the repository (or in FIELDMARK_EVAL), which are never part of it, and draws the
invented ones of `benchmarks/strangers`. The figures are
those of `fieldmark evaluate`, run twice: on the sets as they are, divided by issuer, and with foreign fields added to
every schema. What stands under "What bounds them" is written by hand, in `quality_notes.md`.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.eval_sets import CRITICAL, prepare
from benchmarks.quality_words import evaluate_words
from benchmarks.strangers.make import make_set
from service.cli.exit_codes import ExitCode
from service.domain.shares import Share

ROOT = Path(__file__).parents[1]
NOTES = Path(__file__).with_name("quality_notes.md")
PLACES = Path(__file__).with_name("quality_places.md")
"""What `benchmarks.grounding` wrote."""
SPEED = Path(__file__).with_name("quality_speed.md")
"""What `benchmarks.speed` wrote."""
OTHERS = Path(__file__).with_name("quality_others.md")
"""What `benchmarks.others` wrote."""
OTHERS_HEADING = "## Against what a user would pick instead"
LINES = "lines[]."
PARTS = ("all", "development", "validation")
WEAK_F1 = 0.7
WEAK_PRESENT = 5
"""A field of fewer values is weak by chance."""
ROW_PRESENT = 3
"""Fields of fewer values share a row."""
Figures = dict[str, Any]


@dataclass(frozen=True, kw_only=True)
class Wanted:
    """A set, or a part of its fields, and the F1 that is wanted of it."""

    set_name: str
    f1: float
    label: str = ""
    fields: Callable[[str], bool] = lambda name: name != "*"


WANTED = (
    Wanted(set_name="sroie", f1=0.80),
    Wanted(set_name="wildreceipt", f1=0.75),
    Wanted(set_name="invoices-eu-xml", f1=0.93, label=", single fields", fields=lambda n: n != "*" and LINES not in n),
    Wanted(set_name="invoices-eu-xml", f1=0.85, label=", lines", fields=lambda name: LINES in name),
    Wanted(set_name="invoices-misc", f1=0.80),
    Wanted(set_name="adbuy", f1=0.80),
    Wanted(set_name="nda", f1=0.65),
    Wanted(set_name="funsd", f1=0.80),
    Wanted(set_name="tax-forms", f1=0.80),
)


def find_sets() -> list[Path]:
    """The sets of the evaluation folder.

    Raises:
        SystemExit: there is none.
    """
    folder = Path(os.environ.get("FIELDMARK_EVAL", ROOT.parent / "shared" / "eval"))
    found = sorted(path.parent for path in folder.glob("sets/*/truth.jsonl"))
    if not found:
        raise SystemExit(f"The evaluation documents are not in {folder}; set FIELDMARK_EVAL.")
    return found


def evaluate(sets: Sequence[Path], model: str | None, *, foreign: bool, jobs: int = 4) -> Figures:
    """One run over all of them, with foreign fields or without, `jobs` files at once, in a home that is thrown away."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "run.json"
        prepared = prepare(sets, Path(folder) / "sets", foreign=foreign)
        command = [sys.executable, "-m", "service.cli.main", "evaluate", *map(str, prepared), "--json", str(out)]
        command += ["--jobs", str(jobs)]
        command += ["--model", model] if model else []
        environment = {**os.environ, "FIELDMARK_HOME": str(Path(folder) / "home")}
        done = subprocess.run(command, env=environment, cwd=ROOT, check=False)
        if done.returncode not in (ExitCode.OK, ExitCode.PARTIAL):
            raise SystemExit(done.returncode)
        return json.loads(out.read_bytes())


def commit() -> str:
    """The commit that was measured, and whether the service has changes since."""

    def git(*arguments: str) -> str:
        return subprocess.run(["git", *arguments], cwd=ROOT, check=True, capture_output=True, text=True).stdout.strip()

    changed = git("status", "--porcelain", "--", "service", "workers")
    return f"`{git('rev-parse', '--short=10', 'HEAD')}`" + (" with changes not committed" if changed else "")


def report(run: Figures, measured: str, sets: Iterable[str]) -> Iterator[str]:
    """The page, block by block."""
    yield "# Quality"
    yield (
        f"Model `{run['model']}`, Fieldmark {run['engine']}, {run['made_at'][:10]}, commit {measured}. "
        f"Made by `make quality`; what the columns mean stands in [evaluation.md](evaluation.md). {_way(run)} "
        "How sure a value is was learned from invented documents and from invoices-eu-xml, tax-forms and most of "
        "invoices-misc; nothing else is trained on them. Halves are divided by issuer; errors are looked at in the "
        "development half only."
    )
    yield "## Sets"
    yield "\n".join(_sets(run, sets))
    yield "## Trust"
    yield (
        "What `high` is worth, whole sets: share and how often it is right, documents that pass without an eye and "
        "those among them with an error, and what is filled of foreign fields that no document has. Ends of 95 % "
        "intervals (Wilson) stand behind ≥ and ≤. A document passes straight through when all of its single fields "
        "that are filled are `high` and none is in doubt for being empty; by critical fields, when those are that the "
        f"schema's `x-review` names, here what a document is booked by: {_critical()}."
    )
    yield "\n".join(_trust(run, sets))
    yield "## Wanted and reached"
    yield "\n".join(_wanted(run))
    yield "\n".join(_claims(run))
    yield OTHERS_HEADING
    yield OTHERS.read_text(encoding="utf-8").strip()
    yield "## Weak rows"
    yield (
        f"Fields with at least {WEAK_PRESENT} values and an F1 below {WEAK_F1:g} in the development half, where errors "
        "are looked at; those that cost most values first; `lost`: values of the truth that are missing or wrong."
    )
    yield "\n".join(_weak(run, sets))
    yield "## What bounds them"
    yield NOTES.read_text(encoding="utf-8").strip()
    yield "## Places"
    yield PLACES.read_text(encoding="utf-8").strip()
    yield "## Speed"
    yield SPEED.read_text(encoding="utf-8").strip()
    yield "## Field by field"
    for name in sets:
        yield f"### {name}"
        yield "\n".join(_fields(run["sets"][name]["all"]["fields"]))


def _way(run: Figures) -> str:
    """How the documents went through."""
    if run.get("read_before"):
        return (
            "Documents were read once, by the service's own reader, and the model ran on these words (`--words`): "
            "seconds are those of the model alone, one document after the other."
        )
    return (
        "Every document goes from the raw file through the whole service, OCR included. Seconds are of the clock, four "
        f"files at once, on a machine of {os.cpu_count()} cores that may have had other work."
    )


def _table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    yield "| " + " | ".join(columns) + " |"
    yield "|---" * len(columns) + "|"
    for row in rows:
        yield "| " + " | ".join(row) + " |"


def _sets(run: Figures, sets: Iterable[str]) -> Iterator[str]:
    columns = ("set", "documents", *_COLUMNS, "high right ≥ (95 %)", "seconds", "pages/s")
    rows: list[list[str]] = []
    for name, parts in [*((name, run["sets"][name]) for name in sets), ("**all sets**", run["pooled"])]:
        for part in PARTS:
            one = parts[part]
            rows.append(
                [
                    name if part == "all" else f"– {part}",
                    str(one["documents"]),
                    *_cells(one["fields"]["*"]),
                    _share(one["high_lower_bound"]),
                    f"{one['seconds']:.0f}",
                    _share(one["pages_per_second"], 2),
                ]
            )
    return _table(columns, rows)


def _trust(run: Figures, sets: Iterable[str]) -> Iterator[str]:
    columns = (
        "set",
        "high share",
        "high right",
        "straight through",
        "wrong among them",
        "by critical fields",
        "wrong among them",
        "foreign fields",
        "false fill",
    )
    foreign = run["foreign"]
    pairs = [(name, run["sets"][name]["all"], foreign["sets"][name]["all"]) for name in sets]
    pairs.append(("**all sets**", run["pooled"]["all"], foreign["pooled"]["all"]))
    rows: list[list[str]] = []
    for name, one, added in pairs:
        total, asked = one["fields"]["*"], added["fields"]["*"]
        high = Share(round((total["high_precision"] or 0.0) * total["high"]), total["high"])
        wrong = Share(one["straight_through_wrong"], one["straight_through"])
        passed = Share(one["critical_through_wrong"], one["critical_through"])
        filled = Share(round((asked["false_fill"] or 0.0) * asked["absent"]), asked["absent"])
        rows.append([
            name, _share(total["high_share"]), f"{_share(high.value)} of {high.count}, ≥ {high.least:.3f}",
            f"{one['straight_through']} of {one['documents']} ({_share(one['straight_through_share'])})",
            f"{wrong.right} of {wrong.count}, ≤ {wrong.most:.3f}",
            f"{one['critical_through']} of {one['critical']} ({_share(one['critical_through_share'])})",
            f"{passed.right} of {passed.count}, ≤ {passed.most:.3f}", str(filled.count),
            f"{_share(filled.value)}, ≤ {filled.most:.3f}",
        ])  # fmt: skip
    return _table(columns, rows)


def _critical() -> str:
    return "; ".join(f"{name}: {', '.join(f'`{field}`' for field in fields)}" for name, fields in CRITICAL.items())


def _wanted(run: Figures) -> Iterator[str]:
    rows: list[list[str]] = []
    for want in WANTED:
        if want.set_name not in run["sets"]:
            continue
        halves = [_f1_of(run["sets"][want.set_name][part]["fields"], want.fields) for part in PARTS[1:]]
        rows.append([want.set_name + want.label, f"{want.f1:.2f}", *map(_share, halves), _is(halves[1], want.f1)])
    return _table(("F1", "wanted", "development", "validation", "in validation"), rows)


def _claims(run: Figures) -> Iterator[str]:
    """What a user builds on, in the validation halves."""
    pooled, total = run["pooled"]["validation"], run["pooled"]["validation"]["fields"]["*"]
    high, bound = total["high_precision"], _share(pooled["high_lower_bound"])
    hit = total["box_hit"]
    asked = run["foreign"]["pooled"]["validation"]["fields"]["*"]
    filled = asked["false_fill"]
    rows = [
        ["`high` is right", "≥ 0.98", f"{_share(high)} of {total['high']}; ≥ {bound} with 95 %", _is(high, 0.98)],
        ["values that are `high`", "≥ 0.5", _share(total["high_share"]), _is(total["high_share"], 0.5)],
        *_passing(run, "straight_through", "straight-through documents, invoices and receipts"),
        *_passing(run, "critical_through", "the same by critical fields"),
        ["false fill", "≤ 0.03", f"{_share(filled)} of {asked['absent']}", _is(filled, most=0.03)],
        ["box hit", "≥ 0.90", f"{_share(hit)} of {total['boxed']}", _is(hit, 0.90)],
    ]
    nda = run["sets"].get("nda")
    if nda is not None:
        row = nda["validation"]["fields"]["*"]
        measured = f"{_share(row['false_fill'])} of {row['absent']}"
        rows.append(["false fill, nda", "≤ 0.05", measured, _is(row["false_fill"], most=0.05)])
    return _table(("all sets, validation", "wanted", "measured", ""), rows)


def _passing(run: Figures, key: str, name: str) -> Iterator[list[str]]:
    """How many invoices and receipts pass without an eye, and how many of these are wrong."""
    halves = [run["sets"][one]["validation"] for one in CRITICAL if one in run["sets"]]
    passed, wrong = (sum(half[counted] for half in halves) for counted in (key, f"{key}_wrong"))
    documents = sum(half["documents"] for half in halves)
    share = passed / documents if documents else None
    yield [name, "≥ 0.3", f"{_share(share)} of {documents}", _is(share, 0.3)]
    error = Share(wrong, passed)
    yield ["– wrong among them", "≤ 0.05", f"{wrong} of {passed}, ≤ {error.most:.3f} with 95 %",
           _is(error.value, most=0.05)]  # fmt: skip


def _is(value: float | None, least: float = 0.0, most: float = 1.0) -> str:
    return "reached" if value is not None and least <= value <= most else "**not reached**"


def _f1_of(fields: Figures, chosen: Callable[[str], bool]) -> float | None:
    rows = [row for name, row in fields.items() if chosen(name)]
    whole = sum(row["present"] + row["filled"] for row in rows)
    return 2 * sum(row["right"] for row in rows) / whole if whole else None


def _weak(run: Figures, sets: Iterable[str]) -> Iterator[str]:
    found: list[tuple[int, str, str, Figures]] = []
    for name in sets:
        for field, row in run["sets"][name]["development"]["fields"].items():
            if field != "*" and row["present"] >= WEAK_PRESENT and (row["f1"] or 0.0) < WEAK_F1:
                found.append((row["present"] - row["right"], name, field, row))
    found.sort(key=lambda item: (-item[0], item[1], item[2]))
    columns = ("set", "field", "present", "lost", "precision", "recall", "F1")
    return _table(
        columns,
        (
            [
                name,
                f"`{field}`",
                str(row["present"]),
                str(lost),
                *(_share(row[c]) for c in ("precision", "recall", "f1")),
            ]
            for lost, name, field, row in found
        ),
    )


def _fields(fields: Figures) -> Iterator[str]:
    """A row a field; those with few values are summed up in one."""
    named = {n: row for n, row in fields.items() if n != "*" and row["present"] + row["absent"] >= ROW_PRESENT}
    others = {n: row for n, row in fields.items() if n != "*" and n not in named}
    rows = [[f"`{name}`", *_cells(row)] for name, row in sorted(named.items())]
    if others:
        present, filled, right = (sum(row[key] for row in others.values()) for key in ("present", "filled", "right"))
        sums = [_share(right / filled if filled else None), _share(right / present if present else None)]
        f1 = _share(_f1_of(others, lambda _: True))
        rows.append([f"{len(others)} fields of fewer values", str(present), *sums, f1, *["–"] * (len(_COLUMNS) - 4)])
    return _table(("field", *_COLUMNS), rows)


_COLUMNS = ("present", "precision", "recall", "F1", "absent", "false fill", "high share", "high right", "box hit")
_KEYS = ("precision", "recall", "f1", "absent", "false_fill", "high_share", "high_precision", "box_hit")


def _cells(row: Figures) -> list[str]:
    return [str(row["present"]), *(str(row[key]) if key == "absent" else _share(row[key]) for key in _KEYS)]


def _share(value: float | None, digits: int = 3) -> str:
    return "–" if value is None else f"{value:.{digits}f}"


def _run(model: str | None, words: Path | None, *, foreign: bool) -> Figures:
    with tempfile.TemporaryDirectory() as folder:
        sets = [*find_sets(), make_set(Path(folder))]
        return evaluate(sets, model, foreign=foreign) if words is None else evaluate_words(sets, words, foreign=foreign)


def main() -> None:
    """Run, or take a run, and write the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", help="`provider:model`; the default of the settings if not given")
    parser.add_argument("--words", type=Path, help="folder of words that were read before: measures the model alone")
    parser.add_argument("--keep", type=Path, help="keep the run as JSON, for `evaluate --against`")
    parser.add_argument("--from", dest="earlier", type=Path, help="write the page of a run that was kept")
    parser.add_argument("--out", type=Path, default=ROOT / "docs" / "quality.md")
    asked = parser.parse_args()
    if asked.earlier:
        run = json.loads(asked.earlier.read_bytes())
    else:
        measured = commit()  # before the run: what is loaded is what stands there now
        run: Figures = _run(asked.model, asked.words, foreign=False)
        run |= {
            "foreign": _run(asked.model, asked.words, foreign=True),
            "commit": measured,
            "read_before": asked.words is not None,
        }
    if asked.keep:
        asked.keep.write_text(json.dumps(run, indent=1), encoding="utf-8")
    page = "\n\n".join(report(run, run["commit"], sorted(run["sets"])))
    asked.out.write_text(page + "\n", encoding="utf-8")
    print(f"written: {asked.out}")


if __name__ == "__main__":
    main()
