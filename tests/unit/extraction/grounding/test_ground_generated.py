"""Values found on forms made by chance: the small twin of `python -m benchmarks.grounding`."""

from __future__ import annotations

import datetime as dt
import random
from dataclasses import dataclass

import pytest

from service.domain.geometry import Box, quad_box
from service.domain.pages import PageText
from service.domain.records import Confidence, FieldEntry, Json, JsonObject
from service.domain.schema import parse_schema
from service.evaluation.compare import boxes_meet
from service.extraction.grounding.ground import ground
from tests.unit.extraction.answers import extraction_of
from tests.unit.extraction.printed_pages import line_box, page_of

SEEDS = range(30)
NAMES = ["quota", "volume", "permit", "tariff", "margin", "deposit", "licence", "reading", "stipend", "subsidy"]
WORDS = [
    "amber",
    "birch",
    "cedar",
    "delta",
    "ember",
    "fjord",
    "grove",
    "heron",
    "inlet",
    "juniper",
    "kelp",
    "larch",
    "maple",
    "nettle",
    "osier",
    "pine",
]


@dataclass(frozen=True)
class Form:
    """A drawn page, the values on it, and where each stands."""

    page: PageText
    values: JsonObject
    places: dict[str, Box]


def draw(seed: int) -> Form:
    """Labels on the left, values far on the right of the same line; every amount stands twice under other labels."""
    chance = random.Random(seed)
    lines: list[str] = []
    values: JsonObject = {}
    places: dict[str, Box] = {}
    for number, name in enumerate(chance.sample(NAMES, 8)):
        value, printed = _value(chance, number)
        at = chance.randrange(40, 60)
        lines.append(f"{name} label:".ljust(at) + printed)
        lines.append(f"unlike other: {printed}" if number % 2 else "")
        values[name], places[name] = value, line_box(2 * number, at, at + len(printed))
    return Form(page_of(*lines), values, places)


def _value(chance: random.Random, number: int) -> tuple[str | float, str]:
    if number % 3 == 0:
        cents = chance.randrange(100_000, 9_999_999)
        return cents / 100, f"{cents / 100:,.2f}"
    if number % 3 == 1:
        day = dt.date(2000, 1, 1) + dt.timedelta(days=chance.randrange(9_000))
        return day.isoformat(), chance.choice(
            [f"{day:%d/%m/%Y}", f"{day:%d %b %Y}", f"{day:%b%d/%y}", f"{day:%Y-%m-%d}"]
        )
    text = f"{chance.choice(WORDS)} {chance.choice(WORDS)} {chance.randrange(1000, 9999)}"
    return text, text.upper()


def found(form: Form, values: JsonObject) -> dict[str, FieldEntry]:
    """The entries of values that a sure model gave without places."""
    kinds = {name: {"type": "number" if isinstance(v, float) else "string"} for name, v in values.items()}
    schema = parse_schema({"type": "object", "properties": dict[str, Json](kinds)})
    return ground(extraction_of(values), schema, {1: form.page}).fields


def _changed(value: Json, chance: random.Random) -> Json:
    text = str(value)
    at = chance.choice([n for n, sign in enumerate(text) if sign.isdigit()])
    other = text[:at] + str((int(text[at]) + chance.randrange(1, 9)) % 10) + text[at + 1 :]
    return float(other) if isinstance(value, float) else other


@pytest.mark.parametrize("seed", SEEDS)
def test_every_true_value_is_found_at_its_own_label(seed: int) -> None:
    """Also where the same text stands under another label, nearer to it."""
    form = draw(seed)
    entries = found(form, form.values)
    for name, box in form.places.items():
        location = entries[f"/{name}"].location
        assert location is not None, name
        assert boxes_meet(quad_box(location.coordinates), box), name


@pytest.mark.parametrize("seed", SEEDS)
def test_a_value_with_one_digit_changed_is_never_sure(seed: int) -> None:
    """The page has no such number, day or name."""
    form, chance = draw(seed), random.Random(seed)
    changed: JsonObject = {name: _changed(value, chance) for name, value in form.values.items()}
    entries = found(form, changed)
    assert [path for path, entry in entries.items() if entry.confidence is Confidence.HIGH] == []
