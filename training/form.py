"""Invented forms: labelled boxes that are filled in or left empty, numbered lines, check boxes; and memos and faxes."""

from __future__ import annotations

from dataclasses import replace
from random import Random

from training.paper import Paper, new_paper
from training.values import Told, some_value
from training.vocabulary import pick, slots

_KNOWN = ("buyer_name", "buyer_address", "birth_date", "phone", "email", "policy_number", "account_number", "iban",
          "reference", "start_date", "end_date", "contact", "invoice_date", "serial_number", "tax_id", "seller_name",
          "customer_number", "fax", "project_number", "contract_number", "total_gross", "interest_rate")  # fmt: skip
_KINDS = ("text", "text", "text", "code", "date", "number", "person", "place", "money", "phone", "org")
_HINTS = ("see instructions", "if any", "optional", "last, first, middle", "if different from above", "required")
_SENTENCES = (
    "Under penalties of perjury the signer declares that the above is correct.",
    "Please type or print clearly in black ink and return this sheet to the office named above.",
    "This message is meant only for the person it is addressed to.",
    "Do not write below this line.",
)


def make_form(rng: Random) -> Paper:
    """A form of one page, digital or scanned."""
    paper = new_paper(rng, "form", scanned=0.4, english=0.75)
    sheet = paper.new_sheet(*paper.format)
    sheet.write(
        rng.choice((45.0, 180.0)),
        34,
        f"{_thing(rng).title()} {rng.choice(('form', 'report', 'request', 'certificate'))}",
        replace(paper.look, size=14.0, bold=True),
    )
    numbered = rng.random() < 0.35
    style = "box" if numbered else rng.choice(("box", "colon", "colon", "gap", "line"))
    columns = rng.choice((1, 2, 2, 3)) if style != "gap" else rng.choice((1, 2))
    labels = _labels(paper, rng.randrange(6, 22))
    y = 80.0
    for start in range(0, len(labels), columns):
        depth = 1
        for place, (label, printed) in enumerate(labels[start : start + columns]):
            x = 45.0 + place * (sheet.width - 90) / columns
            number = f"{start + place + 1}{rng.choice(('', '.'))} " if numbered else ""
            depth = max(depth, _field(paper, x, y, number + label, printed, style))
        y += paper.step * (depth + (1.6 if style == "box" else 0.5))
    _boxes(paper, y + paper.step)
    if rng.random() < 0.6:
        sheet.write(45.0, min(sheet.height - 40, y + 6 * paper.step), rng.choice(_SENTENCES), paper.look)
    return paper


def make_memo(rng: Random) -> Paper:
    """A memo or the cover of a fax, mostly scanned."""
    paper = new_paper(rng, "memo", scanned=0.8, english=0.9)
    sheet = paper.new_sheet(*paper.format)
    sheet.write(
        45,
        40,
        rng.choice(("FAX", "MEMORANDUM", "TELECOPY COVER SHEET", "MESSAGE")),
        replace(paper.look, size=16.0, bold=True),
    )
    kinds = {"To": "person", "From": "person", "Date": "date", "Subject": "text", "Fax": "phone", "Phone": "phone",
             "Number of pages": "number", "Company": "org", "Re": "text", "Cc": "person",
             "Department": "text"}  # fmt: skip
    chosen = [label for label in kinds if rng.random() < 0.65]
    y, x2 = 90.0, rng.choice((45.0, 330.0))
    for place, label in enumerate(chosen):
        told = some_value(rng, kinds[label], paper.habit)
        x = 45.0 if place % 2 == 0 else x2
        sheet.write(x, y, f"{paper.cased(label)}:", replace(paper.look, bold=rng.random() < 0.5))
        if rng.random() < 0.9:
            sheet.write(x + rng.choice((60.0, 90.0)), y, told.text, paper.look)
            paper.others[label] = (kinds[label], told)
        else:
            paper.empty.append(label)
        y += 1.3 * paper.step if x2 == 45.0 or place % 2 else 0.0
    for sentence in rng.sample(_SENTENCES, 2):
        y += 2 * paper.step
        sheet.write(45, y + 20, sentence, paper.look)
    return paper


def _labels(paper: Paper, count: int) -> list[tuple[str, list[str]]]:
    """Labels with the lines behind them; some are empty."""
    rng = paper.rng
    found: list[tuple[str, list[str]]] = []
    for key in rng.sample(_KNOWN, k=min(count // 2, 8)):
        label = paper.label(key) or slots()[key].names[0].title()
        filled = rng.random() < 0.75
        found.append((label, list(paper.show(key).lines) if filled else []))
    while len(found) < count:
        label = f"{pick(rng, 'adjective')} {pick(rng, 'noun')}" if rng.random() < 0.7 else pick(rng, "noun")
        if rng.random() < 0.3:
            end = rng.choice(("", " (if any)", ", see page 2", " on this line"))
            label = f"{label} {rng.choice(('of the', 'for', 'or', 'and'))} {pick(rng, 'noun')}{end}"
        label = paper.cased(label.capitalize())
        if label in paper.others or label in paper.empty:
            continue
        kind = rng.choice(_KINDS)
        if rng.random() < 0.75:
            told = (
                _longer(rng, some_value(rng, kind, paper.habit))
                if kind == "text"
                else some_value(rng, kind, paper.habit)
            )
            paper.others[label] = (kind, told)
            found.append((label, list(told.lines)))
        else:
            paper.empty.append(label)
            found.append((label, []))
    rng.shuffle(found)
    return found


def _thing(rng: Random) -> str:
    return f"{pick(rng, 'adjective')} {pick(rng, 'noun')}"


def _longer(rng: Random, told: Told) -> Told:
    """An answer in free words, at times over two lines."""
    if rng.random() < 0.5:
        return told
    first = f"{_thing(rng)} {rng.choice(('at', 'with', 'and', 'of'))} {pick(rng, 'noun')}".capitalize()
    lines = (first, f"{pick(rng, 'adjective')} {pick(rng, 'noun')}") if rng.random() < 0.4 else (first,)
    return Told(" ".join(lines), lines)


def _written(paper: Paper, x: float, y: float, text: str) -> None:
    """An answer as it is written in: now and then letter by letter into combs, or with wide gaps."""
    words = text.split()
    if len(words) > 1 and paper.chance(0.12):
        for word in words:
            x = paper.sheet.write(x, y, word, paper.look) + 1.4 * paper.look.size
    elif text.isdigit() and paper.chance(0.15):
        for digit in text:
            x = paper.sheet.write(x, y, digit, paper.look) + 0.5 * paper.look.size
    else:
        paper.sheet.write(x, y, text, paper.look)


def _field(paper: Paper, x: float, y: float, label: str, printed: list[str], style: str) -> int:
    """One label with its value; how many lines it took."""
    sheet, look = paper.sheet, paper.look
    small = replace(look, size=0.85 * look.size)
    if style == "box":
        hint = f" ({paper.rng.choice(_HINTS)})" if paper.chance(0.15) else ""
        sheet.write(x, y, label + hint, small)
        for depth, line in enumerate(printed):
            _written(paper, x + 2, y + (depth + 1) * paper.step, line)
        return 1 + len(printed)
    mark = ":" if style == "colon" else ""
    right = sheet.write(x, y, label + mark, look)
    at = right + look.width_of("  ") if style == "colon" else x + 130.0
    if style == "line" and not printed:
        sheet.write(at, y, "_" * 14, look)
    for depth, line in enumerate(printed):
        _written(paper, at, y + depth * paper.step, line)
    return max(1, len(printed))


def _boxes(paper: Paper, y: float) -> None:
    """A few check boxes with words beside them."""
    rng = paper.rng
    for _ in range(rng.choice((0, 0, 2, 3, 5))):
        words = f"{pick(rng, 'adjective').capitalize()} {pick(rng, 'noun')}"
        if words in paper.ticks or words in paper.others or words in paper.empty:
            continue
        paper.ticks[words] = rng.random() < 0.45
        paper.sheet.tick(48.0, y, paper.look.size, checked=paper.ticks[words])
        paper.sheet.write(48.0 + 1.8 * paper.look.size, y, words, paper.look)
        y += 1.3 * paper.step
