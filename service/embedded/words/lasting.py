"""How long an agreement lasts: which sentence about a period speaks of the agreement, and which of something else."""

from __future__ import annotations

import re

_TITLE = 300
"""Characters from the start in which a paper says what it is."""
_SUBJECT = re.compile(
    r"(?:\b(?:this|our)\s+(?:[\w’'-]+\s+){0,4}?(?:agreement|contract|nda|deed|letter|undertaking)"
    r"|\b(?:obligations?|duties|restrictions?|covenants|undertakings|commitments|provisions|nda)"
    r"|\b(?:agreement|contract)(?! (?:year|price|rate|sum|value|number|manager|term|period))"
    r"|\b(?:confidentiality|disclosure|agreement|contract) (?:term|period)"
    r"|(?<!-)\bterm(?=\s*:|\s+(?:of|for|shall|will|is|hereof)\b)|\bterm and termination\b"
    r"|\b(?:vertrag|vereinbarung|laufzeit|contrat|duree|contrato|contratto|durata)\w*)\b"
)
"""An agreement, what it lays upon somebody, or its term."""
_NO_SUBJECT = re.compile(
    r"\b(?:in|under|into|of|by|with|to|for|on|from|per|within|outside) (?:the |any |each |such )?(?:said )?$"
)
"""What stands before an agreement that is only referred to: `options under this agreement`."""
_BARE_TERM = re.compile(r"(?:^\W*|[^a-z ] ?|\b(?:the|initial|its|a|said|fixed|minimum|total|contract|agreement) )$")
"""What may stand before `term`, where no other noun owns it as in `warranty term`."""
_LASTS = re.compile(
    r"\b(?:terminat|expire|surviv|remain|continu|in (?:full )?force|in effect|cease|last|extend|endure|binding|valid|"
    r"effective|end\b|ends\b|betragt|hat eine|endet|dure|dura)\w*[^.;]{0,70}$"
    r"|\b(?:shall|will|has|have|is|are)(?: be| made| entered into)? (?:for )?a (?:fixed )?(?:term|period) of"
    r"[^.;]{0,25}$"
)
_TERM_IS = re.compile(
    r"^term\b(?! and)[^.;]{0,60}?(?:shall be|is|will be|extends?|runs?|:)[^.;]{0,40}$"
    r"|^[\w-]+ period\b[^.;]{0,60}(?:shall be|is|will be)[^.;]{0,12}$"
)
_OTHER_PAPER = re.compile(
    r"(?<!this )\b(?:supply|purchase|merger|service|lease|loan|credit|licen[cs]e|note|employment|ip|definitive|"
    r"transaction) (?:agreement|contract)"
)
_PART = re.compile(
    r"(?<!except )(?<!than )\b(?:sections?|paragraphs?|clauses?|articles?) \d|\bthis (?:section|paragraph|clause)\b"
)
"""One part of an agreement, which may last for a time of its own."""
_OFTEN_PARTIAL = ("restriction", "covenant")
"""Begins of what one part alone lays upon somebody, such as not to compete."""
_MATTER = re.compile(
    r"\b(?:compet|non-?compet|solicit|salar|severance|remunerat|compensat|retainer|pa(?:y|id)\b|payment|wage|bonus|"
    r"option|shares?\b|vest|exercis|coverage|insur|benefit|royalt|interest|licen[cs]e|lease|loan|note\b|warrant|"
    r"guarant|probation|office|records?\b|lock-?up|stand-?still|advis|employment|patent|claim|uncured|breach|"
    r"giving|notice|which|that (?:shall|will)|invoice|deliver|customer|client|exclusiv|"
    r"successive|additional|be (?:automatically )?(?:renew|extend)|may (?:be )?terminat\w*(?=[^,]{0,60}$))\w*"
)
"""Other things that agreements set a time for."""
_OWN = ("licen", "lease", "loan", "employment", "insur", "warrant")
"""Begins of what an agreement itself may be: where its title says so, the time of that is its own."""
_AGAINST = re.compile(
    r"(?:agrees? that|neither|solicit|hire|notice|business days|non-?compete|standstill|cure|shall not|"
    r"will not|during|prior|employ)"
)
_OTHER_END = re.compile(
    r"(?:terminat|end\b|expir|separat|leav|cessation|departure)[^.;]{0,60}\b(?:employ|service|engage)"
    r"|\bemploy(?:ment|ed)\b[^.;]{0,60}\b(?:terminat|end(?:s|ed)?\b|ceas)"
)
"""What such a period counts from ends with the work for somebody, not with the agreement."""
_AFTER_END = re.compile(
    r"^\W*(?:after|following|from|beyond)\W+(?:the\W+)?(?:date of\W+)?(?:the|such|any|its|said|this)?\W*"
    r"(?:early|earlier)?\W*(?:expir|terminat|end\b)"
)
_SURVIVES = re.compile(r"surviv\w*\W+(?:\w+\W+){0,4}?(?:terminat|expir)\w*(?!\w| of discussions)[^.;]{0,60}$")
"""What lasts so long lasts longer than the agreement."""
_FROM_ITS_DAY = re.compile(
    r"^\W*(?:after|following|from|of)\W+(?:the\W+)?(?:effective date|date (?:of (?:this|the)\b|hereof|first)|hereof)"
)
_OF_EACH = re.compile(
    r"^\W*(?:after|following|from|of|beyond)\b[^.;,]{0,60}\b(?:disclos|recei[pv]|deliver|communicat|furnish|transmi)"
)
"""What lasts so long for each thing that is told tells nothing of the whole."""


def lasts_so_long(text: str, start: int, end: int) -> float:
    """How far a folded text says that the agreement it is lasts for the period at characters `start` to `end` (0–1)."""
    before, after = text[max(0, start - 260) : start], text[end : end + 110]
    score = 0.28
    clause = re.split(r"[.;](?=\s)", before)[-1]
    if not (_AGAINST.search(before[-90:] + after[:30]) or _OTHER_END.search(clause) or _OTHER_END.search(after)):
        score += _said_of_it(clause, text[:_TITLE])
    score += 0.06 * bool(re.search(r"^\W*(?:from|after|following|as of|thereafter)", after))
    longer = _AFTER_END.search(after) or (_SURVIVES.search(before) and not _FROM_ITS_DAY.search(after))
    return score - 0.3 * bool(longer or _OF_EACH.search(after))


def _said_of_it(clause: str, title: str) -> float:
    """What a clause that leads to a period tells of the agreement: nothing where its subject is something else."""
    for subject in reversed(list(_SUBJECT.finditer(clause))):
        lead, said = clause[: subject.start()], clause[subject.start() :]
        if _NO_SUBJECT.search(lead) or (said.startswith("term") and not _BARE_TERM.search(lead)):
            continue
        if _OTHER_PAPER.search(lead[-20:] + said) or any(_is_other(m.group(0), title) for m in _MATTER.finditer(said)):
            continue
        if said.startswith(_OFTEN_PARTIAL) and _PART.search(said) and "confiden" not in said:
            continue
        if _TERM_IS.search(said):
            return 0.36
        if _LASTS.search(said):
            return 0.34
    return 0.0


def _is_other(matter: str, title: str) -> bool:
    """Whether a matter is another one than the agreement: none that its title names."""
    own = next((begin for begin in _OWN if matter.startswith(begin)), "")
    return not own or not re.search(rf"\b{own}", title)
