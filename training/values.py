"""Invented values, each as the schema wants it and as the page prints it."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from random import Random

from service.domain.records import Json
from training.vocabulary import pick, words

MONTHS = {
    "en": "January February March April May June July August September October November December",
    "de": "Januar Februar März April Mai Juni Juli August September Oktober November Dezember",
    "fr": "janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
    "es": "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
    "it": "gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre",
    "nl": "januari februari maart april mei juni juli augustus september oktober november december",
}
_SYMBOLS = {"EUR": "€", "USD": "$", "GBP": "£", "MYR": "RM", "CHF": "CHF"}
_COUNTRY = {"de": "DE", "fr": "FR", "es": "ES", "it": "IT", "nl": "NL", "en": "GB"}


@dataclass(frozen=True)
class Told:
    """A value and the lines it is printed in."""

    value: Json
    lines: tuple[str, ...]

    @property
    def text(self) -> str:
        """On one line."""
        return " ".join(self.lines)


@dataclass(frozen=True)
class Habit:
    """How one document writes."""

    language: str
    currency: str
    date_style: int
    mark: str
    """The currency as printed beside amounts: before, after or not at all (empty)."""
    before: bool
    comma: bool
    """Whether decimals stand after a comma."""
    grouped: bool
    capitals: bool


def new_habit(rng: Random, language: str) -> Habit:
    """A way of writing that suits a language."""
    currency = (
        rng.choice(("USD", "GBP", "MYR", "EUR")) if language == "en" else rng.choice(("EUR", "EUR", "EUR", "CHF"))
    )
    style = rng.randrange(8)
    return Habit(
        language=language,
        currency=currency,
        date_style=style,
        mark=rng.choice(("", _SYMBOLS[currency], currency, *(["$"] * 3 if currency == "USD" else []))),
        before=language == "en" or rng.random() < 0.2,
        comma=language != "en" and rng.random() < 0.95,
        grouped=rng.random() < 0.8,
        capitals=rng.random() < 0.25,
    )


def money_text(amount: Decimal, habit: Habit, *, marked: bool | None = None) -> str:
    """An amount as the document prints it."""
    text = f"{amount:,.2f}" if habit.grouped else f"{amount:.2f}"
    if habit.comma:
        text = text.replace(",", "~").replace(".", ",").replace("~", ".")
    if not habit.mark or marked is False:
        return text
    tight = "" if len(habit.mark) == 1 else " "
    return f"{habit.mark}{tight}{text}" if habit.before else f"{text} {habit.mark}"


def date_text(day: dt.date, habit: Habit) -> str:
    """A day as the document prints it; all of one document alike."""
    month = MONTHS[habit.language].split()[day.month - 1]
    style = habit.date_style
    if habit.language == "en":
        if habit.currency == "USD" and style < 4:
            return (
                f"{day:%m/%d/%Y}",
                f"{day:%m/%d/%y}",
                f"{month} {day.day}, {day.year}",
                f"{month[:3]} {day.day}, {day.year}",
            )[style]
        return (f"{day:%d/%m/%Y}", f"{day:%d-%m-%Y}", f"{day.day} {month} {day.year}", f"{day:%d/%m/%y}",
                f"{day.day:02d} {month[:3]} {day.year}", f"{day:%Y-%m-%d}", f"{day.day}-{month[:3].upper()}-{day.year}",
                f"{day:%d.%m.%Y}")[style]  # fmt: skip
    dotted = f"{day:%d.%m.%Y}" if habit.language == "de" else f"{day:%d/%m/%Y}"
    return (dotted, dotted, dotted, f"{day:%d.%m.%y}" if habit.language == "de" else f"{day:%d/%m/%y}",
            f"{day.day}. {month} {day.year}" if habit.language == "de" else f"{day.day} {month} {day.year}",
            f"{day:%Y-%m-%d}", f"{day:%d-%m-%Y}", dotted)[style]  # fmt: skip


def some_date(rng: Random) -> dt.date:
    """A day of the last years."""
    return dt.date(2011, 1, 1) + dt.timedelta(days=rng.randrange(5800))


def some_money(rng: Random) -> Decimal:
    """An amount; small ones are more frequent."""
    top = rng.choice((2000, 20000, 200000, 3000000))
    cents = rng.randrange(100, top)
    return Decimal(cents if rng.random() < 0.8 else 100 * (cents // 100 + 1)) / 100


def some_company(rng: Random, language: str, *, shop: bool = False) -> str:
    """The name of a firm."""
    stem = rng.choice((
        f"{pick(rng, 'first')}{pick(rng, 'second')}", f"{pick(rng, 'first')} {pick(rng, 'second').title()}",
        pick(rng, "family"), f"{pick(rng, 'family')} & {pick(rng, 'family')}", f"{pick(rng, 'given')}'s",
        "".join(rng.choice("ABDEGKLMNRSTVW") for _ in range(3)),
    ))  # fmt: skip
    tail = pick(rng, "shop") if shop else pick(rng, "trade")
    form = pick(rng, f"form_{language}") if rng.random() < (0.35 if shop else 0.8) else ""
    return " ".join(part for part in (stem, tail if rng.random() < 0.75 or not form else "", form) if part)


def some_person(rng: Random) -> str:
    """Given and family name."""
    return f"{pick(rng, 'given')} {pick(rng, 'family')}"


def some_address(rng: Random, language: str, *, american: bool = False) -> tuple[str, ...]:
    """The lines of a postal address, street first; one in English is in a state of America or elsewhere."""
    street, number = pick(rng, f"street_{language}"), str(rng.randrange(1, 240))
    city, code = pick(rng, f"city_{language}"), f"{rng.randrange(10000, 99999)}"
    if language != "en":
        first = f"{number} {street}" if language == "fr" else f"{street} {number}"
        return (first, f"{code} {city}")
    first = rng.choice(
        (
            f"{number} {street}",
            f"No. {number}, {street}",
            f"Lot {number}-{rng.choice('ABC')}, {street}",
            f"{number}, {street},",
        )
    )
    region = pick(rng, "state" if american else "region")
    last = rng.choice(
        (f"{city}, {region} {code}", f"{code} {city}, {region}", f"{code} {city}", f"{city} {code}, {region}.")
    )
    extra = rng.choice(("", "", "Ground Floor, Block C", "Unit 5, Phase 2", f"{pick(rng, 'city_en')} Industrial Area,"))
    lines = [first, *([extra] if extra else []), last]
    if rng.random() < 0.2:
        return (", ".join(line.rstrip(",") for line in lines),)
    return tuple(lines)


def some_code(rng: Random) -> str:
    """An identifier: digits, letters with digits, with hyphens or strokes."""
    digits = "".join(rng.choice("0123456789") for _ in range(rng.choice((4, 5, 6, 7, 8, 10))))
    lead = "".join(rng.choice("ABCDEFGHKLMNPRSTUVWX") for _ in range(rng.choice((1, 2, 3))))
    return rng.choice((digits, digits, f"{lead}{digits}", f"{lead}-{digits}", f"{digits[:4]}-{digits[2:]}",
                       f"{lead}/{digits[:3]}/{rng.randrange(10, 26)}",
                       f"20{rng.randrange(10, 26)}-{digits[:4]}"))  # fmt: skip


def _tax_id(rng: Random, language: str) -> str:
    digits = "".join(rng.choice("0123456789") for _ in range(9))
    if language == "en" and rng.random() < 0.6:
        return rng.choice((f"{digits[:2]}-{digits[2:]}", f"00{digits}{digits[:1]}", f"GB{digits}"))
    tail = {"fr": f"{digits}{digits[:2]}", "it": f"{digits}{digits[:2]}", "nl": f"{digits}B01", "es": f"B{digits[:8]}"}
    return f"{_COUNTRY[language]}{tail.get(language, digits)}"


def _iban(rng: Random, language: str) -> str:
    country = _COUNTRY[language]
    body = "".join(rng.choice("0123456789") for _ in range(18))
    number = int("".join(str(int(c, 36)) for c in f"{body}{country}00"))
    plain = f"{country}{98 - number % 97:02d}{body}"
    return " ".join(plain[i : i + 4] for i in range(0, len(plain), 4)) if rng.random() < 0.8 else plain


def _phone(rng: Random) -> str:
    a, b, c = rng.randrange(100, 999), rng.randrange(100, 999), rng.randrange(1000, 9999)
    return rng.choice((f"({a}) {b}-{c}", f"{a}-{b}-{c}", f"0{a} {b}{c}", f"+{rng.randrange(20, 60)} {a} {b} {c}",
                       f"0{rng.randrange(2, 9)}-{b}{c}", f"0{a}/{b}{c}"))  # fmt: skip


def _time(rng: Random) -> str:
    hour, minute, second = rng.randrange(7, 22), rng.randrange(60), rng.randrange(60)
    twelve = f"{(hour - 1) % 12 + 1}:{minute:02d} {'AM' if hour < 12 else 'PM'}"
    return rng.choice((f"{hour:02d}:{minute:02d}", f"{hour:02d}:{minute:02d}:{second:02d}", twelve))


def _mail(rng: Random) -> str:
    return f"{pick(rng, 'given').lower()}@{_domain(rng)}"


def _domain(rng: Random) -> str:
    return f"{pick(rng, 'first').lower()}{pick(rng, 'second')}.{rng.choice(('com', 'net', 'de'))}"


def in_the_net(name: str) -> dict[str, Told]:
    """Addresses in the net that a firm is known by; keys as those of slots."""
    plain = "".join(c for c in "".join(name.split()[:2]).lower() if c.isascii() and c.isalnum()) or "mail"
    return {
        "email": Told(f"info@{plain}.com", (f"info@{plain}.com",)),
        "web": Told(f"www.{plain}.com", (f"www.{plain}.com",)),
    }


def _bic(rng: Random, language: str) -> str:
    bank = "".join(rng.choice("ABDGKLNPST") for _ in range(4))
    return f"{bank}{_COUNTRY[language]}{rng.choice(('M1', '2A', 'FF'))}{rng.choice(('', 'XXX'))}"


def _wording(rng: Random) -> str:
    """What stands beside a label of conditions or remarks."""
    days = f"{rng.choice((7, 14, 30, 60))} days net"
    return rng.choice((pick(rng, "value_text"), days, "Bank transfer", "VISA", pick(rng, "value_text")))


def _percent(rng: Random, habit: Habit) -> Told:
    value = rng.choice((5.0, 6.0, 7.0, 7.5, 10.0, 19.0, 20.0, 21.0, 3.25))
    text = f"{value:g}".replace(".", "," if habit.comma else ".")
    return Told(value, (f"{text}{rng.choice(('%', ' %'))}",))


def _dated(rng: Random, habit: Habit) -> Told:
    day = some_date(rng)
    return Told(day.isoformat(), (date_text(day, habit),))


def _priced(rng: Random, habit: Habit) -> Told:
    amount = some_money(rng)
    return Told(float(amount), (money_text(amount, habit),))


def _addressed(rng: Random, habit: Habit) -> Told:
    lines = some_address(rng, habit.language, american=habit.currency == "USD")
    return Told(", ".join(line.strip(" ,") for line in lines), lines)


def _plain(make: Callable[[Random, Habit], str]) -> Callable[[Random, Habit], Told]:
    def tell(rng: Random, habit: Habit) -> Told:
        text = make(rng, habit)
        return Told(text, (text,))

    return tell


def _counted(rng: Random, _: Habit) -> Told:
    number = rng.randrange(1, 4000)
    return Told(number, (str(number),))


_BY_KIND: Mapping[str, Callable[[Random, Habit], Told]] = {
    "date": _dated,
    "money": _priced,
    "percent": _percent,
    "number": _counted,
    "address": _addressed,
    "code": _plain(lambda rng, _: some_code(rng)),
    "taxid": _plain(lambda rng, habit: _tax_id(rng, habit.language)),
    "iban": _plain(lambda rng, habit: _iban(rng, habit.language)),
    "bic": _plain(lambda rng, habit: _bic(rng, habit.language)),
    "phone": _plain(lambda rng, _: _phone(rng)),
    "time": _plain(lambda rng, _: _time(rng)),
    "email": _plain(lambda rng, _: _mail(rng)),
    "url": _plain(lambda rng, _: f"www.{_domain(rng)}"),
    "person": _plain(lambda rng, _: some_person(rng)),
    "org": _plain(lambda rng, habit: some_company(rng, habit.language)),
    "text": _plain(lambda rng, _: _wording(rng)),
    "place": _plain(lambda rng, habit: pick(rng, f"city_{habit.language}")),
}  # fmt: skip


def some_value(rng: Random, kind: str, habit: Habit) -> Told:
    """A value of a kind, see `Slot.kind`; a currency is the document's own."""
    if kind == "currency":
        return Told(habit.currency, (habit.currency,))
    return _BY_KIND[kind](rng, habit)


def some_item(rng: Random, language: str) -> str:
    """What a row of a list is about."""
    name = rng.choice(words()[f"item_{language}"])
    return f"{name} {rng.choice(('A', 'B', 'XL', '250g', '2 pcs', 'No. 4', 'blue'))}" if rng.random() < 0.3 else name
