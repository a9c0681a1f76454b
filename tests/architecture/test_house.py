"""The house rules that a machine can check; import contracts are checked by `lint-imports` in `make check`."""

from __future__ import annotations

import ast
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from service.settings import Settings

ROOT = Path(__file__).parents[2]
SOURCES = sorted(p for room in ("service", "workers") for p in (ROOT / room).rglob("*.py"))
TESTS = sorted((ROOT / "tests").rglob("*.py"))
SCRIPTS = sorted((ROOT / "service/ui/static").glob("*.js"))
MOST_LINES = 400
MOST_FUNCTION_LINES = 50
LEFT_OUT = {"soffice": "LibreOffice is an optional program of the service", "fork": "no such call on Windows"}
"""The only reasons for which a test is left out: what its condition names → why."""
LIMITS = re.compile(r"(^|_)(timeout|timeout_s|timeout_ms|lease_s|grace_s|patience_s|dropin_wait_s)$", re.IGNORECASE)
LEAST_S = 60.0
ENDS = {
    "api/test_webhooks.py webhook_timeout_s=1.0": "the receiver never answers",
    "client/test_client.py timeout_s=0.2": "nobody works on the job",
    "contracts/test_documents_sandbox.py page_timeout_s=4.0": "the page takes minutes, and the next is tried again",
    "contracts/test_store_races.py lease_s=15.0": "its time is a number in the test",
    "dropin/test_attached.py dropin_wait_s=0.3": "nobody works on the job",
    "dropin/test_attached.py timeout=0.001": "the model keeps its answer back",
    "dropin/test_fetching.py timeout_s=2.0": "the server keeps the file back",
    "dropin/test_files_in_bodies.py dropin_wait_s=0.3": "nobody works on the job",
    "fakes/serve_process.py FIELDMARK_LEASE_S=3": "of killed processes; others are too late as often as they like",
    "faults/test_pipeline_calls.py model_timeout_s=3.0": "the model never answers",
    "faults/test_pipeline_crashes.py lease_s=15.0": "nobody works or sweeps but the test, whose clock is its own",
    "faults/test_provider_trouble.py provider_patience_s=1.0": "the provider never comes back",
    "faults/test_rehearsed_faults.py TIMEOUT_S=3.0": "the model never answers",
    "faults/test_rehearsed_faults.py provider_patience_s=0.1": "no call may be made again",
    "pipeline/test_trust.py model_timeout_s=0.0": "no answer can be in time",
    "processes/random_kills.py LEASE_S=5.0": "it measures, and is no test",
    "processes/test_webhook_kills.py FIELDMARK_WEBHOOK_TIMEOUT_S=5": "of a killed sender; a living one may be late too",
}
"""The only short time limits of tests: where → why it does not matter how slow a machine is."""
FORBIDDEN_NAMES = {"utils", "helpers", "common", "misc", "manager"}


def tracked_files() -> list[Path]:
    """What is committed, and is still there."""
    names = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, check=True, capture_output=True, text=True).stdout
    return [ROOT / name for name in names.split("\0") if name and (ROOT / name).is_file()]


@pytest.mark.parametrize("path", SOURCES, ids=lambda p: str(p.relative_to(ROOT)))
def test_files_and_functions_fit_on_a_few_screens(path):
    """A file stays below 400 lines, a function below 50."""
    text = path.read_text()
    assert text.count("\n") <= MOST_LINES
    long = [
        (node.name, node.end_lineno - node.lineno + 1)
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and node.end_lineno - node.lineno + 1 > MOST_FUNCTION_LINES
    ]
    assert long == []


def test_tests_and_scripts_are_no_longer_than_sources():
    """By theme, like what they are about."""
    assert [path.name for path in (*TESTS, *SCRIPTS) if path.read_text().count("\n") > MOST_LINES] == []


def test_no_test_is_left_out_but_for_a_reason_that_is_named_here():
    """A test that leaves itself out where something is not installed says nothing there, and nobody sees it."""
    marks = [
        f"{path.relative_to(ROOT)}: {ast.unparse(node)}"
        for path in TESTS
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Call)
        and ast.unparse(node.func).removeprefix("pytest.") in {"mark.skip", "mark.skipif", "skip", "importorskip"}
    ]
    assert [mark for mark in marks if not any(reason in mark.casefold() for reason in LEFT_OUT)] == []


def test_tests_name_the_time_that_a_request_may_take():
    """The HTTP client gives up after five seconds, which a machine that has other things to do may need."""
    asking = {"get", "post", "put", "delete", "request", "stream", "Client", "AsyncClient"}
    calls = [
        (path, node) for path in TESTS for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Call)
    ]
    hasty = [
        f"{path.relative_to(ROOT)}:{call.lineno}"
        for path, call in calls
        if isinstance(call.func, ast.Attribute)
        and isinstance(call.func.value, ast.Name)
        and (call.func.value.id, call.func.attr in asking) == ("httpx", True)
        and not any(keyword.arg == "timeout" for keyword in call.keywords)
    ]
    assert hasty == []


def _named_values(tree: ast.AST) -> Iterator[tuple[str, ast.expr]]:
    """Arguments, entries of dictionaries and assignments by name."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            yield from ((keyword.arg, keyword.value) for keyword in node.keywords if keyword.arg)
            if ast.unparse(node.func).endswith("Timeout"):
                yield from (("timeout", value) for value in (*node.args, *(keyword.value for keyword in node.keywords)))
        elif isinstance(node, ast.Dict):
            pairs = zip(node.keys, node.values, strict=True)
            yield from ((str(key.value), value) for key, value in pairs if isinstance(key, ast.Constant))
        elif isinstance(node, ast.Assign):
            yield from ((target.id, node.value) for target in node.targets if isinstance(target, ast.Name))


def _seconds_in(value: ast.expr) -> Iterator[str]:
    """The numbers in an expression, as they are written, also those of an environment."""
    for node in ast.walk(value):
        if isinstance(node, ast.Constant) and re.fullmatch(r"[0-9.]+", str(node.value)):
            yield str(node.value)


def test_no_machine_is_too_slow_for_a_time_limit_of_a_test():
    """A short one is over by chance on a machine that has other things to do, unless it must be over anyway."""
    found = {
        f"{path.relative_to(ROOT / 'tests')} {name}={seconds}"
        for path in TESTS
        if "unit" not in path.parts  # there no time passes but a number in the test
        for name, value in _named_values(ast.parse(path.read_text()))
        if LIMITS.search(name)
        for seconds in _seconds_in(value)
        if float(seconds) < LEAST_S
    }
    assert found == set(ENDS)


def test_no_test_sleeps():
    """It waits until something holds (`wait_until`), or puts its own clock forward."""
    waking = {"time.sleep", "asyncio.sleep", "anyio.sleep", "sleep"}
    found = [
        f"{path.relative_to(ROOT)}:{node.lineno}"
        for path in TESTS
        if path.name.startswith("test_")
        and path.name != "test_store_races.py"  # there a pause invites another to overtake
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Call) and ast.unparse(node.func) in waking and ast.unparse(node.args[0]) != "0"
    ]
    assert found == []


def test_no_module_has_a_name_that_says_nothing():
    """`utils` and its kin are where order ends."""
    assert [p for p in SOURCES if p.stem in FORBIDDEN_NAMES or p.parent.name in FORBIDDEN_NAMES] == []


def test_every_setting_is_documented():
    """The table in docs/settings.md names each setting with its default, and no other."""
    rows = re.findall(r"^\| `FIELDMARK_([A-Z0-9_]+)` \| (.*?) \|", (ROOT / "docs/settings.md").read_text(), re.M)
    expected = {name.upper(): field for name, field in Settings.model_fields.items()}
    assert sorted(expected) == sorted(name for name, _ in rows)
    for name, shown in rows:
        default = expected[name].get_default()
        plain = default.get_secret_value() if hasattr(default, "get_secret_value") else str(default)
        assert shown.strip("`") == (plain or "–"), name


def test_no_index_address_and_no_absolute_path_is_committed():
    """Locks name no package index; nothing names a path of somebody's machine."""
    bad = re.compile(r"https?://[^/\s]*(pypi|npmjs)[^/\s]*/(simple|packages)|--index-url|(?<![\w.])/(root|home)/\w+/")
    found = []
    for path in tracked_files():
        if path.suffix in {".pdf", ".jpg", ".png", ".onnx", ".npz"} or path == Path(__file__):
            continue
        text = path.read_text(errors="ignore")
        found += [f"{path.relative_to(ROOT)}: {match.group()}" for match in bad.finditer(text)]
    assert found == []


def test_every_decision_is_listed():
    """docs/decisions/README.md links each page once."""
    folder = ROOT / "docs/decisions"
    linked = re.findall(r"\]\((\d{4}-[\w-]+\.md)\)", (folder / "README.md").read_text())
    assert sorted(linked) == sorted(p.name for p in folder.glob("[0-9]*.md"))


@pytest.mark.parametrize("page", sorted((ROOT / "service/ui/static").glob("*.html")), ids=lambda p: p.stem)
def test_a_page_asks_for_every_module_at_once(page):
    """Each module that a page's script imports, by however many others, is preloaded: none is found late."""
    text = page.read_text()
    waiting = re.findall(r'<script type="module"[^>]* src="/ui/([\w-]+\.js)"', text)
    imported: set[str] = set()
    while waiting:
        found = re.findall(r'^import .* from "\./([\w-]+\.js)"', (page.parent / waiting.pop()).read_text(), re.M)
        waiting += [name for name in found if name not in imported]
        imported.update(found)
    assert imported <= set(re.findall(r'<link rel="modulepreload" href="/ui/([\w-]+\.js)"', text))
