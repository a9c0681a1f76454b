"""Makes what stands in a document, with its truth: the value, and the text that is printed of it."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import date, timedelta
from decimal import Decimal
from functools import lru_cache
from pathlib import Path
from random import Random
from typing import Any

from benchmarks.strangers.kinds import Field, Kind

CENT = Decimal("0.01")
WHOLE_MONEY = ("KRW", "JPY")
"""Currencies without decimals."""
_LETTERS, _DIGITS = "ABCDEFGHJKLMNPRSTUVWXYZ", "0123456789"
_IBANS = {"de": ("DE", 18), "fr": ("FR", 23), "cs": ("CZ", 20), "es": ("ES", 20)}
"""Country, and digits behind its check digits. Source: ISO 13616 registry."""


@dataclass(frozen=True)
class Told:
    """A value and its printed text; `number` prints amounts again with their currency."""

    value: str | int | Decimal | bool
    text: str


Row = dict[str, Told]


@dataclass
class Facts:
    """All that one document tells, by path."""

    kind: Kind
    rng: Random
    singles: Row = field(default_factory=dict)
    rows: dict[str, list[Row]] = field(default_factory=dict)
    lacking: set[str] = field(default_factory=set)
    """Fields that this document does not have."""

    def __post_init__(self) -> None:
        words = vocabulary()
        self.words: Mapping[str, Any] = words.get(self.kind.language, {})
        self.people: Mapping[str, Any] = self.words if "firsts" in self.words else words["en"]
        self.today = date(2021, 1, 4) + timedelta(days=self.rng.randrange(1700))
        self.day_form = self.rng.choice(self.words["dates"])
        self.stems = self.rng.sample(vocabulary()["stems"], k=25)
        """Of firms, each for one."""
        for one in self.kind.fields:
            self._make(one)

    def money(self, told: Told) -> str:
        """An amount with the sign or the code of its currency."""
        code = self.kind.currency
        sign = vocabulary()["signs"][code] if self.rng.random() < 0.7 else code
        form = self.words["money"] if len(sign) == 1 else self.words["money"].replace("{sign}{", "{sign} {")
        return form.format(sign=sign, amount=told.text)

    def number(self, value: Decimal, digits: int, *, grouped: bool = True) -> str:
        """A number as the language writes it."""
        thousands, point = self.words["number"]
        text = f"{value:,.{digits}f}" if grouped else f"{value:.{digits}f}"
        return text.translate({ord(","): thousands, ord("."): point})

    def _make(self, one: Field) -> None:
        group, is_row, column = one.path.partition("[]")
        if one.absent or (one.sometimes and self.rng.random() < 0.5):
            self.lacking.add(one.path)
        elif not is_row:
            self.singles[one.path] = _MAKERS[one.maker](self, one.arguments, self.singles)
        elif not column:
            least, _, most = one.maker.partition("-")
            self.rows[group] = [{} for _ in range(self.rng.randint(int(least), int(most or least)))]
        else:
            self._make_column(one, self.rows[group], column.removeprefix("."))

    def _make_column(self, one: Field, rows: list[Row], column: str) -> None:
        if one.maker == "each":
            for row, text in zip(rows, self.rng.sample(one.arguments, len(rows)), strict=True):
                row[column] = Told(text, text)
            return
        group = one.path.partition("[]")[0]
        for number, row in enumerate(rows, start=1):
            known = {**self.singles, **{f"{group}[].{key}": told for key, told in row.items()}}
            known["#"] = Told(number, str(number))
            row[column] = _MAKERS[one.maker](self, one.arguments, known)

    def day(self, arguments: tuple[str, ...]) -> date:
        """A day so many days from the document's, of a range."""
        least, _, most = (arguments or ("0",))[0].partition("..")
        return self.today + timedelta(days=self.rng.randint(int(least), int(most or least)))

    def code(self, pattern: str) -> str:
        """A number of a pattern: 9 for a digit, A for a letter."""
        return "".join(
            self.rng.choice(_DIGITS if c == "9" else _LETTERS) if c in "9A" else c for c in pattern
        )  # fmt: skip


@lru_cache(maxsize=1)
def vocabulary() -> Mapping[str, Any]:
    """The words beside this file."""
    return tomllib.loads(Path(__file__).with_name("words.toml").read_text("utf-8"))


Maker = Callable[[Facts, tuple[str, ...], Row], Told]


def _same(text: str) -> Told:
    return Told(text, text)


def _person(facts: Facts, _: tuple[str, ...], __: Row) -> Told:
    return _same(f"{facts.rng.choice(facts.people['firsts'])} {facts.rng.choice(facts.people['lasts'])}")


def _company(facts: Facts, _: tuple[str, ...], __: Row) -> Told:
    return _same(facts.rng.choice(facts.people["firm"]).format(stem=facts.stems.pop()))


def _street(facts: Facts, _: tuple[str, ...], __: Row) -> Told:
    return _same(facts.rng.choice(facts.people["streets"]).format(n=facts.rng.randint(1, 180)))


def _zip(facts: Facts, _: tuple[str, ...], __: Row) -> Told:
    return _same(facts.code("8" + facts.people["zip"][1:]))


def _address(facts: Facts, _: tuple[str, ...], known: Row) -> Told:
    city, code = facts.rng.choice(facts.people["cities"]), _zip(facts, (), known).text
    return _same(f"{_street(facts, (), known).text}\n{facts.people['place'].format(zip=code, city=city)}")


def _of_words(key: str) -> Maker:
    return lambda facts, _, __: _same(facts.rng.choice(facts.people[key]))


def _code(facts: Facts, arguments: tuple[str, ...], _: Row) -> Told:
    return _same(facts.code(" ".join(arguments)))


def _iban(facts: Facts, _: tuple[str, ...], __: Row) -> Told:
    country, digits = _IBANS.get(facts.kind.language, _IBANS["de"])
    body = facts.code("9" * digits)
    number = int(body + "".join(str(ord(c) - 55) for c in country) + "00")
    whole = f"{country}{98 - number % 97:02d}{body}"
    return Told(whole, " ".join(re.findall(".{1,4}", whole)))


def _email(facts: Facts, _: tuple[str, ...], __: Row) -> Told:
    return _same(
        f"{facts.rng.choice(('info', 'office', 'j.marlow', 'clara', 'desk'))}@{facts.code('AAAA').lower()}.example"
    )


def _pick(facts: Facts, arguments: tuple[str, ...], _: Row) -> Told:
    text = facts.rng.choice(arguments)
    if all(re.fullmatch(r"\d+", one) for one in arguments):
        return Told(int(text), text)
    if all(re.fullmatch(r"\d+([.,]\d+)?", one) for one in arguments):
        value = Decimal(text.replace(",", "."))
        return Told(value, facts.number(value, -int(value.as_tuple().exponent)))
    return _same(text)


def _enum(facts: Facts, arguments: tuple[str, ...], _row: Row) -> Told:
    member, _, printed = facts.rng.choice(arguments).partition("=")
    return Told(member, printed)


def _date(facts: Facts, arguments: tuple[str, ...], _: Row) -> Told:
    day = facts.day(arguments)
    return Told(day.isoformat(), day.strftime(facts.day_form))


def _longdate(facts: Facts, arguments: tuple[str, ...], _: Row) -> Told:
    day = facts.day(arguments)
    month = facts.words["months"][day.month - 1] if "months" in facts.words else day.month
    return Told(day.isoformat(), facts.words["long"].format(day=day.day, month=month, year=day.year))


def _birth(facts: Facts, _: tuple[str, ...], known: Row) -> Told:
    return _date(facts, ("-25000..-7000",), known)


def _month(facts: Facts, _: tuple[str, ...], __: Row) -> Told:
    return _same(f"{facts.words['months'][facts.today.month - 1]} {facts.today.year}")


def _time(facts: Facts, _: tuple[str, ...], __: Row) -> Told:
    return _same(f"{facts.rng.randint(7, 20):02d}:{facts.rng.randrange(0, 60, 5):02d}")


def _bool(facts: Facts, _: tuple[str, ...], __: Row) -> Told:
    value = facts.rng.random() < 0.5
    return Told(value, facts.words["yes"][not value])


def _amount(facts: Facts, value: Decimal) -> Told:
    digits = 0 if facts.kind.currency in WHOLE_MONEY else 2
    value = round(value, digits)
    return Told(value, facts.number(value, digits))


def _money(facts: Facts, arguments: tuple[str, ...], _: Row) -> Told:
    least, most = (int(argument) * 100 for argument in arguments)
    return _amount(facts, Decimal(facts.rng.randint(least, most)) * CENT)


def _num(facts: Facts, arguments: tuple[str, ...], _: Row) -> Told:
    digits = int(arguments[2])
    value = round(Decimal(str(facts.rng.uniform(float(arguments[0]), float(arguments[1])))), digits)
    return Told(value, facts.number(value, digits))


def _int(facts: Facts, arguments: tuple[str, ...], _: Row) -> Told:
    value = facts.rng.randint(int(arguments[0]), int(arguments[1]))
    return Told(value, str(value))


def _reckoned(reckon: Callable[[list[Decimal]], Decimal]) -> Maker:
    def make(facts: Facts, arguments: tuple[str, ...], known: Row) -> Told:
        parts = [Decimal(known[a].value) if a in known else Decimal(a) for a in arguments]
        if all(isinstance(known[a].value, int) for a in arguments if a in known):
            return Told(int(reckon(parts)), str(int(reckon(parts))))
        return _amount(facts, reckon(parts))

    return make


def _sum(facts: Facts, arguments: tuple[str, ...], _row: Row) -> Told:
    group, _, column = arguments[0].partition("[].")
    told = [row[column] for row in facts.rows[group]]
    value = sum((Decimal(one.value) for one in told), start=Decimal(0))
    if all(isinstance(one.value, int) for one in told):
        return Told(int(value), str(value))
    digits = max(-int(Decimal(one.value).as_tuple().exponent) for one in told)
    return Told(value, facts.number(value, digits))


_MAKERS: dict[str, Maker] = {
    "person": _person, "company": _company, "street": _street, "zip": _zip, "address": _address,
    "first": _of_words("firsts"), "last": _of_words("lasts"), "city": _of_words("cities"),
    "country": _of_words("countries"), "code": _code, "iban": _iban, "email": _email,
    "phone": lambda facts, _, __: _same(facts.code(facts.people["phone"])),
    "pick": _pick, "percent": _pick, "enum": _enum, "bool": _bool,
    "text": lambda _, arguments, __: _same(" ".join(arguments)),
    "date": _date, "longdate": _longdate, "birth": _birth, "month": _month, "time": _time,
    "money": _money, "num": _num, "int": _int, "year": _int, "rowno": lambda _, __, known: known["#"], "sum": _sum,
    "minus": _reckoned(lambda parts: parts[0] - sum(parts[1:])),
    "total": _reckoned(lambda parts: sum(parts, Decimal(0))), "times": _reckoned(lambda parts: parts[0] * parts[1]),
    "share": _reckoned(lambda parts: parts[0] * parts[1] / 100),
}  # fmt: skip
