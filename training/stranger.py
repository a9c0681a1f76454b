"""Invented documents of layouts that the other kinds do not have: labels under lines, facts in sentences, crossings."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from random import Random

from training.paper import Paper, new_paper
from training.values import Told, money_text, some_company, some_person, some_value
from training.vocabulary import pick

_WRITTEN = ("text", "code", "date", "person", "place", "phone", "money", "number")
_SAID = ("money", "date", "number", "percent")
_SENTENCES = (
    "The {label} is {value} and stays so until further notice is given in writing.",
    "We inform you that the {label} amounts to {value} as it was agreed upon before.",
    "Please note a {label} of {value}, which has been taken from our books of this year.",
    "For your records: the {label} has been set to {value} after the last meeting.",
)
_EMPTY_SENTENCES = (
    "Should you have any question, we will be glad to help you at any time.",
    "This letter was made by a machine and is valid without being signed.",
    "We thank you for the trust that you have put in us over the last years.",
)
_COLUMNS = (("This Period", "YTD"), ("Current", "Year to date"), ("2024", "2023"), ("Plan", "Actual"), ("Net", "Gross"))


_MOST_LABELS = 12
"""Labels of one sheet: there are not many more that share no word."""


def make_slip(rng: Random) -> Paper:
    """A form that is filled in on lines, each with its label under it."""
    paper = new_paper(rng, "slip", scanned=0.5, english=0.7)
    sheet = paper.new_sheet(*paper.format)
    sheet.write(45.0, 40.0, f"{_thing(rng).title()} card", replace(paper.look, size=14.0, bold=True))
    small, y = replace(paper.look, size=0.75 * paper.look.size), 90.0
    for _ in range(rng.randrange(3, 9)):
        across = min(rng.choice((1, 2, 2, 3)), _MOST_LABELS - len(paper.others) - len(paper.empty))
        for place in range(across):
            label, kind = _new_label(paper), rng.choice(_WRITTEN)
            x = 45.0 + place * (sheet.width - 90) / across
            if rng.random() < 0.85:
                paper.others[label] = (kind, some_value(rng, kind, paper.habit))
                sheet.write(x, y, paper.others[label][1].text, paper.look)
            else:
                paper.empty.append(label)
            sheet.write(x, y + 1.1 * paper.look.size + 1.5, label, small)
        y += rng.choice((2.6, 3.2)) * paper.step
    return paper


def make_letter(rng: Random) -> Paper:
    """A letter that tells numbers and days in sentences."""
    paper = new_paper(rng, "letter", scanned=0.3, english=1.0)
    sheet = paper.new_sheet(*paper.format)
    sheet.write(45.0, 40.0, some_company(rng, "en"), replace(paper.look, bold=True))
    sheet.write(45.0, 110.0, some_person(rng), paper.look)
    y = 180.0
    told: list[str] = [*rng.sample(_EMPTY_SENTENCES, k=2)]
    for _ in range(rng.randrange(2, 6)):
        label, kind = _new_label(paper), rng.choice(_SAID)
        paper.others[label] = (kind, some_value(rng, kind, paper.habit))
        value = paper.others[label][1].text
        told.insert(0, rng.choice(_SENTENCES).format(label=label.lower(), value=value))
    rng.shuffle(told)
    for line in _lines(paper, " ".join(told), sheet.width - 90):
        sheet.write(45.0, y, line, paper.look)
        y += paper.step
    return paper


def make_ledger(rng: Random) -> Paper:
    """A sheet of amounts that their row and their column name together."""
    paper = new_paper(rng, "ledger", scanned=0.3, english=1.0)
    sheet = paper.new_sheet(*paper.format)
    sheet.write(45.0, 40.0, f"Statement of {pick(rng, 'noun')}", replace(paper.look, size=13.0, bold=True))
    columns, edges = rng.choice(_COLUMNS), (360.0, 470.0)
    for edge, column in zip(edges, columns, strict=True):
        sheet.write(edge, 90.0, column, replace(paper.look, bold=True), "right")
    for row in range(rng.randrange(4, 12)):
        label, y = _new_label(paper), 90.0 + (row + 1.5) * paper.step
        sheet.write(45.0, y, label, paper.look)
        for edge, column in zip(edges, columns, strict=True):
            amount = Decimal(rng.randrange(100, 900000)) / 100
            printed = money_text(amount, paper.habit, marked=False)
            paper.others[f"{label} {column}"] = ("money", Told(float(amount), (printed,)))
            sheet.write(edge, y, printed, paper.look, "right")
    return paper


def _thing(rng: Random) -> str:
    return f"{pick(rng, 'adjective')} {pick(rng, 'noun')}"


def _new_label(paper: Paper) -> str:
    """A label that no other field of the document has in part."""
    used = " ".join((*paper.others, *paper.empty)).lower().split()
    while True:
        label = _thing(paper.rng)
        if not any(word in used for word in label.lower().split()):
            return label.capitalize()


def _lines(paper: Paper, text: str, width: float) -> list[str]:
    lines: list[str] = [""]
    for word in text.split():
        longer = f"{lines[-1]} {word}".strip()
        if paper.look.width_of(longer) > width:
            lines.append(word)
        else:
            lines[-1] = longer
    return lines
