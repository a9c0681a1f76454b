"""Whether a record agrees with itself: the schema's own keywords and its `x-checks`."""

from __future__ import annotations

import datetime as dt
import operator
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from decimal import Decimal, DivisionByZero, InvalidOperation

from service.domain.errors import ErrorCode, InputError
from service.domain.records import CheckResult, Confidence, FieldEntry, Json, JsonObject, Record, Scalar
from service.domain.schema import ExtractionSchema, SchemaField, escape_pointer
from service.extraction.checks.check_digits import CHECK_DIGITS
from service.extraction.checks.rules import (
    Aggregate,
    Comparison,
    Constant,
    Expression,
    Predicate,
    Reference,
    Rule,
    Uniqueness,
    parse_rules,
)
from service.extraction.schema.shape import walk_fields, walk_values
from service.extraction.text.printed import iso_day

_CENT = Decimal("0.01")
_PATTERN_TIMEOUT_S = 0.2
"""A caller's pattern may be one that backtracks for ever."""

_Amount = Decimal | dt.date
_COMPARE: dict[str, Callable[[Decimal, Decimal], bool]] = {
    # difference of the sides, tolerance
    "==": lambda gap, slack: abs(gap) <= slack,
    "!=": lambda gap, slack: abs(gap) > slack,
    "<=": lambda gap, slack: gap <= slack,
    ">=": lambda gap, slack: gap >= -slack,
    "<": lambda gap, slack: gap < 0,
    ">": lambda gap, slack: gap > 0,
}
_DAY_COMPARE: dict[str, Callable[[dt.date, dt.date], bool]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<=": operator.le,
    ">=": operator.ge,
    "<": operator.lt,
    ">": operator.gt,
}  # fmt: skip - one row


def parse_checks(schema: ExtractionSchema) -> tuple[Rule, ...]:
    """Read the schema's rules and patterns, before any document is.

    Raises:
        InputError: `invalid_schema`; the message names the rule or pattern and what is wrong with it.
    """
    import regex  # late: most processes match no pattern

    for path, leaf in walk_fields(schema.root):
        if leaf.pattern is None:
            continue
        try:
            regex.compile(leaf.pattern)
        except regex.error as error:
            message = f"Invalid Schema: at {path}: the pattern is no regular expression ({error})."
            raise InputError(ErrorCode.INVALID_SCHEMA, message, param=path) from error
    return parse_rules(schema)


def run_checks(record: Record, schema: ExtractionSchema) -> Record:
    """The record with the outcome of its checks; what a broken check is about is no longer `high`.

    A rule is not applied where one of its values is missing. Sums may be off by a cent for each amount that was added.
    Rules are told whether they hold; `enum:/path`, `pattern:/path` and `format:/path` (`*` for rows) only when broken.

    Raises:
        InputError: `invalid_schema`, as `parse_checks`.
    """
    results = [*_schema_checks(record.values, schema)]
    for rule in parse_checks(schema):
        outcome = _apply(rule, record.values)
        if outcome is not None:
            results.append(outcome)
    doubted = {path for result in results if not result.ok for path in result.paths}
    fields = {path: _doubt(entry) if path in doubted else entry for path, entry in record.fields.items()}
    return replace(record, fields=fields, checks=(*record.checks, *results))


def _doubt(entry: FieldEntry) -> FieldEntry:
    return replace(entry, confidence=Confidence.LOW)


def _schema_checks(values: JsonObject, schema: ExtractionSchema) -> Iterator[CheckResult]:
    broken: dict[str, list[str]] = {}
    for path, general, leaf, value in walk_values(values, schema.root):
        if value is not None and (keyword := _broken_keyword(value, leaf)):
            broken.setdefault(f"{keyword}:{general}", []).append(path)
    for rule, paths in broken.items():
        yield CheckResult(rule=rule, ok=False, paths=tuple(paths), message=f"{len(paths)} values break it")


def _broken_keyword(value: Scalar, leaf: SchemaField) -> str | None:
    if leaf.enum and value not in leaf.enum:
        return "enum"
    if not isinstance(value, str):
        return None
    if leaf.pattern is not None and not _matches(leaf.pattern, value):
        return "pattern"
    if leaf.format in ("date", "date-time") and iso_day(value) is None:
        return "format"
    return None


def _matches(pattern: str, value: str) -> bool:
    import regex  # as above

    try:
        return regex.search(pattern, value, timeout=_PATTERN_TIMEOUT_S) is not None
    except TimeoutError:
        return False


@dataclass(slots=True)
class _Trace:
    """What one application of a rule looked at."""

    paths: list[str] = field(default_factory=list[str])
    terms: int = 1
    """Amounts that were added up."""


def _apply(rule: Rule, values: JsonObject) -> CheckResult | None:
    if isinstance(rule, Uniqueness):  # nothing that one document can tell
        return None
    if isinstance(rule, Predicate):
        is_right = CHECK_DIGITS[rule.name]
        texts = [(path, value) for path, value in _read(values, rule.of.tokens) if isinstance(value, str)]
        told = {path: right for path, value in texts if (right := is_right(value)) is not None}
        return _result(rule.text, bool(told), told, [path for path, right in told.items() if not right])
    rows = range(_row_count(values, rule.array)) if rule.array is not None else (None,)
    seen: list[str] = []
    broken: list[str] = []
    applied = False
    for row in rows:
        trace = _Trace()
        holds = _holds(rule, values, row, trace)
        applied = applied or holds is not None
        seen += trace.paths
        if holds is False:
            broken += trace.paths
    return _result(rule.text, applied, seen, broken)


def _result(text: str, applied: bool, seen: Iterable[str], broken: Iterable[str]) -> CheckResult | None:
    """A check that holds names what it is about too, but not every cell of a table."""
    if not applied:
        return None
    at_fault = tuple(dict.fromkeys(broken))
    about = tuple(path for path in dict.fromkeys(seen) if not any(token.isdecimal() for token in path.split("/")))
    message = f"broken by {len(at_fault)} values" if at_fault else ""
    return CheckResult(rule=text, ok=not at_fault, paths=at_fault or about, message=message)


def _holds(rule: Comparison, values: JsonObject, row: int | None, trace: _Trace) -> bool | None:
    left = _value(rule.left, values, row, trace)
    right = _value(rule.right, values, row, trace)
    if isinstance(left, dt.date) and isinstance(right, dt.date):
        return _DAY_COMPARE[rule.comparator](left, right)
    if isinstance(left, Decimal) and isinstance(right, Decimal):
        return _COMPARE[rule.comparator](left - right, _CENT * trace.terms)
    return None


def _value(expression: Expression, values: JsonObject, row: int | None, trace: _Trace) -> _Amount | None:
    if isinstance(expression, Constant):
        return expression.value
    if isinstance(expression, Reference):
        found = list(_read(values, expression.tokens, row))
        trace.paths += [path for path, _ in found]
        return _amount(found[0][1], expression.is_day) if found else None
    if isinstance(expression, Aggregate):
        return _aggregate(expression, values, trace)
    left = _value(expression.left, values, row, trace)
    right = _value(expression.right, values, row, trace)
    if not isinstance(left, Decimal) or not isinstance(right, Decimal):
        return None
    return _calculate(expression.operator, left, right)


def _calculate(sign: str, left: Decimal, right: Decimal) -> Decimal | None:
    try:
        return {"+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv}[sign](left, right)
    except (DivisionByZero, InvalidOperation):
        return None


def _aggregate(expression: Aggregate, values: JsonObject, trace: _Trace) -> _Amount | None:
    found = list(_read(values, expression.over.tokens))
    if expression.name == "count":
        return Decimal(sum(value is not None for _, value in found))
    trace.paths += [path for path, _ in found]
    amounts = [_amount(value, expression.over.is_day) for _, value in found]
    if not amounts or any(amount is None for amount in amounts):
        return None
    if expression.name == "sum":
        trace.terms += len(amounts) - 1
        return sum((a for a in amounts if isinstance(a, Decimal)), Decimal(0))
    days = [a for a in amounts if isinstance(a, dt.date)]
    numbers = [a for a in amounts if isinstance(a, Decimal)]
    choose = min if expression.name == "min" else max
    return choose(days) if days else choose(numbers)


def _amount(value: Scalar, is_day: bool) -> _Amount | None:
    if is_day:
        day = iso_day(value) if isinstance(value, str) else None
        return dt.date.fromisoformat(day) if day else None
    if value is None or isinstance(value, (bool, str)):
        return None
    return Decimal(str(value))


def _read(
    values: Json, tokens: tuple[str, ...], row: int | None = None, path: str = ""
) -> Iterator[tuple[str, Scalar]]:
    """The scalars under a reference with their pointers: of one row, or of all when `row` is None."""
    if not tokens:
        if not isinstance(values, (dict, list)):
            yield path, values
    elif tokens[0] == "[]":
        for index, child in enumerate(values if isinstance(values, list) else []):
            if row is None or row == index:
                yield from _read(child, tokens[1:], row, f"{path}/{index}")
    elif isinstance(values, dict):
        yield from _read(values.get(tokens[0]), tokens[1:], row, f"{path}/{escape_pointer(tokens[0])}")


def _row_count(values: Json, array: tuple[str, ...]) -> int:
    for name in array:
        values = values.get(name) if isinstance(values, dict) else None
    return len(values) if isinstance(values, list) else 0
