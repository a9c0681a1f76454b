"""Whose tax number is printed: one that nothing gives to the customer is the sender's."""

from __future__ import annotations

import re

from service.embedded.anchors.places import Evidence
from service.embedded.asked.fields import Ask
from service.embedded.candidates.proposals import Choice
from service.embedded.candidates.senders import recipient_parties
from service.embedded.page.layout import Segment
from service.embedded.page.overlap import shared_width
from service.embedded.words.labels import read_text
from service.embedded.words.normalise import fold, word_set

_BUYER, _SELLER = word_set("customer recipient"), word_set("seller supplier sender")
_YOURS = re.compile(r"\b(?:your|ihre|votre|vostra|uw)\b")
_HEADINGS = ("buyer_name", "recipient_name", "buyer_address")
_SURE = 0.7
"""Strength from which a label heads the customer's address."""
_REACH, _CLOSE = 8.0, 3.0
"""How far under such a heading, and under an address, a number is still of it; text heights."""
_FOREIGN = 0.5
"""What a number counts that is not known to be the customer's: too little."""


def of_its_side(evidence: Evidence, ask: Ask, found: list[Choice]) -> list[Choice]:
    """The numbers for a field, those of the sender weighed down where it asks for the customer's."""
    own = frozenset(word for phrase, w in ask.phrases if w >= 0.9 for word in phrase)
    if ask.kind != "taxid" or not own & _BUYER or own & _SELLER:
        return found
    return [c if _is_buyers(evidence, c) else c.scaled(_FOREIGN) for c in found]


def _is_buyers(evidence: Evidence, choice: Choice) -> bool:
    """Whether the words beside a number, or the address over it, say that it is the customer's."""
    segment = choice.span.segment
    beside = segment if choice.label is None else choice.label.segment
    said = {word for part in read_text(beside.text) for word in part}
    if said & (_BUYER | _SELLER):
        return bool(said & _BUYER)
    if _YOURS.search(fold(beside.text)):
        return True
    heads = [h.segment for name in _HEADINGS for h in evidence.labels.of_concept(name) if h.strength > _SURE]
    blocks = [party.address[-1] for party in recipient_parties(evidence)]
    return any(_under(head, beside, _REACH) for head in heads) or any(_under(end, beside, _CLOSE) for end in blocks)


def _under(upper: Segment, lower: Segment, reach: float) -> bool:
    apart = lower.y0 - upper.y0
    level = shared_width(upper, lower) > 0
    return upper.page == lower.page and 0 < apart < reach * lower.height and level
