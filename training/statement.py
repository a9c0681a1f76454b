"""Invented statements of bank accounts."""

from __future__ import annotations

import datetime as dt
from dataclasses import replace
from decimal import Decimal
from random import Random

from service.domain.records import Json
from training.paper import Column, Paper, labelled, new_paper, put_pairs, some_keys, some_pairing
from training.values import Told, date_text, money_text, some_company, some_date
from training.vocabulary import pick, printed_header


def make_statement(rng: Random) -> Paper:
    """A statement with its movements, one or two pages."""
    paper = new_paper(rng, "statement", scanned=0.15)
    sheet = paper.new_sheet(*paper.format)
    bank = paper.facts["bank_name"] = paper.facts["seller_name"] = _bank(paper)
    sheet.write(45, 36, bank.text, replace(paper.look, size=14.0, bold=True))
    holder = paper.show("account_holder")
    paper.shown |= {"bank_name", "seller_name"}
    y = 110.0
    for line in (holder.text, *paper.show("buyer_address").lines):
        sheet.write(45, y, line, paper.look)
        y += paper.step
    sheet.write(
        45, y + 20, printed_header(rng, "title statement", paper.language), replace(paper.look, size=13.0, bold=True)
    )
    start = some_date(rng)
    for key, day in (
        ("start_date", start),
        ("end_date", start + dt.timedelta(days=30)),
        ("invoice_date", start + dt.timedelta(days=31)),
    ):
        paper.facts[key] = Told(day.isoformat(), (date_text(day, paper.habit),))
    rows, opening = _movements(paper, start)
    closing = opening + sum((amount for _, _, amount in rows), Decimal(0))
    for key, amount in (("opening_balance", opening), ("closing_balance", closing)):
        paper.facts[key] = Told(float(amount), (money_text(amount, paper.habit),))
    keys = [*(["account_holder"] if paper.chance(0.5) else []), "closing_balance", "opening_balance"]
    keys += some_keys(
        paper,
        (
            "iban",
            "bic",
            "account_number",
            "start_date",
            "end_date",
            "invoice_date",
            "customer_number",
            "currency",
            "phone",
            "interest_rate",
        ),
        0.6,
    )
    rng.shuffle(keys)
    y = put_pairs(paper, labelled(paper, keys), rng.choice((45.0, 300.0)), y + 50, some_pairing(paper, 130.0))
    _table(paper, rows, opening, y + 20)
    return paper


def _bank(paper: Paper) -> Told:
    kind = paper.rng.choice(("Bank", "Savings Bank", "Sparkasse", "Banque", "Credit Union"))
    name = f"{pick(paper.rng, 'first')}{pick(paper.rng, 'second')} {kind}"
    return Told(name, (name,))


def _movements(paper: Paper, start: dt.date) -> tuple[list[tuple[dt.date, str, Decimal]], Decimal]:
    rng = paper.rng
    rows: list[tuple[dt.date, str, Decimal]] = []
    day = start
    for _ in range(rng.randrange(3, 14)):
        day += dt.timedelta(days=rng.randrange(0, 5))
        amount = Decimal(rng.randrange(-60000, 60000)) / 100
        rows.append((day, some_company(rng, paper.language, shop=True), amount))
    return rows, Decimal(rng.randrange(50000, 900000)) / 100


def _table(paper: Paper, rows: list[tuple[dt.date, str, Decimal]], balance: Decimal, y: float) -> None:
    sheet, running = paper.sheet, paper.chance(0.6)
    keys = ["date", "description", "amount", *(["balance"] if running else [])]
    paper.table.columns = [
        Column(
            key,
            {"date": "date", "description": "text"}.get(key, "money"),
            paper.cased(printed_header(paper.rng, f"statement {key}", paper.language)),
        )
        for key in keys
    ]  # fmt: skip
    places = {"date": 45.0, "description": 130.0, "amount": 450.0 if running else 540.0, "balance": 545.0}
    for column in paper.table.columns:
        align = "right" if column.kind == "money" else "left"
        sheet.write(places[column.key], y, column.label, replace(paper.look, bold=True), align)
    y += 1.5 * paper.step
    for day, text, amount in rows:
        if y > sheet.height - 60:
            break
        balance += amount
        told = {
            "date": date_text(day, paper.habit),
            "description": text,
            "amount": money_text(amount, paper.habit, marked=False),
            "balance": money_text(balance, paper.habit, marked=False),
        }
        for key in keys:
            sheet.write(places[key], y, told[key], paper.look, "right" if key in ("amount", "balance") else "left")
        row: dict[str, Json] = {"date": day.isoformat(), "description": text, "amount": float(amount)}
        paper.table.rows.append({**row, "balance": float(balance)} if running else row)
        y += paper.step
