"""Invented invoices, credit notes, orders and delivery notes."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from random import Random

from service.domain.records import Json
from training.paper import Column, Paper, labelled, new_paper, put_pairs, some_keys, some_pairing
from training.sheet import Look
from training.values import Told, date_text, in_the_net, money_text, some_code, some_company, some_item, some_person
from training.vocabulary import pick, printed_header

_META = ("order_number", "customer_number", "due_date", "delivery_date", "order_date", "reference", "contact",
         "payment_terms", "project_number", "delivery_note_number", "print_date", "contract_number", "payment_method",
         "tracking_number", "start_date", "end_date", "serial_number", "currency")  # fmt: skip
_CONTACT = ("phone", "fax", "email", "web", "tax_id")
_BANK = ("bank_name", "iban", "bic", "account_number", "tax_id")
_KINDS = {"position": "number", "article": "code", "description": "text", "date": "date", "quantity": "number",
          "unit": "text", "unit_price": "money", "discount": "percent", "tax_rate": "percent",
          "amount": "money"}  # fmt: skip
_WIDTH = {"position": 0.5, "article": 1.2, "description": 3.6, "date": 1.2, "quantity": 0.9, "unit": 0.8,
          "unit_price": 1.3, "discount": 0.8, "tax_rate": 0.8, "amount": 1.4}  # fmt: skip
_ORDERS = (
    "position description quantity unit_price amount", "description quantity unit_price amount",
    "quantity description unit_price amount", "position article description quantity unit unit_price amount",
    "article description quantity unit_price tax_rate amount", "description amount",
    "date description quantity unit_price amount",
    "quantity unit description unit_price amount", "position quantity article description unit_price amount",
    "description quantity unit_price discount amount", "date description amount", "article description quantity amount",
)  # fmt: skip


@dataclass(frozen=True)
class _Line:
    cells: dict[str, Json]
    printed: dict[str, str]
    amount: Decimal


def make_invoice(rng: Random) -> Paper:
    """An invoice on one or two pages."""
    paper = new_paper(rng, "invoice", scanned=0.15, english=0.35)
    return _laid_out(paper, "invoice", _bill_totals)


def make_order(rng: Random) -> Paper:
    """A purchase order; some are for a period."""
    paper = new_paper(rng, "order", scanned=0.1, english=0.7)
    return _laid_out(paper, "order", _order_totals)


def make_delivery(rng: Random) -> Paper:
    """A delivery note without any total."""
    return _laid_out(new_paper(rng, "delivery", scanned=0.3), "delivery", _no_totals)


def _laid_out(paper: Paper, kind: str, totals: Callable[[Paper, list[_Line]], list[str]]) -> Paper:
    paper.new_sheet(*paper.format)
    seller = paper.facts["seller_name"] = _single(some_company(paper.rng, paper.language))
    if paper.chance(0.5):
        paper.facts |= in_the_net(seller.text)
    paper.fact("seller_address")
    paper.facts["buyer_name"] = _buyer(paper)
    paper.fact("buyer_address")
    below = _head(paper, seller.text)
    below = _meta(paper, kind, below)
    lines = _lines(paper)
    below = _table(paper, lines, below + 2 * paper.step)
    keys = totals(paper, lines)
    below = _sums(paper, keys, below + paper.step)
    _foot(paper, [key for key in keys if key in ("total_gross", "amount_due")], below + 2 * paper.step)
    return paper


def _buyer(paper: Paper) -> Told:
    """A customer; a number in brackets behind it may or may not be part of the name."""
    name = some_person(paper.rng) if paper.chance(0.25) else some_company(paper.rng, paper.language)
    if paper.chance(0.12):
        printed = f"{name} ({paper.rng.randrange(100, 999999)})"
        return Told(printed if paper.chance(0.5) else name, (printed,))
    return _single(name)


def _single(text: str) -> Told:
    return Told(text, (text,))


def _head(paper: Paper, seller: str) -> float:
    """Issuer and recipient; where the next block may start."""
    sheet, look, step = paper.sheet, paper.look, paper.step
    margin, right = 45.0, paper.rng.random() < 0.5
    x, align = (
        (sheet.width - margin, "right")
        if right and paper.chance(0.5)
        else (sheet.width * 0.6 if right else margin, "left")
    )
    y = 36.0
    big = replace(look, size=look.size * paper.rng.choice((1.0, 1.3, 1.8)), bold=paper.chance(0.6))
    if paper.chance(0.92):
        sheet.write(x, y, paper.show("seller_name").text, big, align)
        y += 1.5 * big.size
        lines = list(paper.show("seller_address").lines) if paper.chance(0.85) else []
        lines += [
            f"{label}{sep}{told.text}"
            for label, told in labelled(paper, some_keys(paper, _CONTACT, 0.3))
            for sep in (": " if label else "",)
        ]
        for line in lines:
            sheet.write(x, y, line, look, align)
            y += step
    if paper.chance(0.45):
        paper.shown.add("seller_name")
        address = " · ".join((seller, *paper.show("seller_address").lines)) if paper.chance(0.7) else seller
        sheet.write(margin, 128, address, replace(look, size=0.7 * look.size))
    top = max(140.0, y + step) if not right or paper.chance(0.4) else 140.0
    return max(y, _recipient(paper, margin if paper.chance(0.8) or right else 330.0, top)) + step


def _recipient(paper: Paper, x: float, y: float) -> float:
    label = paper.label("buyer_name")
    if label:
        paper.sheet.write(x, y, label + (":" if paper.chance(0.4) else ""), replace(paper.look, bold=paper.chance(0.5)))
        y += paper.step
    extra = [some_person(paper.rng)] if paper.chance(0.2) else []
    for line in (*paper.show("buyer_name").lines, *extra, *paper.show("buyer_address").lines):
        paper.sheet.write(x, y, line, paper.look)
        y += paper.step
    return y


def _meta(paper: Paper, kind: str, y: float) -> float:
    """Title, numbers and dates."""
    rng = paper.rng
    title = printed_header(rng, f"title {kind}", paper.language)
    number = {"invoice": "invoice_number", "order": "order_number", "delivery": "delivery_note_number"}[kind]
    day = {"invoice": "invoice_date", "order": "order_date", "delivery": "delivery_date"}[kind]
    _ordered_dates(paper, day)
    big = replace(paper.look, size=paper.look.size * 1.6, bold=True)
    keys = [number, day, *some_keys(paper, (k for k in _META if k not in (number, day)), 0.22)]
    if paper.chance(0.3):
        paper.sheet.write(45.0, y, f"{title} {paper.show(number).text}", big)
        keys.remove(number)
    elif paper.chance(0.8):
        paper.sheet.write(rng.choice((45.0, 250.0)), y, title, big)
    y += 2.4 * big.size
    if paper.chance(0.4):
        rng.shuffle(keys)
    if paper.chance(0.12):
        keys.remove(day)
        paper.sheet.write(
            paper.sheet.width - 45,
            y - paper.step,
            f"{pick(rng, f'city_{paper.language}')}, {paper.show(day).text}",
            paper.look,
            "right",
        )
    x = rng.choice((45.0, 45.0, 330.0))
    pairing = some_pairing(paper, rng.choice((95.0, 120.0, 150.0)))
    pairs = labelled(paper, keys)
    noun = f"{pick(rng, 'adjective').title()} {pick(rng, 'noun')}"
    if paper.chance(0.15):
        paper.others[noun] = ("code", _single(some_code(rng)))
        pairs.insert(rng.randrange(len(pairs) + 1), (noun, paper.others[noun][1]))
    return put_pairs(paper, pairs, x, y, pairing)


def _ordered_dates(paper: Paper, first: str) -> None:
    """Days of one document in their natural order."""
    start = dt.date.fromisoformat(str(paper.fact(first).value))
    away = {"due_date": (7, 60), "delivery_date": (-10, 20), "order_date": (-30, 0), "print_date": (0, 20),
            "start_date": (-40, 10), "end_date": (11, 90), "invoice_date": (0, 30)}  # fmt: skip
    for key, (least, most) in away.items():
        if key != first:
            day = start + dt.timedelta(days=paper.rng.randint(least, most))
            paper.facts[key] = Told(day.isoformat(), (date_text(day, paper.habit),))
    paper.facts[first] = Told(start.isoformat(), (date_text(start, paper.habit),))


def _lines(paper: Paper) -> list[_Line]:
    rng, habit = paper.rng, paper.habit
    keys = rng.choice(_ORDERS).split()
    for key in keys:
        label = paper.cased(printed_header(rng, key, paper.language))
        paper.table.columns.append(Column(key, _KINDS[key], label))
    lines: list[_Line] = []
    whole = rng.random() < 0.6
    for place in range(rng.choice((1, 1, 2, 3, 4, 5, 6, 8, 14))):
        count = Decimal(rng.randrange(1, 12)) if whole or rng.random() < 0.7 else Decimal(rng.randrange(10, 400)) / 4
        price = Decimal(rng.randrange(90, 40000)) / 100
        off = Decimal(rng.choice((0, 0, 5, 10))) if "discount" in keys else Decimal(0)
        amount = (count * price * (100 - off) / 100).quantize(Decimal("0.01"))
        text = some_item(rng, paper.language)
        told: dict[str, tuple[Json, str]] = {
            "position": (place + 1, str(place + 1)),
            "article": ((code := some_code(rng)), code),
            "description": (text, text),
            "date": (
                (day := dt.date(2020, 1, 1) + dt.timedelta(days=rng.randrange(900))).isoformat(),
                date_text(day, habit),
            ),
            "quantity": (
                float(count),
                f"{count:.2f}".replace(".", "," if habit.comma else ".") if not whole else str(count),
            ),
            "unit": ((unit := rng.choice(("h", "pcs", "Stk", "kg", "m"))), unit),
            "unit_price": (float(price), money_text(price, habit, marked=paper.look.bold)),
            "discount": (float(off), f"{off}%" if off else ""),
            "tax_rate": (19.0, rng.choice(("19%", "19", "19 %"))),
            "amount": (float(amount), money_text(amount, habit, marked=place % 2 == 0 and paper.look.size > 9)),
        }
        cells = {key: told[key][0] for key in keys if told[key][1]}
        lines.append(_Line(cells, {key: told[key][1] for key in keys}, amount))
    paper.table.rows = [line.cells for line in lines]
    return lines


def _table(paper: Paper, lines: Sequence[_Line], y: float) -> float:
    """The table, over the page's edge if it must."""
    columns = paper.table.columns
    left, right = 45.0, paper.sheet.width - 45.0
    share = (right - left) / sum(_WIDTH[c.key] for c in columns)
    edges, x = [], left
    for column in columns:
        edges.append((x, x + share * _WIDTH[column.key] - 6))
        x += share * _WIDTH[column.key]
    numbers_right = paper.chance(0.8)
    y = _table_head(paper, edges, y, numbers_right=numbers_right)
    for line in lines:
        if y > paper.sheet.height - 110:
            paper.new_sheet(paper.sheet.width, paper.sheet.height)
            y = _table_head(paper, edges, 60.0, numbers_right=numbers_right) if paper.chance(0.8) else 60.0
        deepest = y
        for column, (x0, x1) in zip(columns, edges, strict=True):
            text = line.printed[column.key]
            if column.key == "description":
                deepest = _described(paper, text, x0, y, x1 - x0)
            elif column.kind in ("money", "number", "percent") and numbers_right:
                paper.sheet.write(x1, y, text, paper.look, "right")
            else:
                paper.sheet.write(x0, y, text, paper.look)
        y = deepest + paper.step
    return y


def _table_head(paper: Paper, edges: Sequence[tuple[float, float]], y: float, *, numbers_right: bool) -> float:
    look = replace(paper.look, bold=paper.chance(0.7))
    for column, (x0, x1) in zip(paper.table.columns, edges, strict=True):
        if column.kind in ("money", "number", "percent") and numbers_right:
            paper.sheet.write(x1, y, column.label, look, "right")
        else:
            paper.sheet.write(x0, y, column.label, look)
    return y + 1.5 * paper.step


def _described(paper: Paper, text: str, x: float, y: float, width: float) -> float:
    """A description, wrapped where it must be, at times with a remark under it; its last line."""
    words, line = text.split(), ""
    for word in words:
        if line and paper.look.width_of(f"{line} {word}") > width:
            paper.sheet.write(x, y, line, paper.look)
            y, line = y + paper.step, ""
        line = f"{line} {word}".strip()
    paper.sheet.write(x, y, line, paper.look)
    if paper.chance(0.06):
        y += paper.step
        paper.sheet.write(
            x,
            y,
            f"{pick(paper.rng, 'adjective')} {pick(paper.rng, 'noun')} {some_code(paper.rng)}",
            Look(0.85 * paper.look.size),
        )
    return y


def _tell(paper: Paper, key: str, amount: Decimal) -> None:
    paper.facts[key] = Told(float(amount), (money_text(amount, paper.habit),))


def _bill_totals(paper: Paper, lines: list[_Line]) -> list[str]:
    net = sum((line.amount for line in lines), Decimal(0))
    rate = Decimal(paper.rng.choice((0, 6, 7, 10, 19, 19, 20, 21)))
    if rate == 0 and paper.chance(0.8):
        _tell(paper, "total_gross", net)
        return ["total_gross"]
    cent = Decimal("0.01")
    tax = (net * rate / 100).quantize(cent)
    gross = net + tax
    keys = ["total_net", "total_tax", "total_gross"]
    if paper.chance(0.12):
        _tell(paper, "shipping", port := Decimal(paper.rng.randrange(300, 2000)) / 100)
        gross += port
        keys.insert(1, "shipping")
    for key, amount in (("total_net", net), ("total_tax", tax), ("total_gross", gross)):
        _tell(paper, key, amount)
    if paper.chance(0.15):
        _tell(paper, "prepaid", paid := (gross * paper.rng.choice(_PAID_BEFORE) / 100).quantize(cent))
        _tell(paper, "amount_due", gross - paid)
        keys += ["prepaid", "amount_due"]
    elif paper.chance(0.15):
        _tell(paper, "amount_due", gross)
        keys.append("amount_due")
    elif paper.chance(0.4):  # not printed: where nothing was paid before, the total is what is due
        _tell(paper, "amount_due", gross)
        paper.shown.add("amount_due")
    return keys


def _order_totals(paper: Paper, lines: list[_Line]) -> list[str]:
    """The sum alone, or less what an agency keeps."""
    gross = sum((line.amount for line in lines), Decimal(0))
    _tell(paper, "total_gross", gross)
    if paper.chance(0.5):
        return ["total_gross"]
    _tell(paper, "discount", kept := (gross * 15 / 100).quantize(Decimal("0.01")))
    _tell(paper, "total_net", gross - kept)
    keys = ["total_gross", "discount", "total_net"]
    if paper.chance(0.3):
        paper.rng.shuffle(keys)
    return keys


def _no_totals(paper: Paper, lines: list[_Line]) -> list[str]:
    return []


def _sums(paper: Paper, keys: Sequence[str], y: float) -> float:
    if not keys:
        return y
    sheet = paper.sheet
    if y > sheet.height - 120:
        paper.new_sheet(sheet.width, sheet.height)
        y = 60.0
    style = paper.rng.choice(("right", "right", "right", "colon", "grid"))
    pairing = replace(some_pairing(paper, 0.0), style=style, reach=150.0 if style == "right" else 90.0)
    x = sheet.width - 45.0 - 150.0 if style != "grid" else 60.0
    return put_pairs(paper, labelled(paper, keys), x, y, pairing)


_PAID_BEFORE = (10, 20, 25, 30, 33, 40, 50, 75)
"""Hundredths of a bill that were paid in advance."""
_PAY = {
    "en": "Please transfer {amount}", "de": "Bitte überweisen Sie {amount}", "fr": "Merci de régler {amount}",
    "es": "Rogamos transfiera {amount}", "it": "Si prega di versare {amount}", "nl": "Gelieve {amount} over te maken",
}  # fmt: skip
_BY = {"en": "by", "de": "bis zum", "fr": "avant le", "es": "antes del", "it": "entro il", "nl": "voor"}


def _pay_sentence(paper: Paper, keys: Sequence[str]) -> str:
    """What is to be paid, said again, at times with the day."""
    amount = paper.facts["amount_due" if "amount_due" in keys else keys[-1]].text
    text = _PAY[paper.language].format(amount=amount)
    return f"{text} {_BY[paper.language]} {paper.facts['due_date'].text}." if "due_date" in paper.shown else f"{text}."


def _foot(paper: Paper, keys: Sequence[str], y: float) -> None:
    """Sentences about the payment, then bank and contact in small print at the end."""
    rng, sheet = paper.rng, paper.sheet
    if paper.chance(0.3):
        sheet.write(45.0, min(y, sheet.height - 80), pick(rng, "thanks"), paper.look)
    if keys and paper.chance(0.3):
        sheet.write(45.0, min(y + paper.step, sheet.height - 92), _pay_sentence(paper, keys), paper.look)
    small = replace(paper.look, size=0.75 * paper.look.size)
    if paper.chance(0.35):
        sheet.write(45.0, sheet.height - 78, paper.show("seller_name").text, small)
    keys = some_keys(paper, (*_BANK, "phone", "email", "web"), 0.45)
    columns = rng.choice((1, 2, 3))
    for place, (label, told) in enumerate(labelled(paper, keys)):
        x = 45.0 + (place % columns) * (sheet.width - 90) / columns
        sheet.write(
            x,
            sheet.height - 70 + (place // columns) * 1.3 * small.size,
            f"{label}{': ' if label else ''}{told.text}",
            small,
        )
