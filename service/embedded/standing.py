"""Who heads a document and whom it addresses, for fields that name them by what they are: insurer, school, patient."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from service.domain.schema import FieldType
from service.embedded.fields import Ask
from service.embedded.labels import Phrase
from service.embedded.layout import Segment
from service.embedded.normalise import fold, word_set
from service.embedded.places import Evidence
from service.embedded.priors import issuers, recipients
from service.embedded.proposals import Choice

_HEADS = word_set(
    "employer insurer provider versorger utility airline hotel lab labor laboratory school institution court "
    "manufacturer contractor issuer emetteur emisor emittente aussteller pharmacy apotheke pharmacie garage "
    "werkstatt station supplier organisation organization organizer publisher lender creditor glaubiger "
    "glaeubiger finanzamt authority behorde amt sender agency landlord club verein association department "
    "university college clinic hospital praxis practice prestador prestataire dienstleister operator betreiber "
    "commerce comercio negozio markt aparcamiento 발행자 発行者"
)
"""What a field calls who issues the document."""
_ADDRESSED = word_set(
    "customer patient employee tenant insured recipient guest passenger debtor schuldner student borrower "
    "taxpayer steuerpflichtiger contribuable member mitglied adherent subscriber abonne addressee holder 請求先"
)
"""What a field calls whom the document is sent to."""
_BARE = word_set("name company person full legal business trading trade of title issue")
"""Words that add nothing to who is meant."""
_MOST = 0.62
"""A label beside a name says more."""
_TITLED = re.compile(r"^(?:herrn?|frau|mr|mrs|ms|miss|m|mme|monsieur|madame|sr|sra|dhr|mevr|sig)\.?$")
_SALUTED = re.compile(
    r"^(?:herrn?|frau|mr|mrs|ms|miss|m|mme|monsieur|madame|sr|sra|dhr|mevr|sig)\.?\s+(?=[A-ZÀ-Þ])", re.IGNORECASE
)


def standing_choices(evidence: Evidence, ask: Ask) -> list[Choice]:
    """Names that need no label; none for a field that asks for something about them."""
    if ask.field.type is not FieldType.STRING or ask.field.format or ask.field.enum:
        return []
    own = [phrase - _BARE for phrase, w in ask.phrases if w >= 0.9]
    if _only(own, _HEADS):
        return [_capped(choice) for choice in issuers(evidence)]
    if _only(own, _ADDRESSED):
        return [_capped(choice) for choice in (*_saluted(evidence), *recipients(evidence))]
    return []


def _only(phrases: list[Phrase], known: frozenset[str]) -> bool:
    """Whether the field's own words, one of its wordings, are nothing but a role."""
    return any(phrase and phrase <= known for phrase in phrases[:2])


def _capped(choice: Choice) -> Choice:
    return replace(choice, score=min(_MOST, choice.score))


def _saluted(evidence: Evidence) -> Iterator[Choice]:
    """A name behind a title on its line, or under one that stands alone over an address."""
    for segment in evidence.layout.segments:
        first = segment.line < _FIRST_LINES and _SALUTED.match(segment.text)
        if first and 2 <= len(segment.tokens) <= _NAME_WORDS:
            yield _name(evidence, segment, 1)
        elif _TITLED.match(fold(segment.text)):
            under = next(iter(evidence.layout.below(segment, reach=1.2)), None)
            if under is not None and abs(under.x0 - segment.x0) < segment.height:
                yield _name(evidence, under, 0)


_FIRST_LINES = 30
_NAME_WORDS = 6


def _name(evidence: Evidence, segment: Segment, start: int) -> Choice:
    span = evidence.spans.cut(segment, start, len(segment.tokens))
    return Choice(span, span.raw.strip(" ,.:"), 0.6, "saluted")
