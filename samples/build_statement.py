"""A German bank statement of sixty bookings with a running balance."""

from __future__ import annotations

import random
from datetime import date, timedelta
from decimal import Decimal

from paper import GREY, Letters, Page, Sample, Values, day, money, record, render_pdf

LEFT, RIGHT, FOOT = 52.0, 544.0, 762.0
ROWS = 60
BLUE = (0.1, 0.22, 0.45)
OPENING = Decimal("4812.36")
START, END = date(2026, 9, 1), date(2026, 9, 30)
PAYEES = (
    ("Kartenzahlung Bäckerei Krümelglück", -4, -19), ("Lastschrift Stadtwerke Erfundingen", -60, -140),
    ("Kartenzahlung Markthalle Ost", -18, -95),
    ("Dauerauftrag Miete Blaubeerweg 8", -780, -780), ("Überweisung Ida Wackelmoos", 35, 260),
    ("Kartenzahlung Buchladen Eselsohr", -9, -48),
    ("Gutschrift Honorar Übersetzung", 420, 1650), ("Lastschrift Fernsprechnetz Nord", -25, -45),
    ("Geldautomat Erfundingen Mitte", -50, -200),
    ("Kartenzahlung Apotheke am Teich", -6, -38), ("Gutschrift Rückzahlung Fahrkarte", 12, 64),
    ("Lastschrift Versicherung Regenschirm", -31, -88),
)  # fmt: skip


def build_statement() -> Sample:
    """Sixty rows on several pages, each page with a carried balance."""
    writer = _Writer()
    balance = OPENING
    rng = random.Random(60)
    when = START
    rows: list[dict[str, str | int | float | bool | None]] = []
    for index in range(ROWS):
        when = min(END, START + timedelta(days=index * 30 // ROWS))
        text, low, high = PAYEES[0 if index % 11 == 5 else rng.randrange(len(PAYEES))]
        amount = Decimal(rng.randint(min(low, high) * 100, max(low, high) * 100)) / 100
        valuta = when if amount < 0 else min(END, when + timedelta(days=1))
        balance += amount
        row: dict[str, str | int | float | bool | None] = {
            "booking_date": when.isoformat(),
            "value_date": valuta.isoformat(),
            "description": f"{text} {1000 + index * 7}" if "Lastschrift" in text else text,
            "amount": float(amount),
            "balance": float(balance),
        }
        writer.row(index, row, (when, valuta), (amount, balance))
        rows.append(row)
    writer.close(balance)
    values: Values = {
        "bank_name": "Wolkenufer Bank eG",
        "account_holder": "Ottokar Federkiel",
        "iban": iban("0" * 8, "0012345678"),
        "statement_number": "9/2026",
        "period_start": START.isoformat(),
        "period_end": END.isoformat(),
        "opening_balance": float(OPENING),
        "transactions": rows,
        "closing_balance": float(balance),
    }
    content = render_pdf(writer.pages, "Kontoauszug 9/2026")
    return Sample(
        "bank_statement", "document.pdf", content, _schema(), [record(values, writer.pages)],
        (
            "A digital bank statement in German (1.234,56 and dd.mm.yyyy) with 60 bookings and a running balance on "
            "three pages. Each page ends and begins with a carried balance (`Übertrag`), which is not a booking."
        ),
    )  # fmt: skip


def iban(bank: str, account: str) -> str:
    """A German IBAN with right check digits for a bank code that no bank has, in groups of four."""
    check = 98 - int(f"{bank}{account}131400") % 97
    plain = f"DE{check:02}{bank}{account}"
    return " ".join(plain[i : i + 4] for i in range(0, len(plain), 4))


class _Writer:
    """Fills page after page."""

    def __init__(self) -> None:
        self.pages: list[Page] = []
        self._balance = OPENING
        self._new_page()
        self._carry("Alter Saldo", OPENING, "/opening_balance")

    def _new_page(self) -> None:
        page = Page(number=len(self.pages) + 1)
        self.pages.append(page)
        page.block((LEFT, 40, LEFT + 26, 66), colour=BLUE)
        page.text(
            LEFT + 36,
            60,
            "Wolkenufer Bank eG",
            Letters(17, "sans-bold", colour=BLUE),
            field=None if page.number > 1 else "/bank_name",
        )
        page.text(RIGHT, 60, "Kontoauszug", Letters(15, align="right"))
        page.text(LEFT, 814, "Musterdokument: Bank, Personen und alle Zahlen sind erfunden.", Letters(7, colour=GREY))
        page.text(RIGHT, 814, f"Blatt {page.number}", Letters(8, align="right", colour=GREY))
        top = self._particulars(page) if page.number == 1 else 100.0
        page.block((LEFT, top - 12, RIGHT, top + 6), colour=(0.9, 0.92, 0.96))
        for x, label, side in ((LEFT + 4, "Buchung", "l"), (116, "Wert", "l"), (176, "Vorgang", "l"),
        (466, "Betrag EUR", "r"), (RIGHT - 4, "Saldo EUR", "r")):  # fmt: skip
            page.text(x, top, label, Letters(8.5, "sans-bold", align="right" if side == "r" else "left"))
        self._y = top + 24

    def _particulars(self, page: Page) -> float:
        for index, line in enumerate(("Ottokar Federkiel", "Tintenfassgasse 5", "00017 Erfundingen")):
            page.text(LEFT, 112 + 13 * index, line, Letters(10), field=None if index else "/account_holder")
        period = f"{day(START, 'de')} bis {day(END, 'de')}"
        details = (
            ("IBAN", iban("0" * 8, "0012345678"), "/iban"), ("Auszug Nr.", "9/2026", "/statement_number"),
            ("Zeitraum", period, None),
        )  # fmt: skip
        for index, (label, text, field) in enumerate(details):
            page.text(330, 112 + 15 * index, label, Letters(9, colour=GREY))
            page.text(396, 112 + 15 * index, text, Letters(9), field=field)
        first = page.width_of(day(START, "de"), 9)
        last = page.width_of(f"{day(START, 'de')} bis ", 9)
        page.mark("/period_start", (396, 142 - 6.7, 396 + first, 143.9))
        page.mark("/period_end", (396 + last, 142 - 6.7, 396 + page.width_of(period, 9), 143.9))
        return 190.0

    def _carry(self, label: str, amount: Decimal, field: str | None = None) -> None:
        page = self.pages[-1]
        page.text(176, self._y, label, Letters(9, "sans-bold"))
        page.text(RIGHT - 4, self._y, money(amount, "de"), Letters(9, "sans-bold", align="right"), field=field)
        self._y += 18

    def row(
        self,
        index: int,
        row: dict[str, str | int | float | bool | None],
        days: tuple[date, date],
        sums: tuple[Decimal, Decimal],
    ) -> None:
        """Write one booking, on a new page if this one is full."""
        if self._y > FOOT - 24:
            self._carry("Übertrag", self._balance)
            self._new_page()
            self._carry("Übertrag", self._balance)
        page, at = self.pages[-1], f"/transactions/{index}"
        page.text(LEFT + 4, self._y, day(days[0], "de"), Letters(8.5), field=f"{at}/booking_date")
        page.text(116, self._y, day(days[1], "de"), Letters(8.5), field=f"{at}/value_date")
        page.text(176, self._y, str(row["description"]), Letters(8.5), field=f"{at}/description")
        page.text(466, self._y, money(sums[0], "de"), Letters(8.5, align="right"), field=f"{at}/amount")
        page.text(RIGHT - 4, self._y, money(sums[1], "de"), Letters(8.5, align="right"), field=f"{at}/balance")
        page.line(LEFT, self._y + 5, RIGHT, self._y + 5, width=0.25, colour=(0.8, 0.8, 0.8))
        self._balance = sums[1]
        self._y += 22

    def close(self, balance: Decimal) -> None:
        """Write the last line."""
        self._y += 4
        self._carry(f"Neuer Saldo am {day(END, 'de')}", balance, "/closing_balance")


def _schema() -> dict[str, object]:
    row = {
        "booking_date": {"type": "string", "format": "date", "description": "Day on which the bank booked it"},
        "value_date": {"type": "string", "format": "date", "description": "Day from which it counts for interest"},
        "description": {"type": "string", "description": "Kind of booking and the other party, as printed"},
        "amount": {"type": "number", "description": "Amount booked, negative when money left the account"},
        "balance": {"type": "number", "description": "Balance of the account after this booking"},
    }
    return {
        "type": "object",
        "x-checks": ["opening_balance + sum(transactions.amount) == closing_balance", "period_start <= period_end"],
        "properties": {
            "bank_name": {"type": "string", "description": "Name of the bank that keeps the account"},
            "account_holder": {"type": "string", "description": "Name of the owner of the account"},
            "iban": {"type": "string", "description": "International account number (IBAN)"},
            "statement_number": {"type": "string", "description": "Number of the statement within its year"},
            "period_start": {"type": "string", "format": "date", "description": "First day the statement covers"},
            "period_end": {"type": "string", "format": "date", "description": "Last day the statement covers"},
            "opening_balance": {"type": "number", "description": "Balance before the first booking"},
            "transactions": {
                "type": "array",
                "description": "Every booking in printed order; carried balances are not bookings",
                "items": {"type": "object", "properties": row},
            },
            "closing_balance": {"type": "number", "description": "Balance after the last booking"},
        },
    }
