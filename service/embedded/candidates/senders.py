"""Who sends a document and whom it is for, with their addresses, by where names and addresses stand in it."""

from __future__ import annotations

import re
from dataclasses import replace

from service.embedded.anchors.hits import labelness
from service.embedded.anchors.parties import Party, address_under, company_score, looks_company, repeats
from service.embedded.anchors.places import Evidence
from service.embedded.asked.fields import Ask
from service.embedded.candidates.proposals import Choice
from service.embedded.page.layout import Segment
from service.embedded.page.spans import Kind, Span
from service.embedded.words.lists import cues
from service.embedded.words.normalise import fold

REGISTRATION = re.compile(r"\s*[(\[]?\s*(?:co\.?|reg\.?)?\s*(?:no\.?:?)?\s*(?<!\d)\d{5,}+-?\s?[A-Z]?\s*[)\]]?\s*$")


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


def addresses(evidence: Evidence, ask: Ask) -> list[Choice]:
    """The recipient's address, or the sender's, by what stands where."""
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
