"""What needs no label: who issues, whose address, the lone date, the largest amount, check marks, enum words."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace

from service.embedded.anchors.matching import labelness
from service.embedded.anchors.parties import Party, address_under, company_score, looks_company, repeats
from service.embedded.anchors.places import Evidence, places
from service.embedded.asked.fields import Ask
from service.embedded.candidates.proposals import TYPED, Choice, in_range
from service.embedded.page.layout import Segment
from service.embedded.page.spans import Kind, Span, currency_votes
from service.embedded.words.lists import cues
from service.embedded.words.normalise import fold, iban_shaped, iban_valid

REGISTRATION = re.compile(r"\s*[(\[]?\s*(?:co\.?|reg\.?)?\s*(?:no\.?:?)?\s*\d{5,}-?\s?[A-Z]?\s*[)\]]?\s*$")


SELLER, BUYER = "seller", "buyer"
_ROLES = (
    ("seller_name", SELLER, 0.85), ("seller_address", SELLER, 0.85),
    ("buyer_name", BUYER, 0.7), ("recipient_name", BUYER, 0.7), ("buyer_address", BUYER, 0.7),
)  # fmt: skip
"""Concept, what its label makes of the address under it, and how clear the label has to be."""
HEADING_REACH = 6.5
"""How far over a name its heading may stand, in heights: numbers of who it is may come between."""
_ABREAST = 5.0
"""How much higher or lower the sender may stand beside the recipient, in heights."""
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
        return _addresses(evidence, ask)
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
_DEAR = re.compile(cues("salutation"))
_UPPER = 0.45
"""Share of a page in which a letter names its parties."""


def letter_parties(evidence: Evidence) -> tuple[Party, Party] | None:
    """Who writes a letter and to whom: of two addresses over its salutation the upper one, or the left one, writes."""
    greeted = next((s for s in evidence.layout.segments if _DEAR.match(fold(s.text))), None)
    if greeted is None or greeted.page != (first := evidence.layout.pages[0]).page:
        return None
    blocks = [p for p in evidence.parties if not p.inline and p.name.page == first.page and not _role(evidence, p)]
    if len(blocks) != 2:
        return None
    if any(p.name.y0 > min(greeted.y0, _UPPER * first.height) for p in blocks):
        return None
    upper, lower = sorted(blocks, key=lambda p: (p.name.y0, p.name.x0))
    if abs(upper.name.y0 - lower.name.y0) < _ABREAST * upper.name.height and upper.name.x0 > lower.name.x0:
        return None
    return upper, lower


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


def issuers(evidence: Evidence) -> list[Choice]:
    """Who may have issued the document, by where and how names stand in it."""
    found: list[Choice] = []
    buyers = {p.name.index for p in evidence.parties if not p.inline and _buyer_score(evidence, p) >= 0.6}
    for party in evidence.parties:
        bare = REGISTRATION.sub("", party.name_text).replace(" ", "")
        if party.name.index in buyers or 2 * sum(c.isalpha() for c in bare) < len(bare):
            continue
        span = evidence.spans.cut(party.name, *party.name_words)
        score = 0.78 if party.inline else 0.62 - 0.3 * _buyer_score(evidence, party)
        score += 0.3 * (_role(evidence, party) == SELLER)
        score += 0.15 * (party.name.line < 4 and not buyers) - 0.2 * (labelness(span.tokens) > 0.9)
        found.append(_company(evidence, span, score + 0.05 * looks_company(span.raw)))
    lone = 0.22 if not buyers and not any(p.inline for p in evidence.parties) else 0.0
    rank = 0
    for segment in evidence.layout.segments:
        if segment.index in buyers or (segment.line > 24 and not looks_company(segment.text)):
            continue
        score = company_score(evidence.layout, segment, evidence.labels)
        if score >= 0.3:
            span = _name_span(evidence, segment)
            found.append(_company(evidence, span, 0.3 + 0.45 * score + max(0.0, lone - 0.05 * rank)))
            rank += 1
    return found


def _name_span(evidence: Evidence, segment: Segment) -> Span:
    """A name, with the line above where only its end stands on this one."""
    whole = evidence.spans.cut(segment, 0, len(segment.tokens))
    if not looks_company(segment.text) or len(segment.tokens) > 3 or not segment.line:
        return whole
    above = evidence.layout.lines[segment.line - 1]
    first = above.segments[0]
    near = above.page == segment.page and segment.y0 - first.y1 < 0.8 * segment.height and len(above.segments) == 1
    words = [t.text for t in first.tokens]
    if not near or len(words) > 5 or looks_company(first.text) or any(c.isdigit() for c in first.text):
        return whole
    if segment.text.isupper() and first.text.islower():  # written by hand over what is printed
        return whole
    if company_score(evidence.layout, first, evidence.labels) < 0.25 or first.height < 0.7 * segment.height:
        return whole
    text = f"{first.text} {segment.text}"
    return Span(Kind.TEXT, (*first.tokens, *segment.tokens), text, text, segment, 0, len(segment.tokens))


def _company(evidence: Evidence, span: Span, score: float) -> Choice:
    text = REGISTRATION.sub("", str(span.value)).strip(" ,·•|-–*")
    words = len(text.split())
    if 0 < words < len(span.tokens) and span.tokens[0].y0 > span.segment.y0 - span.segment.height:
        span = replace(span, tokens=span.tokens[:words], end=span.start + words, raw=text)
    bonus = 0.03 * min(3, repeats(evidence.layout, text) - 1)
    return Choice(span, text, score + bonus, "issuer")


def _role(evidence: Evidence, party: Party) -> str:
    """What the nearest heading over an address block, or the label beside it, calls who stands there, if anything."""
    name = party.name
    found: list[tuple[float, float, str]] = []
    for concept, role, least in _ROLES:
        for hit in evidence.labels.of_concept(concept):
            above = name.y0 - hit.segment.y0
            near = min(name.x1, hit.segment.x1 + 60) - max(name.x0, hit.segment.x0 - 10) > 0
            beside = hit.segment.line == name.line and hit.segment.x1 <= name.x0
            over = near and 0 < above < HEADING_REACH * name.height
            if hit.strength > least and hit.segment.page == name.page and (over or beside):
                found.append((above if over else 0.0, -hit.strength, role))
    return min(found)[2] if found else ""


def _buyer_score(evidence: Evidence, party: Party) -> float:
    """How much an address block looks like that of the recipient."""
    name = party.name
    page = evidence.layout.page(name.page)
    role = _role(evidence, party)
    if role:
        return float(role == BUYER)
    letter = page.width > 38 * evidence.layout.text_height
    window = letter and name.x0 < 0.3 * page.width and 0.08 < name.y0 / page.height < 0.42
    above = [
        p
        for p in evidence.parties
        if p.inline and p.name.page == name.page and 0 < name.y0 - p.name.y0 < 8 * name.height
    ]
    return 0.5 * window + 0.3 * bool(above) + 0.1 * (party.name.page == evidence.layout.pages[0].page)


def _beside_sender(evidence: Evidence, party: Party) -> bool:
    """Whether an address stands on the right, level with another on the left, as letters in French put it."""
    name, page = party.name, evidence.layout.page(party.name.page)
    return not _role(evidence, party) and name.x0 > 0.45 * page.width and name.y0 < 0.42 * page.height and any(
        p.name.page == name.page and p.name.x0 < 0.3 * page.width and abs(p.name.y0 - name.y0) < _ABREAST * name.height
        for p in evidence.parties
    )  # fmt: skip


def recipients(evidence: Evidence) -> list[Choice]:
    """Whom the document may be sent to, by where addresses stand in it."""
    found: list[Choice] = []
    for party, score in recipient_parties(evidence).items():
        if labelness(party.name.tokens) < 0.9:
            span = evidence.spans.cut(party.name, *party.name_words)
            found.append(Choice(span, span.raw.strip(" ,"), 0.45 + 0.4 * score, "recipient block"))
    return found


def recipient_parties(evidence: Evidence) -> dict[Party, float]:
    """The address blocks that may be the recipient's, with how much they look like it, 0.5–1."""
    scores = {p: max(_buyer_score(evidence, p), 0.6 * _beside_sender(evidence, p)) for p in evidence.parties}
    return {party: score for party, score in scores.items() if not party.inline and score >= 0.5}


def joined(evidence: Evidence, segments: tuple[Segment, ...]) -> tuple[Span, str]:
    """Several segments as one span and one line of text."""
    first = segments[0]
    tokens = tuple(t for s in segments for t in s.tokens)
    text = ", ".join(s.text.strip(" ,") for s in segments)
    return Span(Kind.TEXT, tokens, text, text, first, 0, len(first.tokens)), text


def lone_address(evidence: Evidence, ask: Ask) -> list[Choice]:
    """The only address of a document, for a field that asks for one and names neither the seller's nor a room's."""
    blocks = [party for party in evidence.parties if not party.inline]
    if ask.kind != "address" or not ask.is_concept("address", "buyer_address") or len(blocks) != 1:
        return []
    span, text = joined(evidence, blocks[0].address)
    return [Choice(span, text, _LONE_ADDRESS, "address block")]


_LONE_ADDRESS = 0.55


def _addresses(evidence: Evidence, ask: Ask) -> list[Choice]:
    buyer = ask.is_concept("buyer_address")
    found: list[Choice] = []
    for party in evidence.parties:
        score = _buyer_score(evidence, party)
        fit = 0.45 + 0.4 * score if buyer else 0.62 - 0.25 * score
        if party.inline:
            if buyer:
                continue
            span = evidence.spans.cut(party.name, party.name_words[1], len(party.name.tokens))
            found.append(Choice(span, span.raw.strip(" ,·•|-–*"), 0.6, "address line"))
        else:
            span, text = joined(evidence, party.address)
            found.append(Choice(span, text, fit, "address block"))
    if not buyer:
        names = sorted(issuers(evidence), key=lambda c: -c.score)[:1]
        for choice in names:
            under = address_under(evidence.layout, choice.span.segment)
            if under:
                span, text = joined(evidence, under)
                found.append(Choice(span, text, 0.66, "under the issuer"))
    return found
