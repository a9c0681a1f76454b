"""What is asked of an invented document: a schema in many wordings, its truth, and fields it does not have."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from random import Random

from service.domain.records import Json, JsonObject
from training.paper import Column, Paper
from training.vocabulary import Slot, foreign, pick, slots

_NUMERIC = frozenset({"money", "percent", "number"})
_AKIN = (
    frozenset({"total_gross", "amount_due"}), frozenset({"seller_name", "bank_name"}),
    frozenset({"account_holder", "buyer_name"}),
    frozenset({"invoice_date", "order_date", "delivery_date", "print_date"}),
    frozenset({"invoice_date", "end_date"}), frozenset({"total_gross", "cash"}),
    frozenset({"total_gross", "total_net"}),
    frozenset({"phone", "fax"}), frozenset({"tax_rate", "interest_rate"}), frozenset({"total_tax", "tax_rate"}),
    frozenset({"contract_number", "order_number", "invoice_number", "delivery_note_number", "reference"}),
    frozenset({"contact", "cashier"}),
)  # fmt: skip
"""Slots that are told apart by their labels alone: where one is printed, it is not certain that another is absent."""
_OPAQUE = 0.06
"""How often a name says nothing and the description must tell."""


@dataclass
class Request:
    """A schema with its truth."""

    properties: JsonObject = field(default_factory=dict[str, "Json"])
    truth: JsonObject = field(default_factory=dict[str, "Json"])
    absent: list[str] = field(default_factory=list[str])

    @property
    def schema(self) -> JsonObject:
        """As JSON Schema."""
        return {"type": "object", "properties": self.properties}


def ask(paper: Paper) -> Request:
    """Some of what a document says, and some of what it does not, in new words."""
    rng, request = paper.rng, Request()
    known = [key for key in slots() if key in paper.shown]
    wanted = [key for key in known if rng.random() < 0.75] or known[:1]
    fields = [*_slot_fields(paper, wanted), *_other_fields(paper)]
    rng.shuffle(fields)
    for source, name, value in fields:
        unique = _unique(request, name)
        request.properties[unique] = source
        if value is None:
            request.absent.append(unique)
        else:
            request.truth[unique] = value
    _ask_prose(paper, request)
    _ask_table(paper, request)
    return request


Field = tuple[JsonObject, str, Json]


def _slot_fields(paper: Paper, wanted: list[str]) -> Iterator[Field]:
    rng = paper.rng
    for key in wanted:
        yield (
            _source(rng, slots()[key], paper.language),
            _name(rng, slots()[key], paper.language),
            paper.facts[key].value,
        )
    missing = [key for key in slots() if key not in paper.shown and not _akin_to(paper, key)]
    for key in rng.sample(missing, k=min(len(missing), rng.choice((0, 1, 2, 4, 6)))):
        yield _source(rng, slots()[key], paper.language), _name(rng, slots()[key], paper.language), None


def _akin_to(paper: Paper, key: str) -> bool:
    return key == "currency" or any(key in group and group & paper.shown for group in _AKIN)


def _other_fields(paper: Paper) -> Iterator[Field]:
    rng = paper.rng
    for label, (kind, told) in paper.others.items():
        if rng.random() < 0.85:
            numeric = kind in _NUMERIC and rng.random() < 0.8
            value: Json = told.value if numeric or (kind == "date" and _told_as_date(rng)) else told.text
            source: JsonObject = {"type": "number" if numeric else "string"}
            if value != told.text and kind == "date":
                source["format"] = "date"
            yield {**source, "description": _of_label(rng, label)}, _snake(rng, label), _joined(kind, value, told.lines)
    for words, ticked in paper.ticks.items():
        told_of = rng.choice((f'Whether "{words}" is ticked', f"{words} (check box)", words))
        yield {"type": "boolean", "description": told_of}, _snake(rng, words), ticked
    for label in paper.empty:
        if rng.random() < 0.7:
            kind = rng.choice(("string", "string", "number"))
            yield {"type": kind, "description": _of_label(rng, label)}, _snake(rng, label), None
    for slot in rng.sample(foreign(), k=rng.choice((0, 1, 2, 3))):
        yield _source(rng, slot, "en"), _snake(rng, slot.names[0]), None
    for _ in range(rng.choice((0, 0, 1, 2))):
        label = f"{pick(rng, 'adjective')} {pick(rng, 'noun')}"
        if label.lower() not in {x.lower() for x in (*paper.others, *paper.ticks, *paper.empty)}:
            kind = rng.choice(("string", "string", "number"))
            yield {"type": kind, "description": f"The {label}"}, _snake(rng, label), None


def _told_as_date(rng: Random) -> bool:
    return rng.random() < 0.6


def _joined(kind: str, value: Json, lines: tuple[str, ...]) -> Json:
    return ", ".join(line.strip(" ,") for line in lines) if kind == "address" else value


def _of_label(rng: Random, label: str) -> str:
    if rng.random() < 0.25:
        words = label.lower().split(" (")[0].split(",")[0].split()
        return rng.choice(
            (
                f"Line {rng.randrange(1, 20)}: {' '.join(words[:3])}",
                f"{' '.join(words[-2:])} that is given",
                " ".join(words[:2]),
            )
        )
    return rng.choice(
        (
            f'The value written on the form for "{label}"',
            f"{label.capitalize()} as written",
            f'Value beside the label "{label}"',
            label.capitalize(),
        )
    )


def _name(rng: Random, slot: Slot, language: str) -> str:
    """A property's name: plain, a synonym, the printed label's words, or one that says nothing."""
    chance = rng.random()
    if chance < _OPAQUE:
        return f"{rng.choice(('field', 'value', 'f', 'col'))}_{rng.randrange(1, 60)}"
    if chance < 0.15:
        label = slot.label(rng, language)
        if re.search(r"[^\W\d]{3}", label):
            return _snake(rng, label)
    return _snake(rng, slot.names[0] if chance < 0.45 else rng.choice(slot.names))


def _snake(rng: Random, text: str) -> str:
    words = re.findall(r"[^\W_]+", text.lower()) or ["x"]
    if rng.random() < 0.15:
        return words[0] + "".join(w.title() for w in words[1:])
    return "_".join(words)


def _source(rng: Random, slot: Slot, language: str) -> JsonObject:
    """The JSON Schema of a slot; a tenth of them without a description."""
    source: JsonObject = {"type": "number" if slot.kind in _NUMERIC else "string"}
    if slot.kind == "date":
        source["format"] = "date"
    if rng.random() < 0.9:
        source["description"] = rng.choice(slot.descriptions) + rng.choice(("", "", ".", " on the document."))
    return source


def _unique(request: Request, name: str) -> str:
    return name if name not in request.properties else f"{name}_{len(request.properties)}"


def _ask_prose(paper: Paper, request: Request) -> None:
    if not paper.parties:
        return
    rng = paper.rng
    texts = {
        "effective_date": ("Date on which the agreement takes effect", "Effective date of the contract"),
        "term": ("How long the agreement lasts, as a number and a unit", "Term of the duties, such as 2 years"),
        "governing_law": ("State or country whose law governs the agreement", "Governing law (name only)"),
    }  # fmt: skip
    for key, told in texts.items():
        name = rng.choice(
            (key, key, {"effective_date": "date", "term": "duration", "governing_law": "jurisdiction"}[key])
        )
        source: JsonObject = {"type": "string", "description": rng.choice(told)}
        request.properties[name] = {**source, "format": "date"} if key == "effective_date" else source
        if key in paper.prose:
            request.truth[name] = paper.prose[key].value
        else:
            request.absent.append(name)
    items: JsonObject = {"type": "string"}
    request.properties["party"] = {
        "type": "array",
        "items": items,
        "description": "Every party that enters into the agreement",
    }
    request.truth["party"] = list(paper.parties)


_COLUMN_NAMES = {
    "position": ("position", "line_no", "pos"), "article": ("article_number", "sku", "code"),
    "description": ("description", "name", "item", "text", "product"), "date": ("date", "day", "booking_date"),
    "quantity": ("quantity", "qty", "count"), "unit": ("unit", "uom"),
    "unit_price": ("unit_price", "price", "price_each"), "discount": ("discount", "discount_percent"),
    "tax_rate": ("tax_rate", "vat"), "amount": ("amount", "total", "line_total", "value", "price"),
    "balance": ("balance", "running_balance"),
}  # fmt: skip
_COLUMN_TEXTS = {
    "position": "Position number of the line", "article": "Article number",
    "description": "Description of the article or service",
    "date": "Date of the line", "quantity": "Quantity", "unit": "Unit", "unit_price": "Price of one unit",
    "discount": "Discount in percent", "tax_rate": "Tax rate in percent", "amount": "Amount of the line",
    "balance": "Balance after the movement",
}  # fmt: skip


def _ask_table(paper: Paper, request: Request) -> None:
    columns, rng = paper.table.columns, paper.rng
    if not columns or rng.random() < 0.1:
        return
    chosen = [c for c in columns if c.key in ("description", "amount") or rng.random() < 0.65]
    properties: JsonObject = {}
    names: dict[str, str] = {}
    for column in chosen:
        name = next(
            (n for n in rng.sample(_COLUMN_NAMES[column.key], k=len(_COLUMN_NAMES[column.key])) if n not in properties),
            column.key,
        )
        properties[name], names[column.key] = _cell_source(rng, column), name
    rows = [{names[c.key]: row[c.key] for c in chosen if c.key in row} for row in paper.table.rows]
    name = _unique(request, rng.choice(("lines", "items", "positions", "rows", "transactions", "entries")))
    items: JsonObject = {"type": "object", "properties": properties}
    request.properties[name] = {
        "type": "array",
        "items": items,
        "description": "The rows in printed order, without totals",
    }
    request.truth[name] = [dict(row) for row in rows]


def _cell_source(rng: Random, column: Column) -> JsonObject:
    source: JsonObject = {"type": "number" if column.kind in _NUMERIC else "string"}
    if column.kind == "date":
        source["format"] = "date"
    if rng.random() < 0.85:
        source["description"] = _COLUMN_TEXTS[column.key]
    return source
