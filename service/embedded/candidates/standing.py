"""Who heads a document and whom it addresses, for fields that name them by what they are: insurer, school, patient."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from service.domain.schema import FieldType
from service.embedded.anchors.parties import looks_company
from service.embedded.anchors.places import Evidence
from service.embedded.asked.fields import Ask
from service.embedded.candidates.proposals import Choice
from service.embedded.candidates.senders import issuers, recipients
from service.embedded.page.layout import Segment
from service.embedded.words.labels import Phrase
from service.embedded.words.lists import cues, word_list
from service.embedded.words.normalise import fold, word_set

_OF_PAY, _OF_DEBT = cues("of_pay"), cues("of_debt")
"""What papers about pay say, and about what is not paid yet."""
_HEADS: dict[str, tuple[re.Pattern[str], re.Pattern[str]]] = {
    word: (re.compile(name), re.compile(text))
    for words, name, text in (
        (
            "issuer emetteur emisor emittente aussteller sender 発行者 발행자 provider supplier contractor prestador "
            "prestataire dienstleister operator operateur operatore funder grantor betreiber "
            "commerce comercio negozio organizer veranstalter organisateur organizador publisher manufacturer",
            "",
            "",
        ),
        ("employer", "", f"{_OF_PAY}|employment"),
        ("insurer", "insur|versicher|assur|segur|mutual|assicur|verzeker|forsakring|ubezpiecz|pojist|sigorta", ""),
        (
            "school institution university college instelling hogeschool onderwijsinstelling universita",
            "school|college|univers|academ|akadem|institut|schule|ecole|lyce|liceo|scuola|colegio|escuela",
            "",
        ),
        ("court", r"\bcourts?\b|gericht|tribunal|juzgado|rechtbank", ""),
        (
            "authority behorde amt finanzamt agency department",
            r"amt\b(?<!gesamt)|authorit|\bagency|\bdepartment|\boffice (?:of|for)\b|\boffice$|\bministr",
            "",
        ),
        ("hotel", r"hotel|\binn\b|\bresort|\blodge|\bpension\b", ""),
        ("airline", r"\bair\b|air(?:lines?|ways)\b|\blines\b|\bwings\b|\bflug", ""),
        ("lab labor laboratory", r"\blabs?\b|labor\b|\blaborato|diagnos|\banaly", ""),
        ("pharmacy apotheke pharmacie", "pharm|apothe|drug|farmac", ""),
        ("hospital clinic praxis practice", "hospital|clini|klini|praxis|practice|medical|health|therap|dental", ""),
        ("bank lender", "bank|sparkasse|banque|banco|banca|credit|savings|financ", ""),
        ("creditor glaubiger glaeubiger", "", _OF_DEBT),
        ("utility versorger", "", r"kwh|m³|\bmeter|zahler(?:stand|nummer|nr)|compteur|contador"),
        ("garage werkstatt station", "", r"vehicle|fahrzeug|\bfuel|\blit(?:re|er)s?\b|inspection|unleaded|diesel"),
        ("organisation organization association club verein", "societ|club|verein|associat|union|foundation|trust", ""),
    )
    for word in words.split()
}
"""What a field calls who issues the document → what the name must say, and what the document must say."""
_ADDRESSED = {
    word: re.compile(text)
    for words, text in (
        ("customer recipient addressee holder 請求先", ""),
        ("debtor schuldner", _OF_DEBT),
        ("patient", "patient|clinic|klinik|therap|medic|doctor|arzt|praxis|hospital|diagnos"),
        ("employee", _OF_PAY),
        ("tenant", r"\brent\b|\blease|miete|\bloyer|alquiler|affitto|\bhuur"),
        ("insured", "insur|versicher|assur|segur|assicur|polic"),
        ("guest", r"hotel|\brooms?\b|zimmer\b|\bchambre|habitacion|\bfolio"),
        ("passenger", r"flight|\bticket|\bboarding|\btrains?\b|flug|\bvol\b|\bvuelo"),
        ("student", r"school|college|univers|schule|ecole|\bgrade"),
        ("borrower", r"\bloan|\bcredit|darlehen|kredit|\bpret\b|prestamo"),
        ("taxpayer steuerpflichtiger contribuable", "tax|steuer|impot|impuesto"),
        ("member mitglied adherent subscriber abonne", r"\bmember|mitglied|adherent|subscri|abonn"),
    )
    for word in words.split()
}
"""What a field calls whom the document is sent to → what the text of such a document says."""
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
    if _only(own, frozenset(_HEADS)):
        return [_capped(choice) for choice in _heads(evidence, own)]
    if _only(own, frozenset(_ADDRESSED)):
        cues = [_ADDRESSED[word] for phrase in own[:2] for word in phrase if word in _ADDRESSED]
        found = (*_saluted(evidence), *recipients(evidence), *_lone(evidence)) if _says(evidence, cues) else ()
        return [_capped(choice) for choice in found if not any(map(str.isdigit, str(choice.value)))]
    return []


def _heads(evidence: Evidence, own: list[Phrase]) -> list[Choice]:
    """Who may have issued a document of the kind that is meant."""
    cues = [_HEADS[word] for phrase in own[:2] for word in phrase if word in _HEADS]
    if not _says(evidence, [said for _, said in cues]):
        return []
    return [c for c in issuers(evidence) if all(name.search(fold(str(c.value))) for name, _ in cues)]


def _says(evidence: Evidence, cues: list[re.Pattern[str]]) -> bool:
    """Whether the document has the words of its kind."""
    text = fold(" ".join(segment.text for segment in evidence.layout.segments))
    return all(cue.search(text) for cue in cues)


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


def _lone(evidence: Evidence) -> Iterator[Choice]:
    """The person over the only address of a letter, wherever in its upper half that stands."""
    blocks = [party for party in evidence.parties if not party.inline]
    if len(blocks) == 1 and not looks_company(blocks[0].name_text):
        name = blocks[0].name
        if len(name.tokens) <= _NAME_WORDS and name.y0 < _UPPER * evidence.layout.page(name.page).height:
            yield _name(evidence, name, 0)


_UPPER = 0.5
_FIRST_LINES = 30
_NAME_WORDS = 6


def _name(evidence: Evidence, segment: Segment, start: int) -> Choice:
    span = evidence.spans.cut(segment, start, len(segment.tokens))
    return Choice(span, span.raw.strip(" ,.:"), 0.6, "saluted")


_OWN_NAME = word_list("own_name")
_PAPERS_OF_A_PERSON = re.compile(cues("of_a_career"))
_LARGER = 1.15
"""Times the usual letters that a name at the head of a paper about a person is written in."""


def heading_name(evidence: Evidence, ask: Ask) -> list[Choice]:
    """The name that heads a paper about a person, such as a CV."""
    own = frozenset(fold(ask.field.name.replace("_", " ")).split())
    if ask.kind not in ("person", "text") or not own <= _OWN_NAME or not _says(evidence, [_PAPERS_OF_A_PERSON]):
        return []
    for segment in evidence.layout.segments[:4]:
        words = [t.text for t in segment.tokens]
        named = 2 <= len(words) <= 5 and all(
            w[0].isupper() and w.replace("-", "").replace(".", "").isalpha() for w in words
        )
        if named and segment.height > _LARGER * evidence.layout.text_height:
            return [_name(evidence, segment, 0)]
    return []
