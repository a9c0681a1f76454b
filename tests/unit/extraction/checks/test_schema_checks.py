"""The schema's keywords and its `x-checks` on a record."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.domain.errors import ErrorCode, InputError
from service.domain.records import CheckResult, Confidence, JsonObject, Record
from service.domain.schema import parse_schema
from service.extraction.checks.check import parse_checks, run_checks
from service.extraction.merging.merge import merge
from tests.unit.extraction.answers import extraction_of

PROPERTIES: JsonObject = {
    "net": {"type": "number"}, "tax": {"type": "number"}, "total": {"type": "number"}, "count": {"type": "integer"},
    "date": {"type": "string", "format": "date"}, "due_date": {"type": "string", "format": "date"},
    "currency": {"type": "string", "enum": ["EUR", "USD"]}, "code": {"type": "string", "pattern": "^[A-Z]-[0-9]+$"},
    "account": {"type": "string"}, "net amount": {"type": "number"}, "paid": {"type": "boolean"},
    "lines": {"type": "array", "items": {"type": "object", "properties": {
        "quantity": {"type": "number"}, "unit_price": {"type": "number"}, "amount": {"type": "number"},
        "day": {"type": "string", "format": "date"}}}},
    "other": {"type": "array", "items": {"type": "object", "properties": {"amount": {"type": "number"}}}},
}  # fmt: skip


def checked(values: JsonObject, *rules: str) -> Record:
    """The record of these sure values after its checks; properties that are not given are null."""
    schema = parse_schema({"type": "object", "properties": PROPERTIES, "x-checks": list(rules)})
    whole = {name: [] if name in ("lines", "other") else None for name in PROPERTIES} | values
    return run_checks(merge([extraction_of(whole)], schema, index=0, record_id="r").record, schema)


def outcome(values: JsonObject, *rules: str) -> list[tuple[str, bool]]:
    """Rules and whether they hold."""
    return [(check.rule, check.ok) for check in checked(values, *rules).checks]


def line(quantity: float | None, unit_price: float | None, amount: float | None, day: str | None = None) -> JsonObject:
    """A row."""
    return {"quantity": quantity, "unit_price": unit_price, "amount": amount, "day": day}


@pytest.mark.parametrize(
    ("rule", "values", "ok"),
    [
        ("net + tax == total", {"net": 0.1, "tax": 0.2, "total": 0.3}, True),
        ("net + tax == total", {"net": 10.0, "tax": 2.0, "total": 12.01}, True),
        ("net + tax == total", {"net": 10.0, "tax": 2.0, "total": 12.02}, False),
        ("net * 1.19 == total", {"net": 100, "total": 119}, True),
        ("total - tax == net", {"net": 10, "tax": 2, "total": 12}, True),
        ("-(net - total) == tax", {"net": 10, "tax": 2, "total": 12}, True),
        ("net + tax * 2 == total", {"net": 1, "tax": 2, "total": 5}, True),
        ("total / count == net", {"total": 9, "count": 3, "net": 3}, True),
        ("net <= total", {"net": 5, "total": 4}, False),
        ("net < total", {"net": 4, "total": 4}, False),
        ("net != total", {"net": 4, "total": 5}, True),
        ("count >= 2", {"count": 3}, True),
        ('"net amount" == net', {"net amount": 4, "net": 4}, True),
        ("date <= due_date", {"date": "2026-01-01", "due_date": "2026-01-01"}, True),
        ("date <= due_date", {"date": "2026-02-01", "due_date": "2026-01-01"}, False),
        ("date < due_date", {"date": "2026-01-01T10:00:00", "due_date": "2026-01-02"}, True),
        ("iban(account)", {"account": "DE89 3704 0044 0532 0130 00"}, True),
        ("iban(account)", {"account": "DE89 3704 0044 0532 0130 01"}, False),
        ("luhn(account)", {"account": "4539 1488 0343 6467"}, True),
        ("luhn(account)", {"account": "4539 1488 0343 6468"}, False),
        ("vat(account)", {"account": "DE 136 695 976"}, True),
        ("vat(account)", {"account": "DE 136 695 977"}, False),
        ("vat(account)", {"account": "EL 094259216"}, True),
        ("vat(account)", {"account": "GB 980 7806 84"}, True),
        ("vat(account)", {"account": "GB 980 7806 85"}, False),
        ("vat(account)", {"account": "CHE-107.787.577 IVA"}, True),
        ("vat(account)", {"account": "NO 995 525 828 MVA"}, True),
        ("vat(account)", {"account": "NO 995 525 829 MVA"}, False),
        ("ean(account)", {"account": "4006381333931"}, True),
        ("ean(account)", {"account": "4006381333932"}, False),
        ("isbn(account)", {"account": "978-0-471-11709-4"}, True),
        ("isbn(account)", {"account": "978-0-471-11709-5"}, False),
        ("lei(account)", {"account": "213800KUD8LAJWSQ9D15"}, True),
        ("lei(account)", {"account": "213800KUD8LAJWSQ9D16"}, False),
        ("aba(account)", {"account": "111000025"}, True),
        ("aba(account)", {"account": "111000026"}, False),
        ("sum(lines.amount) == net", {"net": 3.0, "lines": [line(1, 1, 1.0), line(1, 2, 2.0)]}, True),
        ("sum(lines[].amount) == net", {"net": 3.03, "lines": [line(1, 1, 1.0), line(1, 2, 2.0)]}, False),
        ("sum(lines.amount) == net", {"net": 3.02, "lines": [line(1, 1, 1.0), line(1, 2, 2.0)]}, True),
        ("count(lines.amount) == count", {"count": 2, "lines": [line(1, 1, 1.0), line(1, 2, 2.0)]}, True),
        ("max(lines.day) <= date", {"date": "2026-01-02", "lines": [line(1, 1, 1, "2026-01-03")]}, False),
        ("min(lines.amount) > 0", {"lines": [line(1, 1, 1.0), line(1, 2, -2.0)]}, False),
    ],
)  # fmt: skip
def test_rules_hold_or_are_broken(rule: str, values: JsonObject, ok: bool) -> None:
    """Amounts as decimals with a cent's tolerance for each amount added, days as days."""
    assert outcome(values, rule) == [(rule, ok)]


@pytest.mark.parametrize(
    ("rule", "values"),
    [
        ("net + tax == total", {"net": 1.0, "total": 1.0}),
        ("date <= due_date", {"date": "2026-01-01", "due_date": "soon"}),
        ("sum(lines.amount) == net", {"net": 3.0}),
        ("sum(lines.amount) == net", {"net": 3.0, "lines": [line(1, 1, 3.0), line(1, 1, None)]}),
        ("net / tax == total", {"net": 3.0, "tax": 0, "total": 1}),
        ("iban(account)", {}),
        ("vat(account)", {"account": "123456789"}),
        ("vat(account)", {"account": "ZZ 123456789"}),
        ("lines[].quantity * lines[].unit_price == lines[].amount", {"lines": [line(1, None, 3.0)]}),
    ],
)
def test_a_rule_is_silent_where_a_value_is_missing(rule: str, values: JsonObject) -> None:
    """What cannot be decided is neither right nor wrong."""
    assert [check.rule for check in checked(values, rule).checks if check.rule == rule] == []


def test_a_rule_for_rows_names_the_rows_that_break_it() -> None:
    """Only their cells lose confidence."""
    rule = "lines[].quantity * lines[].unit_price == lines[].amount"
    result = checked({"lines": [line(2, 5, 10), line(3, 7, 20), line(None, 1, 1)]}, rule)
    paths = ("/lines/1/quantity", "/lines/1/unit_price", "/lines/1/amount")
    assert result.checks == (CheckResult(rule=rule, ok=False, paths=paths, message="broken by 3 values"),)
    low = [
        path for path, entry in result.fields.items() if entry.value is not None and entry.confidence is Confidence.LOW
    ]
    assert sorted(low) == sorted(paths)


def test_rows_may_be_compared_with_the_record() -> None:
    """A rule that names a row and a field of the root is applied to each row."""
    values: JsonObject = {"date": "2026-01-02", "lines": [line(1, 1, 1, "2026-01-01"), line(1, 1, 1, "2026-01-03")]}
    (check,) = checked(values, "lines[].day <= date").checks
    assert check.paths == ("/lines/1/day", "/date")


@pytest.mark.parametrize(
    ("values", "rule", "path"),
    [
        ({"currency": "GBP"}, "enum:/currency", "/currency"), ({"code": "a-1"}, "pattern:/code", "/code"),
        ({"date": "05.03.2026"}, "format:/date", "/date"), ({"date": "2026-02-30"}, "format:/date", "/date"),
        ({"lines": [line(1, 1, 1), line(1, 1, 1, "soon")]}, "format:/lines/*/day", "/lines/1/day"),
    ],
)  # fmt: skip
def test_the_schemas_own_keywords_are_checked(values: JsonObject, rule: str, path: str) -> None:
    """Told only when broken; the value stays, its confidence does not."""
    result = checked(values)
    assert [(c.rule, c.ok, c.paths) for c in result.checks] == [(rule, False, (path,))]
    assert result.fields[path].confidence is Confidence.LOW
    assert checked({"currency": "EUR", "code": "A-1", "date": "2026-03-05"}).checks == ()


def test_a_pattern_that_backtracks_for_ever_ends() -> None:
    """A caller's pattern must not hang a worker."""
    schema = parse_schema({"type": "object", "properties": {"a": {"type": "string", "pattern": "^(x+x+)+y$"}}})
    record = merge([extraction_of({"a": "x" * 5000})], schema, index=0, record_id="r").record
    assert [check.rule for check in run_checks(record, schema).checks] == ["pattern:/a"]


@pytest.mark.parametrize(
    "rule",
    [
        "net +",
        "net ==",
        "foo == net",
        "sum(net) == total",
        "net = total",
        "date == total",
        "__import__('os')",
        "lines.amount == 1",
        "net == total == tax",
        "(" * 50 + "net",
        "sum(lines) == 1",
        "1 == 1 )",
        "currency + 1 == 2",
        "lines[].amount.x == 1",
        "lines[].amount == other[].amount",
        "paid == 1",
        "net; total",
        "",
        "sum(lines.day) == 1",
        "net[] == 1",
        "iban(net)",
        "iban(account) == 1",
        "net == total " + "+ 1 " * 200,
        "net.real == 1",
        "sum net == 1",
    ],
)
def test_a_rule_that_cannot_be_read_is_refused_with_its_place(rule: str) -> None:
    """Before any document is read, by the number of the rule."""
    schema = parse_schema({"type": "object", "properties": PROPERTIES, "x-checks": ["net <= total", rule]})
    with pytest.raises(InputError, match="/x-checks/1") as caught:
        parse_checks(schema)
    assert (caught.value.code, caught.value.param) == (ErrorCode.INVALID_SCHEMA, "/x-checks/1")


@pytest.mark.parametrize("checks", ["net == total", {"a": 1}, [5], [["net"]], 7, ["net == total"] * 201])
def test_checks_of_another_form_are_refused(checks: object) -> None:
    """`x-checks` is a list of strings, and not of any number."""
    source: JsonObject = {"type": "object", "properties": PROPERTIES, "x-checks": checks}
    with pytest.raises(InputError, match="x-checks"):
        parse_checks(parse_schema(source))


def test_a_pattern_that_is_none_is_refused_by_its_path() -> None:
    """A bad pattern is the schema's fault, not the document's."""
    source: JsonObject = {"type": "object", "properties": {"a": {"type": "string", "pattern": "("}}}
    with pytest.raises(InputError, match="at /a"):
        parse_checks(parse_schema(source))


@given(st.text(alphabet='netoal+-*/()=<>![]., "1sum', max_size=40))
def test_any_text_is_a_rule_or_an_invalid_schema(rule: str) -> None:
    """Nothing else comes out of the parser."""
    schema = parse_schema({"type": "object", "properties": PROPERTIES, "x-checks": [rule]})
    try:
        assert len(parse_checks(schema)) == 1
    except InputError as error:
        if error.code is not ErrorCode.INVALID_SCHEMA:
            raise


@given(st.lists(st.integers(-10_000, 10_000), min_size=1, max_size=40))
def test_sums_are_computed_as_decimals(cents: list[int]) -> None:
    """No rounding of binary fractions breaks a true sum."""
    rows: JsonObject = {"lines": [line(None, None, c / 100) for c in cents], "net": sum(cents) / 100}
    assert outcome(rows, "sum(lines.amount) == net") == [("sum(lines.amount) == net", True)]


def test_earlier_outcomes_are_kept() -> None:
    """A record that was checked before keeps what was found."""
    before = CheckResult(rule="x", ok=True, paths=())
    schema = parse_schema({"type": "object", "properties": {"a": {"type": "string"}}})
    record = merge([extraction_of({"a": "1"})], schema, index=0, record_id="r").record
    assert run_checks(replace(record, checks=(before,)), schema).checks == (before,)
