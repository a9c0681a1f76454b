"""What an engineer writes in an afternoon instead: labels and regular expressions for invoices and receipts.

It knows the fields it was written for by name. A yardstick of `benchmarks.others`, no part of the service.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

import dateparser
from price_parser import Price

from service.domain.records import JsonObject
from service.domain.schema import FieldType, SchemaField

Finder = Callable[[list[str]], str | None]

MONEY = r"-?\d{1,3}(?:[.,' ]\d{2,3})*[.,]\d{2}(?!\d)|-?\d+[.,]\d{2}(?!\d)"
MONTHS = r"(?:jan|f[eé]v|feb|m[aä]r|a[pv]r|ma[iy]|ju[nli]|ao[uû]|aug|sep|o[ck]t|nov|d[eé][cz])[a-zéû]*\.?"
DATE = (
    r"\d{4}-\d\d?-\d\d?|\d\d?[./-]\d\d?[./-](?:\d{4}|\d\d)"
    rf"|\d\d?\.?[ -]?{MONTHS}[ ,-]*\d{{2,4}}|{MONTHS} \d\d?(?:st|nd|rd|th)?,? \d{{4}}"
)
IDENTIFIER = r"[A-Z0-9][A-Z0-9./_-]*\d[A-Z0-9./_-]*"
VAT_ID = r"\b(?-i:[A-Z]{2})U?(?: ?\d){8,12}\b(?:B\d\d)?"
IBAN = r"[A-Z]{2}\d\d(?: ?[A-Z0-9]{4}){3,7}(?: ?[A-Z0-9]{1,3})?"
PHONE = r"\+?[\d(][\d ()./-]{6,}\d"
WORDS = r"\S.*?(?=\s{3,}|$)"

NUMBER_LABEL = (
    r"(?:invoice|receipt|bill|credit note|document|rechnungs?|gutschrifts?|beleg|facture|factuur|fattura|fac?tura)"
    r"[ -]*(?:\(\d+\) *)?(?:number|no\b|nummer|nr|n[°ºo]|num[ée]ro|#|id\b)\.?"
)
DATE_LABEL = r"(?:invoice|issue|rechnungs|factuur)[ -]?dat(?:e|um)|date de (?:la )?facture|\b(?:dat(?:e|um|a)|fecha)\b"
DUE_LABEL = (
    r"due date|payment due|due on|f[äa]llig(?:keit)?|zahlbar bis|[ée]ch[ée]ance|vervaldatum|scadenza|vencimiento"
)
NET_LABEL = (
    r"sub-?\s?total|net(?:to)?(?: amount| total|betrag|summe)?\b|summe netto|summe ohne|zwischensumme|positionssumme|"
    r"total h\.?t|totaal excl|imponibile"
)
TAX_LABEL = r"steuerbetrag|umsatzsteuer|mehrwertsteuer|\b(?:vat|tax|gst|mwst|ust|tva|btw|iva)\b(?!.{0,3}(?:id|no|reg))"
DUE_AMOUNT_LABEL = r"(?:amount|balance|total) due|due payable|zahlbetrag|f[äa]lliger betrag|(?:net|reste) [àa] payer"
TOTAL_LABEL = (
    r"\btotal(?! ?(?:qty|items?|h\.?t|net|tax|gst|excl))|gesamt(?:betrag|summe)(?! der)|brutto(?:betrag|summe)|"
    r"rechnungs(?:betrag|summe)(?! (?:ohne|netto))|summe inkl|total t\.?t\.?c|(?:amount|payable) due|tota[al]le?"
)
FIRM = (
    r"(?:\S+ ){1,5}(?:gmbh(?: & co\.?(?: kg)?)?|ag|inc|ltd|llc|s\.?a\.?s?|s\.?r\.?l|b\.?v|sdn\.? ?bhd|enterprise)"
    r"\b\.?(?-i:(?: [A-Z]\w+)?)"
)
CUSTOMER = r"(?:bill|sold|invoice) to:?|customer:|\bk[äa]ufer|rechnungsempf[äa]nger|client\b|factur[ée] [àa]"
LINES_HEAD = r"description|item|article|artikel|bezeichnung|beschreibung|d[ée]signation|omschrijving|descri"
CUSTOMER_LABEL = r"(?:customer|kunden|client)[ -]?(?:n\S*|id)"
PHONE_LABEL = r"\b(?:tel(?:efon|ephone)?|phone)\b"
CURRENCIES = {"€": "EUR", "£": "GBP", "$": "USD", "₹": "INR", "¥": "JPY"}
CODES = re.compile(r"\b(EUR|USD|GBP|CHF|INR|JPY|CAD|AUD|MYR)\b")


def by_label(label: str, value: str, *, below: int = 1) -> Finder:
    """What stands behind a label on its line, or else on one of so many lines below."""

    def find(lines: list[str]) -> str | None:
        for index, line in enumerate(lines):
            if match := re.search(label, line, re.IGNORECASE):
                under = (text[max(match.start() - 5, 0) :] for text in lines[index + 1 : index + 1 + below])
                for text in (line[match.end() :], *under):
                    if found := re.search(value, text, re.IGNORECASE):
                        return found.group().strip()
        return None

    return find


def amount(label: str, unless: str = "^$") -> Finder:
    """The greatest of the last amounts of lines with a label: what a sum is made of is smaller."""

    def find(lines: list[str]) -> str | None:
        found: list[str] = []
        for line, under in zip(lines, [*lines[1:], ""], strict=True):
            match = re.search(label, line, re.IGNORECASE)
            if match and not re.search(unless, line, re.IGNORECASE):
                here = re.findall(MONEY, line[match.end() :]) or re.findall(MONEY, under[max(match.start() - 5, 0) :])
                found += here[-1:]
        return max(found, key=lambda text: abs(number(text)), default=None)

    return find


def number(text: str) -> float:
    """A printed number, with either decimal sign."""
    value = Price.fromstring(text).amount_float or 0.0
    return -abs(value) if text.strip().startswith("-") else value


def anywhere(value: str) -> Finder:
    """The first such text."""

    def find(lines: list[str]) -> str | None:
        match = next((m for line in lines if (m := re.search(value, line, re.IGNORECASE))), None)
        return match.group() if match else None

    return find


def first_of(*finders: Finder) -> Finder:
    """The first that finds something."""
    return lambda lines: next((text for find in finders if (text := find(lines)) is not None), None)


def heading(lines: list[str]) -> str | None:
    """The first line with a few letters: the letterhead."""
    return next((line.strip().split("   ")[0] for line in lines if len(re.findall(r"[^\W\d]", line)) > 3), None)


def address(lines: list[str]) -> str | None:
    """The lines below the letterhead, until a telephone, a tax number or a date."""
    kept: list[str] = []
    for line in [line.strip() for line in lines if line.strip()][1:7]:
        if re.search(rf"{PHONE_LABEL}|\bfax|gst|invoice|receipt|{DATE}", line, re.IGNORECASE):
            break
        if re.search(FIRM, line, re.IGNORECASE):
            kept.clear()
        elif not re.search(r"\b(?:co|reg|roc)\b.{0,12}\d|^\W*\d+-?[A-Z]\W*$", line, re.IGNORECASE):
            kept.append(line)
    return " ".join(kept) or None


def currency(lines: list[str]) -> str | None:
    """A code, or else a symbol."""
    text = "\n".join(lines)
    code = CODES.search(text)
    return code.group() if code else next((c for symbol, c in CURRENCIES.items() if symbol in text), None)


issue_date = first_of(by_label(DATE_LABEL, DATE), anywhere(DATE))
total = amount(TOTAL_LABEL)
customer = first_of(by_label(CUSTOMER, FIRM, below=5), by_label(CUSTOMER, WORDS))
firm = first_of(anywhere(FIRM), heading)
FINDERS: dict[str, Finder] = {
    **dict.fromkeys(("invoice_number", "receipt_number"), by_label(NUMBER_LABEL, IDENTIFIER)),
    **dict.fromkeys(("issuer", "seller_name", "company"), firm),
    **dict.fromkeys(("amount", "total_gross", "total"), total),
    **dict.fromkeys(("amount_untaxed", "total_net"), amount(NET_LABEL)),
    **dict.fromkeys(("amount_tax", "total_tax"), amount(TAX_LABEL, unless=rf"{NET_LABEL}|{TOTAL_LABEL}|ohne|excl|inc")),
    **dict.fromkeys(("vat_id", "seller_vat_id"), first_of(by_label(r"\bust|vat|tva|btw", VAT_ID), anywhere(VAT_ID))),
    **dict.fromkeys(("customer", "buyer_name", "sold_to"), customer),
    **dict.fromkeys(("customer_number", "customer_id"), by_label(CUSTOMER_LABEL, IDENTIFIER)),
    "amount_due": first_of(amount(DUE_AMOUNT_LABEL), total),
    "date": issue_date, "due_date": by_label(DUE_LABEL, DATE), "currency": currency, "address": address,
    "po_number": by_label(r"\b(?:p\.?o\.?|purchase order)\b[ -]*(?:number|no|#)?", IDENTIFIER),
    "iban": anywhere(IBAN), "telephone": by_label(PHONE_LABEL, PHONE),
}  # fmt: skip


def extract_by_rules(root: SchemaField, text: str) -> JsonObject:
    """The fields it has a rule for, from a document's text in the layout of its pages."""
    lines = [line for line in text.splitlines() if line.strip()]
    found: JsonObject = {}
    for field in root.properties:
        if field.type is FieldType.ARRAY:
            found[field.name] = list(_rows(lines))
        elif (finder := FINDERS.get(field.name)) is not None and (raw := finder(lines)) is not None:
            found[field.name] = _typed(field, raw)
    return found


def _typed(field: SchemaField, raw: str) -> str | float | None:
    if field.type in (FieldType.NUMBER, FieldType.INTEGER):
        return number(raw)
    if field.format == "date":
        date = dateparser.parse(raw, settings={"DATE_ORDER": "YMD" if raw[:4].isdigit() else "DMY"})
        return date.date().isoformat() if date else None
    return raw.strip()


def _rows(lines: list[str]) -> Iterator[JsonObject]:
    """Lines with a text and at least two numbers, between the head of the table and the first total."""
    inside = False
    for line in lines:
        if not inside:
            inside = re.search(LINES_HEAD, line, re.IGNORECASE) is not None
        elif re.search(f"{NET_LABEL}|{TOTAL_LABEL}|{TAX_LABEL}", line, re.IGNORECASE):
            return
        else:
            pieces = re.split(r"\s{2,}", line.strip())
            texts = [piece for piece in pieces if re.match(r"(?=.*[^\W\d]{3})(?!-?\d+[.,]\d)", piece)]
            printed = [piece for piece in pieces if re.match(r"[-$€£¥]*\d[\d.,' ]*(?![\d.,' ]*%|\w{5})", piece)]
            while printed and not re.search(MONEY, printed[-1]):
                printed.pop()  # a rate or a code of the tax stands behind the amount
            if texts and len(printed) > 1:
                yield _row(max(texts, key=len), [number(piece) for piece in printed])


def _row(text: str, numbers: list[float]) -> JsonObject:
    """The last number is the amount; quantity and price are two whose product it is, or else the ones before."""
    last = numbers[-1]
    pairs = [(a, b) for i, a in enumerate(numbers[:-1]) for b in numbers[i + 1 : -1] if abs(a * b - last) < 0.01]
    row: JsonObject = {"description": text, "amount": last}
    if pairs or len(numbers) > 2:
        row["quantity"], row["unit_price"] = pairs[0] if pairs else numbers[-3:-1]
    return row
