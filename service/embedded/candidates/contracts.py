"""The parties of an agreement: named after `between`, by the roles they are given, or where they sign."""

from __future__ import annotations

import re
from collections.abc import Iterator

from service.embedded.anchors.parties import looks_company
from service.embedded.candidates.proposals import Choice
from service.embedded.candidates.prose import Prose
from service.embedded.page.layout import Layout
from service.embedded.page.spans import Kind, Span, token_range
from service.embedded.words.lists import word_list
from service.embedded.words.normalise import fold, squash

OPENING = 7000
"""Characters from the start in which an agreement names its parties."""
MOST = 8
_TWO = 2
"""Parties that an agreement has at least."""
_BETWEEN = re.compile(
    r"\b(?:de una parte\b,?|di una parte\b,?|da una parte\b,?|d'une part\b,?|by and (?:between|among)|between|"
    r"among|zwischen|entre|tra|tussen)\b[:\s]*"
)
_CLAUSE_END = re.compile(
    r"\b(?:WHEREAS|RECITALS?|WITNESSETH|Background)\b|[.:]\s+(?:The|In|This|Each|It|For|WHEREAS|NOW)\b|[\"”]\)\s*\.\s"
)
_PARTY = re.compile(
    r"\W*(?:(?:and|und|et|y|the following|de otra(?: parte)?|dall[’']altra(?: parte)?),?\s+|,\s*)*(?:\(\d+\)\s*|"
    r"\(?[ivab]+\)\s*|\d[.)]\s*)?"
    r"(?P<name>(?:[A-Z0-9]|[a-z]{1,2}[A-Z])[^()\"“”;]{2,90}?)"
    r"(?=\s*(?:,?\s*\(|;|\"|“|,?\s+(?:a|an)\s+[A-Za-z]|,?\s+(?:with|having|whose|located|residing|organized|organised|"
    r"and|und|et|on behalf|acting|for|including|incorporated|its|at|of the|d/b/a|dba|regarding|in connection|in)\b|"
    r"(?<![\s.][A-Z])(?<!Inc)(?<!Corp)"
    r"(?<!Ltd)(?<!Co)(?<!St)(?<!Mr)(?<!Dr)\.\s|$))"
)
_NEXT = re.compile(r"[,;)]?\s+(?:and|und|et|y)\s+(?=[\W]*(?:[A-Z(]|[a-z]{1,2}[A-Z]))|[;)],?\s+(?=[A-Z][\w.&’'-]+[ ,])")
_ROLE = re.compile(
    r"(?P<name>[A-Z][\w.,&’'/-]*+(?:\s+(?:[A-Z&][\w.,&’'/-]*+|of|and|de|van|von)){0,6})"
    r"\s*(?:,?\s+(?:a|an)\s[^()]{3,60})?\s*\(\s*(?:the|hereinafter|hereafter|collectively|together|"
    r"each)?[^()“\"]{0,40}[“\"][A-Z]"
)
_NOT_A_NAME = word_list("not_a_party")


def parties_of(layout: Layout, prose: Prose) -> list[Choice]:
    """Who enters into the agreement, in the order it names them; nothing without running text."""
    if not prose.is_prose:
        return []
    named = named_parties(prose)
    if _standing(named) >= _TWO:
        return named
    signing = _merged([*_signing(layout), *_signing_themselves(layout, prose)])
    if _standing(signing) >= _TWO:
        return signing
    return _merged([*named, *_by_role(prose), *signing])


def named_parties(prose: Prose) -> list[Choice]:
    """The names after the `between` that looks most like the one that opens an agreement."""
    return max(_after_between(prose), key=_standing, default=[])


def _standing(found: list[Choice]) -> float:
    """How much a list of names looks like the parties: names with a legal form or of a person."""
    return sum(1.0 if looks_company(str(c.value)) or _person(str(c.value)) else 0.2 for c in found)


def _person(text: str) -> bool:
    words = text.split()
    return 2 <= len(words) <= 4 and all(w[0].isupper() and w[-1] not in ",;" for w in words)


def _merged(found: list[Choice]) -> list[Choice]:
    kept: list[Choice] = []
    for choice in found:
        key = squash(str(choice.value))
        if not any(key in squash(str(k.value)) or squash(str(k.value)) in key for k in kept):
            kept.append(choice)
    return kept[:MOST]


def _after_between(prose: Prose) -> Iterator[list[Choice]]:
    for match in _BETWEEN.finditer(prose.folded[:OPENING]):
        yield list(_names(prose, match.end(), prose.text[match.end() : match.end() + 1200]))


def _names(prose: Prose, offset: int, clause: str) -> Iterator[Choice]:
    end = _CLAUSE_END.search(clause)
    body = clause[: end.start() + 3 if end else 900]
    position, seen = 0, set[str]()
    while position < len(body) and len(seen) < MOST:
        name = _PARTY.match(body, position)
        if name is None:
            return
        text = _clean_name(name["name"])
        start = offset + name.start("name")
        if text and text.casefold() not in seen and not _generic(text):
            seen.add(text.casefold())
            yield Choice(prose.span(start, start + len(text)), text, 0.66, "sentence")
        following = _next_party(body, name.end())
        if following is None:
            return
        position = following


def _next_party(body: str, position: int) -> int | None:
    """Where the next party starts, outside of brackets."""
    depth = 0
    for match in re.finditer(r"[()]|" + _NEXT.pattern, body[position:]):
        text = match.group(0)
        if text == "(":
            depth += 1
        elif text == ")":
            depth = max(0, depth - 1)
        elif depth <= 1 and (depth == 0 or text.startswith(")")):
            return position + match.end()
    return None


def _by_role(prose: Prose) -> Iterator[Choice]:
    """Names that are given a role in brackets: `Acme Ltd. (the “Company”)`."""
    for match in _ROLE.finditer(prose.text[:OPENING]):
        text = _clean_name(match["name"])
        if text and not _generic(text) and (looks_company(text) or _person(text)):
            yield Choice(prose.span(match.start("name"), match.start("name") + len(text)), text, 0.6, "role")


def _signing(layout: Layout) -> Iterator[Choice]:
    """Organisations above a `By:` line."""
    for segment in layout.segments:
        if not re.match(r"by\s*:", fold(segment.text)):
            continue
        for line in reversed(layout.lines[max(0, segment.line - 3) : segment.line]):
            above = next((s for s in line.segments if abs(s.x0 - segment.x0) < 6 * segment.height), None)
            if above is not None and looks_company(above.text) and len(above.tokens) <= 8:
                text = _clean_name(above.text)
                span = Span(Kind.TEXT, above.tokens, above.text, text, above, 0, len(above.tokens))
                yield Choice(span, text, 0.55, "signature")
                break


_SIGNATURE = re.compile(r"/s/\s*(?P<name>[A-Z][\w.’'-]*(?:\s+(?:[A-Z][\w.’'-]*|de|van|von)){1,3})")
_HIRED = re.compile(r"\b(?:employee|executive|consultant|director|contractor|participant|officer)\b")


def _signing_themselves(layout: Layout, prose: Prose) -> Iterator[Choice]:
    """Who signs an agreement of employment for nobody else: `/s/ Ann Lee`, without `By:` before it."""
    if not _HIRED.search(prose.folded[:OPENING]):
        return
    for segment in layout.segments:
        match = _SIGNATURE.search(segment.text)
        before = layout.segments[segment.index - 1].text if segment.index else ""
        if match is None or not _person(match["name"]) or re.search(r"\bby:?\W*$", fold(before)):
            continue
        if not re.search(r"\bby:?\W*$", fold(segment.text[: match.start()])):
            start, end = token_range(segment, *match.span("name"))
            span = Span(Kind.TEXT, segment.tokens[start:end], match["name"], match["name"], segment, start, end)
            yield Choice(span, match["name"], 0.55, "signature")


def _generic(text: str) -> bool:
    return fold(text).removeprefix("the ").strip(" ,.") in _NOT_A_NAME or bool(_NAMES_A_PAPER.search(text))


_NAMES_A_PAPER = re.compile(r"\b(?:agreement|contract)$", re.IGNORECASE)
_TITLE_BEFORE = re.compile(r"^.*\b(?:agreement|contract|letter)\s+(?=[A-Z])", re.IGNORECASE)
_OTHER_NAME = re.compile(
    r"[\s,;(]*\b(?:d/?b/?a|f/?k/?a|doing business as|formerly)\b.*|,?\s+on behalf\b.*", re.IGNORECASE
)
_KIND_OF_COMPANY = re.compile(
    r"\s*,\s*(?:an?\s+)?(?:[A-Z][\w.]*\s+){0,3}"
    r"(?:corporation|company|limited liability company|(?:limited )?partnership)$",
    re.IGNORECASE,
)
_DEGREE = re.compile(r",?\s+(?:M\.?D|Ph\.?\s?D|Esq|J\.?D|M\.?B\.?A|CPA)\.?$")
_SHORT_FORM = re.compile(r"\b(?:(?:Inc|Ltd|Corp|Co|Jr|Sr|Bros|Cia|mbH)|(?:[A-Z]\.)+[A-Z])\.$", re.IGNORECASE)


def _clean_name(text: str) -> str:
    """A name without what only tells about it; empty if nothing of a name is left."""
    text = re.sub(r"\s+", " ", _OTHER_NAME.sub("", text)).strip(" ,;:–-")
    for pattern in (_TITLE_BEFORE, _KIND_OF_COMPANY, _DEGREE):
        text = pattern.sub("", text)
    text = text if _SHORT_FORM.search(text) else text.strip(" ,.;:–-")
    return text if 2 < len(text) < 80 else ""
