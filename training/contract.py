"""Invented contracts: running text in which parties, days, terms and laws are told in sentences."""

from __future__ import annotations

import datetime as dt
from dataclasses import replace
from random import Random

from training.paper import LETTER, Paper, new_paper
from training.values import MONTHS, Told, some_address, some_company, some_date, some_person
from training.vocabulary import pick

_LAWS = ("New York", "Delaware", "California", "England", "Texas", "Nevada", "Ontario", "Minnesota", "Ohio", "Florida")
_NUMBERS = {1: "one", 2: "two", 3: "three", 5: "five", 12: "twelve", 18: "eighteen", 24: "twenty-four"}
_FILLER = (
    "Neither side shall disclose any of the information to third persons without prior consent in writing.",
    "The receiving side shall return or destroy all copies within ten (10) days after a request.",
    "No failure to exercise a right under this paper shall operate as a waiver of it.",
    "This agreement may be signed in several copies, each of which is an original.",
    "Notices shall be deemed received three (3) days after posting to the address given above.",
    "The information does not include what was publicly known before it was disclosed.",
    "During employment and for a period of six (6) months after it the employee shall not solicit customers.",
    "If any part is held to be void, the rest remains in force.",
    "Each side keeps all right and title in its own information.",
    "The board met on {day} and approved the form of this paper.",
    "The sides have worked together under a supply agreement dated {day}.",
    "The consultant has rendered services since {day} and goes on to do so.",
    "The duties of this part end {term} after the employee leaves the company.",
    "The restrictions on hiring last for {term} and bind both sides.",
)


def make_contract(rng: Random) -> Paper:
    """A contract of one to three pages."""
    paper = new_paper(rng, "contract", scanned=0.1, english=1.0)
    paper.new_sheet(*LETTER)
    _parties(paper)
    day = some_date(rng)
    written = _written(rng, day)
    sentences: list[str] = []
    dated = rng.random() < 0.75
    if dated:
        paper.prose["effective_date"] = Told(day.isoformat(), (written,))
    sentences.append(_opening(paper, written if dated else ""))
    sentences += [_filled(rng, sentence) for sentence in rng.sample(_FILLER, k=rng.randrange(3, len(_FILLER)))]
    if rng.random() < 0.75:
        sentences.insert(rng.randrange(2, len(sentences) + 1), _term(paper))
    if rng.random() < 0.85:
        law = rng.choice(_LAWS)
        paper.prose["governing_law"] = Told(law, (law,))
        sentences.append(rng.choice((
            f"This agreement shall be governed by and construed in accordance with the laws of the State of {law}.",
            f"Governing law. This paper is governed by the laws of {law}, without regard to its conflict rules.",
            f"The laws of {law} apply to this agreement.",
        )))  # fmt: skip
    y = _title(paper, written if not dated and rng.random() < 0.5 else "")
    for number, sentence in enumerate(sentences):
        y = _paragraph(paper, sentence if not number or rng.random() < 0.3 else f"{number}. {sentence}", y)
    _signatures(paper, y)
    return paper


def _th(day: int) -> str:
    return f"{day}{'th' if 10 < day < 20 else {1: 'st', 2: 'nd', 3: 'rd'}.get(day % 10, 'th')}"


def _parties(paper: Paper) -> None:
    rng = paper.rng
    first = some_company(rng, "en")
    paper.parties = [first, some_person(rng) if rng.random() < 0.35 else some_company(rng, "en")]


def _opening(paper: Paper, day: str) -> str:
    rng = paper.rng
    a, b = (_as_written(rng, name) for name in paper.parties)
    when = (
        rng.choice((f"is made as of {day}", f"is entered into on {day}", f"dated {day}", f"is effective as of {day}"))
        if day
        else "is made"
    )
    home = ", ".join(line.strip(",") for line in some_address(rng, "en", american=True))
    kind = rng.choice(("a Delaware corporation", f"with its office at {home}", 'the "Company"', "a corporation"))
    return rng.choice((
        f"This Agreement {when} by and between {a}, {kind} (the \"Company\"), and {b} (\"Recipient\").",
        f"THIS NON-DISCLOSURE AGREEMENT (this \"Agreement\") {when} between {a} (\"Discloser\") "
        f"and {b}, {kind} (\"Recipient\").",
        f"This agreement {when} among {a} and {b}.",
    ))  # fmt: skip


def _as_written(rng: Random, name: str) -> str:
    """A name in running text, now and then with what does not belong to it."""
    if rng.random() < 0.88:
        return name
    return rng.choice(
        (f"{name}, M.D.", f"Mr. {name}", f"{name}, doing business as {pick(rng, 'first').title()}", name.upper())
    )


def _term(paper: Paper) -> str:
    rng = paper.rng
    number, unit = rng.choice(
        ((1, "year"), (2, "year"), (3, "year"), (5, "year"), (12, "month"), (18, "month"), (24, "month"))
    )
    value = f"{number} {unit}{'s' if number > 1 else ''}"
    told = rng.choice((f"{_NUMBERS[number]} ({number}) {unit}s", f"{number} {unit}s", f"{_NUMBERS[number]} {unit}s"))
    told = told if number > 1 else told.removesuffix("s")
    paper.prose["term"] = Told(value, (told,))
    return rng.choice((
        f"This agreement shall remain in effect for a period of {told} from its date.",
        f"Term. The duties under this paper last {told} after the last disclosure.",
        f"The confidentiality duties shall continue for {told}.",
    ))  # fmt: skip


def _written(rng: Random, day: dt.date) -> str:
    month = MONTHS["en"].split()[day.month - 1]
    return rng.choice((
        f"{month} {day.day}, {day.year}", f"{day.day} {month} {day.year}",
        f"the {_th(day.day)} day of {month}, {day.year}", f"{day:%m/%d/%Y}",
    ))  # fmt: skip


def _filled(rng: Random, sentence: str) -> str:
    """A sentence with a day and a period that are not those of the contract."""
    period = rng.choice(("six (6) months", "one (1) year", "two years", "twelve (12) months", "ninety (90) days"))
    return sentence.format(day=_written(rng, some_date(rng)), term=period)


def _title(paper: Paper, stray: str) -> float:
    """The head; a day that stands there alone is that of a letter, not of the contract."""
    sheet = paper.sheet
    if stray:
        sheet.write(65.0, 30.0, f"{paper.rng.choice(('', '', 'Date: '))}{stray}", paper.look)
    title = paper.rng.choice(
        ("CONFIDENTIALITY AGREEMENT", "NON-DISCLOSURE AGREEMENT", "SERVICE AGREEMENT", "MUTUAL AGREEMENT")
    )
    sheet.write(sheet.width / 2, 50, title, replace(paper.look, size=13.0, bold=True), "centre")
    return 90.0


def _paragraph(paper: Paper, text: str, y: float) -> float:
    """Running text, broken at the right margin and at the end of the page."""
    line = ""
    for word in [*text.split(), ""]:
        if not word or paper.look.width_of(f"{line} {word}") > paper.sheet.width - 130:
            if y > paper.sheet.height - 70:
                paper.new_sheet(*LETTER)
                y = 60.0
            paper.sheet.write(65.0, y, line, paper.look)
            y, line = y + paper.step, ""
        line = f"{line} {word}".strip()
    return y + 0.8 * paper.step


def _signatures(paper: Paper, y: float) -> None:
    if y > paper.sheet.height - 120:
        paper.new_sheet(*LETTER)
        y = 60.0
    signed = f"{paper.rng.choice(('Date', 'Dated', 'Date signed'))}: {_written(paper.rng, some_date(paper.rng))}"
    below = [signed] if paper.chance(0.5) else []
    for place, party in enumerate(paper.parties):
        x = 65.0 + 260.0 * place
        lines = [
            party,
            "By: ____________",
            f"Name: {some_person(paper.rng)}",
            f"Title: {pick(paper.rng, 'noun').title()}",
            *below,
        ]
        for step, text in enumerate(lines):
            paper.sheet.write(x, y + 20 + step * 1.3 * paper.step, text, paper.look)
