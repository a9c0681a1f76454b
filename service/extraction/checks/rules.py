"""The language of `x-checks`: a comparison of amounts or days, a check digit, or what no two documents may share.

Parsed, never evaluated as code.

    rule       := sum ("==" | "!=" | "<=" | ">=" | "<" | ">") sum | digits "(" path ")"
                | "unique" "(" path ("," path)* ")"
    digits     := "iban" | "luhn" | "vat" | "ean" | "isbn" | "lei" | "aba"
    sum        := product (("+" | "-") product)*
    product    := factor (("*" | "/") factor)*
    factor     := number | "-" factor | "(" sum ")" | ("sum" | "count" | "min" | "max") "(" path ")" | path
    path       := name ("[]")? ("." name ("[]")?)*        name := a word, or anything in double quotes

`lines[].amount` outside of an aggregate makes the rule one for each row; inside, all rows are meant and `[]` may be
left out.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal
from typing import TypeAlias

from service.domain.errors import ErrorCode, InputError
from service.domain.schema import ExtractionSchema, FieldType, SchemaField
from service.extraction.checks.check_digits import CHECK_DIGITS

_COMPARATORS = ("==", "!=", "<=", ">=", "<", ">")
_AGGREGATES = ("sum", "count", "min", "max")
_UNIQUE = "unique"
_MOST_RULES = 200
_MOST_CHARS = 500
_MOST_DEPTH = 20
_TOKEN = re.compile(r'\s*(?:(\d+(?:\.\d+)?)|("[^"]+"|[^\W\d]\w*)|(==|!=|<=|>=|\[\]|[-+*/()<>.,]))')


@dataclass(frozen=True, slots=True)
class Constant:
    """A number as written."""

    value: Decimal


@dataclass(frozen=True, slots=True)
class Reference:
    """A field: property names from the root on, `[]` after an array."""

    tokens: tuple[str, ...]
    is_day: bool
    """Whether its values are days, not numbers."""

    @property
    def array(self) -> tuple[str, ...] | None:
        """The names up to the array whose rows it goes through; None when it goes through none."""
        return self.tokens[: self.tokens.index("[]")] if "[]" in self.tokens else None


@dataclass(frozen=True, slots=True)
class Aggregate:
    """`sum`, `count`, `min` or `max` over all rows."""

    name: str
    over: Reference


@dataclass(frozen=True, slots=True)
class Operation:
    """`+`, `-`, `*` or `/`."""

    operator: str
    left: Expression
    right: Expression


Expression: TypeAlias = "Constant | Reference | Aggregate | Operation"


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two sides that must stand in a relation."""

    text: str
    left: Expression
    comparator: str
    right: Expression
    array: tuple[str, ...] | None
    """Names up to the array for whose rows the rule is meant; None: once for the record."""


@dataclass(frozen=True, slots=True)
class Predicate:
    """A property that a text must have."""

    text: str
    name: str
    of: Reference


@dataclass(frozen=True, slots=True)
class Uniqueness:
    """Fields whose values, taken together, no two documents of a named schema may share."""

    text: str
    of: tuple[Reference, ...]


Rule: TypeAlias = "Comparison | Predicate | Uniqueness"


def parse_rules(schema: ExtractionSchema) -> tuple[Rule, ...]:
    """Read the schema's `x-checks`.

    Raises:
        InputError: `invalid_schema`; the message names the rule and what is wrong with it.
    """
    given = schema.source.get("x-checks", [])
    if not isinstance(given, list):
        raise _fault("x-checks", "it must be a list of rules, each a string")
    if len(given) > _MOST_RULES:
        raise _fault("x-checks", f"it has {len(given)} rules; at most {_MOST_RULES} are taken")
    rules: list[Rule] = []
    for position, text in enumerate(given):
        if not isinstance(text, str):
            raise _fault(f"x-checks/{position}", "a rule is a string")
        rules.append(_RuleParser(text, schema.root, f"x-checks/{position}").rule())
    return tuple(rules)


def _fault(where: str, why: str) -> InputError:
    return InputError(ErrorCode.INVALID_SCHEMA, f"Invalid Schema: at /{where}: {why}.", param=f"/{where}")


class _RuleParser:
    """Recursive descent over one rule."""

    def __init__(self, text: str, root: SchemaField, where: str) -> None:
        self._text = text
        self._root = root
        self._where = where
        self._depth = 0
        self._arrays: set[tuple[str, ...]] = set()
        self._tokens = self._split()
        self._at = 0

    def _fail(self, why: str) -> InputError:
        return _fault(self._where, f"the rule {self._text[:_MOST_CHARS]!r}: {why}")

    def _split(self) -> list[str]:
        if len(self._text) > _MOST_CHARS:
            raise self._fail(f"a rule has at most {_MOST_CHARS} characters")
        tokens: list[str] = []
        at = 0
        text = self._text.rstrip()
        while at < len(text):
            match = _TOKEN.match(text, at)
            if match is None:
                raise self._fail(f"{text[at:].strip()[:1]!r} is not understood")
            tokens.append(match.group().strip())
            at = match.end()
        return tokens

    def _peek(self) -> str:
        return self._tokens[self._at] if self._at < len(self._tokens) else ""

    def _next(self) -> str:
        token = self._peek()
        self._at += 1
        return token

    def _expect(self, token: str) -> None:
        if (found := self._next()) != token:
            raise self._fail(f"{token!r} is missing{f' before {found!r}' if found else ' at its end'}")

    def rule(self) -> Rule:
        if self._peek() in CHECK_DIGITS and self._tokens[self._at + 1 : self._at + 2] == ["("]:
            name = self._next()
            reference = self._in_brackets()
            if self._field(reference).type is not FieldType.STRING:
                raise self._fail(f"{name} is for text")
            self._expect_end()
            return Predicate(self._text, name, reference)
        if self._peek() == _UNIQUE and self._tokens[self._at + 1 : self._at + 2] == ["("]:
            return self._uniqueness()
        left = self._sum()
        if self._peek() not in _COMPARATORS:
            raise self._fail("one of " + " ".join(_COMPARATORS) + " is missing between two sides")
        comparator = self._next()
        right = self._sum()
        self._expect_end()
        if _is_day(left) is not _is_day(right):
            raise self._fail("a day and a number cannot be compared")
        if len(self._arrays) > 1:
            raise self._fail("its fields go through more than one array")
        return Comparison(self._text, left, comparator, right, next(iter(self._arrays), None))

    def _uniqueness(self) -> Uniqueness:
        self._next()
        self._expect("(")
        fields = [self._path()]
        while self._peek() == ",":
            self._next()
            fields.append(self._path())
        self._expect(")")
        self._expect_end()
        if any(self._field(f).type in (FieldType.ARRAY, FieldType.OBJECT) or f.array is not None for f in fields):
            raise self._fail(f"{_UNIQUE} is for single values of the document")
        return Uniqueness(self._text, tuple(fields))

    def _expect_end(self) -> None:
        if self._peek():
            raise self._fail(f"{self._peek()!r} is not expected there")

    def _sum(self) -> Expression:
        left = self._product()
        while self._peek() in ("+", "-"):
            left = self._operation(self._next(), left, self._product())
        return left

    def _product(self) -> Expression:
        left = self._factor()
        while self._peek() in ("*", "/"):
            left = self._operation(self._next(), left, self._factor())
        return left

    def _operation(self, operator: str, left: Expression, right: Expression) -> Operation:
        if _is_day(left) or _is_day(right):
            raise self._fail(f"{operator!r} is for numbers")
        return Operation(operator, left, right)

    def _factor(self) -> Expression:
        self._depth += 1
        if self._depth > _MOST_DEPTH:
            raise self._fail(f"nested deeper than {_MOST_DEPTH} levels")
        factor = self._inner_factor()
        self._depth -= 1
        return factor

    def _inner_factor(self) -> Expression:
        ahead = self._peek()
        if ahead == "-":
            self._next()
            return self._operation("-", Constant(Decimal(0)), self._factor())
        if ahead == "(":
            self._next()
            inner = self._sum()
            self._expect(")")
            return inner
        if ahead[:1].isdecimal():
            return Constant(Decimal(self._next()))
        if ahead in _AGGREGATES and self._tokens[self._at + 1 : self._at + 2] == ["("]:
            return self._aggregate(self._next())
        reference = self._path()
        self._require_comparable(reference)
        if reference.array is not None:
            self._arrays.add(reference.array)
        return reference

    def _aggregate(self, name: str) -> Aggregate:
        reference = self._in_brackets()
        if reference.array is None:
            raise self._fail(f"{name} is for a field of an array's rows")
        if name != "count":
            self._require_comparable(reference)
        if name == "sum" and reference.is_day:
            raise self._fail("sum is for numbers")
        return Aggregate(name, reference)

    def _in_brackets(self) -> Reference:
        self._expect("(")
        reference = self._path(every_row=True)
        self._expect(")")
        return reference

    def _path(self, *, every_row: bool = False) -> Reference:
        """A field; under `every_row` the `[]` after an array may be missing."""
        field, tokens = self._root, list[str]()
        while True:
            name = self._next()
            if not name or not (name[0] == '"' or name[0].isalpha() or name[0] == "_"):
                raise self._fail(f"a field is missing{f' before {name!r}' if name else ' at its end'}")
            child = field.property(name.strip('"'))
            if child is None:
                raise self._fail(f"the schema has no field {'.'.join([*tokens, name.strip(chr(34))])!r}")
            field = child
            tokens.append(field.name)
            if self._peek() == "[]" or (every_row and field.items is not None):
                field = self._rows_of(field, tokens)
            if self._peek() != ".":
                return Reference(tuple(tokens), field.type is FieldType.STRING)
            self._next()

    def _rows_of(self, field: SchemaField, tokens: list[str]) -> SchemaField:
        if self._peek() == "[]":
            self._next()
        if field.items is None or "[]" in tokens:
            raise self._fail(f"{field.name!r} cannot be gone through row by row")
        tokens.append("[]")
        return field.items

    def _field(self, reference: Reference) -> SchemaField:
        field = self._root
        for step in reference.tokens:
            below = field.items if step == "[]" else field.property(step)
            assert below is not None  # _path followed the same names
            field = below
        return field

    def _require_comparable(self, reference: Reference) -> None:
        field = self._field(reference)
        is_day = field.type is FieldType.STRING and field.format in ("date", "date-time", None)
        if not is_day and field.type not in (FieldType.NUMBER, FieldType.INTEGER):
            raise self._fail(f"{'.'.join(reference.tokens)!r} is neither a number nor a day")


def _is_day(expression: Expression) -> bool:
    if isinstance(expression, Reference):
        return expression.is_day
    return isinstance(expression, Aggregate) and expression.name in ("min", "max") and expression.over.is_day
