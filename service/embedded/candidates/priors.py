"""What needs no label: the lone date, the largest amount, the currency, what is known by its shape, and the parties."""

from __future__ import annotations

import re
from collections import Counter

from service.embedded.anchors.places import Evidence, places
from service.embedded.asked.fields import Ask
from service.embedded.candidates.proposals import TYPED, Choice, in_range
from service.embedded.candidates.senders import addresses, issuers, letter_parties, recipients
from service.embedded.page.spans import Kind, Span, currency_votes
from service.embedded.words.lists import cues
from service.embedded.words.normalise import fold, iban_shaped, iban_valid

_SENDER = 0.9
"""What the issuer of a document counts as its sender."""
_BANK = re.compile(cues("bank"))


def lone_choices(evidence: Evidence, ask: Ask) -> list[Choice]:
    """Choices that rest on the document's shape alone; none for a field that asks for something narrower."""
    if ask.kind in ("email", "iban", "currency", "url"):
        return _currencies(evidence) if ask.kind == "currency" else _unmistakable(evidence, ask)
    if not ask.plain:
        return []
    if ask.kind == "date":
        return _dates(evidence, ask)
    if ask.kind == "money":
        return _amounts(evidence, ask)
    if ask.kind in ("bic", "taxid", "phone", "time") and not ask.is_concept("fax"):
        return _unmistakable(evidence, ask)
    if ask.is_concept("address", "seller_address", "buyer_address"):
        return addresses(evidence, ask)
    return _names(evidence, ask)


def _names(evidence: Evidence, ask: Ask) -> list[Choice]:
    if ask.is_concept("sender_name", "recipient_name") and (parties := letter_parties(evidence)) is not None:
        party = parties[int(ask.is_concept("recipient_name"))]
        span = evidence.spans.cut(party.name, *party.name_words)
        return [Choice(span, span.raw.strip(" ,"), _LETTER, "recipient block")]
    if ask.is_concept("seller_name", "sender_name"):
        return [c.scaled(1.0 if ask.is_concept("seller_name") else _SENDER) for c in issuers(evidence)]
    if ask.is_concept("bank_name"):
        return [c for c in issuers(evidence) if _BANK.search(fold(str(c.value)))]
    if ask.is_concept("buyer_name", "recipient_name", "account_holder"):
        return recipients(evidence)
    return []


_LETTER = 0.8
"""Score of who writes a letter and who is written to."""


_PAY_BY = re.compile(
    rf"{cues('pays')}[^.;]{{0,70}}?\b{cues('pays_by')}\b\W*{cues('pays_the')}?\W*$|\b{cues('at_the_latest')}\W*$"
)
"""What stands before the last day of a payment: of what is paid, or as the last day of anything."""

TITLE = 0.6
"""Strength from which a label of the document's number makes its line a title."""
MOST_DATES = 7
"""Different dates on the first page beyond which none of them speaks for itself."""


def _pay_by(evidence: Evidence) -> list[Choice]:
    """Dates that a sentence gives for the payment."""
    found: list[Choice] = []
    for date in evidence.spans.of(Kind.DATE):
        line = evidence.layout.lines[date.segment.line].segments
        left = [s.text for s in line if s.index == date.segment.index - 1 and not date.start]
        left = [*_wrapped_before(evidence, date), *left]
        before = fold(" ".join([*left, *(t.text for t in date.segment.tokens[: date.start])]))
        if _PAY_BY.search(before):
            found.append(Choice(date, date.value, 0.72, "pay by"))
    return found


def _wrapped_before(evidence: Evidence, date: Span) -> list[str]:
    """The line over running text that a day begins a line of."""
    segment = date.segment
    if date.start > _WRAPPED or not segment.line or evidence.layout.lines[segment.line].segments[0] is not segment:
        return []
    over = evidence.layout.lines[segment.line - 1]
    return [over.text] if over.page == segment.page and len(over.segments) == 1 else []


_WRAPPED = 3
"""Words before a day that a sentence may have brought to its line."""


def _dates(evidence: Evidence, ask: Ask) -> list[Choice]:
    if ask.is_concept("due_date"):
        return _pay_by(evidence)
    if ask.is_concept("start_date", "end_date"):
        return _lone_range(evidence, last=ask.is_concept("end_date"))
    if not ask.is_concept("invoice_date"):
        return []
    others = ("due_date", "delivery_date", "order_date", "birth_date", "end_date", "print_date")
    claimed = {
        s.ids for name in others for hit in evidence.labels.of_concept(name) if hit.strength > 0.75
        for place in list(places(evidence, hit))[:2] for s in evidence.spans.inside(place.segment, Kind.DATE)
        if s.start >= place.start
    }  # fmt: skip
    dates = [
        d for d in evidence.spans.of(Kind.DATE) if d.page == evidence.layout.pages[0].page and d.ids not in claimed
    ]
    distinct = {d.value for d in dates}
    titled = [Choice(d, d.value, 0.7, "dated title") for d in dates if _in_title(evidence, d)]
    if len(distinct) > MOST_DATES:
        return titled
    score = 0.66 if len(distinct) == 1 else 0.56
    lone = [Choice(d, d.value, score - 0.02 * rank, "lone date") for rank, d in enumerate(dates[:4])]
    return [*titled, *lone]


def _lone_range(evidence: Evidence, *, last: bool) -> list[Choice]:
    """The first or last day of the only period that a document prints as `from – to`."""
    pairs = [
        found
        for segment in evidence.layout.segments
        if in_range(found := evidence.spans.inside(segment, Kind.DATE))
    ]  # fmt: skip
    if len({(a.value, b.value) for a, b in pairs}) != 1:
        return []
    day = pairs[0][int(last)]
    return [Choice(day, day.value, 0.62, "lone range")]


def _in_title(evidence: Evidence, date: Span) -> bool:
    """Whether a date ends a line that names the document with its number: `Invoice no. 17 of 3 May`."""
    before = date.segment.tokens[: date.start]
    numbered = any(
        owner == "concept:invoice_number" and hit.strength >= TITLE and hit.end <= date.start
        for owner, hit in evidence.labels.in_segment(date.segment)
    )
    return numbered and date.end == len(date.segment.tokens) and any(c.isdigit() for t in before for c in t.text)


def _amounts(evidence: Evidence, ask: Ask) -> list[Choice]:
    if not ask.is_concept("total_gross", "amount_due"):
        return []
    money = [s for s in evidence.spans.of(Kind.NUMBER) if s.money and not s.percent and s.decimals == 2]
    if not money:
        return []
    count = Counter(float(s.value) for s in money if isinstance(s.value, (int, float)))
    top = max(count)
    last = [s for s in money if s.value == top][-1]
    return [Choice(last, last.value, 0.42 + 0.06 * (count[top] > 1), "largest amount")]


def _currencies(evidence: Evidence) -> list[Choice]:
    votes = currency_votes(evidence.layout.segments)
    if not votes:
        return []
    code, spans = max(votes.items(), key=lambda item: len(item[1]))
    total = sum(map(len, votes.values()))
    return [Choice(spans[0], code, 0.6 + 0.35 * len(spans) / total, "currency vote")]


def _unmistakable(evidence: Evidence, ask: Ask) -> list[Choice]:
    spans = evidence.spans.of(TYPED[ask.kind])
    base = {"iban": 0.85, "email": 0.75, "taxid": 0.6, "bic": 0.4, "url": 0.62, "phone": 0.4, "time": 0.6}[ask.kind]
    found: list[Choice] = []
    for rank, span in enumerate(spans[:12]):
        score = base - 0.03 * rank
        if ask.kind == "iban" and not iban_valid(str(span.value)):
            if not iban_shaped(str(span.value)):
                continue
            score -= 0.28
        if ask.kind == "phone":
            score += 0.15 * bool(re.search(r"^\(?\+?\d{2,4}\)?[\s/-]\d", span.raw)) - 0.1 * (
                span.y0 > 0.5 * evidence.layout.page(span.page).height
            )
        if ask.kind == "taxid" and not re.match(r"[A-Z]{2}", span.raw):
            score -= 0.25
        found.append(Choice(span, span.value, score, "shape"))
    return found
